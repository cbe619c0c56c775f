// MS-SMB2 3.3.5.4 Receiving an SMB2 NEGOTIATE Request.

#include "engine/smb/commands.h"
#include "engine/smb/negotiation.h"
#include "engine/smb/sealing.h"

namespace semblance::smb {
namespace {

constexpr auto kNoHashOverlap = static_cast<NtStatus>(0xC05D0000);

// What the contexts of a 3.1.1 request ask for.
struct Offer {
  bool has_preauth = false, has_sha512 = false;
  bool has_encryption = false;
  wire::Cipher cipher = wire::Cipher::kNone;
  bool has_signing = false;
  crypto::SigningAlgorithm signing = crypto::SigningAlgorithm::kAesCmac;
};

// GMAC costs a fraction of CMAC, CMAC less than HMAC.
crypto::SigningAlgorithm choose_signing(const wire::U16List& offered) {
  using crypto::SigningAlgorithm;
  for (auto algorithm :
       {SigningAlgorithm::kAesGmac, SigningAlgorithm::kAesCmac, SigningAlgorithm::kHmacSha256})
    if (offered.contains(static_cast<uint16_t>(algorithm))) return algorithm;
  return SigningAlgorithm::kAesCmac;
}

// One context of each kind at most, none empty; unknown kinds are passed over.
NtStatus read_context(const wire::NegotiateContext& context, Offer& offer) {
  using wire::NegotiateContextType;
  switch (context.type) {
    case NegotiateContextType::kPreauthIntegrity: {
      auto preauth = wire::PreauthIntegrityContext::parse(context.data);
      if (!preauth || preauth->hash_algorithms.size() == 0 || offer.has_preauth)
        return NtStatus::kInvalidParameter;
      offer.has_preauth = true;
      offer.has_sha512 =
          preauth->hash_algorithms.contains(static_cast<uint16_t>(wire::HashAlgorithm::kSha512));
      return NtStatus::kSuccess;
    }
    case NegotiateContextType::kEncryption: {
      auto encryption = wire::EncryptionContext::parse(context.data);
      if (!encryption || encryption->ciphers.size() == 0 || offer.has_encryption)
        return NtStatus::kInvalidParameter;
      offer.has_encryption = true;
      offer.cipher = choose_cipher(encryption->ciphers);
      return NtStatus::kSuccess;
    }
    case NegotiateContextType::kSigning: {
      auto signing = wire::SigningContext::parse(context.data);
      if (!signing || signing->signing_algorithms.size() == 0 || offer.has_signing)
        return NtStatus::kInvalidParameter;
      offer.has_signing = true;
      offer.signing = choose_signing(signing->signing_algorithms);
      return NtStatus::kSuccess;
    }
    default:
      return NtStatus::kSuccess;
  }
}

Result<Offer> read_offer(const wire::NegotiateRequest& request) {
  Offer offer;
  wire::NegotiateContexts contexts(request.contexts, request.context_count);
  while (auto context = contexts.next())
    if (NtStatus status = read_context(*context, offer); status != NtStatus::kSuccess)
      return fail(status);
  if (!contexts.ok() || !offer.has_preauth) return fail(NtStatus::kInvalidParameter);
  if (!offer.has_sha512) return fail(kNoHashOverlap);
  return offer;
}

std::optional<wire::Dialect> choose_dialect(const Config& config,
                                            const wire::NegotiateRequest& request) {
  using wire::Dialect;
  for (Dialect dialect :
       {Dialect::kSmb311, Dialect::kSmb302, Dialect::kSmb300, Dialect::kSmb210, Dialect::kSmb202}) {
    auto number = static_cast<uint16_t>(dialect);
    if (number <= config.dialect_max && number >= config.dialect_min && request.offers(dialect))
      return dialect;
  }
  return std::nullopt;
}

// The contexts of the answer, as long as they are referred to.
struct AnswerContexts {
  std::array<uint8_t, 192> bytes;
  std::array<uint8_t, 32> salt;
};

Result<wire::NegotiateResponse> add_contexts(EngineState& e, const Connection& c,
                                             const Offer& offer, wire::NegotiateResponse response,
                                             AnswerContexts& storage) {
  if (!e.entropy.take(storage.salt)) return fail(NtStatus::kInsufficientResources);
  wire::Builder list(storage.bytes);
  wire::NegotiateContextWriter writer(list);
  const uint16_t sha512[] = {static_cast<uint16_t>(wire::HashAlgorithm::kSha512)};
  writer.add(wire::PreauthIntegrityContext{wire::U16List::of(sha512), storage.salt});
  const uint16_t cipher[] = {static_cast<uint16_t>(c.cipher)};
  if (offer.has_encryption) writer.add(wire::EncryptionContext{wire::U16List::of(cipher)});
  const uint16_t signing[] = {static_cast<uint16_t>(c.signing_algorithm)};
  if (offer.has_signing) writer.add(wire::SigningContext{wire::U16List::of(signing)});
  CHECK(list.ok());
  response.context_count = writer.count();
  response.contexts = list.written();
  return response;
}

}  // namespace

Step negotiate(Call call) {
  EngineState& e = call.engine();
  Connection& c = *call.connection();
  auto request = wire::NegotiateRequest::parse(call.element());
  if (!request) return request.error();
  auto dialect = choose_dialect(e.config, *request);
  if (!dialect) return NtStatus::kNotSupported;
  Offer offer;
  if (*dialect == wire::Dialect::kSmb311) {
    auto read = read_offer(*request);
    if (!read) return read.error();
    offer = *read;
  }
  c.client_guid = request->client_guid;
  c.client_capabilities = request->capabilities;
  c.client_security_mode = request->security_mode;
  settle_dialect(e, c, *dialect);
  if (c.is_311() && e.config.encryption != Requirement::kOff) c.cipher = offer.cipher;
  if (offer.has_signing) c.signing_algorithm = offer.signing;
  std::array<uint8_t, 256> token;
  AnswerContexts contexts;
  wire::NegotiateResponse response = negotiate_response(e, c, token);
  if (c.is_311()) {
    auto with_contexts = add_contexts(e, c, offer, response, contexts);
    if (!with_contexts) return with_contexts.error();
    response = *with_contexts;
    c.preauth.update(call.element());
  }
  c.phase = ConnectionPhase::kNegotiated;
  return call.reply(response);
}

void after_reply(Call call, NtStatus status, Bytes element) {
  Connection* c = call.connection();
  if (c == nullptr || !c->is_311()) return;
  wire::Command command = call.header().command;
  if (command == wire::Command::kNegotiate && status == NtStatus::kSuccess)
    c->preauth.update(element);
  Session* session = call.session();
  if (command == wire::Command::kSessionSetup && status == NtStatus::kMoreProcessingRequired &&
      session != nullptr && session->preauth != nullptr)
    session->preauth->update(element);
}

}  // namespace semblance::smb
