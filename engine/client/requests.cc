#include "engine/client/requests.h"

#include <algorithm>

#include "engine/base/utf16.h"
#include "engine/wire/change_notify.h"
#include "engine/wire/close.h"
#include "engine/wire/flush.h"
#include "engine/wire/ioctl.h"
#include "engine/wire/oplock_break.h"
#include "engine/wire/query_directory.h"
#include "engine/wire/query_info.h"
#include "engine/wire/read.h"
#include "engine/wire/set_info.h"
#include "engine/wire/simple_body.h"
#include "engine/wire/tree_connect.h"
#include "engine/wire/write.h"

namespace semblance::client {

using wire::Command;

Request create_request(const CreateArgs& args) {
  wire::CreateRequest body;
  body.requested_oplock_level = args.oplock;
  body.impersonation_level = wire::ImpersonationLevel::kImpersonation;
  body.desired_access = args.access;
  body.file_attributes = args.attributes;
  body.share_access = args.share;
  body.create_disposition = args.disposition;
  body.create_options = args.options;
  body.name = as_bytes(std::u16string_view(args.name));
  body.contexts = args.contexts;
  return make_request(Command::kCreate, body, body.name.size() + args.contexts.size());
}

Request tree_connect_request(std::u16string_view path) {
  wire::TreeConnectRequest body;
  body.path = as_bytes(path);
  return make_request(Command::kTreeConnect, body, body.path.size());
}

Request close_request(FileId file, uint16_t flags) {
  return make_request(Command::kClose, wire::CloseRequest{flags, file});
}

Request flush_request(FileId file) {
  return make_request(Command::kFlush, wire::FlushRequest{file});
}

Request read_request(FileId file, uint64_t offset, uint32_t length, uint32_t minimum) {
  wire::ReadRequest body;
  body.length = length;
  body.offset = offset;
  body.file_id = file;
  body.minimum_count = minimum;
  Request request = make_request(Command::kRead, body);
  request.payload = length;
  return request;
}

Request write_request(FileId file, uint64_t offset, Bytes data, uint32_t flags) {
  wire::WriteRequest body;
  body.offset = offset;
  body.file_id = file;
  body.flags = flags;
  body.data = data;
  Request request = make_request(Command::kWrite, body, data.size());
  request.payload = data.size();
  return request;
}

Request query_directory_request(FileId file, wire::FileInfoClass info_class,
                                std::u16string_view pattern, uint32_t length, uint8_t flags) {
  wire::QueryDirectoryRequest body;
  body.file_information_class = info_class;
  body.flags = flags;
  body.file_id = file;
  body.output_buffer_length = length;
  body.file_name = as_bytes(pattern);
  Request request = make_request(Command::kQueryDirectory, body, body.file_name.size());
  request.payload = length;
  return request;
}

Request query_info_request(FileId file, wire::InfoType type, uint8_t info_class, uint32_t length,
                           uint32_t additional) {
  wire::QueryInfoRequest body;
  body.info_type = type;
  body.file_info_class = info_class;
  body.output_buffer_length = length;
  body.additional_information = additional;
  body.file_id = file;
  Request request = make_request(Command::kQueryInfo, body);
  request.payload = length;
  return request;
}

Request set_info_request(FileId file, wire::InfoType type, uint8_t info_class, Bytes data,
                         uint32_t additional) {
  wire::SetInfoRequest body;
  body.info_type = type;
  body.file_info_class = info_class;
  body.additional_information = additional;
  body.file_id = file;
  body.buffer = data;
  Request request = make_request(Command::kSetInfo, body, data.size());
  request.payload = data.size();
  return request;
}

Request lock_request(FileId file, std::span<const wire::LockElement> locks, uint32_t sequence) {
  std::vector<uint8_t> list(locks.size() * wire::LockElement::kSize);
  wire::Builder b(list);
  for (const wire::LockElement& lock : locks) lock.write(b);
  wire::LockRequest body;
  body.lock_sequence = sequence;
  body.file_id = file;
  body.locks = list;
  return make_request(Command::kLock, body, list.size());
}

Request ioctl_request(FileId file, uint32_t code, Bytes input, uint32_t max_output,
                      uint32_t flags) {
  wire::IoctlRequest body;
  body.ctl_code = code;
  body.file_id = file;
  body.max_output_response = max_output;
  body.flags = flags;
  body.input = input;
  Request request = make_request(Command::kIoctl, body, input.size());
  request.payload = std::max<uint64_t>(input.size(), max_output);
  return request;
}

Request change_notify_request(FileId file, uint32_t filter, uint32_t length, uint16_t flags) {
  Request request =
      make_request(Command::kChangeNotify, wire::ChangeNotifyRequest{flags, length, file, filter});
  request.payload = length;
  return request;
}

Request oplock_break_request(FileId file, wire::OplockLevel level) {
  wire::OplockBreakAcknowledgment body;
  body.oplock_level = level;
  body.file_id = file;
  return make_request(Command::kOplockBreak, body);
}

Request simple_request(wire::Command command) { return make_request(command, wire::SimpleBody{}); }

}  // namespace semblance::client
