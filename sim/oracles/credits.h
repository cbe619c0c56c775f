#pragma once
// Credits, MS-SMB2 3.3.1.1 and 3.3.4.1.2: on each connection, the ids that were granted and not yet
// used are the only ones that are served; there are never more than the limit, and never none with
// nothing under way.

#include <map>
#include <set>

#include "sim/oracles/oracle.h"

namespace semblance::sim {

class CreditOracle : public Oracle {
 public:
  explicit CreditOracle(Failures& failures) : Oracle("credits", failures) {}

  void opened(ConnectionId connection) override;
  void closed(ConnectionId connection) override;
  void crashed(CrashKind) override { windows_.clear(); }
  void requested(const ExchangePtr& exchange) override;
  void interim(const ExchangePtr& exchange, const Element& response) override;
  void answered(const ExchangePtr& exchange) override;

 private:
  struct Window {
    std::set<uint64_t> usable = {0};
    uint64_t next = 1;  // the first id never granted
    bool multi_credit = false;
    std::map<uint64_t, uint64_t> under_way;  // by exchange: what it charges
  };

  static bool may_be_ahead(const Exchange& exchange, uint64_t id, uint64_t next);
  static uint64_t charge_of(const Window& window, const Exchange& exchange);
  void grant(const Exchange& exchange, const Element& response);

  std::map<uint32_t, Window> windows_;
};

}  // namespace semblance::sim
