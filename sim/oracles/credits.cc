#include "sim/oracles/credits.h"

#include <algorithm>

namespace semblance::sim {

namespace {
constexpr uint16_t kSmb202 = 0x0202;
}

void CreditOracle::opened(ConnectionId connection) { windows_[connection.generation] = {}; }
void CreditOracle::closed(ConnectionId connection) { windows_.erase(connection.generation); }

void CreditOracle::requested(const ExchangePtr& exchange) {
  auto found = windows_.find(exchange->connection.generation);
  if (found == windows_.end() || exchange->request.command == kCmdCancel) return;
  Window& window = found->second;
  uint64_t first = exchange->request.message_id;
  uint64_t count = window.multi_credit ? std::max<uint16_t>(exchange->request.charge, 1) : 1;
  if (!use(window, first, count)) {
    window.late[exchange->number] = {first, count};
    return;
  }
  window.served.insert(exchange->number);
  ++window.under_way;
}

bool CreditOracle::use(Window& window, uint64_t first, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i)
    if (!window.usable.contains(first + i)) return false;
  for (uint64_t i = 0; i < count; ++i) window.usable.erase(first + i);
  return true;
}

void CreditOracle::grant(const Exchange& exchange, const Element& response) {
  auto found = windows_.find(exchange.connection.generation);
  if (found == windows_.end()) return;
  Window& window = found->second;
  for (uint16_t i = 0; i < response.credits; ++i) window.usable.insert(window.next++);
  if (window.usable.size() > window.limit)
    fail(exchange, "more credits out than the limit: " + std::to_string(window.usable.size()));
}

void CreditOracle::interim(const ExchangePtr& exchange, const Element& response) {
  grant(*exchange, response);
}

void CreditOracle::answered(const ExchangePtr& exchange) {
  auto found = windows_.find(exchange->connection.generation);
  if (found == windows_.end()) return;
  Window& window = found->second;
  // A later element of a message is looked at after the answers of those before it.
  if (auto late = window.late.extract(exchange->number); !late.empty()) {
    if (!use(window, late.mapped().first, late.mapped().second))
      return fail(*exchange, "an answer to a request whose MessageId was not usable");
  } else if (window.served.erase(exchange->number) != 0) {
    --window.under_way;
  }
  if (exchange->request.command == kCmdNegotiate && exchange->response.status == kOk)
    window.multi_credit = exchange->response.at(64 + 4, 2) != kSmb202;
  grant(*exchange, exchange->response);
  if (window.usable.empty() && window.under_way == 0 && window.late.empty())
    fail(*exchange, "no credit left and nothing under way");
}

}  // namespace semblance::sim
