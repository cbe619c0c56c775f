#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/crypto/aead.h"
#include "engine/crypto/digest.h"
#include "engine/crypto/kdf.h"
#include "engine/crypto/preauth.h"
#include "engine/crypto/signing.h"

namespace semblance::crypto {
namespace {

std::vector<uint8_t> unhex(std::string_view text) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<uint8_t>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

std::string hex(Bytes bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

template <size_t N>
std::array<uint8_t, N> unhex_array(std::string_view text) {
  std::array<uint8_t, N> array{};
  std::ranges::copy(unhex(text), array.begin());
  return array;
}

// --- Digests -------------------------------------------------------------------------------------

TEST(Digest, Md4AndMd5OfTheirRfcs) {
  EXPECT_EQ(hex(md4({})), "31d6cfe0d16ae931b73c59d7e0c089c0");
  EXPECT_EQ(hex(md4(as_bytes("abc"))), "a448017aaf21d8525fc10ae87aa6729d");
  EXPECT_EQ(hex(md5({as_bytes("message "), as_bytes("digest")})),
            "f96b697d7cb7938d525a2f31aaf161d0");
}

TEST(Digest, HmacMd5OfRfc2202) {
  EXPECT_EQ(hex(hmac_md5(std::vector<uint8_t>(16, 0x0b), {as_bytes("Hi "), as_bytes("There")})),
            "9294727a3638bb1c13f48ef8158bfc9d");
  EXPECT_EQ(hex(hmac_md5(std::vector<uint8_t>(80, 0xaa),
                         {as_bytes("Test Using Larger Than Block-Size Key - Hash Key First")})),
            "6b1ab7fe4bd7bf8f0b62e6ce61b9d0cd");
}

TEST(Digest, Rc4OfRfc6229Style) {
  auto data = unhex("506c61696e74657874");  // "Plaintext" under "Key"
  rc4(as_bytes("Key"), data);
  EXPECT_EQ(hex(data), "bbf316e8d940af0ad3");
}

// --- Key derivation ------------------------------------------------------------------------------

// Published by Microsoft with worked keys ("SMB 2 and SMB 3 security in Windows 10: the anatomy of
// signing and cryptographic keys").
TEST(Kdf, PublishedKeysOfDialect300) {
  const auto keys = derive_keys_300(unhex_array<16>("7cd451825d0450d235424e44ba6e78cc"));
  EXPECT_EQ(hex(keys.signing), "0b7e9c5cac36c0f6ea9ab275298cedce");
}

// The derivation of SP800-108 done by hand elsewhere, over the hash of Preauth.IsAChainOfSha512.
TEST(Kdf, KeysOfDialect311) {
  PreauthHash hash;
  hash.update(as_bytes("a"));
  const auto key = unhex_array<16>("000102030405060708090a0b0c0d0e0f");
  const auto keys = derive_keys_311(key, key, hash, 32);
  EXPECT_EQ(hex(keys.signing), "24c88e3e5402850a1b1069754734d8fd");
  EXPECT_EQ(hex(keys.application), "e3e000e744108dc8a3d227fd98a5898b");
  EXPECT_EQ(hex(keys.client_to_server.view()),
            "485447ccc0b4370e81d9d2c38e429cd0ba6aa70942b23cddaab5a13c3eff5d70");
  EXPECT_EQ(hex(keys.server_to_client.view()),
            "f178a6520524166ea47176ad93f526a3d32f3be9f6618f52391adf3871190444");
}

TEST(Kdf, ClientAndServerKeysDiffer) {
  const auto keys = derive_keys_311({}, std::vector<uint8_t>(16), {}, 32);
  EXPECT_EQ(keys.client_to_server.view().size(), 32u);
  EXPECT_NE(hex(keys.client_to_server.view()), hex(keys.server_to_client.view()));
}

TEST(Kdf, LongerOutputIsNotAPrefixExtension) {
  // L is hashed too: a 256-bit key does not begin with the 128-bit key.
  std::array<uint8_t, 16> small;
  std::array<uint8_t, 40> large;
  derive(as_bytes("key"), as_bytes("label"), as_bytes("context"), small);
  derive(as_bytes("key"), as_bytes("label"), as_bytes("context"), large);
  EXPECT_NE(hex(small), hex(Bytes(large).first(16)));
}

TEST(Preauth, IsAChainOfSha512) {
  PreauthHash hash;
  EXPECT_EQ(hash.value(), (std::array<uint8_t, 64>{}));
  hash.update(as_bytes("a"));
  EXPECT_EQ(hex(hash.value()),
            "ae0541c1f30dfd4114afaac8d72113608b31c344615efc3f3964a2f66d1b7c52"
            "6073eb19f525de78c140326d1a509e53b1a4f86549150456b732b502054bd56e");
  PreauthHash same;
  same.update(as_bytes("a"));
  EXPECT_EQ(hash, same);
  same.update({});
  EXPECT_NE(hash, same);
}

// --- Signing -------------------------------------------------------------------------------------

constexpr SigningAlgorithm kAlgorithms[] = {SigningAlgorithm::kHmacSha256,
                                            SigningAlgorithm::kAesCmac, SigningAlgorithm::kAesGmac};

std::vector<uint8_t> message_of(const std::vector<uint8_t>& body) {
  std::vector<uint8_t> message(64);
  for (size_t i = 0; i < 64; ++i) message[i] = static_cast<uint8_t>(i * 7);
  message.insert(message.end(), body.begin(), body.end());
  return message;
}

RC_GTEST_PROP(Signer, VerifiesItsOwnAndNothingElse,
              (std::vector<uint8_t> body, SigningKey key, uint8_t flip)) {
  for (SigningAlgorithm algorithm : kAlgorithms) {
    Signer sender(algorithm, key);
    Signer receiver = std::move(sender);
    sender = Signer(algorithm, key);
    std::vector<uint8_t> message = message_of(body);
    sender.sign(message);
    // Twice: state left over from one message must not reach the next.
    const std::vector<uint8_t> before = message;
    RC_ASSERT(receiver.verify(message));
    RC_ASSERT(receiver.verify(message));
    RC_ASSERT(message == before);
    const size_t at = *rc::gen::inRange<size_t>(0, message.size());
    message[at] ^= static_cast<uint8_t>(1 << (flip % 8));
    RC_ASSERT(!receiver.verify(message));
  }
}

TEST(Signer, ShorterThanAHeaderIsNotSigned) {
  Signer signer(SigningAlgorithm::kAesCmac, {});
  EXPECT_FALSE(signer.verify(std::vector<uint8_t>(63)));
  EXPECT_FALSE(signer.verify({}));
}

// Values from one-shot MACs made elsewhere, over a header of bytes 0, 1, 2, ... with the given
// command and flags, and the body "semblance".
struct KnownSignature {
  SigningAlgorithm algorithm;
  uint8_t command;
  uint8_t flags;
  const char* signature;
};

TEST(Signer, GmacNonceCarriesTheRoleAndTheCancel) {
  constexpr KnownSignature kKnown[] = {
      {SigningAlgorithm::kHmacSha256, 5, 8, "10b131c1bd6ba82d3f31b19a8c533b2d"},
      {SigningAlgorithm::kAesCmac, 5, 8, "abcfed15e9617aa037918da95188b05b"},
      {SigningAlgorithm::kAesGmac, 5, 8, "e340a15786a4302104230dd765073ddc"},
      {SigningAlgorithm::kAesGmac, 5, 9, "3861e3048728173f1777a36116e6c78e"},
      {SigningAlgorithm::kAesGmac, 12, 8, "dfa2478c7392d9ad71daa2957f1fde55"},
  };
  SigningKey key;
  for (size_t i = 0; i < key.size(); ++i) key[i] = static_cast<uint8_t>(i);
  for (const KnownSignature& known : kKnown) {
    std::vector<uint8_t> message(64);
    for (size_t i = 0; i < 64; ++i) message[i] = static_cast<uint8_t>(i);
    store<uint16_t>(message.data() + 12, known.command);
    store<uint32_t>(message.data() + 16, known.flags);
    for (char c : std::string("semblance")) message.push_back(static_cast<uint8_t>(c));
    Signer(known.algorithm, key).sign(message);
    EXPECT_EQ(hex(Bytes(message).subspan(48, 16)), known.signature);
  }
}

// --- Sealing -------------------------------------------------------------------------------------

constexpr Cipher kCiphers[] = {Cipher::kAes128Ccm, Cipher::kAes128Gcm, Cipher::kAes256Ccm,
                               Cipher::kAes256Gcm};

// McGrew and Viega, "The Galois/Counter Mode of Operation", test cases 4 and 16.
TEST(Sealer, PublishedGcmVectors) {
  const std::string plain =
      "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6"
      "b5"
      "25b16aedf5aa0de657ba637b39";
  const auto aad = unhex("feedfacedeadbeeffeedfacedeadbeefabaddad2");
  const auto nonce = unhex("cafebabefacedbaddecaf888");
  AeadTag tag;
  auto data = unhex(plain);
  Sealer(Cipher::kAes128Gcm, unhex("feffe9928665731c6d6a8f9467308308")).seal(nonce, aad, data, tag);
  EXPECT_EQ(
      hex(data),
      "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac"
      "84aa051ba30b396a0aac973d58e091");
  EXPECT_EQ(hex(tag), "5bc94fbc3221a5db94fae95ae7121a47");
  data = unhex(plain);
  Sealer(Cipher::kAes256Gcm,
         unhex("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"))
      .seal(nonce, aad, data, tag);
  EXPECT_EQ(hex(tag), "76fc6ece0f4e1768cddf8853bb2d551b");
}

RC_GTEST_PROP(Sealer, OpensItsOwnAndNothingElse,
              (std::vector<uint8_t> plain, std::vector<uint8_t> aad, std::vector<uint8_t> seed)) {
  for (Cipher cipher : kCiphers) {
    std::vector<uint8_t> key(key_size(cipher), 1), nonce(nonce_size(cipher), 2);
    std::copy_n(seed.begin(), std::min(seed.size(), key.size()), key.begin());
    Sealer sealer(cipher, key);
    AeadTag tag, again;
    std::vector<uint8_t> data = plain, data2 = plain;
    sealer.seal(nonce, aad, data, tag);
    sealer.seal(nonce, aad, data2, again);
    RC_ASSERT(data == data2 && tag == again);
    RC_ASSERT(sealer.open(nonce, aad, data, tag));
    RC_ASSERT(data == plain);
    tag[3] ^= 1;
    RC_ASSERT(!sealer.open(nonce, aad, data2, tag));
    RC_ASSERT(std::ranges::all_of(data2, [](uint8_t byte) { return byte == 0; }));
    tag[3] ^= 1;
    aad.push_back(0);
    data2 = data;
    RC_ASSERT(!sealer.open(nonce, aad, data2, tag));
    aad.pop_back();
    // A failure leaves nothing behind.
    sealer.seal(nonce, aad, data, tag);
    RC_ASSERT(sealer.open(nonce, aad, data, tag));
    RC_ASSERT(data == plain);
  }
}

}  // namespace
}  // namespace semblance::crypto
