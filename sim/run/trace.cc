#include "sim/run/trace.h"

#include <cstdarg>

namespace semblance::sim {

namespace {

constexpr const char* kCommands[] = {
    "NEGOTIATE",     "SESSION_SETUP", "LOGOFF",   "TREE_CONNECT", "TREE_DISCONNECT",
    "CREATE",        "CLOSE",         "FLUSH",    "READ",         "WRITE",
    "LOCK",          "IOCTL",         "CANCEL",   "ECHO",         "QUERY_DIRECTORY",
    "CHANGE_NOTIFY", "QUERY_INFO",    "SET_INFO", "OPLOCK_BREAK"};

const char* command_name(uint16_t command) {
  return command < std::size(kCommands) ? kCommands[command] : "?";
}

std::string printable(Bytes utf16) {
  std::string text;
  for (size_t i = 0; i + 1 < utf16.size(); i += 2)
    text += utf16[i + 1] == 0 && utf16[i] >= 0x20 && utf16[i] < 0x7F ? static_cast<char>(utf16[i])
                                                                     : '?';
  return text;
}

// What a request says beyond its header.
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
        if constexpr (requires { op.path; }) text += " '" + std::string(op.path) + "'";
        if constexpr (requires { op.from; }) text += " '" + std::string(op.from) + "'";
        if constexpr (requires { op.to; }) text += " to '" + std::string(op.to) + "'";
        if constexpr (requires { op.name; }) text += " name '" + std::string(op.name) + "'";
        if constexpr (requires { op.offset; }) text += " at " + std::to_string(op.offset);
        if constexpr (requires { op.size; }) text += " size " + std::to_string(op.size);
        if constexpr (requires { op.data.size(); })
          text += " " + std::to_string(op.data.size()) + " bytes";
        return text;
      },
      what);
}

}  // namespace

void Trace::line(const char* format, ...) {
  std::fprintf(out_, "%12.6f  ", static_cast<double>(scheduler_.now().ns) / 1e9);
  va_list arguments;
  va_start(arguments, format);
  std::vfprintf(out_, format, arguments);
  va_end(arguments);
  std::fputc('\n', out_);
}

void Trace::requested(const ExchangePtr& exchange) {
  const Element& r = exchange->request;
  line("c%-3u -> #%llu %s mid %llu charge %u%s%s session %llX tree %X%s",
       exchange->connection.generation, static_cast<unsigned long long>(exchange->number),
       command_name(r.command), static_cast<unsigned long long>(r.message_id), r.charge,
       r.is_related() ? " related" : "", r.is_signed() ? " signed" : "",
       static_cast<unsigned long long>(exchange->session_id), exchange->tree_id,
       details(*exchange).c_str());
}

void Trace::interim(const ExchangePtr& exchange, const Element&) {
  line("c%-3u <- #%llu pending", exchange->connection.generation,
       static_cast<unsigned long long>(exchange->number));
}

void Trace::answered(const ExchangePtr& exchange) {
  line("c%-3u <- #%llu %s status %08X credits %u%s file %llX", exchange->connection.generation,
       static_cast<unsigned long long>(exchange->number), command_name(exchange->request.command),
       exchange->response.status, exchange->response.credits,
       exchange->response.is_signed() ? " signed" : "",
       static_cast<unsigned long long>(exchange->file.volatile_id));
}

void Trace::opened(ConnectionId connection) { line("c%-3u opened", connection.generation); }
void Trace::closed(ConnectionId connection) { line("c%-3u closed", connection.generation); }

void Trace::started(OperationId id, const StoreOperation& what) {
  line("     disk %u.%u %s%s", id.index, id.generation,
       std::string(store_operation_name(what.index())).c_str(), details(what).c_str());
}

void Trace::applied(OperationId id, const StoreOperation&, const StoreResult& result,
                    bool injected) {
  line("     disk %u.%u applied: error %u%s", id.index, id.generation,
       static_cast<unsigned>(result.error), injected ? " (injected)" : "");
}

void Trace::changed_outside() { line("     files changed beside the server"); }
void Trace::crashed(CrashKind kind) {
  line("**** the server died: %s", kind == CrashKind::kKill ? "killed" : "power loss");
}

}  // namespace semblance::sim
