#pragma once
// What a command sees of the engine: its request, the objects behind its ids, its reply, the store.
//
// A Call is a value of two words that is passed around and kept across suspensions. Everything it
// leads to is looked up by generation-checked id each time, so what went away in the meantime
// (session, tree, open, connection) is null afterwards, never stale.

#include "engine/share/store_status.h"
#include "engine/smb/state.h"
#include "engine/wire/body.h"

namespace semblance::smb {

class Call {
 public:
  Call(EngineState& engine, RequestId id) : engine_(&engine), id_(id) {}

  EngineState& engine() const { return *engine_; }
  RequestId id() const { return id_; }
  FramePool& frames() const { return engine_->frames; }

  // The request lives as long as its work does.
  Request& request() const { return engine_->requests.get(id_); }
  Bytes element() const {
    const Request& r = request();
    return r.message.subspan(r.element_at, r.element_size);
  }
  const wire::Header& header() const { return request().header; }

  // Null when gone.
  Connection* connection() const { return engine_->connections.find(request().connection); }
  Session* session() const { return engine_->sessions.find(request().session); }
  TreeConnect* tree() const { return engine_->trees.find(request().tree); }
  // The open that the message names, FileId inheritance in compounds included; null if it is not
  // one of this session and tree, or is being closed. Remembers it for the elements that follow.
  // The request uses the open from here on: a CLOSE that comes now waits until the request is done.
  Open* open(const wire::FileId& id) const;
  // The same without using it: for CLOSE itself.
  Open* open_to_close(const wire::FileId& id) const;
  // After a suspension: the open that the request uses, null if its session or tree is gone.
  Open* open(OpenSlot slot) const;
  void use(OpenSlot slot) const;
  void release_use() const;
  // The status for a request whose open() is null: what failed before it in a related compound,
  // else FILE_CLOSED.
  NtStatus no_open() const;

  // ---- The reply --------------------------------------------------------------------------------
  // A builder that stands behind the element's header; what it has written when the command is
  // `done` is the reply's body.
  wire::Builder body() const;
  static Outcome done(const wire::Builder& body, NtStatus status = NtStatus::kSuccess) {
    if (!body.ok()) return NtStatus::kInsufficientResources;
    return {status, body.size()};
  }
  template <typename Response>
  Outcome reply(const Response& response, NtStatus status = NtStatus::kSuccess) const {
    wire::Builder b = body();
    response.build(b);
    return done(b, status);
  }

  // ---- The store --------------------------------------------------------------------------------
  // For plain commands: ask, and go on in `then`.
  Step run(StoreOperation what, Continuation then) const;
  // For coroutines: co_await call.store(...) yields the StoreResult.
  auto store(StoreOperation what) const;
  // co_await call.account(user, domain) yields the AccountFound. The views must outlive it.
  auto account(std::string_view user, std::string_view domain) const;
  // Gives a handle back; nobody waits.
  void forget(StoreHandle handle) const;

  // ---- Waiting ----------------------------------------------------------------------------------
  // Answers PENDING and lets go of the receive buffer, the reply's room and the open: for waits
  // without a bound. Fails when the request can't wait (in the middle of a compound, too many
  // waiting).
  NtStatus go_async() const;
  // co_await call.wait(open) suspends until wake(); yields why.
  auto wait(OpenSlot open) const;

  Ledger& ledger() const { return request().ledger; }
  void shape(Shape shape) const { request().shape = shape; }

  struct StoreAwaiter;
  struct AccountAwaiter;
  struct WaitAwaiter;

 private:
  OperationId issue(StoreOperation what, Operation operation) const;

  EngineState* engine_;
  RequestId id_;
};

struct Call::StoreAwaiter {
  Call call;
  StoreOperation what;
  StoreResult result;

  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> waiter) {
    Operation operation;
    operation.waiter = waiter;
    operation.result = &result;
    call.issue(what, operation);
  }
  StoreResult await_resume() { return result; }
};
inline auto Call::store(StoreOperation what) const { return StoreAwaiter{*this, what, {}}; }

struct Call::AccountAwaiter {
  Call call;
  std::string_view user, domain;
  AccountFound found;

  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> waiter);
  AccountFound await_resume() { return found; }
};
inline auto Call::account(std::string_view user, std::string_view domain) const {
  return AccountAwaiter{*this, user, domain, {}};
}

struct Call::WaitAwaiter {
  Call call;
  OpenSlot open;

  bool await_ready() const { return call.request().wake != Wake::kNone; }
  void await_suspend(std::coroutine_handle<> waiter) {
    call.request().waiter = waiter;
    call.request().waits_on = open;
    if (Open* o = call.engine().opens.find(open)) ++o->waiters;
  }
  Wake await_resume() {
    Request& request = call.request();
    bool waited = static_cast<bool>(request.waiter);
    request.waiter = {};
    request.waits_on = {};
    if (Open* o = call.engine().opens.find(open); o != nullptr && waited) --o->waiters;
    return std::exchange(request.wake, Wake::kNone);
  }
};
inline auto Call::wait(OpenSlot open) const { return WaitAwaiter{*this, open}; }

// Ends a wait. The request goes on within the same step.
void wake(EngineState& engine, RequestId request, Wake why);

}  // namespace semblance::smb
