#pragma once
// What every visitor that writes has in common: how each type of a field comes down to numbers and
// bytes. The derived class says what becomes of those:
//
//   number(name, value)   a bool or an integer of its own width
//   bytes(name, Bytes)    bytes or text, of any length
//   size(name, size_t)    how many bytes a destination has room for, or how many elements follow
//   enter(name, Variant)  which alternative of a variant follows
//   begin(name), end()    around the fields of a structure

#include <array>
#include <cstring>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "sim/log/fields.h"

namespace semblance::log {

template <class Derived>
class Visitor {
 public:
  template <class T>
  void operator()(const char* name, const T& value) {
    if constexpr (std::is_enum_v<T>) {
      self().number(name, static_cast<std::underlying_type_t<T>>(value));
    } else if constexpr (std::is_integral_v<T>) {
      self().number(name, value);
    } else {
      put(name, value);
    }
  }
  void room(const char* name, Bytes into) { self().size(name, into.size()); }

 private:
  void put(const char* name, const std::string& text) { self().bytes(name, as_bytes(text)); }
  void put(const char* name, std::string_view text) { self().bytes(name, as_bytes(text)); }
  void put(const char* name, const char* literal) {
    self().bytes(name, as_bytes(std::string_view(literal)));
  }
  void put(const char* name, Bytes bytes) { self().bytes(name, bytes); }
  void put(const char* name, MutableBytes bytes) { self().bytes(name, bytes); }
  template <size_t n>
  void put(const char* name, const std::array<uint8_t, n>& bytes) {
    self().bytes(name, bytes);
  }
  void put(const char* name, const Config* config) { put_fields(name, *config); }
  template <class T>
  void put(const char* name, const std::vector<T>& elements) {
    self().size(name, elements.size());
    for (const T& element : elements) put_fields(name, element);
  }
  template <class... T>
  void put(const char* name, const std::variant<T...>& variant) {
    self().enter(name, variant);
    std::visit([&](const auto& value) { this->put_fields(name, value); }, variant);
  }
  template <class T>
    requires std::is_class_v<T>
  void put(const char* name, const T& value) {
    put_fields(name, value);
  }
  template <class T>
  void put_fields(const char* name, const T& value) {
    self().begin(name);
    fields(self(), value);
    self().end();
  }
  Derived& self() { return static_cast<Derived&>(*this); }

  friend Derived;
  Visitor() = default;
};

}  // namespace semblance::log
