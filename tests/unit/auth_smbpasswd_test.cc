#include "engine/auth/smbpasswd.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace semblance::auth {
namespace {

constexpr std::string_view kX = "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX";

TEST(SmbPasswd, ReadsWhatSmbpasswdWrites) {
  const std::string text = "# comment\n\njoe:1000:" + std::string(kX) +
                           ":A4F49C406510BDCAB6824EE7C30FD852:[U          ]:LCT-5F3759DF:\r\n"
                           "off:1001:" +
                           std::string(kX) +
                           ":a4f49c406510bdcab6824ee7c30fd852:[UD         ]:LCT-00000000:\n"
                           "none:1002:" +
                           std::string(kX) + ":" + std::string(kX) +
                           ":[U          ]:\nfree:7:NO PASSWORDXXXXXXXXXXXXXXXXXXXXX:NO "
                           "PASSWORDXXXXXXXXXXXXXXXXXXXXX:[NU         ]:\nbroken:x:y\n";
  const SmbPasswdFile file = parse_smbpasswd(text);
  ASSERT_EQ(file.entries.size(), 4u);
  EXPECT_EQ(file.bad_lines, std::vector<size_t>{7});
  EXPECT_EQ(file.entries[0].name, "joe");
  EXPECT_EQ(file.entries[0].uid, 1000u);
  EXPECT_EQ(file.entries[0].nt_hash, nt_hash_of("Password"));
  EXPECT_EQ(file.entries[0].last_change, 0x5F3759DFu);
  EXPECT_TRUE(file.entries[1].disabled);
  EXPECT_EQ(file.entries[1].nt_hash, nt_hash_of("Password"));
  EXPECT_FALSE(file.entries[2].nt_hash);
  EXPECT_FALSE(file.entries[2].no_password);
  EXPECT_TRUE(file.entries[3].no_password);
}

RC_GTEST_PROP(SmbPasswd, WhatIsWrittenIsReadBack,
              (std::string name, uint32_t uid, NtHash hash, uint8_t bits, uint32_t changed)) {
  SmbPasswdEntry entry{.name = name, .uid = uid};
  if (bits & 1) entry.nt_hash = hash;
  entry.disabled = bits & 2;
  entry.no_password = bits & 4;
  if (bits & 8) entry.last_change = changed;
  const auto line = format_smbpasswd(entry);
  if (!line) return;
  const SmbPasswdFile file = parse_smbpasswd(*line + *line);
  RC_ASSERT(file.bad_lines.empty());
  RC_ASSERT(file.entries == std::vector<SmbPasswdEntry>({entry, entry}));
}

TEST(SmbPasswd, ANameCannotForgeALine) {
  EXPECT_FALSE(format_smbpasswd({.name = ""}));
  EXPECT_FALSE(format_smbpasswd({.name = "a:b"}));
  EXPECT_FALSE(format_smbpasswd({.name = "a\nroot"}));
  EXPECT_FALSE(format_smbpasswd({.name = "#a"}));
}

RC_GTEST_PROP(SmbPasswd, ArbitraryTextIsHarmless, (std::string text)) {
  const SmbPasswdFile file = parse_smbpasswd(text);
  RC_ASSERT(file.entries.size() + file.bad_lines.size() <= text.size());
}

}  // namespace
}  // namespace semblance::auth
