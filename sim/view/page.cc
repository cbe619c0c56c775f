#include "sim/view/page.h"

#include <cinttypes>
#include <cstdlib>
#include <utility>

#include "engine/base/status.h"
#include "sim/oracles/seals.h"
#include "sim/oracles/signatures.h"
#include "sim/oracles/witness.h"
#include "sim/run/words.h"
#include "sim/view/assets.h"
#include "sim/view/attribution.h"
#include "sim/view/json_line.h"
#include "sim/world/swarm.h"

namespace semblance::sim {

namespace {

constexpr int64_t kTicksOfJump = 10'000'000;  // less is rounding

std::string name_of(OperationId id) {
  return std::to_string(id.index) + "." + std::to_string(id.generation);
}

std::string hex(uint64_t number, int digits) {
  char text[24];
  std::snprintf(text, sizeof text, "%0*" PRIX64, digits, number);
  return text;
}

std::string header_of(const Exchange& exchange) {
  const Element& r = exchange.request;
  return " mid " + std::to_string(r.message_id) + " charge " + std::to_string(r.charge) +
         (r.is_related() ? " related" : "") + (r.is_signed() ? " signed" : "") + " session " +
         hex(exchange.session_id, 1) + " tree " + hex(exchange.tree_id, 1);
}

JsonLine& connection(JsonLine& line, ConnectionId id) {
  return line.add("c", int64_t{id.generation});
}

std::string status_of(const Element& response) {
  auto status = static_cast<NtStatus>(response.status);
  return std::string(status_name(status)) + " " + hex(response.status, 8);
}

}  // namespace

// Takes the bytes apart with a witness of its own, whose verdicts nobody asks for: requests have
// the same numbers here as in what the oracles say.
class Page::Reader : public Oracle {
 public:
  Reader(Page& page, const Scheduler& clock)
      : Oracle("page", ignored_), page_(page), ignored_(clock), witness_(ignored_, clock) {
    witness_.add(signatures_);
    witness_.add(seals_);
    witness_.set_seals(seals_);
    witness_.add(*this);
  }

  void requested(const ExchangePtr& exchange) override {
    const Element& r = exchange->request;
    attribution_.requested(exchange);
    JsonLine line = message("req", *exchange);
    page_.write(line.add("cmd", command_name(r.command))
                    .add("text", details(*exchange))
                    .add("more", header_of(*exchange)));
  }
  void interim(const ExchangePtr& exchange, const Element& response) override {
    JsonLine line = message("pend", *exchange);
    page_.write(line.add("more", " async " + hex(response.async_id, 1)));
  }
  void answered(const ExchangePtr& exchange) override {
    const Element& r = exchange->response;
    attribution_.answered(exchange);
    JsonLine line = message("res", *exchange);
    line.add("cmd", command_name(exchange->request.command)).add("status", status_of(r));
    if (exchange->has_file) line.add("text", " file " + hex(exchange->file.volatile_id, 1));
    page_.write(line.add("bad", int64_t{is_error(static_cast<NtStatus>(r.status)) &&
                                        r.status != kStatusMoreProcessing})
                    .add("more", " credits " + std::to_string(r.credits) +
                                     (r.is_signed() ? " signed" : "")));
  }
  void abandoned(const ExchangePtr& exchange) override { attribution_.abandoned(exchange); }
  void unsolicited(ConnectionId id, const Element& message) override {
    ++messages_;
    JsonLine line = page_.line("note");
    page_.write(connection(line, id).add("cmd", command_name(message.command)));
  }

  Witness& witness() { return witness_; }
  Attribution& attribution() { return attribution_; }
  uint64_t messages() const { return messages_; }

 private:
  JsonLine message(std::string_view kind, const Exchange& exchange) {
    ++messages_;
    JsonLine line = page_.line(kind);
    connection(line, exchange.connection).add("r", static_cast<int64_t>(exchange.number));
    return line;
  }

