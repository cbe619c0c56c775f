#pragma once
// Where operations lead: every path is relative, without "." and "..", beneath its share; nothing
// changes in a share that is read-only.

#include "sim/oracles/oracle.h"

namespace semblance::sim {

class BeneathOracle : public Oracle {
 public:
  explicit BeneathOracle(Failures& failures) : Oracle("beneath", failures) {}

  void started(OperationId, const StoreOperation& what) override;

 private:
  void judge(std::string_view path);
};

}  // namespace semblance::sim
