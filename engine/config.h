#pragma once
// What the operator decides. Plain values, delivered to the engine by the Configure event.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/bug.h"
#include "engine/limits.h"

namespace semblance {

enum class Requirement : uint8_t { kOff, kAuto, kRequired };

struct ShareConfig {
  std::string name;  // as announced; compared without case
  std::string comment;
  bool read_only = false;
  bool guest = false;    // guests and anonymous sessions may connect
  bool encrypt = false;  // SMB2_SHAREFLAG_ENCRYPT_DATA
  bool continuously_available = false;
  bool hidden = false;  // left out of share lists
};

struct Config {
  std::string server_name = "SEMBLANCE";  // NetBIOS form, upper case
  std::string dns_name = "semblance";
  std::array<uint8_t, 16> server_guid{};
  std::vector<ShareConfig> shares;  // ShareId is the position here; IPC$ is implied
  Requirement signing = Requirement::kAuto;
  Requirement encryption = Requirement::kAuto;
  uint16_t dialect_min = 0x0202;
  uint16_t dialect_max = 0x0311;
  bool map_unknown_user_to_guest = true;  // only on servers that have a guest share
  BugPolicy bugs = BugPolicy::kCloseConnection;
  Limits limits;  // taken at start; later changes need a restart
};

}  // namespace semblance
