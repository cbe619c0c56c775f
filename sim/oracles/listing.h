#pragma once
// Directory listings, MS-SMB2 3.3.5.18, MS-FSA 2.1.5.6.3: what is returned was there since the scan
// began, with a size that it had during the request; a scan of "*" that comes to its end has
// returned all that was there all the time, once.
//
// What was renamed, replaced or made during the scan may be returned or not. Names that are not
// plain ASCII and links are not judged; neither is a scan that met an error, or whose requests
// overlapped.

#include <map>
#include <string>
#include <vector>

#include "sim/oracles/book.h"

namespace semblance::sim {

class ListingOracle : public Oracle {
 public:
  ListingOracle(Failures& failures, const Book& book) : Oracle("listing", failures), book_(book) {}

  void requested(const ExchangePtr& exchange) override;
  void answered(const ExchangePtr& exchange) override;
  void abandoned(const ExchangePtr& exchange) override;
  void applied(OperationId, const StoreOperation& what, const StoreResult& result,
               bool injected) override;
  void changed_outside() override;
  void crashed(CrashKind) override;

 private:
  using Inode = Disk::Inode;
  struct Seen {
    Inode inode = 0;     // that has the name now
    bool always = true;  // it, and nobody else, had it since the scan began
    uint32_t returned = 0;
  };
  struct Scan {
    Inode directory = 0;
    bool known = false;  // where it stands; else only a restart is judged again
    bool all = false;    // its pattern is "*"
    uint32_t under_way = 0;
    std::map<std::string, Seen, std::less<>> names;  // ever since the scan began
  };
  struct Asking {
    ExchangePtr exchange;
    Inode directory = 0;
    // Sizes that each object in the directory had, and what had each name.
    std::map<Inode, std::vector<uint64_t>> sizes;
    std::multimap<std::string, Inode> objects;
  };
  struct Entry {
    std::string name;
    bool plain = true;       // all of it ASCII
    bool has_facts = false;  // size and attributes
    uint64_t size = 0;
    uint32_t attributes = 0;
  };

  static std::optional<std::vector<Entry>> entries_of(Bytes list, uint64_t info_class);
  void look(Scan& scan, bool begins);
  void look(Asking& asking);
  void look_all();
  void judge(const Asking& asking, Scan& scan);
  void judge_entry(const Asking& asking, Scan& scan, const Entry& entry);
  void judge_end(const Exchange& exchange, Scan& scan);

  const Book& book_;
  std::map<FileRef, Scan> scans_;
  std::map<uint64_t, Asking> asking_;
};

}  // namespace semblance::sim