  Page& page_;
  Failures ignored_;
  SignatureOracle signatures_{ignored_};
  SealOracle seals_{ignored_, signatures_};
  Witness witness_;
  Attribution attribution_;
  uint64_t messages_ = 0;
};

Page::Page(FILE* out) : out_(out) {
  std::fprintf(out_, "%s", kPageHead);
  std::fflush(out_);
}

Page::~Page() = default;

void Page::finish(const PageFacts& facts) {
  std::fputs("</script>\n<script type=\"application/json\" id=\"run\">\n", out_);
  JsonLine line;
  line.add("seed", std::to_string(facts.seed)).add("requests", std::to_string(facts.requests));
  line.add("faults", facts.swarm).add("shape", facts.shape).add("replay", facts.replay);
  line.add("oracle", facts.oracle).add("what", facts.what).add("failed_at", facts.failed_at_ns);
  write(line);
  std::fputs("</script>\n<script type=\"application/json\" id=\"meanings\">\n", out_);
  JsonLine meanings;
#define X(enumerator, name, meaning) meanings.add(name, meaning);
  SEMBLANCE_FAULT_CLASSES(X)
#undef X
  write(meanings);
  std::fprintf(out_, "</script>\n%s", kPageTail);
  std::fflush(out_);
}

// ---- Lines --------------------------------------------------------------------------------------

JsonLine Page::line(std::string_view kind) const {
  JsonLine line;
  line.add("t", clock_->now().ns).add("k", kind);
  return line;
}

void Page::write(const JsonLine& line) {
  std::fprintf(out_, "%s\n", line.text().c_str());
  std::fflush(out_);
}

void Page::bar(std::string_view text) { write(line("bar").add("text", text)); }

// ---- The network --------------------------------------------------------------------------------

void Page::begins(const Scheduler& clock) {
  clock_ = &clock;
  reader_ = std::make_unique<Reader>(*this, clock);
}

void Page::session(const SessionFacts& facts) { reader_->witness().session(facts); }
void Page::opened(ConnectionId id) { reader_->witness().opened(id); }
void Page::honest(ConnectionId id) { reader_->witness().honest(id); }

void Page::called(ConnectionId id, uint32_t client) {
  JsonLine open = line("open");
  write(connection(open, id).add("client", int64_t{client}));
}

template <typename Feed>
void Page::piece(std::string_view kind, ConnectionId id, Bytes bytes, Feed feed) {
  uint64_t before = reader_->messages();
  feed();
  if (reader_->messages() != before) return;
  JsonLine piece = line(kind);
  write(connection(piece, id).add("n", static_cast<int64_t>(bytes.size())));
}

void Page::delivered(ConnectionId id, Bytes bytes) {
  piece("up", id, bytes, [&] { reader_->witness().delivered(id, bytes); });
}

void Page::transmitted(ConnectionId id, Bytes bytes) {
  piece("down", id, bytes, [&] { reader_->witness().transmitted(id, bytes); });
}

void Page::hung_up(ConnectionId id) {
  JsonLine gone = line("hung_up");
  write(connection(gone, id));
}

void Page::closed(ConnectionId id) {
  reader_->witness().closed(id);
  JsonLine close = line("close");
  write(connection(close, id));
}

// ---- The disk -----------------------------------------------------------------------------------

void Page::started(OperationId id, const StoreOperation& what) {
  auto owner = static_cast<int64_t>(reader_->attribution().started(id, what));
  write(line("op")
            .add("o", name_of(id))
            .add("r", owner)
            .add("cmd", store_operation_name(what.index()))
            .add("text", details(what)));
}

void Page::applied(OperationId id, const StoreOperation& what, const StoreResult& result,
                   bool injected) {
  reader_->attribution().applied(id, what, result);
  write(line("apply")
            .add("o", name_of(id))
            .add("text", details(result))
            .add("bad", int64_t{!result.ok()})
            .add("injected", int64_t{injected}));
}

void Page::changed_outside() { bar("files changed beside the server"); }

// ---- The server ---------------------------------------------------------------------------------

void Page::event(Instant now, const Event& event) {
  Attribution& attribution = reader_->attribution();
  if (const auto* done = std::get_if<StoreDone>(&event)) {
    attribution.completes(done->operation);
    write(line("done").add("o", name_of(done->operation)));
  } else if (const auto* found = std::get_if<AccountFound>(&event)) {
    constexpr const char* kStates[] = {"unknown", "active", "disabled", "unavailable"};
    attribution.completes(found->operation);
    write(line("done")
              .add("o", name_of(found->operation))
              .add("text", kStates[static_cast<size_t>(found->state)]));
  } else if (std::holds_alternative<Configure>(event)) {
    if (std::exchange(configured_, true)) bar("the configuration is reloaded");
  } else if (std::holds_alternative<Drain>(event)) {
    bar("the server drains");
  } else if (const auto* clock = std::get_if<WallClock>(&event)) {
    int64_t ahead = static_cast<int64_t>(clock->now.ticks) - now.ns / 100;
    int64_t jump = wall_ahead_ == 0 ? 0 : ahead - wall_ahead_;
    if (std::llabs(jump) >= kTicksOfJump)
      bar("the wall clock jumps by " + std::to_string(jump / kTicksOfJump) + " s");
    wall_ahead_ = ahead;
  }
}

void Page::effect(const Effect& effect) {
  const auto* account = std::get_if<Authenticate>(&effect);
  if (account == nullptr) return;
  auto owner = static_cast<int64_t>(reader_->attribution().started_account(account->operation));
  write(line("op")
            .add("o", name_of(account->operation))
            .add("r", owner)
            .add("cmd", "account")
            .add("text", ""));
}

void Page::stepped(const Engine&) { reader_->attribution().stepped(); }

void Page::crashed(CrashKind kind) {
  reader_->attribution().crashed();
  configured_ = false;
  write(line("crash").add("text", kind == CrashKind::kKill ? "the server is killed"
                                                           : "the power goes; the server dies"));
}

void Page::restarted() { write(line("restart").add("text", "the server is back")); }

}  // namespace semblance::sim
