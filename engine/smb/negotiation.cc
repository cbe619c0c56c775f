#include "engine/smb/negotiation.h"

#include "engine/wire/spnego.h"

namespace semblance::smb {

void settle_dialect(EngineState& e, Connection& c, wire::Dialect dialect) {
  c.dialect = dialect;
  c.supports_multi_credit = dialect != wire::Dialect::kSmb202;
  constexpr uint32_t kOneCredit = 64 << 10;
  c.max_read = c.supports_multi_credit ? e.limits.read_max : kOneCredit;
  c.max_write = c.supports_multi_credit ? e.limits.write_max : kOneCredit;
  c.max_transact = c.supports_multi_credit ? e.limits.transact_max : kOneCredit;
  c.server_capabilities = c.supports_multi_credit ? wire::kGlobalCapLargeMtu : 0;
  // 3.0 and 3.0.2 say by a capability what 3.1.1 says by a context.
  bool may_seal = e.config.encryption != Requirement::kOff && c.is_3x() &&
                  dialect != wire::Dialect::kSmb311 &&
                  (c.client_capabilities & wire::kGlobalCapEncryption);
  c.cipher = may_seal ? wire::Cipher::kAes128Ccm : wire::Cipher::kNone;
  if (may_seal) c.server_capabilities |= wire::kGlobalCapEncryption;
  c.server_security_mode = wire::kNegotiateSigningEnabled;
  if (e.config.signing == Requirement::kRequired)
    c.server_security_mode |= wire::kNegotiateSigningRequired;
  c.signing_algorithm =
      c.is_3x() ? crypto::SigningAlgorithm::kAesCmac : crypto::SigningAlgorithm::kHmacSha256;
}

wire::NegotiateResponse negotiate_response(EngineState& e, const Connection& c,
                                           MutableBytes token) {
  wire::Builder hint(token);
  wire::put_server_hint(hint);
  wire::NegotiateResponse response;
  response.security_mode = c.server_security_mode;
  response.dialect_revision = c.dialect;
  response.server_guid = e.config.server_guid;
  response.capabilities = c.server_capabilities;
  response.max_transact_size = c.max_transact;
  response.max_read_size = c.max_read;
  response.max_write_size = c.max_write;
  response.system_time = e.wall;
  response.security_buffer = hint.written();
  return response;
}

}  // namespace semblance::smb
