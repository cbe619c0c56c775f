#pragma once
// MS-SMB2 2.2.13.2 SMB2_CREATE_CONTEXT: the chain. What stands in the contexts is in
// durable_contexts.h, lease_contexts.h and open_contexts.h.
//
//     +0 Next (4)  +4 NameOffset (2)  +6 NameLength (2)  +8 Reserved (2)  +10 DataOffset (2)
//     +12 DataLength (4)  +16 name | pad to 8 | data | pad to 8 | the next context, Next bytes on
//
// Offsets count from the context's own first byte. Next of the last one is 0.

#include <optional>

#include "engine/wire/body.h"

namespace semblance::wire {

inline constexpr std::string_view kContextExtA = "ExtA";
inline constexpr std::string_view kContextSecD = "SecD";
inline constexpr std::string_view kContextDHnQ = "DHnQ";
inline constexpr std::string_view kContextDHnC = "DHnC";
inline constexpr std::string_view kContextAlSi = "AlSi";
inline constexpr std::string_view kContextMxAc = "MxAc";
inline constexpr std::string_view kContextTWrp = "TWrp";
inline constexpr std::string_view kContextQFid = "QFid";
inline constexpr std::string_view kContextRqLs = "RqLs";
inline constexpr std::string_view kContextDH2Q = "DH2Q";
inline constexpr std::string_view kContextDH2C = "DH2C";
inline constexpr std::string_view kContextAapl = "AAPL";
// These names are GUIDs: 16 bytes.
inline constexpr std::string_view kContextAppInstanceId{
    "\x45\xBC\xA6\x6A\xEF\xA7\xF7\x4A\x90\x08\xFA\x46\x2E\x14\x4D\x74", 16};
inline constexpr std::string_view kContextAppInstanceVersion{
    "\xB9\x82\xD0\xB7\x3B\x56\x07\x4F\xA0\x7B\x52\x4A\x81\x16\xA0\x10", 16};
inline constexpr std::string_view kContextSvhdxOpenDevice{
    "\x9C\xCB\xCF\x9E\x04\xC1\xE6\x43\x98\x0E\x15\x8D\xA1\xF6\xEC\x83", 16};

struct CreateContext {
  Bytes name;
  Bytes data;

  bool is(std::string_view tag) const { return as_text(name) == tag; }
};

// Walks a chain. Bounded by its length, because Next must move at least past a context's head.
class CreateContexts {
 public:
  explicit CreateContexts(Bytes chain) : chain_(chain), done_(chain.empty()) {}

  // The next context; nothing at the end or once the chain is broken.
  std::optional<CreateContext> next();

  // False if the chain was broken: unaligned or too small Next, a name of no byte, a field outside
  // its context. STATUS_INVALID_PARAMETER.
  bool ok() const { return ok_; }

 private:
  Bytes chain_;  // from the next context on
  bool done_;
  bool ok_ = true;
};

// Writes a chain behind what the builder holds, padding to 8 first.
class CreateContextWriter {
 public:
  explicit CreateContextWriter(Builder& b) : b_(b) {}

  // A struct with kTag and build().
  template <typename Context>
  void add(const Context& context) {
    begin(as_bytes(Context::kTag));
    context.build(b_);
    end();
  }
  void add_raw(Bytes name, Bytes data) {
    begin(name);
    b_.bytes(data);
    end();
  }

 private:
  static constexpr size_t kNone = SIZE_MAX;

  void begin(Bytes name);
  void end();

  Builder& b_;
  size_t at_ = kNone;   // the current or last context
  size_t data_at_ = 0;  // its data
};

}  // namespace semblance::wire
