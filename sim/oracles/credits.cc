#include "sim/oracles/credits.h"

#include <algorithm>

namespace semblance::sim {

namespace {
constexpr uint16_t kSmb202 = 0x0202;
constexpr uint64_t kLimit = 512;  // of sim/run, when no fault makes it smaller
}  // namespace

void CreditOracle::opened(ConnectionId connection) { windows_[connection.generation] = {}; }
void CreditOracle::closed(ConnectionId connection) { windows_.erase(connection.generation); }

// When a request is looked at can't be seen: its ids count as used once it is answered.
void CreditOracle::requested(const ExchangePtr& exchange) {
  auto found = windows_.find(exchange->connection.generation);
  if (found == windows_.end() || exchange->request.command == kCmdCancel) return;
  found->second.under_way[exchange->number] = charge_of(found->second, *exchange);
}

uint64_t CreditOracle::charge_of(const Window& window, const Exchange& exchange) {
  return window.multi_credit ? std::max<uint16_t>(exchange.request.charge, 1) : 1;
}

void CreditOracle::grant(const Exchange& exchange, const Element& response) {
  auto found = windows_.find(exchange.connection.generation);
  if (found == windows_.end()) return;
  Window& window = found->second;
  for (uint16_t i = 0; i < response.credits; ++i) window.usable.insert(window.next++);
  // Those of requests under way may be used already.
  uint64_t used = 0;
  for (const auto& [number, charge] : window.under_way) used += charge;
  if (window.usable.size() > kLimit + used)
    fail(exchange, "more credits out than the limit: " + std::to_string(window.usable.size()));
}

void CreditOracle::interim(const ExchangePtr& exchange, const Element& response) {
  grant(*exchange, response);
}

// Who does not wait for grants may use those of answers that are made and have not left yet.
bool CreditOracle::may_be_ahead(const Exchange& exchange, uint64_t id, uint64_t next) {
  return !exchange.honest && id >= next;
}

void CreditOracle::answered(const ExchangePtr& exchange) {
  auto found = windows_.find(exchange->connection.generation);
  if (found == windows_.end()) return;
  Window& window = found->second;
  window.under_way.erase(exchange->number);
  uint64_t first = exchange->request.message_id;
  for (uint64_t i = 0; i < charge_of(window, *exchange); ++i)
    if (window.usable.erase(first + i) == 0 && !exchange->doubled &&
        !may_be_ahead(*exchange, first + i, window.next))
      return fail(*exchange, "an answer to a request whose MessageId was not usable");
  if (exchange->request.command == kCmdNegotiate && exchange->response.status == kOk)
    window.multi_credit = exchange->response.at(64 + 4, 2) != kSmb202;
  grant(*exchange, exchange->response);
  if (window.usable.empty() && window.under_way.empty())
    fail(*exchange, "no credit left and nothing under way");
}

}  // namespace semblance::sim
