#include "tools/daemon/identity.h"

#include <openssl/evp.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <fstream>

namespace semblance {

Identity identity_of(const std::string& address) {
  Identity identity;
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  identity.dns_name = *host != 0 ? host : "semblance";
  identity.server_name =
      identity.dns_name.substr(0, std::min<size_t>(identity.dns_name.find('.'), 15));
  std::ranges::transform(identity.server_name, identity.server_name.begin(),
                         [](unsigned char c) { return std::toupper(c); });

  std::string machine;
  std::ifstream("/etc/machine-id") >> machine;
  if (machine.empty()) {
    static_cast<void>(::getrandom(identity.guid.data(), identity.guid.size(), 0));
  } else {
    const std::string text = "semblance server guid\n" + machine + "\n" + address;
    uint8_t digest[EVP_MAX_MD_SIZE];
    EVP_Digest(text.data(), text.size(), digest, nullptr, EVP_sha256(), nullptr);
    std::copy_n(digest, identity.guid.size(), identity.guid.begin());
  }
  // RFC 4122: a name-based identifier, in the little-endian layout of MS-DTYP 2.3.4.
  identity.guid[7] = static_cast<uint8_t>((identity.guid[7] & 0x0F) | 0x50);
  identity.guid[8] = static_cast<uint8_t>((identity.guid[8] & 0x3F) | 0x80);
  return identity;
}

}  // namespace semblance
