// The simulated driver's disk side: when operations take effect, whether they fail, when their
// completions come back; and the account database.

#include <algorithm>

#include "sim/world/server.h"

namespace semblance::sim {

namespace {

constexpr uint32_t kSlowUsMax = 3'000'000;
constexpr uint32_t kAccountMsMax = 40'000;

Duration microseconds(uint32_t count) { return {int64_t{count} * 1000}; }

}  // namespace

void Server::on(const RunStore& effect) {
  contract(!operations_.contains(effect.operation), "two operations under one id");
  if (const auto* close = std::get_if<StoreClose>(&effect.what))
    for (const auto& [id, other] : operations_)
      contract(handle_of(other.what) != close->handle, "a handle closed while it is used");
  operations_[effect.operation].what = effect.what;
  observers_.tell(&Observer::started, effect.operation, effect.what);
  uint64_t entity = operation_count_++;
  if (chooser_.chance(Site::kApply, entity, swarm_.ppm(FaultClass::kSlowDisk, 500'000))) {
    uint32_t us = chooser_.log_uniform(Site::kApply, entity, kSlowUsMax);
    scheduler_.wake(*this, microseconds(us),
                    token_for([this, id = effect.operation] { apply(id); }));
  } else {
    apply(effect.operation);
  }
}

void Server::apply(OperationId id) {
  Operation& operation = operations_.at(id);
  disk_.set_now(wall());
  uint64_t entity = id.generation;
  bool injected = false;
  auto errors = disk_.errors_of(operation.what);
  if (!errors.empty() &&
      chooser_.chance(Site::kDiskError, entity, swarm_.ppm(FaultClass::kDiskError, 50'000))) {
    injected = true;
    uint32_t which = chooser_.pick(Site::kDiskError, entity, static_cast<uint32_t>(errors.size()));
    auto pick = [&](uint32_t bound) { return chooser_.pick(Site::kDiskPartial, entity, bound); };
    operation.result = disk_.fail(operation.what, errors[which], pick);
  } else {
    operation.result = disk_.execute(operation.what);
  }
  observers_.tell(&Observer::applied, id, operation.what, *operation.result, injected);
  if (chooser_.chance(Site::kComplete, entity, swarm_.ppm(FaultClass::kSlowDisk, 500'000))) {
    uint32_t us = chooser_.log_uniform(Site::kComplete, entity, kSlowUsMax);
    scheduler_.wake(*this, microseconds(us), token_for([this, id] { complete(id); }));
  } else {
    complete(id);
  }
}

void Server::complete(OperationId id) {
  auto done = operations_.extract(id);
  StoreDone event{id, *done.mapped().result};
  post(event);
  if (chooser_.chance(Site::kRepeat, id.generation, swarm_.ppm(FaultClass::kRepeat, 200'000))) {
    uint32_t us = chooser_.log_uniform(Site::kRepeat, id.generation, kSlowUsMax);
    scheduler_.wake(*this, microseconds(us), token_for([this, event] { post(event); }));
  }
}

// ---- Accounts -----------------------------------------------------------------------------------

void Server::on(const Authenticate& effect) {
  uint64_t entity = effect.operation.generation;
  uint32_t ms = 0;
  if (chooser_.chance(Site::kAccount, entity, swarm_.ppm(FaultClass::kAccount, 500'000)))
    ms = chooser_.log_uniform(Site::kAccount, entity, kAccountMsMax);
  std::string user(effect.user);
  if (ms == 0) return answer_account(effect.operation, std::move(user));
  scheduler_.wake(*this, Duration::milliseconds(ms),
                  token_for([this, id = effect.operation, user] { answer_account(id, user); }));
}

void Server::answer_account(OperationId id, std::string user) {
  AccountFound found{id, AccountState::kUnknown};
  for (size_t i = 0; i < options_.accounts.size(); ++i) {
    const SimAccount& account = options_.accounts[i];
    if (account.name != user) continue;
    found.state = account.state;
    found.nt_hash = account.nt_hash;
    found.uid = 1000 + static_cast<uint32_t>(i);
  }
  uint64_t entity = id.generation;
  if (chooser_.chance(Site::kAccount, entity, swarm_.ppm(FaultClass::kAccount, 100'000)))
    found.state = AccountState::kUnavailable;
  post(found);
  if (chooser_.chance(Site::kAccount, entity, swarm_.ppm(FaultClass::kAccount, 100'000)))
    post(found);
}

}  // namespace semblance::sim
