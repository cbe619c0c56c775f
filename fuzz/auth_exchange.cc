// One authentication exchange against a hostile other side: the acceptor with a client's tokens, or
// the initiator with a server's. First a byte of choices, then tokens behind their lengths.

#include "engine/auth/acceptor.h"
#include "engine/auth/initiator.h"
#include "fuzz/support/fuzz_input.h"
#include "fuzz/support/round_trip.h"

namespace semblance::fuzz {
namespace {

using namespace auth;

constexpr int kTokensMax = 4;

void finish(Acceptor& acceptor, const AcceptorStep& step, uint8_t choice, MutableBytes reply) {
  Result<AcceptorResult> result = fail(NtStatus::kLogonFailure);
  if (step.is_anonymous)
    result = acceptor.finish_anonymous(reply);
  else if (choice & 2)
    result = acceptor.finish_guest(reply);
  else
    result = acceptor.finish({NtHash{1, 2, 3}}, reply);
  if (!result) return;
  CHECK(result->reply_size <= reply.size());
  CHECK(!step.is_anonymous || !result->session_key);
}

void accept(FuzzInput& input, uint8_t choice) {
  AcceptorContext context;
  context.server_name = "SEMBLANCE";
  context.domain = "SEMBLANCE";
  context.dns_name = "semblance";
  context.challenge = {1, 2, 3, 4, 5, 6, 7, 8};
  context.now = {FileTime::kUnixEpoch};
  Acceptor acceptor;
  std::vector<uint8_t> reply(Acceptor::kReplySizeMax);
  for (int i = 0; i < kTokensMax && !input.empty(); ++i) {
    std::vector<uint8_t> token = exactly(input.piece());
    AcceptorStep step = acceptor.accept(token, context, reply);
    token.clear();  // the acceptor keeps copies
    token.shrink_to_fit();
    CHECK(step.reply_size <= reply.size());
    if (step.outcome == AcceptorStep::Outcome::kFailed) return;
    if (step.outcome == AcceptorStep::Outcome::kNeedAccount)
      return finish(acceptor, step, choice, reply);
  }
}

void initiate(FuzzInput& input, uint8_t choice) {
  InitiatorOptions options;
  options.spnego = choice & 2;
  options.kerberos_first = choice & 4;
  options.optimistic_token = choice & 8;
  options.key_exchange = choice & 16;
  options.mic = choice & 32;
  options.mech_list_mic = choice & 64;
  options.anonymous = choice & 128;
  Initiator initiator({"anna", "WORKGROUP", "CLIENT", NtHash{1, 2, 3}}, options);
  std::vector<uint8_t> out(Initiator::kTokenSizeMax);
  if (!initiator.start(out)) return;
  for (int i = 0; i < kTokensMax && !input.empty(); ++i) {
    std::vector<uint8_t> token = exactly(input.piece());
    look_at(initiator.finish(token));
    auto size = initiator.step(token, {}, {FileTime::kUnixEpoch}, out);
    if (!size) return;
    CHECK(*size <= out.size());
  }
}

}  // namespace
}  // namespace semblance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  semblance::fuzz::FuzzInput input(data, size);
  uint8_t choice = input.u8();
  if (choice & 1)
    semblance::fuzz::initiate(input, choice);
  else
    semblance::fuzz::accept(input, choice);
  return 0;
}
