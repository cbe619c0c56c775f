// Accounts: from the command line and from a smbpasswd file.

#include "io/accounts.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "engine/auth/smbpasswd.h"

namespace semblance {
namespace {

constexpr OperationId kOperation = {3, 4};

std::string file_with(const std::string& text) {
  const char* scratch = std::getenv("TEST_TMPDIR");
  const std::string path = std::string(scratch ? scratch : "/tmp") + "/smbpasswd";
  std::ofstream(path) << text;
  return path;
}

std::string line_of(const std::string& name, const std::string& password, bool disabled) {
  auth::SmbPasswdEntry entry;
  entry.name = name;
  entry.uid = 1000;
  entry.nt_hash = auth::nt_hash_of(password);
  entry.disabled = disabled;
  return auth::format_smbpasswd(entry).value();
}

TEST(Accounts, NamesAreFoundWithoutCase) {
  AccountDatabase accounts({{"Alice", "secret"}}, "");
  ASSERT_TRUE(accounts.reload().has_value());
  const AccountFound found = accounts.find(kOperation, "aLICE", "ANYTHING");
  EXPECT_EQ(found.operation, kOperation);
  EXPECT_EQ(found.state, AccountState::kActive);
  EXPECT_EQ(found.nt_hash, auth::nt_hash_of("secret"));
  EXPECT_EQ(accounts.find(kOperation, "bob", "").state, AccountState::kUnknown);
  EXPECT_EQ(accounts.find(kOperation, "", "").state, AccountState::kUnknown);
}

TEST(Accounts, TheFileIsReadAnewAndBadLinesCostOnlyThemselves) {
  const std::string path = file_with("# comment\n" + line_of("bob", "one", false) + "nonsense\n" +
                                     line_of("eve", "two", true));
  AccountDatabase accounts({{"BOB", "mine"}}, path);
  auto loaded = accounts.reload();
  ASSERT_TRUE(loaded.has_value());
  EXPECT_EQ(*loaded, std::vector<size_t>{3});
  // The command line wins.
  EXPECT_EQ(accounts.find(kOperation, "bob", "").nt_hash, auth::nt_hash_of("mine"));
  EXPECT_EQ(accounts.find(kOperation, "eve", "").state, AccountState::kDisabled);
  file_with(line_of("eve", "two", false));
  ASSERT_TRUE(accounts.reload().has_value());
  EXPECT_EQ(accounts.find(kOperation, "eve", "").state, AccountState::kActive);
}

TEST(Accounts, AnUnreadableFileLeavesTheOldAccounts) {
  const std::string path = file_with(line_of("bob", "one", false));
  AccountDatabase accounts({}, path);
  ASSERT_TRUE(accounts.reload().has_value());
  ASSERT_EQ(std::remove(path.c_str()), 0);
  const auto failed = accounts.reload();
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error(), path + ": No such file or directory");
  EXPECT_EQ(accounts.find(kOperation, "bob", "").state, AccountState::kActive);
}

}  // namespace
}  // namespace semblance
