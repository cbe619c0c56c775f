#include "engine/share/names.h"
#include "engine/base/planted.h"

#include <algorithm>

#include "engine/base/upcase.h"
#include "engine/base/utf16.h"
#include "engine/limits.h"

namespace semblance::share {
namespace {

constexpr char16_t kEscape = 0xF07F;  // the next private-use character stands for itself
constexpr char16_t kPrivateFirst = 0xF001;
constexpr char16_t kPrivateSpace = 0xF028, kPrivateDot = 0xF029;

// U+F020 + position stands for the character at that position.
constexpr std::u16string_view kReserved = u"\"*:<>?\\|";

// Whether a unit of a wire name stands for something else where it is: a blank and a dot are
// unspellable only at the end.
bool stands_for_other(char16_t c, bool is_last) {
  if (c == kPrivateSpace || c == kPrivateDot) return is_last;
  return c >= kPrivateFirst && c < kPrivateSpace;
}

bool is_reserved(char16_t c) {
  return c < 0x20 || c == u'/' || kReserved.find(c) != std::u16string_view::npos;
}

// The character that a private-use one stands for, in a stored name.
char16_t unmapped(char16_t c) {
  if (c < 0xF020) return c - 0xF000;
  if (c == kPrivateSpace) return u' ';
  if (c == kPrivateDot) return u'.';
  return kReserved[c - 0xF020];
}

// The private-use character for one that the wire can't carry; 0 if it can.
char16_t mapped(char16_t c, bool is_last) {
  if (c < 0x20) return static_cast<char16_t>(0xF000 + c);
  if (size_t at = kReserved.find(c); at != std::u16string_view::npos)
    return static_cast<char16_t>(0xF020 + at);
  if (is_last && c == u' ') return kPrivateSpace;
  if (is_last && c == u'.') return kPrivateDot;
  return 0;
}

// Whether a stored component, once unmapped, could be taken for something else by a path resolver.
bool is_special(std::u16string_view component) {
  if (PLANTED(kNameEscapes) && component == u"..") return false;
  return component.empty() || component == u"." || component == u".." ||
         component.find(u'/') != std::u16string_view::npos ||
         component.find(u'\0') != std::u16string_view::npos;
}

NtStatus check_component(std::u16string_view wire) {
  if ((wire == u"." || wire == u"..") && !PLANTED(kNameEscapes))
    return NtStatus::kObjectPathSyntaxBad;
  if (wire.empty() || wire.size() > kNameUnitsMax) return NtStatus::kObjectNameInvalid;
  if (std::ranges::any_of(wire, is_reserved)) return NtStatus::kObjectNameInvalid;
  return NtStatus::kSuccess;
}

// The stored name of a wire component.
std::u16string stored_form(std::u16string_view wire) {
  std::u16string stored;
  for (size_t i = 0; i < wire.size(); ++i) {
    bool is_last = i + 1 == wire.size();
    bool escapes = wire[i] == kEscape && !is_last &&
                   (wire[i + 1] == kEscape || stands_for_other(wire[i + 1], i + 2 == wire.size()));
    if (escapes)
      stored.push_back(wire[++i]);
    else
      stored.push_back(stands_for_other(wire[i], is_last) ? unmapped(wire[i]) : wire[i]);
  }
  return stored;
}

// The wire form of a stored name, the inverse of stored_form. From the end, since a unit is escaped
// or not by what follows it.
std::u16string wire_form(std::u16string_view stored) {
  std::u16string reversed;
  for (size_t i = stored.size(); i-- > 0;) {
    char16_t c = stored[i];
    bool is_last = i + 1 == stored.size();
    char16_t next = reversed.empty() ? u'\0' : reversed.back();
    bool next_is_last = reversed.size() == 1;
    bool ambiguous = c == kEscape ? next == kEscape || stands_for_other(next, next_is_last)
                                  : stands_for_other(c, is_last);
    char16_t instead = mapped(c, is_last);
    reversed.push_back(instead != 0 ? instead : c);
    if (ambiguous) reversed.push_back(kEscape);
  }
  return {reversed.rbegin(), reversed.rend()};
}

// Whether the component is what a listing shows for it: then it comes back as it was. The plain
// blank or dot at the end is taken too, for the sake of clients that do not map it.
bool is_canonical(std::u16string_view wire, std::u16string_view stored) {
  std::u16string shown = wire_form(stored);
  if (shown == wire) return true;
  char16_t last = wire.back();
  return (last == u' ' || last == u'.') && shown.size() == wire.size() &&
         shown.compare(0, shown.size() - 1, wire.substr(0, wire.size() - 1)) == 0;
}

}  // namespace

Result<std::string> store_path(Bytes name) {
  if (name.size() % 2 != 0) return fail(NtStatus::kInvalidParameter);
  std::u16string wire = utf16_from_wire(name);
  if (!wire.empty() && wire.front() == u'\\') return fail(NtStatus::kInvalidParameter);
  if (!wire.empty() && wire.back() == u'\\') wire.pop_back();
  std::string path;
  std::u16string_view rest = wire;
  while (!rest.empty()) {
    size_t end = std::min(rest.find(u'\\'), rest.size());
    std::u16string_view component = rest.substr(0, end);
    if (NtStatus status = check_component(component); status != NtStatus::kSuccess)
      return fail(status);
    std::u16string stored = stored_form(component);
    if (is_special(stored) || !is_canonical(component, stored))
      return fail(NtStatus::kObjectNameInvalid);
    auto utf8 = utf8_from_utf16(stored);
    if (!utf8) return fail(NtStatus::kObjectNameInvalid);
    if (!path.empty()) path.push_back('/');
    path += *utf8;
    if (path.size() > kPathBytesMax) return fail(NtStatus::kObjectNameInvalid);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return path;
}

std::optional<std::u16string> wire_name(std::string_view component) {
  auto stored = utf16_from_utf8(component);
  if (!stored) return std::nullopt;
  std::u16string wire = wire_form(*stored);
  if (wire.empty() || wire.size() > kNameUnitsMax) return std::nullopt;
  return wire;
}

std::u16string wire_path(std::string_view path) {
  if (path.empty()) return u"\\";
  std::u16string wire;
  while (!path.empty()) {
    size_t end = std::min(path.find('/'), path.size());
    wire.push_back(u'\\');
    wire += wire_name(path.substr(0, end)).value_or(u"?");
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return wire;
}

std::u16string folded(std::u16string_view name) { return upcase(name); }

std::string_view parent_path(std::string_view path) {
  size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

std::string_view last_component(std::string_view path) {
  size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string joined(std::string_view directory, std::string_view component) {
  std::string path(directory);
  if (!path.empty()) path.push_back('/');
  path += component;
  return path;
}

uint32_t component_count(std::string_view path) {
  return path.empty() ? 0 : static_cast<uint32_t>(std::ranges::count(path, '/') + 1);
}

bool is_beneath(std::string_view path, std::string_view directory) {
  if (directory.empty()) return !path.empty();
  return path.size() > directory.size() && path.starts_with(directory) &&
         path[directory.size()] == '/';
}

}  // namespace semblance::share
