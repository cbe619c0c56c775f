#pragma once
// Share modes, MS-FSA 2.1.5.1.2.2: no two handles of a file exist together that exclude each other.

#include "sim/oracles/book.h"

namespace semblance::sim {

class SharingOracle : public Oracle {
 public:
  SharingOracle(Failures& failures, const Book& book) : Oracle("sharing", failures), book_(book) {}

  void answered(const ExchangePtr& exchange) override;

 private:
  const Book& book_;
};

}  // namespace semblance::sim
