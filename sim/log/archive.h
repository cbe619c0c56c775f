#pragma once
// Fields to and from cereal's portable binary archive: visitors of sim/log/fields.h. What a field
// is called is not stored; the log's version says which list of fields it was written by.

#include <cereal/archives/portable_binary.hpp>
#include <deque>
#include <ios>
#include <ostream>
#include <string>
#include <vector>

#include "sim/log/visitor.h"

namespace semblance::log {

class ArchiveWriter : public Visitor<ArchiveWriter> {
 public:
  explicit ArchiveWriter(std::ostream& out) : archive_(out) {}

  template <class T>
  void number(const char*, T value) {
    archive_(value);
  }
  void bytes(const char*, Bytes bytes) {
    number("", static_cast<uint64_t>(bytes.size()));
    archive_(cereal::binary_data(bytes.data(), bytes.size()));
  }
  void size(const char*, size_t size) { number("", static_cast<uint64_t>(size)); }
  template <class... T>
  void enter(const char*, const std::variant<T...>& variant) {
    number("", static_cast<uint8_t>(variant.index()));
  }
  void begin(const char*) {}
  void end() {}

 private:
  cereal::PortableBinaryOutputArchive archive_;
};

// What views and pointers of events read from an archive point to. Addresses stay.
struct ArchiveMemory {
  std::deque<std::string> literals;
  std::deque<std::vector<uint8_t>> bytes;
  std::deque<Config> configs;

  void clear() {
    literals.clear();
    bytes.clear();
    configs.clear();
  }
};

// Throws cereal::Exception where the archive ends early or holds what can't be. Views and pointers
// live as long as `memory`.
class ArchiveReader {
 public:
  ArchiveReader(std::istream& in, ArchiveMemory& memory) : archive_(in), memory_(memory) {}

  template <class T>
  void operator()(const char*, T& value) {
    read(value);
  }
  void room(const char*, MutableBytes& into) { into = memory_.bytes.emplace_back(size()); }

 private:
  // More than any field can have; keeps a damaged length from asking for all memory.
  static constexpr uint64_t kSizeMax = 64 << 20;

  template <class T>
  T number() {
    T value;
    archive_(value);
    return value;
  }
  size_t size() {
    const auto size = number<uint64_t>();
    if (size > kSizeMax) throw cereal::Exception("a field of " + std::to_string(size) + " bytes");
    return static_cast<size_t>(size);
  }
  std::vector<uint8_t>& more() {
    std::vector<uint8_t>& bytes = memory_.bytes.emplace_back(size());
    archive_(cereal::binary_data(bytes.data(), bytes.size()));
    return bytes;
  }

  template <class T>
  void read(T& value) {
    if constexpr (std::is_same_v<T, bool>)
      value = number<uint8_t>() != 0;
    else if constexpr (std::is_enum_v<T>)
      value = static_cast<T>(number<std::underlying_type_t<T>>());
    else if constexpr (std::is_integral_v<T>)
      value = number<T>();
    else
      take(value);
  }
  void take(std::string& text) { text = as_text(more()); }
  void take(std::string_view& text) { text = as_text(more()); }
  void take(const char*& literal) {
    literal = memory_.literals.emplace_back(as_text(more())).c_str();
  }
  void take(Bytes& bytes) { bytes = more(); }
  void take(MutableBytes& bytes) { bytes = more(); }
  template <size_t n>
  void take(std::array<uint8_t, n>& bytes) {
    if (size() != n) throw cereal::Exception("an array of another size");
    archive_(cereal::binary_data(bytes.data(), n));
  }
  void take(const Config*& config) {
    Config& copy = memory_.configs.emplace_back();
    fields(*this, copy);
    config = &copy;
  }
  template <class T>
  void take(std::vector<T>& elements) {
    elements.clear();
    for (size_t left = size(); left > 0; left--) fields(*this, elements.emplace_back());
  }
  template <class... T>
  void take(std::variant<T...>& variant) {
    const auto index = number<uint8_t>();
    if (index >= sizeof...(T)) throw cereal::Exception("an alternative that there is not");
    uint8_t at = 0;
    ((at++ == index ? void(variant.template emplace<T>()) : void()), ...);
    std::visit([this](auto& value) { fields(*this, value); }, variant);
  }
  template <class T>
    requires std::is_class_v<T>
  void take(T& value) {
    fields(*this, value);
  }

  cereal::PortableBinaryInputArchive archive_;
  ArchiveMemory& memory_;
};

}  // namespace semblance::log
