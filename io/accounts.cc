#include "io/accounts.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <sstream>

#include "engine/auth/smbpasswd.h"

namespace semblance {
namespace {

std::string folded(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  });
  return lower;
}

}  // namespace

std::expected<std::vector<size_t>, std::string> AccountDatabase::reload() {
  std::map<std::string, Account, std::less<>> accounts;
  std::vector<size_t> bad_lines;
  if (!file_.empty()) {
    std::ifstream stream(file_, std::ios::binary);
    std::stringstream text;
    if (!stream || !(text << stream.rdbuf() || stream.eof()))
      return std::unexpected(file_ + ": " + std::strerror(errno));
    const auth::SmbPasswdFile parsed = auth::parse_smbpasswd(text.str());
    bad_lines = parsed.bad_lines;
    for (const auth::SmbPasswdEntry& entry : parsed.entries) {
      Account account;
      account.uid = entry.uid;
      // An account without a password is one that nobody can log on to, never one without a lock.
      if (entry.nt_hash) account.nt_hash = *entry.nt_hash;
      account.state = entry.disabled || entry.no_password || !entry.nt_hash
                          ? AccountState::kDisabled
                          : AccountState::kActive;
      accounts[folded(entry.name)] = account;
    }
  }
  for (const User& user : users_) {
    const auto hash = auth::nt_hash_of(user.password);
    if (!hash) return std::unexpected("the password of user " + user.name + " is not valid UTF-8");
    accounts[folded(user.name)] = {AccountState::kActive, *hash, 0};
  }
  accounts_ = std::move(accounts);
  return bad_lines;
}

AccountFound AccountDatabase::find(OperationId operation, std::string_view user,
                                   std::string_view) const {
  const auto found = accounts_.find(folded(user));
  if (found == accounts_.end()) return {operation, AccountState::kUnknown};
  const Account& account = found->second;
  return {operation, account.state, account.nt_hash, account.uid};
}

}  // namespace semblance
