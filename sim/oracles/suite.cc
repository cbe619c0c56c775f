#include "sim/oracles/suite.h"

#include "sim/oracles/beneath.h"
#include "sim/oracles/book.h"
#include "sim/oracles/budget.h"
#include "sim/oracles/changes.h"
#include "sim/oracles/credits.h"
#include "sim/oracles/durability.h"
#include "sim/oracles/listing.h"
#include "sim/oracles/locks.h"
#include "sim/oracles/names.h"
#include "sim/oracles/reads.h"
#include "sim/oracles/sharing.h"
#include "sim/oracles/signatures.h"

namespace semblance::sim {

OracleSuite::OracleSuite(Failures& failures, const Scheduler& scheduler, const Disk& disk)
    : witness_(failures, scheduler) {
  const SignatureOracle& signatures = add<SignatureOracle>(failures);
  witness_.set_seals(add<SealOracle>(failures, signatures));
  // The book comes before those that read it.
  const Book& book = add<Book>(failures, scheduler, disk);
  add<ChangeOracle>(failures, book);
  add<ReadOracle>(failures, book);
  add<SharingOracle>(failures, book);
  add<LockOracle>(failures, book);
  add<NameOracle>(failures, book);
  add<ListingOracle>(failures, book);
  add<DurabilityOracle>(failures, book);
  add<CreditOracle>(failures);
  add<BeneathOracle>(failures);
  add<BudgetOracle>(failures);
}

}  // namespace semblance::sim
