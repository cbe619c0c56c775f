#include "sim/run/words.h"

#include <cstdio>

namespace semblance::sim {

namespace {

constexpr std::string_view kCommands[] = {
    "NEGOTIATE",     "SESSION_SETUP", "LOGOFF",   "TREE_CONNECT", "TREE_DISCONNECT",
    "CREATE",        "CLOSE",         "FLUSH",    "READ",         "WRITE",
    "LOCK",          "IOCTL",         "CANCEL",   "ECHO",         "QUERY_DIRECTORY",
    "CHANGE_NOTIFY", "QUERY_INFO",    "SET_INFO", "OPLOCK_BREAK"};

// In the order of StoreError.
constexpr std::string_view kErrors[] = {
    "ok",           "not found",     "not a directory", "is a directory", "exists",
    "not empty",    "access denied", "read only",       "no space",       "over quota",
    "too large",    "name too long", "invalid name",    "symbolic link",  "out of the share",
    "cross device", "busy",          "too many open",   "no memory",      "stale",
    "i/o error",    "not supported", "special file",    "cancelled"};
static_assert(std::size(kErrors) == static_cast<size_t>(StoreError::kCancelled) + 1);

// Names come from clients and from beside the server: any bytes at all.
std::string printable(std::string_view name) {
  std::string text;
  for (char c : name) {
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, "\\x%02X",
                  static_cast<unsigned>(static_cast<uint8_t>(c)));
    text += c >= 0x20 && c < 0x7F ? std::string(1, c) : escaped;
  }
  return text;
}

std::string printable(Bytes utf16) {
  std::string text;
  for (size_t i = 0; i + 1 < utf16.size(); i += 2)
    text += utf16[i + 1] == 0 && utf16[i] >= 0x20 && utf16[i] < 0x7F ? static_cast<char>(utf16[i])
                                                                     : '?';
  return text;
}

}  // namespace

std::string_view command_name(uint16_t command) {
  return command < std::size(kCommands) ? kCommands[command] : "?";
}

std::string details(const Exchange& exchange) {
  const Element& r = exchange.request;
  char text[200] = "";
  auto file = static_cast<unsigned long long>(exchange.file.volatile_id);
  auto number = [&](size_t at, size_t size) {
    return static_cast<unsigned long long>(r.at(64 + at, size));
  };
  switch (r.command) {
    case kCmdCreate: {
      auto name = r.range(r.at(64 + 44, 2), r.at(64 + 46, 2));
      std::snprintf(text, sizeof text, " '%s' disposition %llu access %llX share %llu options %llX",
                    name ? printable(*name).c_str() : "?", number(36, 4), number(24, 4),
                    number(32, 4), number(40, 4));
      break;
    }
    case kCmdTreeConnect: {
      auto path = r.range(r.at(64 + 4, 2), r.at(64 + 6, 2));
      std::snprintf(text, sizeof text, " '%s'", path ? printable(*path).c_str() : "?");
      break;
    }
    case kCmdQueryDirectory: {
      auto pattern = r.range(r.at(64 + 24, 2), r.at(64 + 26, 2));
      std::snprintf(text, sizeof text, " file %llX '%s' class %llu flags %llX", file,
                    pattern ? printable(*pattern).c_str() : "?", number(2, 1), number(3, 1));
      break;
    }
    case kCmdLock:
      std::snprintf(text, sizeof text, " file %llX %llu ranges, first %llu+%llu flags %llX", file,
                    number(2, 2), number(24, 8), number(32, 8), number(40, 4));
      break;
    case kCmdIoctl:
      std::snprintf(text, sizeof text, " file %llX code %llX", file, number(4, 4));
      break;
    case kCmdRead:
      std::snprintf(text, sizeof text, " file %llX offset %llu length %llu", file, number(8, 8),
                    number(4, 4));
      break;
    case kCmdWrite:
      std::snprintf(text, sizeof text, " file %llX offset %llu length %llu", file, number(8, 8),
                    number(4, 4));
      break;
    case kCmdQueryInfo:
    case kCmdSetInfo:
      std::snprintf(text, sizeof text, " file %llX type %llu class %llu", file, number(2, 1),
                    number(3, 1));
      break;
    default:
      if (file_id_position(r.command)) std::snprintf(text, sizeof text, " file %llX", file);
  }
  return text;
}

std::string details(const StoreOperation& what) {
  return std::visit(
      [](const auto& op) {
        std::string text;
        if constexpr (requires { op.handle; })
          text += " handle " + std::to_string(static_cast<uint64_t>(op.handle));
        if constexpr (requires { op.path; }) text += " '" + printable(op.path) + "'";
        if constexpr (requires { op.from; }) text += " '" + printable(op.from) + "'";
        if constexpr (requires { op.to; }) text += " to '" + printable(op.to) + "'";
        if constexpr (requires { op.name; }) text += " name '" + printable(op.name) + "'";
        if constexpr (requires { op.offset; }) text += " at " + std::to_string(op.offset);
        if constexpr (requires { op.size; }) text += " size " + std::to_string(op.size);
        if constexpr (requires { op.data.size(); })
          text += " " + std::to_string(op.data.size()) + " bytes";
        return text;
      },
      what);
}

std::string details(const StoreResult& result) {
  std::string text(kErrors[static_cast<size_t>(result.error)]);
  if (const auto* opened = std::get_if<StoreOpened>(&result.value))
    text += ", handle " + std::to_string(static_cast<uint64_t>(opened->handle));
  else if (const auto* count = std::get_if<StoreCount>(&result.value))
    text += ", " + std::to_string(count->count) + " bytes";
  else if (const auto* stat = std::get_if<FileStat>(&result.value))
    text += ", inode " + std::to_string(stat->key.inode) + " size " + std::to_string(stat->size);
  return text;
}

}  // namespace semblance::sim
