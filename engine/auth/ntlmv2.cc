#include "engine/auth/ntlmv2.h"

#include <openssl/crypto.h>

#include "engine/base/check.h"
#include "engine/base/upcase.h"
#include "engine/base/utf16.h"
#include "engine/wire/ntlmssp.h"

namespace semblance::auth {
namespace {

namespace flag = wire::ntlm_flag;

// A magic constant of MS-NLMP 3.4.5, which counts its terminating zero.
template <size_t N>
Bytes terminated(const char (&text)[N]) {
  return {reinterpret_cast<const uint8_t*>(text), N};
}

}  // namespace

std::optional<NtHash> nt_hash_of(std::string_view password) {
  auto text = utf16_from_utf8(password);
  if (!text) return std::nullopt;
  const NtHash hash = crypto::md4(as_bytes(*text));
  OPENSSL_cleanse(text->data(), text->size() * sizeof(char16_t));
  return hash;
}

Key16 ntowf_v2(const NtHash& nt_hash, std::u16string_view user, std::u16string_view domain) {
  const std::u16string upper = upcase(user);
  return crypto::hmac_md5(nt_hash, {as_bytes(upper), as_bytes(domain)});
}

Key16 nt_proof(const Key16& response_key, const std::array<uint8_t, 8>& server_challenge,
               Bytes client_challenge) {
  return crypto::hmac_md5(response_key, {server_challenge, client_challenge});
}

Key16 session_base_key(const Key16& response_key, const Key16& proof) {
  return crypto::hmac_md5(response_key, {proof});
}

bool exchanges_key(uint32_t flags) {
  return (flags & flag::kKeyExchange) && (flags & (flag::kSign | flag::kSeal));
}

Key16 rc4_of(const Key16& key_exchange_key, const Key16& value) {
  Key16 result = value;
  crypto::rc4(key_exchange_key, result);
  return result;
}

Key16 message_integrity(const Key16& exported_key, Bytes negotiate, Bytes challenge,
                        Bytes authenticate) {
  constexpr size_t kMicAt = wire::NtlmAuthenticate::kMicAt;
  constexpr Key16 kNoMic{};
  CHECK(authenticate.size() >= kMicAt + kNoMic.size());
  return crypto::hmac_md5(exported_key, {negotiate, challenge, authenticate.first(kMicAt), kNoMic,
                                         authenticate.subspan(kMicAt + kNoMic.size())});
}

Key16 sign_key(const Key16& exported_key, Sender sender) {
  return crypto::md5(
      {exported_key,
       sender == Sender::kClient
           ? terminated("session key to client-to-server signing key magic constant")
           : terminated("session key to server-to-client signing key magic constant")});
}

Key16 seal_key(const Key16& exported_key, Sender sender, uint32_t flags) {
  const size_t strength = flags & flag::k128 ? 16 : flags & flag::k56 ? 7 : 5;
  return crypto::md5(
      {Bytes(exported_key).first(strength),
       sender == Sender::kClient
           ? terminated("session key to client-to-server sealing key magic constant")
           : terminated("session key to server-to-client sealing key magic constant")});
}

Key16 first_signature(const Key16& exported_key, Sender sender, uint32_t flags, Bytes message) {
  constexpr std::array<uint8_t, 4> kSequence{};
  const Key16 mac = crypto::hmac_md5(sign_key(exported_key, sender), {kSequence, message});
  // Version 1, checksum of 8 bytes, sequence number.
  Key16 signature{1};
  const MutableBytes checksum = MutableBytes(signature).subspan(4, 8);
  std::memcpy(checksum.data(), mac.data(), checksum.size());
  if (flags & flag::kKeyExchange) crypto::rc4(seal_key(exported_key, sender, flags), checksum);
  return signature;
}

bool same_key(Bytes a, Bytes b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace semblance::auth
