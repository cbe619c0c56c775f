#pragma once
// The first step of CREATE: what is asked for, checked as far as the message alone allows.
// MS-SMB2 3.3.5.9, MS-FSA 2.1.5.1.

#include <string>
#include <vector>

#include "engine/smb/call.h"
#include "engine/wire/create.h"

namespace semblance::smb {

// A CREATE as plain values: nothing in it refers to the message.
struct CreateWish {
  std::string path;             // store path as spelled by the client
  uint32_t desired_access = 0;  // generic rights expanded
  uint32_t maximal_access = 0;  // what the tree allows
  uint32_t share_access = 0;
  uint32_t file_attributes = 0;  // storable ones
  uint32_t options = 0;
  wire::CreateDisposition disposition{};
  uint64_t allocation_size = 0;
  bool wants_maximal_access = false;
  bool wants_disk_id = false;
  std::vector<uint8_t> descriptor;  // for a new object, known to be well-formed; empty: none

  bool has(uint32_t option) const { return (options & option) != 0; }
  bool must_exist() const;
  bool must_not_exist() const { return disposition == wire::CreateDisposition::kCreate; }
  bool overwrites() const;
};

Result<CreateWish> read_create(Call call);

}  // namespace semblance::smb
