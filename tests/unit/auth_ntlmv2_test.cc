#include "engine/auth/ntlmv2.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/base/upcase.h"
#include "engine/base/utf16.h"
#include "engine/wire/ntlmssp.h"

namespace semblance::auth {
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

Key16 key(std::string_view text) {
  Key16 key{};
  std::ranges::copy(unhex(text), key.begin());
  return key;
}

// MS-NLMP 4.2.1 and 4.2.4: user "User", domain "Domain", password "Password", time 0.
const std::array<uint8_t, 8> kServerChallenge = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};
const std::array<uint8_t, 8> kClientChallenge = {0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa};
const Key16 kRandomSessionKey = key("55555555555555555555555555555555");

TEST(NtlmV2, VectorsOfTheSpecification) {
  const NtHash hash = *nt_hash_of("Password");
  EXPECT_EQ(hex(hash), "a4f49c406510bdcab6824ee7c30fd852");
  const Key16 response_key = ntowf_v2(hash, u"User", u"Domain");
  EXPECT_EQ(hex(response_key), "0c868a403bfd7a93a3001ef22ef02e3f");

  std::vector<uint8_t> space(256);
  wire::Builder pairs(space);
  wire::put_av_pair(pairs, wire::AvId::kNbDomainName, as_bytes(u"Domain"));
  wire::put_av_pair(pairs, wire::AvId::kNbComputerName, as_bytes(u"Server"));
  std::vector<uint8_t> temp_space(256);
  wire::Builder temp(temp_space);
  wire::put_ntlm_v2_client_challenge(temp, {}, kClientChallenge, pairs.written());
  EXPECT_EQ(
      hex(temp.written()),
      "01010000000000000000000000000000aaaaaaaaaaaaaaaa0000000002000c0044006f006d00610069006e00"
      "01000c005300650072007600650072000000000000000000");

  const Key16 proof = nt_proof(response_key, kServerChallenge, temp.written());
  EXPECT_EQ(hex(proof), "68cd0ab851e51c96aabc927bebef6a1c");
  const Key16 base = session_base_key(response_key, proof);
  EXPECT_EQ(hex(base), "8de40ccadbc14a82f15cb0ad0de95ca3");
  EXPECT_EQ(hex(rc4_of(base, kRandomSessionKey)), "c5dad2544fc9799094ce1ce90bc9d03e");
  EXPECT_EQ(rc4_of(base, rc4_of(base, kRandomSessionKey)), kRandomSessionKey);
}

TEST(NtlmV2, SignAndSealKeysOfTheSpecification) {
  constexpr uint32_t kFlags = 0xE28A8233;  // 4.2.4's NegotiateFlags
  EXPECT_EQ(hex(sign_key(kRandomSessionKey, Sender::kClient)), "4788dc861b4782f35d43fd98fe1a2d39");
  EXPECT_EQ(hex(seal_key(kRandomSessionKey, Sender::kClient, kFlags)),
            "59f600973cc4960a25480a7c196e4c58");
  // 4.2.4.4 gives the checksum before RC4 too; without key exchange it is what is sent.
  EXPECT_EQ(hex(first_signature(kRandomSessionKey, Sender::kClient,
                                kFlags & ~wire::ntlm_flag::kKeyExchange, as_bytes(u"Plaintext"))),
            "0100000070352851f256430900000000");
}

TEST(NtHash, RefusesWhatIsNotUtf8) {
  EXPECT_EQ(hex(*nt_hash_of("")), "31d6cfe0d16ae931b73c59d7e0c089c0");
  EXPECT_FALSE(nt_hash_of("\xff"));
  EXPECT_FALSE(nt_hash_of("\xed\xa0\x80"));
}

TEST(Upcase, IsSimpleAndStaysOutOfAscii) {
  EXPECT_EQ(upcase(u'a'), u'A');
  EXPECT_EQ(upcase(u'['), u'[');
  EXPECT_EQ(upcase(u'\u00e4'), u'\u00c4');
  EXPECT_EQ(upcase(u'\u0444'), u'\u0424');
  EXPECT_EQ(upcase(u'\u00ff'), u'\u0178');
  for (char16_t fixed : {u'\u00df', u'\u0131', u'\u017f', u'\u4e00', u'\uffff'}) {
    EXPECT_EQ(upcase(fixed), fixed);
  }
  for (uint32_t unit = 0; unit <= 0xFFFF; ++unit) {
    const char16_t upper = upcase(static_cast<char16_t>(unit));
    EXPECT_EQ(upcase(upper), upper) << unit;
    EXPECT_TRUE(unit < 0x80 || upper >= 0x80) << unit;
    if (unit >= 0xD800 && unit <= 0xDFFF) EXPECT_EQ(upper, unit);
  }
  EXPECT_TRUE(equal_without_case(u"SrvSvc", u"srvsvc"));
  EXPECT_FALSE(equal_without_case(u"srvsvc", u"srvsv"));
}

TEST(Utf16, RoundTripsEveryCodePointAndRefusesHalves) {
  for (char32_t point = 1; point <= 0x10FFFF; point += point < 0x3000 ? 1 : 251) {
    if (point >= 0xD800 && point <= 0xDFFF) continue;
    std::u16string text;
    if (point < 0x10000) {
      text = static_cast<char16_t>(point);
    } else {
      text = {static_cast<char16_t>(0xD800 + ((point - 0x10000) >> 10)),
              static_cast<char16_t>(0xDC00 + ((point - 0x10000) & 0x3FF))};
    }
    const auto utf8 = utf8_from_utf16(text);
    ASSERT_TRUE(utf8) << static_cast<uint32_t>(point);
    EXPECT_EQ(utf16_from_utf8(*utf8), text);
  }
  EXPECT_FALSE(utf8_from_utf16(std::u16string(1, 0xD800)));
  EXPECT_FALSE(utf8_from_utf16(std::u16string(2, 0xDC00)));
  EXPECT_FALSE(utf16_from_utf8("\xc0\x80"));
  EXPECT_FALSE(utf16_from_utf8("\xf4\x90\x80\x80"));
  EXPECT_FALSE(utf16_from_utf8("a\xe2\x82"));
}

}  // namespace
}  // namespace semblance::auth
