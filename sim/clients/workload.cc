#include "sim/clients/workload.h"

namespace semblance::sim {

namespace {

using Kind = CommandKind;
struct Weight {
  Kind kind;
  uint32_t weight;
};

constexpr Workload make(std::string_view name, std::initializer_list<Weight> weights,
                        uint32_t think_ms, uint32_t depth, uint32_t bytes_max,
                        uint32_t hang_up_ppm = 0) {
  Workload workload{name, {}, think_ms, depth, bytes_max, hang_up_ppm};
  for (const Weight& one : weights) workload.weights[static_cast<size_t>(one.kind)] = one.weight;
  return workload;
}

constexpr Workload kAll[] = {
    make("everything",
         {{Kind::kCreate, 30},
          {Kind::kClose, 12},
          {Kind::kRead, 20},
          {Kind::kWrite, 20},
          {Kind::kFlush, 4},
          {Kind::kQueryInfo, 8},
          {Kind::kQueryFs, 2},
          {Kind::kQuerySecurity, 2},
          {Kind::kSetEndOfFile, 5},
          {Kind::kSetBasic, 4},
          {Kind::kSetAllocation, 2},
          {Kind::kSetSecurity, 2},
          {Kind::kRename, 6},
          {Kind::kDisposition, 4},
          {Kind::kQueryDirectory, 8},
          {Kind::kLock, 6},
          {Kind::kUnlock, 3},
          {Kind::kIoctl, 2},
          {Kind::kPipe, 4},
          {Kind::kChangeNotify, 2},
          {Kind::kCancel, 3},
          {Kind::kEcho, 3},
          {Kind::kTreeConnect, 1},
          {Kind::kTreeDisconnect, 1},
          {Kind::kLogOff, 1},
          {Kind::kRenewSession, 1},
          {Kind::kOplockBreak, 1},
          {Kind::kOpenQueryClose, 6},
          {Kind::kCreateWriteClose, 6},
          {Kind::kReadReadRead, 3},
          {Kind::kBrokenChain, 2},
          {Kind::kListToEnd, 3}},
         60, 6, 70'000),
    // Written beside the old file, then renamed over it.
    make("office_save",
         {{Kind::kCreate, 25},
          {Kind::kWrite, 20},
          {Kind::kFlush, 8},
          {Kind::kRename, 15},
          {Kind::kDisposition, 6},
          {Kind::kClose, 15},
          {Kind::kQueryInfo, 10},
          {Kind::kRead, 8},
          {Kind::kLock, 4},
          {Kind::kUnlock, 3},
          {Kind::kSetBasic, 6},
          {Kind::kSetEndOfFile, 4}},
         100, 2, 10'000),
    make("copy_tree",
         {{Kind::kCreate, 20},
          {Kind::kCreateWriteClose, 25},
          {Kind::kWrite, 20},
          {Kind::kSetBasic, 10},
          {Kind::kClose, 15},
          {Kind::kQueryDirectory, 8},
          {Kind::kSetEndOfFile, 4}},
         20, 8, 70'000),
    make("metadata",
         {{Kind::kOpenQueryClose, 30},
          {Kind::kQueryDirectory, 20},
          {Kind::kCreate, 15},
          {Kind::kClose, 12},
          {Kind::kQueryInfo, 10},
          {Kind::kSetBasic, 5},
          {Kind::kRename, 8},
          {Kind::kDisposition, 6},
          {Kind::kQuerySecurity, 4},
          {Kind::kSetSecurity, 3},
          {Kind::kListToEnd, 10}},
         30, 8, 1'000),
    make("lock_fight",
         {{Kind::kCreate, 12},
          {Kind::kLock, 35},
          {Kind::kUnlock, 25},
          {Kind::kRead, 12},
          {Kind::kWrite, 12},
          {Kind::kClose, 4},
          {Kind::kCancel, 4}},
         40, 4, 1'000),
    make("reconnect_storm",
         {{Kind::kCreate, 30},
          {Kind::kWrite, 15},
          {Kind::kRead, 10},
          {Kind::kClose, 8},
          {Kind::kTreeConnect, 5},
          {Kind::kTreeDisconnect, 5},
          {Kind::kLogOff, 5},
          {Kind::kRenewSession, 5},
          {Kind::kChangeNotify, 4},
          {Kind::kCancel, 3}},
         50, 4, 4'000, 60'000),
    make("small_files",
         {{Kind::kCreateWriteClose, 45},
          {Kind::kOpenQueryClose, 20},
          {Kind::kCreate, 10},
          {Kind::kRead, 10},
          {Kind::kClose, 10},
          {Kind::kDisposition, 5}},
         10, 8, 4'000),
    make("big_copy",
         {{Kind::kCreate, 8},
          {Kind::kWrite, 40},
          {Kind::kRead, 40},
          {Kind::kFlush, 4},
          {Kind::kClose, 4},
          {Kind::kReadReadRead, 4}},
         5, 8, 200'000),
};

}  // namespace

std::span<const Workload> workloads() { return kAll; }

}  // namespace semblance::sim
