#pragma once
// What the RPC services tell about the server: a view that the engine gives for the length of a
// call.

#include <cstdint>
#include <string_view>

namespace semblance::rpc {

// Share types, MS-SRVS 2.2.2.4.
enum class ShareType : uint32_t {
  kDisk = 0x00000000,
  kPrinter = 0x00000001,
  kIpc = 0x00000003,
  kIpcSpecial = 0x80000003,
};

// All text is UTF-8 and lives as long as the call; text that isn't UTF-8 is told as empty.
struct ShareView {
  std::string_view name;
  std::string_view comment;
  ShareType type = ShareType::kDisk;
  bool hidden = false;  // left out of enumerations; found when asked for by name
  uint32_t flags = 0;   // SHI1005 flags, MS-SRVS 2.2.4.29: caching mode, 0x8000 encryption, ...
  uint32_t current_uses = 0;
};

class ServiceView {
 public:
  virtual ~ServiceView() = default;

  // The shares in a fixed order, without IPC$, which the services add themselves. `share(i)` is
  // defined for i < share_count().
  virtual size_t share_count() const = 0;
  virtual ShareView share(size_t index) const = 0;

  virtual std::string_view server_name() const = 0;     // NetBIOS form
  virtual std::string_view server_comment() const = 0;  // may be empty
  virtual std::string_view domain() const = 0;          // NetBIOS domain or workgroup
};

}  // namespace semblance::rpc
