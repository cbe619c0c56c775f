#pragma once
// What one connection's operations are: a request, or a compound, that is laid out once and then
// changed in place for every operation, and what a right reply to it looks like.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/client/requests.h"
#include "engine/wire/header.h"

namespace semblance::bench {

enum class Verdict : uint8_t {
  kDone,   // this element is answered as it should be
  kAgain,  // and the operation goes on with another request
  kWrong,  // not what was asked for, though its status is no error
};

class Work {
 public:
  virtual ~Work() = default;

  // The request of operations that run in `slot`; all of them are alike in layout.
  virtual std::vector<client::Request> compound(size_t slot) const = 0;

  // Makes it the next operation's, or what continues the one in this slot. `message` begins with
  // the first element's header. Must not touch headers.
  virtual void next(size_t slot, MutableBytes message) = 0;
  virtual void go_on(size_t slot, MutableBytes message) {}

  // Judges the reply to an element of it whose status is no error.
  virtual Verdict judge(size_t slot, size_t element, const wire::Header& header, Bytes reply) {
    return header.nt_status() == NtStatus::kSuccess ? Verdict::kDone : Verdict::kWrong;
  }
};

enum class Order : uint8_t { kSequential, kRandom };

// READs or WRITEs of `size` bytes at multiples of it, within a file of `file_bytes`.
struct Extent {
  client::FileId file;
  uint32_t size = 0;
  uint64_t file_bytes = 0;
  Order order = Order::kSequential;
  uint64_t seed = 1;  // of the random offsets
};
std::unique_ptr<Work> read_work(const Extent& extent);
std::unique_ptr<Work> write_work(const Extent& extent);

std::unique_ptr<Work> echo_work();

// CREATE, QUERY_INFO, CLOSE as one compound, over `entries` files of `directory` (stage.h) in turn:
// opened for reading, and asked for everything.
std::unique_ptr<Work> open_work(std::u16string directory, size_t entries);
// The same as a stat() has it: opened for its attributes alone.
std::unique_ptr<Work> stat_work(std::u16string directory, size_t entries);
// CREATE of a new file, WRITE of `size` bytes, CLOSE as one compound.
std::unique_ptr<Work> create_work(std::u16string directory, uint32_t size);
// QUERY_DIRECTORY of `entries` names until there are no more, a slot in each of `directories`,
// which are opens of the same directory, into `buffer_bytes` at a time.
std::unique_ptr<Work> list_work(std::vector<client::FileId> directories, size_t entries,
                                uint32_t buffer_bytes);

}  // namespace semblance::bench
