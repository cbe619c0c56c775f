#include "engine/client/sync_client.h"

#include "engine/base/utf16.h"
#include "engine/wire/file_name_info.h"
#include "engine/wire/ioctl.h"
#include "engine/wire/query_info.h"
#include "engine/wire/read.h"
#include "engine/wire/write.h"

namespace semblance::client {

using wire::Command;

Request on(const Tree& tree, Request request) {
  request.session_id = tree.session_id;
  request.tree_id = tree.tree_id;
  return request;
}

Request related(Request request) {
  request.related = true;
  request.session_id = UINT64_MAX;
  request.tree_id = UINT32_MAX;
  return request;
}

Reply SyncClient::wait(uint64_t message_id) {
  for (;;) {
    if (auto reply = client_.take(message_id)) return std::move(*reply);
    if (!disconnected_ && pump_()) continue;
    if (auto reply = client_.take(message_id)) return std::move(*reply);
    Reply none;
    none.header.status = static_cast<uint32_t>(disconnected_ ? kDisconnected : kNoAnswer);
    return none;
  }
}

Reply SyncClient::call(Request request) { return wait(client_.send(std::move(request))); }

std::vector<Reply> SyncClient::call(std::vector<Request> compound) {
  std::vector<Reply> replies;
  for (uint64_t id : client_.send(std::move(compound))) replies.push_back(wait(id));
  return replies;
}

NtStatus SyncClient::negotiate() { return wait(client_.negotiate()).status(); }

Session& SyncClient::log_in(Login login) {
  Session& session = client_.log_in(std::move(login));
  while (session.state() == Session::State::kAuthenticating && !disconnected_ && pump_()) {
  }
  return session;
}

NtStatus SyncClient::log_off(const Session& session) {
  Request request = simple_request(Command::kLogoff);
  request.session_id = session.id();
  return call(std::move(request)).status();
}

NtStatus SyncClient::echo() { return call(simple_request(Command::kEcho)).status(); }

Result<Tree> SyncClient::tree_connect(const Session& session, std::u16string_view path) {
  Request request = tree_connect_request(path);
  request.session_id = session.id();
  Reply reply = call(std::move(request));
  auto response = reply.as<wire::TreeConnectResponse>();
  if (!response) return fail(response.error());
  return Tree{session.id(), reply.header.tree_id, *response};
}

NtStatus SyncClient::tree_disconnect(const Tree& tree) {
  return call(on(tree, simple_request(Command::kTreeDisconnect))).status();
}

Result<Opened> SyncClient::create(const Tree& tree, const CreateArgs& args) {
  Reply reply = call(on(tree, create_request(args)));
  auto response = reply.as<wire::CreateResponse>();
  if (!response) return fail(response.error());
  Opened opened{response->file_id, *response, {}};
  opened.contexts.assign(response->contexts.begin(), response->contexts.end());
  opened.info.contexts = {};
  return opened;
}

Result<wire::CloseResponse> SyncClient::close(const Tree& tree, FileId file, uint16_t flags) {
  return call(on(tree, close_request(file, flags))).as<wire::CloseResponse>();
}

NtStatus SyncClient::flush(const Tree& tree, FileId file) {
  return call(on(tree, flush_request(file))).status();
}

namespace {

// What a reply's buffer holds, copied out; the status alone when it has none.
template <typename Response, typename Field>
Answer answer_of(const Reply& reply, Field Response::* field) {
  Answer answer{reply.status(), {}};
  if (auto response = reply.as<Response>()) {
    Bytes data = (*response).*field;
    answer.data.assign(data.begin(), data.end());
  }
  return answer;
}

}  // namespace

Answer SyncClient::read(const Tree& tree, FileId file, uint64_t offset, uint32_t length,
                        uint32_t minimum) {
  Reply reply = call(on(tree, read_request(file, offset, length, minimum)));
  return answer_of(reply, &wire::ReadResponse::data);
}

Result<uint32_t> SyncClient::write(const Tree& tree, FileId file, uint64_t offset, Bytes data) {
  auto response = call(on(tree, write_request(file, offset, data))).as<wire::WriteResponse>();
  if (!response) return fail(response.error());
  return response->count;
}

Answer SyncClient::query_directory(const Tree& tree, FileId file, wire::FileInfoClass info_class,
                                   std::u16string_view pattern, uint32_t length, uint8_t flags) {
  Reply reply = call(on(tree, query_directory_request(file, info_class, pattern, length, flags)));
  return answer_of(reply, &wire::BufferResponse::output);
}

Result<std::vector<Listed>> SyncClient::list(const Tree& tree, FileId file,
                                             wire::FileInfoClass info_class,
                                             std::u16string_view pattern, uint32_t length) {
  std::vector<Listed> all;
  for (;;) {
    Answer answer = query_directory(tree, file, info_class, pattern, length);
    if (answer.status == NtStatus::kNoMoreFiles) return all;
    if (!answer.ok()) return fail(answer.status);
    auto batch = entries_of(answer.data, info_class);
    if (!batch || batch->empty()) return fail(NtStatus::kInvalidParameter);
    all.insert(all.end(), batch->begin(), batch->end());
  }
}

Answer SyncClient::query_info(const Tree& tree, FileId file, wire::FileInfoClass info_class,
                              uint32_t length) {
  Reply reply = call(on(tree, query_info_request(file, wire::InfoType::kFile,
                                                 static_cast<uint8_t>(info_class), length)));
  return answer_of(reply, &wire::BufferResponse::output);
}

Answer SyncClient::query_fs(const Tree& tree, FileId file, wire::FsInfoClass info_class,
                            uint32_t length) {
  Reply reply = call(on(tree, query_info_request(file, wire::InfoType::kFileSystem,
                                                 static_cast<uint8_t>(info_class), length)));
  return answer_of(reply, &wire::BufferResponse::output);
}

NtStatus SyncClient::set_info(const Tree& tree, FileId file, wire::FileInfoClass info_class,
                              Bytes data) {
  return call(on(tree, set_info_request(file, wire::InfoType::kFile,
                                        static_cast<uint8_t>(info_class), data)))
      .status();
}

NtStatus SyncClient::rename(const Tree& tree, FileId file, std::u16string_view to, bool replace) {
  wire::FileRenameInformation info;
  info.replace_if_exists = replace;
  info.file_name = as_bytes(to);
  return set(tree, file, info);
}

NtStatus SyncClient::lock(const Tree& tree, FileId file, const wire::LockElement& lock) {
  return call(on(tree, lock_request(file, {&lock, 1}))).status();
}

Answer SyncClient::ioctl(const Tree& tree, FileId file, uint32_t code, Bytes input,
                         uint32_t max_output, uint32_t flags) {
  Reply reply = call(on(tree, ioctl_request(file, code, input, max_output, flags)));
  return answer_of(reply, &wire::IoctlResponse::output);
}

uint64_t SyncClient::change_notify(const Tree& tree, FileId file, uint32_t filter, uint32_t length,
                                   uint16_t flags) {
  return client_.send(on(tree, change_notify_request(file, filter, length, flags)));
}

std::optional<std::vector<Listed>> entries_of(Bytes list, wire::FileInfoClass info_class) {
  std::vector<Listed> found;
  wire::DirectoryEntries entries(list, info_class);
  while (auto entry = entries.next()) {
    Listed listed{utf16_from_wire(entry->file_name), utf16_from_wire(entry->short_name), *entry};
    listed.entry.file_name = {};
    listed.entry.short_name = {};
    found.push_back(std::move(listed));
  }
  if (!entries.ok()) return std::nullopt;
  return found;
}

}  // namespace semblance::client
