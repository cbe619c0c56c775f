#include "engine/auth/smbpasswd.h"

#include <algorithm>
#include <charconv>

namespace semblance::auth {
namespace {

constexpr size_t kHashDigits = 32;
constexpr std::string_view kNoHash = "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX";
constexpr std::string_view kNoPassword = "NO PASSWORDXXXXXXXXXXXXXXXXXXXXX";
static_assert(kNoHash.size() == kHashDigits && kNoPassword.size() == kHashDigits);

// Cuts the next piece up to `separator` off the front of `text`.
std::string_view cut(std::string_view& text, char separator) {
  const size_t end = text.find(separator);
  const std::string_view piece = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return piece;
}

template <typename T>
std::optional<T> number(std::string_view text, int base) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<NtHash> hash_of(std::string_view digits) {
  NtHash hash;
  for (size_t i = 0; i < hash.size(); ++i) {
    const auto byte = number<uint8_t>(digits.substr(2 * i, 2), 16);
    if (!byte) return std::nullopt;
    hash[i] = *byte;
  }
  return hash;
}

std::string hex(uint64_t value, size_t digits) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string text(digits, '0');
  for (size_t i = digits; i-- > 0; value >>= 4) text[i] = kDigits[value & 15];
  return text;
}

bool writable(std::string_view name) {
  return !name.empty() && name.front() != '#' && std::ranges::all_of(name, [](char c) {
    return c != ':' && static_cast<unsigned char>(c) >= 0x20 && c != 0x7F;
  });
}

std::optional<SmbPasswdEntry> parse_line(std::string_view line) {
  SmbPasswdEntry entry;
  entry.name = cut(line, ':');
  const auto uid = number<uint32_t>(cut(line, ':'), 10);
  const std::string_view lm = cut(line, ':');
  const std::string_view nt = cut(line, ':');
  if (!writable(entry.name) || !uid || lm.size() != kHashDigits || nt.size() != kHashDigits) {
    return std::nullopt;
  }
  entry.uid = *uid;
  if (nt.starts_with("NO PASSWORD")) {
    entry.no_password = true;
  } else if (nt.front() != 'X' && nt.front() != '*') {  // X's and *'s: no usable hash
    entry.nt_hash = hash_of(nt);
    if (!entry.nt_hash) return std::nullopt;
  }
  // Flags and change time are missing in the oldest files.
  if (!line.empty() && line.front() == '[') {
    const std::string_view flags = cut(line, ':');
    entry.disabled = flags.find('D') != std::string_view::npos;
    entry.no_password = entry.no_password || flags.find('N') != std::string_view::npos;
  }
  const std::string_view changed = cut(line, ':');
  if (changed.starts_with("LCT-")) entry.last_change = number<uint32_t>(changed.substr(4), 16);
  return entry;
}

}  // namespace

SmbPasswdFile parse_smbpasswd(std::string_view text) {
  SmbPasswdFile file;
  for (size_t line_number = 1; !text.empty(); ++line_number) {
    std::string_view line = cut(text, '\n');
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    if (auto entry = parse_line(line)) {
      file.entries.push_back(std::move(*entry));
    } else {
      file.bad_lines.push_back(line_number);
    }
  }
  return file;
}

std::optional<std::string> format_smbpasswd(const SmbPasswdEntry& entry) {
  if (!writable(entry.name)) return std::nullopt;
  std::string nt(entry.no_password ? kNoPassword : kNoHash);
  if (entry.nt_hash) {
    nt.clear();
    for (uint8_t byte : *entry.nt_hash) nt += hex(byte, 2);
  }
  std::string flags = "U";
  if (entry.no_password) flags += 'N';
  if (entry.disabled) flags += 'D';
  flags.resize(11, ' ');
  std::string line = entry.name + ':' + std::to_string(entry.uid) + ':' + std::string(kNoHash) +
                     ':' + nt + ":[" + flags + "]:";
  if (entry.last_change) line += "LCT-" + hex(*entry.last_change, 8) + ':';
  return line + '\n';
}

}  // namespace semblance::auth
