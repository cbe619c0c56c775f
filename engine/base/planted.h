#pragma once
// Faults planted on purpose, to prove that the simulator's oracles see them
// (tests/sim/planted_test). Compiled in with SEMBLANCE_PLANTED only; everywhere else PLANTED(name)
// is false and nothing of this exists.

#include <cstdint>
#include <string_view>

namespace semblance {

// X(enumerator, name, what is broken)
#define SEMBLANCE_PLANTED_FAULTS(X)                                                          \
  X(kCanary, "canary", "a failure out of nothing: the pipeline reports")                     \
  X(kShareModeSkipped, "share_mode_skipped", "share modes are not compared")                 \
  X(kShareDeleteForgotten, "share_delete_forgotten", "DELETE needs nobody's consent")        \
  X(kLostWakeup, "lost_wakeup", "a CLOSE is not told that its handle is idle")               \
  X(kForeignHandle, "foreign_handle", "a handle works in every session and tree")            \
  X(kHandleAfterLogoff, "handle_after_logoff", "LOGOFF leaves the session as it is")         \
  X(kOpensAfterDisconnect, "opens_after_tree_disconnect", "TREE_DISCONNECT leaves the tree") \
  X(kCreditLostInCompound, "credit_lost_in_compound", "related elements grant no credits")   \
  X(kCreditsUnlimited, "credits_unlimited", "grants go beyond the limit")                    \
  X(kMessageIdTwice, "message_id_twice", "a MessageId is served again")                      \
  X(kFlushEarly, "flush_early", "FLUSH is answered without one")                             \
  X(kWriteThroughIgnored, "write_through_ignored", "write-through is not passed on")         \
  X(kBadSignatureAccepted, "bad_signature_accepted", "a wrong signature is as good")         \
  X(kUnsignedAccepted, "unsigned_accepted", "required signatures may be missing")            \
  X(kSignedAfterEffect, "signature_after_effect", "a WRITE is carried out unjudged")         \
  X(kReplyUnsigned, "reply_unsigned", "replies to signed requests are not signed")           \
  X(kNameEscapes, "name_escapes", "'..' is a component like any other")                      \
  X(kSetattrPerWrite, "setattr_per_write", "every WRITE sets a time")                        \
  X(kWriteShifted, "write_shifted", "WRITE begins a byte too late")                          \
  X(kWriteShort, "write_short", "the last byte of a WRITE is left out")                      \
  X(kReadShifted, "read_shifted", "READ begins a byte too late")                             \
  X(kReadLockSkipped, "read_lock_skipped", "READ asks for no locks")                         \
  X(kWriteLockSkipped, "write_lock_skipped", "WRITE asks for no locks")                      \
  X(kLockOverlapMissed, "lock_overlap_missed", "overlapping locks are granted")              \
  X(kLocksOutliveHandle, "locks_outlive_handle", "a CLOSE leaves its locks")                 \
  X(kUnlockAnyone, "unlock_anyone", "one handle unlocks another's ranges")                   \
  X(kDeletedWhileOpen, "deleted_while_open", "the first close deletes")                      \
  X(kDeleteForgotten, "delete_forgotten", "the last close does not delete")                  \
  X(kDeletePendingOpened, "delete_pending_opened", "what is to be deleted can be opened")    \
  X(kRenamedOverOpen, "renamed_over_open", "rename replaces without being asked to")         \
  X(kReadOnlyShareWritten, "read_only_share_written", "a read-only share takes new files")   \
  X(kIndexForgets, "index_forgets", "new files do not enter the folded-name index")          \
  X(kEntrySkipped, "entry_skipped", "a listing leaves out what did not fit")                 \
  X(kEndOfFileIgnored, "end_of_file_ignored", "a new end of file is only promised")          \
  X(kSizeStale, "size_stale", "sizes are rounded up to sectors")                             \
  X(kReplyLost, "reply_lost", "QUERY_INFO of a directory is not answered")                   \
  X(kInterimTwice, "interim_twice", "a slow request is answered PENDING again")              \
  X(kTreeIdLost, "tree_id_lost", "replies have no TreeId")                                   \
  X(kPinLeaked, "pin_leaked", "a failed request keeps its message")                          \
  X(kStoreHandleLeaked, "store_handle_leaked", "a refused CREATE keeps the store's handle")  \
  X(kCollisionMissed, "collision_missed", "CREATE opens what is there already")              \
  X(kSessionLeaked, "session_leaked", "a logon under way outlives its connection")

enum class Planted : uint8_t {
  kNone,
#define X(enumerator, name, what) enumerator,
  SEMBLANCE_PLANTED_FAULTS(X)
#undef X
      kCount,
};

#ifdef SEMBLANCE_PLANTED
// The one that is in force. A test's, and of a test's build only.
inline Planted planted = Planted::kNone;
#define PLANTED(fault) (::semblance::planted == ::semblance::Planted::fault)
#else
#define PLANTED(fault) false
#endif

}  // namespace semblance
