#pragma once
// The account database: users of the command line and of a smbpasswd file.
//
// Names are compared without ASCII case, as Samba's file and Windows' names are; domains are not
// looked at. Owned and used by the loop's thread; reload() reads the file again.

#include <array>
#include <expected>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"

namespace semblance {

class AccountDatabase {
 public:
  struct User {
    std::string name, password;
  };

  // The users of the command line win over the file's. `file` may be empty: none.
  AccountDatabase(std::vector<User> users, std::string file)
      : users_(std::move(users)), file_(std::move(file)) {}

  // Reads everything anew; on failure (one line for the operator) the old accounts stay.
  // `bad_lines` of the file were skipped and are reported to the caller.
  std::expected<std::vector<size_t>, std::string> reload();

  // The answer to Authenticate.
  AccountFound find(OperationId operation, std::string_view user, std::string_view domain) const;
  size_t size() const { return accounts_.size(); }

 private:
  struct Account {
    AccountState state = AccountState::kUnknown;
    std::array<uint8_t, 16> nt_hash{};
    uint32_t uid = 0;
  };

  std::vector<User> users_;
  std::string file_;
  std::map<std::string, Account, std::less<>> accounts_;  // by folded name
};

}  // namespace semblance
