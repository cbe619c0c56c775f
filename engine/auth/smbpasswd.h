#pragma once
// The smbpasswd file format, text only; who reads and writes the file is not known here. One
// account per line:
//
//     name:uid:LM hash, 32 hex digits:NT hash, 32 hex digits:[flags, padded to 11]:LCT-8 hex
//     digits:
//
// The LM hash is never used, and written as X's. "NO PASSWORDXXXX..." or X's stand for "no hash".

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/auth/ntlmv2.h"

namespace semblance::auth {

struct SmbPasswdEntry {
  std::string name;  // UTF-8, as in the file
  uint32_t uid = 0;
  std::optional<NtHash> nt_hash;        // none: nobody can log on with a password
  bool disabled = false;                // flag D
  bool no_password = false;             // flag N, or "NO PASSWORD" in the NT field
  std::optional<uint32_t> last_change;  // seconds since 1970

  bool operator==(const SmbPasswdEntry&) const = default;
};

struct SmbPasswdFile {
  std::vector<SmbPasswdEntry> entries;  // in the file's order
  std::vector<size_t>
      bad_lines;  // numbers from 1 of lines that are not accounts: reported, skipped
};

// Comment lines (#) and empty lines are skipped. A bad line costs only itself: one typing error
// must not lock everybody out.
SmbPasswdFile parse_smbpasswd(std::string_view text);

// One line, newline included. None when the name can't be written: empty, or with ':' or a control
// character in it.
std::optional<std::string> format_smbpasswd(const SmbPasswdEntry& entry);

}  // namespace semblance::auth
