#pragma once
// SOMETIMES(engine, mark): a branch that a good set of runs must reach. The simulator names those
// that it never reached, the fuzzers count them as coverage; in production they are a byte each.

#include <cstdint>
#include <string_view>

#include "engine/smb/mark_counts.h"
#include "engine/smb/marks.h"

namespace semblance::smb {

// X(enumerator, what happens there). At most kMarksMax.
#define SEMBLANCE_MARKS(X)                                                       \
  X(kFrameSplit, "a message came in more than one piece")                        \
  X(kPaused, "a connection is not read because its replies have no room")        \
  X(kResumed, "it is read again")                                                \
  X(kTooLarge, "a message longer than any may be")                               \
  X(kMalformedChain, "a compound that leads nowhere")                            \
  X(kOutsideWindow, "a MessageId outside the credit window")                     \
  X(kOutOfPhase, "a command before or after its time")                           \
  X(kRelated, "a related element inherits")                                      \
  X(kBrokenChain, "a related element behind one that failed early")              \
  X(kUnsignedRefused, "an unsigned request where signing is required")           \
  X(kBadSignature, "a signature that is wrong")                                  \
  X(kSealed, "a sealed message was opened")                                      \
  X(kUndercharged, "a credit charge that does not cover the payload")            \
  X(kForeignSession, "a session of another connection")                          \
  X(kForeignTree, "a tree of another session")                                   \
  X(kForeignOpen, "a handle of another session or tree")                         \
  X(kStaleCompletion, "a completion that is late or repeated")                   \
  X(kConnectionGoneInStore, "the connection went while the store was at work")   \
  X(kClaimWaits, "a name or a path waits for another request")                   \
  X(kSignedBySessionGone, "signed, and the session is gone")                     \
  X(kInterim, "a slow request was answered PENDING")                             \
  X(kCancelled, "a CANCEL found its request waiting")                            \
  X(kCancelledNothing, "a CANCEL of what is not there or does not wait")         \
  X(kUnauthenticatedClosed, "no session in time")                                \
  X(kLogonFailed, "a logon failed")                                              \
  X(kGuest, "an unknown user became a guest")                                    \
  X(kAnonymous, "an anonymous session")                                          \
  X(kRenewed, "a session was authenticated again")                               \
  X(kSessionGoneInLookup, "the session went while the account was looked up")    \
  X(kPreviousEnded, "a logon ended an earlier session")                          \
  X(kLogoffWaits, "a LOGOFF waits for the requests of its session")              \
  X(kLogoffWithOpens, "a LOGOFF or disconnect left opens to be closed")          \
  X(kOrphanWaits, "an orphaned open waits for the request that uses it")         \
  X(kTreeRefused, "a TREE_CONNECT was refused")                                  \
  X(kGuestShareRefused, "a guest at a share that is not for guests")             \
  X(kCreateNew, "CREATE made a file")                                            \
  X(kCreateDirectory, "CREATE made a directory")                                 \
  X(kCreateFolded, "CREATE found another spelling")                              \
  X(kCreateMissing, "CREATE found nothing")                                      \
  X(kCreateCollision, "CREATE found what was not to be there")                   \
  X(kCreateRaced, "somebody else made the file first")                           \
  X(kCreateOverwrote, "CREATE overwrote")                                        \
  X(kCreateReadOnlyShare, "CREATE of a new file on a read-only share")           \
  X(kCreateInDeletePending, "CREATE in a directory that is to be deleted")       \
  X(kCreateLostTree, "the tree or session went during CREATE")                   \
  X(kCreateNoSlot, "CREATE with the table of opens full")                        \
  X(kSharingViolation, "share modes that exclude each other")                    \
  X(kDeletePendingRefused, "an open of what is to be deleted")                   \
  X(kMaximumAllowed, "MAXIMUM_ALLOWED was measured")                             \
  X(kLessAccess, "the store gave less access than was hoped for")                \
  X(kNewProtected, "a new object was made with a descriptor")                    \
  X(kReadAtEnd, "READ beyond the end")                                           \
  X(kReadLocked, "READ barred by a lock")                                        \
  X(kWriteLocked, "WRITE barred by a lock")                                      \
  X(kWriteThrough, "WRITE through to the disk")                                  \
  X(kLockConflict, "LOCK refused")                                               \
  X(kLockRolledBack, "some locks of a request were taken back")                  \
  X(kUnlockedNothing, "UNLOCK of what is not locked")                            \
  X(kCloseQueried, "CLOSE with attributes")                                      \
  X(kCloseWaits, "CLOSE waits for requests on its open")                         \
  X(kDeletedOnClose, "the last close deleted")                                   \
  X(kDeleteFailed, "the last close could not delete")                            \
  X(kRenamed, "rename")                                                          \
  X(kRenamedOver, "rename over an existing file")                                \
  X(kRenameBusy, "rename onto something open, or of a directory with opens")     \
  X(kListed, "a directory was listed to its end")                                \
  X(kListedInParts, "a listing went on in another request")                      \
  X(kListTooSmall, "not one entry fits")                                         \
  X(kIndexBuilt, "a directory's names were indexed")                             \
  X(kIndexOutdated, "an index was found outdated by a change beside the server") \
  X(kDiskFull, "the store had no room")                                          \
  X(kDiskFailed, "the store failed")                                             \
  X(kNoFrame, "no coroutine frame was to be had")                                \
  X(kPipeTransacted, "a pipe answered")                                          \
  X(kNotifyWaits, "CHANGE_NOTIFY waits")                                         \
  X(kDrained, "a drain closed a connection")

enum class Mark : uint8_t {
#define X(enumerator, what) enumerator,
  SEMBLANCE_MARKS(X)
#undef X
      kCount,
};
static_assert(static_cast<size_t>(Mark::kCount) <= kMarksMax);

inline void reach(MarkCounts& counts, Mark mark) {
  uint8_t& count = counts[static_cast<size_t>(mark)];
  if (count != UINT8_MAX) ++count;
}

// "kCreateNew", and what happens there. `mark` is not kCount.
std::string_view mark_name(Mark mark);
std::string_view mark_meaning(Mark mark);

}  // namespace semblance::smb

#define SOMETIMES(engine, mark) \
  ::semblance::smb::reach((engine).marks, ::semblance::smb::Mark::mark)
