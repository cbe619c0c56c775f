#pragma once
// Requests with the fields that matter named, and the rest as Windows fills it in. The caller sets
// session_id and tree_id, or lets a Tree (sync_client.h) do it.

#include <span>
#include <string>
#include <string_view>

#include "engine/client/request.h"
#include "engine/wire/create.h"
#include "engine/wire/fsctl.h"
#include "engine/wire/ids.h"
#include "engine/wire/info_class.h"
#include "engine/wire/lock.h"

namespace semblance::client {

using wire::FileId;

// CREATE: an ordinary open of a file for reading, writing and deleting, shared with everyone.
struct CreateArgs {
  std::u16string name;
  uint32_t access = wire::kFileGenericRead | wire::kFileGenericWrite | wire::kDelete;
  wire::CreateDisposition disposition = wire::CreateDisposition::kOpenIf;
  uint32_t options = 0;
  uint32_t attributes = 0;
  uint32_t share = wire::kFileShareRead | wire::kFileShareWrite | wire::kFileShareDelete;
  wire::OplockLevel oplock = wire::OplockLevel::kNone;
  std::vector<uint8_t> contexts;  // as CreateContextWriter lays them out
};
Request create_request(const CreateArgs& args);

Request tree_connect_request(std::u16string_view path);
Request close_request(FileId file, uint16_t flags = 0);
Request flush_request(FileId file);
Request read_request(FileId file, uint64_t offset, uint32_t length, uint32_t minimum = 0);
Request write_request(FileId file, uint64_t offset, Bytes data, uint32_t flags = 0);
Request query_directory_request(FileId file, wire::FileInfoClass info_class,
                                std::u16string_view pattern, uint32_t length, uint8_t flags = 0);
Request query_info_request(FileId file, wire::InfoType type, uint8_t info_class, uint32_t length,
                           uint32_t additional = 0);
Request set_info_request(FileId file, wire::InfoType type, uint8_t info_class, Bytes data,
                         uint32_t additional = 0);
Request lock_request(FileId file, std::span<const wire::LockElement> locks, uint32_t sequence = 0);
Request ioctl_request(FileId file, uint32_t code, Bytes input, uint32_t max_output,
                      uint32_t flags = 1);
Request change_notify_request(FileId file, uint32_t filter, uint32_t length, uint16_t flags = 0);
Request oplock_break_request(FileId file, wire::OplockLevel level);
// ECHO, LOGOFF, TREE_DISCONNECT, CANCEL.
Request simple_request(wire::Command command);

}  // namespace semblance::client
