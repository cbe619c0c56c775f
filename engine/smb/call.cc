#include "engine/smb/call.h"
#include "engine/base/planted.h"
#include "engine/smb/marks.h"

#include "engine/smb/chain.h"
#include "engine/smb/outgoing.h"

namespace semblance::smb {

Open* Call::open(OpenSlot slot) const {
  Open* open = engine_->opens.find(slot);
  const Request& r = request();
  if (open == nullptr) return nullptr;
  if ((open->session != r.session || open->tree != r.tree) && !PLANTED(kForeignHandle)) {
    SOMETIMES(*engine_, kForeignOpen);
    return nullptr;
  }
  return open->closing && r.uses != slot ? nullptr : open;
}

Open* Call::open_to_close(const wire::FileId& id) const {
  Request& r = request();
  bool inherited = id == wire::FileId::previous() && r.header.is_related();
  const wire::FileId wanted = inherited ? r.chain_file : id;
  r.chain_file = wanted;
  return open(open_slot(wanted));
}

Open* Call::open(const wire::FileId& id) const {
  Open* found = open_to_close(id);
  if (found != nullptr) use(found->id);
  return found;
}

void Call::use(OpenSlot slot) const {
  Request& r = request();
  if (r.uses == slot) return;
  release_use();
  r.uses = slot;
  ++engine_->opens.get(slot).users;
}

void Call::release_use() const {
  Request& r = request();
  Open* open = engine_->opens.find(std::exchange(r.uses, {}));
  if (open != nullptr && --open->users == 0 && open->closer && !PLANTED(kLostWakeup))
    wake(*engine_, open->closer, Wake::kReady);
}

NtStatus Call::no_open() const {
  const Request& r = request();
  return r.header.is_related() && is_error(r.chain_status) ? r.chain_status : NtStatus::kFileClosed;
}

wire::Builder Call::body() const {
  Request& r = request();
  Connection* c = connection();
  if (c == nullptr || !r.reply) return wire::Builder(MutableBytes{});
  wire::Builder b(c->outbox.bytes(engine_->transmit, r.reply).subspan(r.reply_at));
  b.reserve(wire::kHeaderSize);
  return b;
}

OperationId Call::issue(StoreOperation what, Operation operation) const {
  Request& r = request();
  r.ledger.operations[what.index()] += 1;
  r.in_store = true;
  operation.request = id_;
  OperationId id = engine_->operations.acquire(operation);
  CHECK(id);  // the pool holds one for every request
  engine_->emit(RunStore{id, what});
  return id;
}

Step Call::run(StoreOperation what, Continuation then) const {
  Operation operation;
  operation.then = then;
  issue(what, operation);
  return std::nullopt;
}

void Call::forget(StoreHandle handle) const {
  request().ledger.operations[StoreOperation(StoreClose{handle}).index()] += 1;
  forget_handle(*engine_, handle);
}

void forget_handle(EngineState& engine, StoreHandle handle) {
  Operation operation;
  operation.is_close = true;
  OperationId id = engine.operations.acquire(operation);
  CHECK(id);
  ++engine.closes;
  engine.emit(RunStore{id, StoreClose{handle}});
}

void Call::AccountAwaiter::await_suspend(std::coroutine_handle<> waiter) {
  Operation operation;
  operation.request = call.id();
  operation.waiter = waiter;
  operation.account = &found;
  OperationId id = call.engine().operations.acquire(operation);
  CHECK(id);
  call.engine().emit(Authenticate{id, user, domain});
}

NtStatus Call::go_async() const {
  Request& r = request();
  Connection* c = connection();
  if (c == nullptr) return NtStatus::kNetworkNameDeleted;
  if (!r.last_element) return NtStatus::kInternalError;  // as Windows does in mid-compound
  if (!send_interim(*engine_, r)) return NtStatus::kInsufficientResources;
  release_message(*engine_, r);
  release_use();
  return NtStatus::kSuccess;
}

void wake(EngineState& engine, RequestId id, Wake why) {
  Request* r = engine.requests.find(id);
  if (r == nullptr || r->wake != Wake::kNone) return;
  r->wake = why;
  if (r->waiter) engine.woken.push_back(id);
}

}  // namespace semblance::smb
