#pragma once
// One JSON object on one line, safe inside an HTML script element: no '<' stands in it.

#include <cstdint>
#include <string>
#include <string_view>

namespace semblance::sim {

class JsonLine {
 public:
  JsonLine& add(std::string_view key, std::string_view text) {
    name(key);
    line_ += '"';
    for (char c : text) put(c);
    line_ += '"';
    return *this;
  }
  JsonLine& add(std::string_view key, const char* text) { return add(key, std::string_view(text)); }
  JsonLine& add(std::string_view key, int64_t number) {
    name(key);
    line_ += std::to_string(number);
    return *this;
  }
  std::string text() const { return line_ + "}"; }

 private:
  void name(std::string_view key) {
    line_ += line_.size() == 1 ? "\"" : ",\"";
    line_ += key;
    line_ += "\":";
  }
  // Bytes beyond ASCII are written as they are: texts are UTF-8.
  void put(char c) {
    constexpr char kDigits[] = "0123456789abcdef";
    auto byte = static_cast<uint8_t>(c);
    if (byte < 0x20 || c == '"' || c == '\\' || c == '<') {
      line_ += "\\u00";
      line_ += kDigits[byte >> 4];
      line_ += kDigits[byte & 15];
    } else {
      line_ += c;
    }
  }

  std::string line_ = "{";
};

}  // namespace semblance::sim
