#include "sim/log/text.h"

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <utility>

#include "sim/log/content_hash.h"
#include "sim/log/visitor.h"

namespace semblance::log {
namespace {

class TextVisitor : public Visitor<TextVisitor> {
 public:
  template <class T>
  void number(const char* name, T value) {
    label(name);
    line_ += std::to_string(+value);
  }
  void bytes(const char* name, Bytes bytes) {
    label(name);
    const auto printable = [](uint8_t c) { return c >= 0x20 && c != 0x7f && c != '"'; };
    const std::string_view called = name;
    if (called == "nt_hash") {
      line_ += "secret";
    } else if (called != "bytes" && called != "data" && called != "descriptor" &&
               bytes.size() <= kTextMax && std::ranges::all_of(bytes, printable)) {
      line_ += '"';
      line_ += as_text(bytes);
      line_ += '"';
    } else {
      char hash[16];
      std::snprintf(hash, sizeof hash, "%08x", static_cast<unsigned>(hash64(bytes)));
      line_ += "[" + std::to_string(bytes.size()) + " bytes, " + hash + "]";
    }
  }
  void size(const char* name, size_t size) {
    label(name);
    line_ += "[" + std::to_string(size) + "]";
  }
  void enter(const char*, const Event& event) { alternative_ = kEventNames[event.index()]; }
  void enter(const char*, const Effect& effect) { alternative_ = kEffectNames[effect.index()]; }
  void enter(const char*, const StoreOperation& operation) {
    alternative_ = store_operation_name(operation.index());
  }
  void enter(const char*, const decltype(StoreResult::value)& value) {
    static constexpr const char* kNames[] = {"nothing", "opened", "stat", "count", "fs"};
    static_assert(std::size(kNames) == std::variant_size_v<decltype(StoreResult::value)>);
    alternative_ = kNames[value.index()];
  }
  // "name{" or, for an alternative, "name=alternative{"; the outermost goes without a name.
  void begin(const char* name) {
    if (!line_.empty()) label(name);
    if (line_.ends_with('=') && alternative_.empty()) line_.pop_back();
    line_ += std::exchange(alternative_, {});
    line_ += '{';
  }
  void end() { line_ += '}'; }

  std::string take() { return std::move(line_); }

 private:
  static constexpr size_t kTextMax = 200;

  void label(const char* name) {
    if (!line_.empty() && line_.back() != '{') line_ += ' ';
    line_ += name;
    line_ += '=';
  }

  std::string line_;
  std::string_view alternative_;  // of the variant whose fields come next
};

}  // namespace

std::string text_of(const Event& event) {
  TextVisitor visitor;
  visitor("event", event);
  return visitor.take();
}

std::string text_of(const Effect& effect) {
  TextVisitor visitor;
  visitor("effect", effect);
  return visitor.take();
}

}  // namespace semblance::log
