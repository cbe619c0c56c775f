#pragma once
// What was promised survives: after an answered FLUSH (MS-SMB2 3.3.5.11), or a WRITE through the
// caches (2.2.21 Flags, FILE_WRITE_THROUGH of the handle), each byte that it covers is after any
// crash what it was then or something that was put there later, the size likewise, and a flushed
// file has its name as long as nobody took it away. After a kill everything is as it was.
//
// A flush that fails may leave pages that count as clean and are not stored: nothing is promised
// for such a file until the power has gone.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/oracles/book.h"

namespace semblance::sim {

class DurabilityOracle : public Oracle {
 public:
  DurabilityOracle(Failures& failures, const Book& book)
      : Oracle("durability", failures), book_(book) {}

  void requested(const ExchangePtr& exchange) override;
  void answered(const ExchangePtr& exchange) override;
  void abandoned(const ExchangePtr& exchange) override { asking_.erase(exchange->number); }
  void applied(OperationId, const StoreOperation& what, const StoreResult& result,
               bool injected) override;
  void changed_outside() override;
  void crashed(CrashKind kind) override;

 private:
  using Inode = Disk::Inode;
  // Bytes from `begin` on; what lies behind `data`, up to `end`, is zeroes.
  struct Part {
    uint64_t begin = 0, end = 0;
    std::vector<uint8_t> data;
    uint64_t since = 0;  // the change of this number made it, or was the last before it

    bool covers(uint64_t at) const { return begin <= at && at < end; }
    uint8_t value(uint64_t at) const { return at - begin < data.size() ? data[at - begin] : 0; }
  };
  struct Size {
    uint64_t size = 0, since = 0;
  };
  struct Name {
    ShareId share{};
    std::string path;
  };
  // A file about which something is promised, or may soon be.
  struct Tracked {
    std::vector<uint8_t> live;   // as the page cache has it
    std::vector<Part> promised;  // the latest that covers a byte counts
    std::vector<Part> changes;   // in order, from before the oldest promise on
    std::vector<Size> sizes;     // the same of its size
    uint64_t size_since = 0;     // sizes from here on are allowed; 0: nothing is promised
    std::optional<Name> name;    // promised
  };
  // A FLUSH or a write-through under way.
  struct Asking {
    ExchangePtr exchange;
    Inode inode = 0;
    bool flush = false;
    Part part;  // what it promises
    std::optional<Name> name;
    uint64_t before = 0;  // the latest change when it came
  };

  Tracked& track(Inode inode);
  void note(Inode inode, uint64_t begin, uint64_t end);
  void note_all(Inode inode, Tracked& tracked);
  void check_names();
  std::optional<Name> durable_place_of(Inode inode) const;
  void promise(Asking asking);
  void judge(Inode inode, const Tracked& tracked);
  void judge_bytes(Inode inode, const Tracked& tracked, Bytes found);
  std::string name_of(Inode inode, const Tracked& tracked) const;

  const Book& book_;
  uint64_t change_ = 1;
  std::map<Inode, Tracked> tracked_;
  std::map<uint64_t, Asking> asking_;
  std::set<Inode> doubtful_;  // a flush failed
};

}  // namespace semblance::sim
