#include "sim/run/trace.h"

#include <cstdarg>

#include "sim/run/words.h"

namespace semblance::sim {

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
       std::string(command_name(r.command)).c_str(), static_cast<unsigned long long>(r.message_id),
       r.charge, r.is_related() ? " related" : "", r.is_signed() ? " signed" : "",
       static_cast<unsigned long long>(exchange->session_id), exchange->tree_id,
       details(*exchange).c_str());
}

void Trace::interim(const ExchangePtr& exchange, const Element&) {
  line("c%-3u <- #%llu pending", exchange->connection.generation,
       static_cast<unsigned long long>(exchange->number));
}

void Trace::answered(const ExchangePtr& exchange) {
  line("c%-3u <- #%llu %s status %08X credits %u%s file %llX", exchange->connection.generation,
       static_cast<unsigned long long>(exchange->number),
       std::string(command_name(exchange->request.command)).c_str(), exchange->response.status,
       exchange->response.credits, exchange->response.is_signed() ? " signed" : "",
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
