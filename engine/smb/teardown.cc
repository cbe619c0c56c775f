#include "engine/smb/teardown.h"
#include "engine/base/planted.h"
#include "engine/smb/marks.h"

#include "engine/share/names.h"
#include "engine/smb/chain.h"
#include "engine/smb/directory_change.h"

namespace semblance::smb {
namespace {

bool is_last_member(EngineState& e, const Open& open) {
  share::FileNode* node = e.files.find(open.node);
  return node != nullptr && (node->members.size() == 1 || PLANTED(kDeletedWhileOpen));
}

void wake_waiters_on(EngineState& e, OpenSlot slot, Wake why) {
  if (e.opens.get(slot).waiters == 0) return;
  e.requests.for_each([&](RequestId id, Request& r) {
    if (r.waits_on == slot && r.waiter) wake(e, id, why);
  });
}

Task<Outcome> close_orphan(Call call, OpenSlot slot) {
  Task<NtStatus> prepared = prepare_close(call, slot);
  if (!prepared) {
    call.engine().orphans.push_back(slot);  // no frame for the work: in a later step
    co_return NtStatus::kInsufficientResources;
  }
  NtStatus status = co_await std::move(prepared);
  drop_open(call.engine(), slot);
  co_return status;
}

void orphan(EngineState& e, OpenSlot slot) {
  Open& open = e.opens.get(slot);
  if (open.closing) return;  // a CLOSE has it in hand
  SOMETIMES(e, kLogoffWithOpens);
  open.closing = true;
  open.session = {};
  e.orphans.push_back(slot);
}

}  // namespace

bool close_takes_work(EngineState& e, const Open& open) {
  if (open.is_pipe()) return false;
  share::FileNode* node = e.files.find(open.node);
  bool deletes = open.delete_on_close || (node != nullptr && node->delete_pending);
  bool sets_times = open.wrote && open.sticky_write_time.ticks != 0;
  return open.users > 0 || deletes || sets_times;
}

Task<NtStatus> prepare_close(Call call, OpenSlot slot) {
  EngineState& e = call.engine();
  // Cancelling does not end this wait: the handle is in use until its users are done.
  for (Open* open = e.opens.find(slot); open != nullptr && open->users > 0;
       open = e.opens.find(slot)) {
    SOMETIMES(e, kCloseWaits);
    if (!open->session) SOMETIMES(e, kOrphanWaits);
    open->closer = call.id();
    co_await call.wait({});
  }
  Open* open = e.opens.find(slot);
  if (open == nullptr || open->is_pipe()) co_return NtStatus::kSuccess;
  if (open->wrote && open->sticky_write_time.ticks != 0) {
    StoreSetAttributes set{open->handle};
    set.modified = open->sticky_write_time;
    co_await call.store(set);
    open = e.opens.find(slot);
  }
  share::FileNode* node = e.files.find(open->node);
  if (node == nullptr) co_return NtStatus::kSuccess;
  if (open->delete_on_close) node->mark_deleted(open->path);
  if (!node->delete_pending || !is_last_member(e, *open)) co_return NtStatus::kSuccess;
  std::vector<std::string> paths = node->delete_paths;
  ShareId share = open->share;
  FileKind kind = open->is_directory ? FileKind::kDirectory : FileKind::kFile;
  FileKey key = node->key;
  call.shape(Shape::kCloseDelete);
  if (PLANTED(kDeleteForgotten)) co_return NtStatus::kSuccess;
  NtStatus status = NtStatus::kSuccess;
  for (const std::string& path : paths) {
    DirectoryChange change = co_await begin_directory_change(call, share, path);
    // Somebody beside the server may have put another object there.
    StoreResult removed = co_await call.store(StoreUnlink{share, path, kind, key});
    if (removed.ok()) {
      SOMETIMES(e, kDeletedOnClose);
      ++e.unlinks;
      note_removed(e, change, path);
    } else {
      SOMETIMES(e, kDeleteFailed);
      status = share::status_of(removed.error);
    }
    if (&path != &paths.front()) call.ledger().retries += 1;
  }
  co_return status;
}

void drop_open(EngineState& e, OpenSlot slot) {
  Open* open = e.opens.find(slot);
  if (open == nullptr) return;
  wake_waiters_on(e, slot, Wake::kClosed);
  // Whoever waits to close it finds it closed.
  if (open->closer) wake(e, open->closer, Wake::kReady);
  e.files.leave(open->node, slot.packed());
  if (open->handle != StoreHandle::kNone) forget_handle(e, open->handle);
  if (TreeConnect* tree = e.trees.find(open->tree)) tree->opens.remove(e.opens, slot);
  e.opens.release(slot);
}

void end_tree(EngineState& e, TreeSlot slot) {
  TreeConnect* tree = e.trees.find(slot);
  if (tree == nullptr) return;
  while (tree->opens.first()) {
    OpenSlot open = tree->opens.first();
    tree->opens.remove(e.opens, open);
    e.opens.get(open).tree = {};
    wake_waiters_on(e, open, Wake::kClosed);
    orphan(e, open);
  }
  if (Session* session = e.sessions.find(tree->session)) session->trees.remove(e.trees, slot);
  e.trees.release(slot);
}

void end_session(EngineState& e, SessionSlot slot) {
  Session* session = e.sessions.find(slot);
  if (session == nullptr) return;
  while (session->trees.first()) end_tree(e, session->trees.first());
  if (Connection* c = e.connections.find(session->connection)) c->sessions.remove(e.sessions, slot);
  e.sessions.release(slot);
}

namespace {

bool is_at_work(EngineState& e, SessionSlot session, RequestId self) {
  bool found = false;
  e.requests.for_each([&](RequestId id, const Request& r) {
    found = found || (r.session == session && id != self);
  });
  return found;
}

}  // namespace

void retire_session(EngineState& e, SessionSlot slot, RequestId self) {
  Session* session = e.sessions.find(slot);
  if (session == nullptr) return;
  session->state = SessionState::kEnding;
  if (!is_at_work(e, slot, self)) return end_session(e, slot);
  SOMETIMES(e, kLogoffWaits);
  session->retired = true;
  e.opens.for_each([&](OpenSlot open, const Open& one) {
    if (one.session == slot) wake_waiters_on(e, open, Wake::kClosed);
  });
}

void end_retired_session(EngineState& e, SessionSlot slot) {
  const Session* session = e.sessions.find(slot);
  if (session != nullptr && session->retired && !is_at_work(e, slot, {})) end_session(e, slot);
}

void end_connection(EngineState& e, Connection& c) {
  e.requests.for_each([&](RequestId id, Request& r) {
    if (r.connection == c.id && r.waiter) wake(e, id, Wake::kDisconnected);
  });
  while (c.sessions.first()) {
    SessionSlot session = c.sessions.first();
    if (PLANTED(kSessionLeaked) && e.sessions.get(session).state != SessionState::kValid)
      c.sessions.remove(e.sessions, session);
    else
      end_session(e, session);
  }
  c.outbox.clear(e.transmit);
  e.orphan_pins.adopt(c.pins);
  e.connections.close(c.id);
}

void close_orphans(EngineState& e) {
  for (size_t left = kTeardownsPerStep; left > 0 && !e.orphans.empty(); --left) {
    OpenSlot slot = e.orphans.front();
    Open* open = e.opens.find(slot);
    if (open == nullptr) {
      e.orphans.pop_front();
    } else if (!close_takes_work(e, *open)) {
      e.orphans.pop_front();
      drop_open(e, slot);
    } else if (begin_internal(e, close_orphan, slot)) {
      e.orphans.pop_front();
    } else {
      return;  // no room for the work: in a later step
    }
  }
}

}  // namespace semblance::smb
