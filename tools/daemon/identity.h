#pragma once
// Who this server says it is: its names from the host's, its GUID from the machine's identity.

#include <array>
#include <cstdint>
#include <string>

namespace semblance {

struct Identity {
  std::string server_name;  // NetBIOS form: upper case, at most 15 bytes
  std::string dns_name;
  // The same after a restart, so that clients know the server again; another per address, so that
  // two servers on one machine are two. Random where the machine has no /etc/machine-id.
  std::array<uint8_t, 16> guid{};
};

Identity identity_of(const std::string& address);

}  // namespace semblance
