#pragma once
// What clients were answered, without what differs between two runs that mean the same: ids that
// the server chose, times of the world, how many credits were granted.

#include <map>
#include <string>
#include <utility>

#include "sim/world/observer.h"

namespace semblance::sim::test {

class Answers : public Observer {
 public:
  void answered(uint32_t client, Bytes request, Bytes answer) override;

  // By client and MessageId: the answer in words and hexadecimal digits.
  const std::map<std::pair<uint32_t, uint64_t>, std::string>& all() const { return all_; }
  // The first that differs, of both; empty if none does.
  std::string difference(const Answers& other) const;

 private:
  std::map<std::pair<uint32_t, uint64_t>, std::string> all_;
};

}  // namespace semblance::sim::test
