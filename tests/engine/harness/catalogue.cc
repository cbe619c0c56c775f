#include "tests/engine/harness/catalogue.h"

#include "engine/base/utf16.h"
#include "engine/wire/change_notify.h"
#include "engine/wire/file_attributes.h"
#include "engine/wire/file_name_info.h"
#include "engine/wire/open_contexts.h"

namespace semblance::test {

using client::on;
using wire::Command;
using wire::InfoType;

Stage set_stage(World& world, client::Options options, uint8_t security_mode) {
  Stage stage;
  Peer& peer = world.add_peer(std::move(options));
  stage.peer = &peer;
  EXPECT_EQ(peer.sync().negotiate(), NtStatus::kSuccess);
  client::Login login = peer.login();
  login.security_mode = security_mode;
  client::Session& session = peer.sync().log_in(login);
  EXPECT_TRUE(session.valid()) << show(session.status());
  stage.tree = peer.tree(session, u"data");
  stage.ipc = peer.tree(session, u"IPC$");
  stage.file = peer.file(stage.tree, u"file", std::string(100, 'x'));
  stage.directory = peer.directory(stage.tree, u"dir");
  for (const char16_t* name : {u"dir\\one", u"dir\\two"})
    EXPECT_TRUE(peer.sync().close(stage.tree, peer.file(stage.tree, name, "1")).has_value());
  auto pipe = peer.sync().create(stage.ipc, {.name = u"srvsvc", .access = 0x12019F});
  EXPECT_TRUE(pipe.has_value());
  if (pipe) stage.pipe = pipe->id;
  return stage;
}

namespace {

template <typename Info>
Request set(const Stage& s, FileId file, const Info& info) {
  std::vector<uint8_t> data(1024);
  wire::Builder b(data);
  info.build(b);
  return on(s.tree, client::set_info_request(file, InfoType::kFile,
                                             static_cast<uint8_t>(Info::kClass), b.written()));
}

Request query(const Stage& s, FileId file, FileInfoClass info_class) {
  return on(s.tree, client::query_info_request(file, InfoType::kFile,
                                               static_cast<uint8_t>(info_class), 4096));
}

std::vector<uint8_t> all_contexts() {
  std::vector<uint8_t> chain(512);
  wire::Builder b(chain);
  wire::CreateContextWriter writer(b);
  writer.add(wire::MaximalAccessRequest{});
  writer.add(wire::QueryOnDiskIdRequest{});
  writer.add(wire::AllocationSizeContext{4096});
  writer.add_raw(as_bytes("ZzZz"), as_bytes("unknown"));
  chain.resize(b.size());
  return chain;
}

// A DCE/RPC bind whose only fault may be its contents: enough for the pipe to have work.
std::vector<uint8_t> some_pdu() {
  std::vector<uint8_t> pdu(72);
  pdu[0] = 5;
  pdu[2] = 11;
  pdu[3] = 3;
  pdu[4] = 0x10;
  pdu[8] = 72;
  return pdu;
}

std::vector<Sample> make_samples() {
  std::vector<Sample> all;
  auto add = [&](const char* name, std::function<Request(const Stage&)> make) {
    all.push_back({name, std::move(make)});
  };
  add("tree_connect", [](const Stage& s) {
    Request r = client::tree_connect_request(u"\\\\server\\data");
    r.session_id = s.tree.session_id;
    return r;
  });
  add("create_existing",
      [](const Stage& s) { return on(s.tree, client::create_request({.name = u"dir\\one"})); });
  add("create_folded",
      [](const Stage& s) { return on(s.tree, client::create_request({.name = u"DIR\\ONE"})); });
  add("create_new", [](const Stage& s) {
    return on(s.tree, client::create_request({.name = u"dir\\new",
                                              .attributes = wire::kFileAttributeHidden,
                                              .contexts = all_contexts()}));
  });
  add("create_directory", [](const Stage& s) {
    return on(s.tree,
              client::create_request({.name = u"dir\\sub", .options = wire::kFileDirectoryFile}));
  });
  add("create_missing", [](const Stage& s) {
    return on(s.tree, client::create_request(
                          {.name = u"dir\\none", .disposition = CreateDisposition::kOpen}));
  });
  add("create_overwrite", [](const Stage& s) {
    return on(s.tree, client::create_request({.name = u"dir\\two",
                                              .disposition = CreateDisposition::kOverwriteIf,
                                              .contexts = all_contexts()}));
  });
  add("create_delete_on_close", [](const Stage& s) {
    return on(s.tree,
              client::create_request({.name = u"dir\\two", .options = wire::kFileDeleteOnClose}));
  });
  add("create_pipe", [](const Stage& s) {
    return on(s.ipc, client::create_request({.name = u"wkssvc", .access = 0x12019F}));
  });
  add("read", [](const Stage& s) { return on(s.tree, client::read_request(s.file, 10, 50)); });
  add("read_pipe", [](const Stage& s) { return on(s.ipc, client::read_request(s.pipe, 0, 512)); });
  add("write", [](const Stage& s) {
    return on(s.tree, client::write_request(s.file, 5, as_bytes("some bytes")));
  });
  add("write_pipe",
      [](const Stage& s) { return on(s.ipc, client::write_request(s.pipe, 0, some_pdu())); });
  add("flush", [](const Stage& s) { return on(s.tree, client::flush_request(s.file)); });
  add("lock", [](const Stage& s) {
    const wire::LockElement locks[] = {{10, 20, 0x12}, {50, 5, 0x11}};
    return on(s.tree, client::lock_request(s.file, locks));
  });
  add("ioctl_pipe", [](const Stage& s) {
    return on(s.ipc, client::ioctl_request(s.pipe, wire::kFsctlPipeTransceive, some_pdu(), 4096));
  });
  add("ioctl_file", [](const Stage& s) {
    return on(s.tree, client::ioctl_request(s.file, wire::kFsctlCreateOrGetObjectId, {}, 64));
  });
  add("echo", [](const Stage& s) { return on(s.tree, client::simple_request(Command::kEcho)); });
  add("query_directory", [](const Stage& s) {
    return on(s.tree, client::query_directory_request(s.directory, FileInfoClass::kIdBothDirectory,
                                                      u"*", 4096));
  });
  add("query_directory_names", [](const Stage& s) {
    return on(s.tree, client::query_directory_request(s.directory, FileInfoClass::kNames, u"t*o",
                                                      512, wire::kFileListDirectory));
  });
  add("change_notify", [](const Stage& s) {
    return on(s.tree, client::change_notify_request(s.directory, wire::kNotifyChangeFileName, 512));
  });
  add("query_all", [](const Stage& s) { return query(s, s.file, FileInfoClass::kAll); });
  add("query_stream", [](const Stage& s) { return query(s, s.file, FileInfoClass::kStream); });
  add("query_fs", [](const Stage& s) {
    return on(s.tree,
              client::query_info_request(s.file, InfoType::kFileSystem,
                                         static_cast<uint8_t>(wire::FsInfoClass::kFullSize), 512));
  });
  add("query_security", [](const Stage& s) {
    return on(s.tree, client::query_info_request(s.file, InfoType::kSecurity, 0, 4096, 7));
  });
  add("set_basic", [](const Stage& s) {
    wire::FileBasicInformation info;
    info.last_write_time = {FileTime::kUnixEpoch};
    info.file_attributes = wire::kFileAttributeHidden;
    return set(s, s.file, info);
  });
  add("set_end_of_file",
      [](const Stage& s) { return set(s, s.file, wire::FileEndOfFileInformation{50}); });
  add("set_allocation",
      [](const Stage& s) { return set(s, s.file, wire::FileAllocationInformation{1 << 20}); });
  add("set_disposition",
      [](const Stage& s) { return set(s, s.file, wire::FileDispositionInformation{true}); });
  add("rename", [](const Stage& s) {
    wire::FileRenameInformation info;
    info.replace_if_exists = true;
    info.file_name = as_bytes(std::u16string_view(u"dir\\TWO"));
    return set(s, s.file, info);
  });
  add("oplock_break", [](const Stage& s) {
    return on(s.tree, client::oplock_break_request(s.file, wire::OplockLevel::kNone));
  });
  add("close", [](const Stage& s) { return on(s.tree, client::close_request(s.file, 1)); });
  add("tree_disconnect",
      [](const Stage& s) { return on(s.tree, client::simple_request(Command::kTreeDisconnect)); });
  add("logoff",
      [](const Stage& s) { return on(s.tree, client::simple_request(Command::kLogoff)); });
  return all;
}

}  // namespace

const std::vector<Sample>& every_command() {
  static const std::vector<Sample> samples = make_samples();
  return samples;
}

}  // namespace semblance::test
