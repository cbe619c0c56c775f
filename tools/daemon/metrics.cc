#include "tools/daemon/metrics.h"

#include <fmt/format.h>
#include <httplib.h>

#include <iterator>
#include <thread>

namespace semblance {
namespace {

class Text {
 public:
  void counter(const char* name, const char* help, uint64_t value) {
    one("counter", name, help, value);
  }
  void gauge(const char* name, const char* help, uint64_t value) {
    one("gauge", name, help, value);
  }
  void heading(const char* type, const char* name, const char* help) {
    fmt::format_to(std::back_inserter(text_),
                   "# HELP semblance_{0} {2}\n# TYPE semblance_{0} {1}\n", name, type, help);
  }
  void labelled(const char* name, const char* label, std::string_view of, uint64_t value) {
    fmt::format_to(std::back_inserter(text_), "semblance_{}{{{}=\"{}\"}} {}\n", name, label, of,
                   value);
  }
  std::string take() { return std::move(text_); }

 private:
  void one(const char* type, const char* name, const char* help, uint64_t value) {
    heading(type, name, help);
    fmt::format_to(std::back_inserter(text_), "semblance_{} {}\n", name, value);
  }
  std::string text_;
};

}  // namespace

std::string metrics_text(const EngineReport& report, const LoopCounters& loop, size_t open_files) {
  Text text;
  const auto& counters = report.counters;
  text.gauge("connections", "open connections", report.connections);
  text.gauge("sessions", "sessions", report.sessions);
  text.gauge("trees", "tree connects", report.trees);
  text.gauge("opens", "open handles", report.opens);
  text.gauge("files", "files that are open at least once", report.files);
  text.gauge("requests_pending", "requests being worked on", report.requests);
  text.gauge("transmit_bytes", "reply bytes waiting", report.transmit_bytes);
  text.gauge("indexed_names", "names in the folded-name indexes", report.indexed_names);
  text.gauge("open_files", "descriptors that the store holds", open_files);
  text.gauge("receive_buffer_bytes", "receive buffers in use", loop.receive_buffer_bytes);
  text.counter("messages_total", "messages received", counters.messages);
  text.counter("requests_total", "requests received", counters.requests);
  text.counter("errors_total", "replies with an error status", counters.errors);
  text.counter("bytes_read_total", "bytes of READ replies", counters.bytes_read);
  text.counter("bytes_written_total", "bytes of WRITE requests", counters.bytes_written);
  text.counter("connections_accepted_total", "connections", loop.accepted);
  text.counter("connections_refused_total", "connections beyond the limit",
               loop.refused + counters.connections_refused);
  text.counter("sessions_established_total", "logons", counters.sessions_established);
  text.counter("logon_failures_total", "failed logons", counters.logon_failures);
  text.counter("bad_signatures_total", "messages with a wrong signature", counters.bad_signatures);
  text.counter("protocol_violations_total", "connections closed for what their peer sent",
               counters.protocol_violations);
  text.counter("loop_iterations_total", "iterations of the engine's loop", loop.iterations);
  text.counter("loop_steps_total", "steps of the engine", loop.steps);
  text.counter("store_inline_total", "store operations run at once", loop.store_inline);
  text.counter("store_merged_total", "of these, those run together with neighbours",
               loop.store_merged);
  text.counter("store_waiting_total", "store operations handed to workers", loop.store_waiting);
  text.counter("received_bytes_total", "bytes received", loop.bytes_received);
  text.counter("sent_bytes_total", "bytes sent", loop.bytes_sent);
  text.heading("counter", "shape_requests_total", "requests by shape of their effects");
  for (size_t i = 0; i < report.ledgers.size(); i++)
    text.labelled("shape_requests_total", "shape", smb::shape_name(static_cast<smb::Shape>(i)),
                  report.ledgers[i].requests);
  text.heading("counter", "shape_over_budget_total", "requests that broke their effect budget");
  for (size_t i = 0; i < report.ledgers.size(); i++)
    text.labelled("shape_over_budget_total", "shape", smb::shape_name(static_cast<smb::Shape>(i)),
                  report.ledgers[i].over_budget);
  return text.take();
}

struct MetricsServer::Server {
  httplib::Server http;
  std::jthread thread;
};

MetricsServer::MetricsServer() : text_(std::make_shared<const std::string>()) {}

MetricsServer::~MetricsServer() {
  if (server_) server_->http.stop();
}

void MetricsServer::publish(std::string text) {
  text_.store(std::make_shared<const std::string>(std::move(text)));
}

std::expected<std::string, std::string> MetricsServer::start(const std::string& address) {
  const size_t colon = address.rfind(':');
  int port = -1;
  if (colon != std::string::npos && colon + 1 < address.size() && address.size() - colon <= 6 &&
      address.find_first_not_of("0123456789", colon + 1) == std::string::npos)
    port = std::stoi(address.substr(colon + 1));
  if (port < 0 || port > 65535)
    return std::unexpected("metrics: \"" + address + "\" is no ADDR:PORT");
  std::string host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  server_ = std::make_unique<Server>();
  // One scraper at a time is plenty.
  server_->http.new_task_queue = [] { return new httplib::ThreadPool(1); };
  server_->http.Get("/metrics", [this](const httplib::Request&, httplib::Response& response) {
    response.set_content(*text_.load(), "text/plain; version=0.0.4");
  });
  if (port == 0)
    port = server_->http.bind_to_any_port(host.c_str());
  else if (!server_->http.bind_to_port(host.c_str(), port))
    port = -1;
  if (port < 0) return std::unexpected("metrics: can't listen on " + address);
  server_->thread = std::jthread([this] { server_->http.listen_after_bind(); });
  return address.substr(0, colon) + ":" + std::to_string(port);
}

}  // namespace semblance
