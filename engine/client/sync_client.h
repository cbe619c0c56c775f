#pragma once
// Requests that return their answers: for owners that can wait by moving bytes themselves.
//
// `pump` moves what there is to move, both ways, and returns false when nothing can move any more.
// A call that gets no answer yields kDisconnected when its owner said so, else kNoAnswer.

#include <functional>
#include <string>
#include <vector>

#include "engine/client/client.h"
#include "engine/client/requests.h"
#include "engine/wire/close.h"
#include "engine/wire/directory_entry.h"
#include "engine/wire/tree_connect.h"

namespace semblance::client {

inline constexpr auto kDisconnected = static_cast<NtStatus>(0xC000020C);
inline constexpr auto kNoAnswer = NtStatus::kIoTimeout;

// Where requests go: MS-SMB2's TreeConnect, and the session it belongs to.
struct Tree {
  uint64_t session_id = 0;
  uint32_t tree_id = 0;
  wire::TreeConnectResponse info{};
};
struct Opened {
  FileId id;
  wire::CreateResponse info;      // its `contexts` are in the vector below
  std::vector<uint8_t> contexts;  // for CreateContexts
};
// A status, and bytes that may come even with a warning (BUFFER_OVERFLOW).
struct Answer {
  NtStatus status{};
  std::vector<uint8_t> data;
  bool ok() const { return status == NtStatus::kSuccess; }
};
// A directory entry that owns its names.
struct Listed {
  std::u16string name, short_name;
  wire::DirectoryEntry entry;  // its views are empty
};

class SyncClient {
 public:
  using Pump = std::function<bool()>;
  SyncClient(Client& client, Pump pump) : client_(client), pump_(std::move(pump)) {}

  Client& client() { return client_; }
  // Set once the transport is gone.
  void disconnected() { disconnected_ = true; }

  // The reply to one request, or to each element of a compound. Without a reply, one whose status
  // says why.
  Reply call(Request request);
  std::vector<Reply> call(std::vector<Request> compound);
  // The reply to a request that was sent before.
  Reply wait(uint64_t message_id);

  NtStatus negotiate();
  Session& log_in(Login login);
  NtStatus log_off(const Session& session);
  NtStatus echo();

  Result<Tree> tree_connect(const Session& session, std::u16string_view path);
  NtStatus tree_disconnect(const Tree& tree);

  Result<Opened> create(const Tree& tree, const CreateArgs& args);
  Result<wire::CloseResponse> close(const Tree& tree, FileId file, uint16_t flags = 0);
  NtStatus flush(const Tree& tree, FileId file);
  Answer read(const Tree& tree, FileId file, uint64_t offset, uint32_t length,
              uint32_t minimum = 0);
  // Bytes written.
  Result<uint32_t> write(const Tree& tree, FileId file, uint64_t offset, Bytes data);
  Answer query_directory(const Tree& tree, FileId file, wire::FileInfoClass info_class,
                         std::u16string_view pattern, uint32_t length, uint8_t flags = 0);
  // The whole of it, in batches of `length` bytes, up to NO_MORE_FILES.
  Result<std::vector<Listed>> list(const Tree& tree, FileId file, wire::FileInfoClass info_class,
                                   std::u16string_view pattern, uint32_t length = 65536);
  Answer query_info(const Tree& tree, FileId file, wire::FileInfoClass info_class,
                    uint32_t length = 65536);
  // The same, as the structure itself (without a name).
  template <typename Info>
  Result<Info> query(const Tree& tree, FileId file) {
    Answer answer = query_info(tree, file, Info::kClass);
    if (is_error(answer.status)) return fail(answer.status);
    return Info::parse(answer.data);
  }
  Answer query_fs(const Tree& tree, FileId file, wire::FsInfoClass info_class,
                  uint32_t length = 4096);
  NtStatus set_info(const Tree& tree, FileId file, wire::FileInfoClass info_class, Bytes data);
  template <typename Info>
  NtStatus set(const Tree& tree, FileId file, const Info& info) {
    std::vector<uint8_t> data(4096);
    wire::Builder b(data);
    info.build(b);
    return set_info(tree, file, Info::kClass, b.written());
  }
  NtStatus rename(const Tree& tree, FileId file, std::u16string_view to, bool replace);
  NtStatus lock(const Tree& tree, FileId file, const wire::LockElement& lock);
  Answer ioctl(const Tree& tree, FileId file, uint32_t code, Bytes input, uint32_t max_output,
               uint32_t flags = 1);
  // Sends only; wait() for it.
  uint64_t change_notify(const Tree& tree, FileId file, uint32_t filter, uint32_t length = 4096,
                         uint16_t flags = 0);

 private:
  Client& client_;
  Pump pump_;
  bool disconnected_ = false;
};

// Puts a request where it belongs: for compounds.
Request on(const Tree& tree, Request request);
// The same, related to the element before it.
Request related(Request request);

// The entries of one QUERY_DIRECTORY answer; none for a broken list.
std::optional<std::vector<Listed>> entries_of(Bytes list, wire::FileInfoClass info_class);

}  // namespace semblance::client
