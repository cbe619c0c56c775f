// The account file's text. An account that was read and can be written reads the same.

#include "engine/auth/smbpasswd.h"

#include "engine/base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace semblance;
  std::string text(reinterpret_cast<const char*>(data), size);
  for (const auth::SmbPasswdEntry& entry : auth::parse_smbpasswd(text).entries) {
    auto line = auth::format_smbpasswd(entry);
    if (!line) continue;
    auth::SmbPasswdFile again = auth::parse_smbpasswd(*line);
    CHECK(again.bad_lines.empty() && again.entries.size() == 1);
    CHECK(again.entries.front() == entry);
  }
  return 0;
}
