#include "engine/base/check.h"
#include "engine/base/utf16.h"
#include "engine/wire/change_notify.h"
#include "engine/wire/close.h"
#include "engine/wire/file_info.h"
#include "engine/wire/file_name_info.h"
#include "engine/wire/ioctl.h"
#include "engine/wire/query_directory.h"
#include "tools/cli/effects/scenario.h"

namespace semblance::effects {
namespace {

using client::FileId;
using client::Request;
using wire::Command;
using wire::CreateDisposition;
using wire::FileInfoClass;
using wire::InfoType;

constexpr size_t kKiB = 1024;
constexpr unsigned kTogether = 32;

// `times` requests of one kind at once.
std::function<Round(Stage&)> repeated(unsigned times, const std::function<Request()>& make) {
  return [times, make](Stage& stage) {
    return Round{.act = [&stage, times, make] {
      std::vector<Request> requests;
      requests.reserve(times);
      for (unsigned i = 0; i < times; ++i) requests.push_back(make());
      stage.together(std::move(requests));
    }};
  };
}

std::function<Round(Stage&)> echoes(unsigned times) {
  return repeated(times, [] { return client::simple_request(Command::kEcho); });
}

std::function<Round(Stage&)> reads(uint32_t bytes, unsigned times) {
  return [=](Stage& stage) {
    const FileId file = stage.make(u"file", 64 * kKiB);
    return repeated(times, [=] { return client::read_request(file, 0, bytes); })(stage);
  };
}

std::function<Round(Stage&)> writes(size_t bytes, unsigned times) {
  return [=](Stage& stage) {
    const FileId file = stage.make(u"file", 64 * kKiB);
    const std::vector<uint8_t> data(bytes, 'y');
    return repeated(times, [=] { return client::write_request(file, 0, data); })(stage);
  };
}

// One request on an open file that stays open.
template <typename Make>
std::function<Round(Stage&)> on_a_file(Make make) {
  return [make](Stage& stage) {
    const FileId file = stage.make(u"file", 64 * kKiB);
    return repeated(1, [=] { return make(file); })(stage);
  };
}

template <typename Info>
Request set_request(FileId file, const Info& info) {
  std::vector<uint8_t> data(512);
  wire::Builder b(data);
  info.build(b);
  return client::set_info_request(file, InfoType::kFile, static_cast<uint8_t>(Info::kClass),
                                  b.written());
}

// CREATE of `name` as the file "dir\file" is there; what it opens is closed outside the measure.
std::function<Round(Stage&)> creates(std::u16string_view name, CreateDisposition disposition) {
  return [=](Stage& stage) {
    stage.directory(u"dir");
    stage.close(stage.make(u"dir\\file", 100));
    auto opened = std::make_shared<FileId>();
    return Round{.act = [=, &stage] { *opened = stage.open(std::u16string(name), disposition); },
                 .after = [=, &stage] { stage.close(*opened); }};
  };
}

Round create_missing(Stage& stage) {
  return {.act = [&stage] {
    const client::Reply reply = stage.call(
        stage.tree,
        client::create_request({.name = u"missing", .disposition = CreateDisposition::kOpen}));
    CHECK(reply.status() == NtStatus::kObjectNameNotFound);
  }};
}

std::u16string numbered(uint32_t number) {
  const std::string digits = std::to_string(number);
  return u"new" + std::u16string(digits.begin(), digits.end());
}

Round create_new(Stage& stage) {
  auto number = std::make_shared<uint32_t>(0);
  auto made = std::make_shared<FileId>();
  return {
      .act = [=, &stage] { *made = stage.open(numbered((*number)++), CreateDisposition::kCreate); },
      .after = [=, &stage] { stage.close(*made); }};
}

Round create_new_and_close(Stage& stage) {
  auto number = std::make_shared<uint32_t>(0);
  return {.act = [=, &stage] {
    stage.close(stage.open(numbered((*number)++), CreateDisposition::kCreate));
  }};
}

// CLOSE of an open file, with these flags and, if so, the file's end.
enum class Fate : uint8_t { kStays, kGoes };
std::function<Round(Stage&)> closes(uint16_t flags, Fate fate) {
  return [=](Stage& stage) {
    auto file = std::make_shared<FileId>();
    return Round{
        .act =
            [=, &stage] {
              CHECK(stage.call(stage.tree, client::close_request(*file, flags)).ok());
            },
        .before =
            [=, &stage] {
              *file = stage.open(u"file", CreateDisposition::kOpenIf);
              if (fate == Fate::kStays) return;
              CHECK(
                  stage.call(stage.tree, set_request(*file, wire::FileDispositionInformation{true}))
                      .ok());
            }};
  };
}

Round open_query_close(Stage& stage) {
  stage.close(stage.make(u"file", 100));
  return {.act = [&stage] {
    constexpr FileId kPrevious{UINT64_MAX, UINT64_MAX};
    std::vector<Request> compound;
    compound.push_back(
        on(stage.tree, client::create_request({.name = u"file",
                                               .access = wire::kFileReadAttributes,
                                               .disposition = CreateDisposition::kOpen})));
    compound.push_back(client::related(client::query_info_request(
        kPrevious, InfoType::kFile, static_cast<uint8_t>(FileInfoClass::kAll), 4096)));
    compound.push_back(client::related(client::close_request(kPrevious)));
    for (Request& request : compound) request.signing = stage.signing();
    for (const client::Reply& reply : stage.smb().call(std::move(compound))) CHECK(reply.ok());
  }};
}

constexpr uint32_t kFiles = 1000;

Round query_directory(Stage& stage) {
  const FileId directory = stage.directory(u"dir");
  for (uint32_t i = 0; i < kFiles; ++i) stage.close(stage.make(u"dir\\" + numbered(i), 0));
  return repeated(1, [directory] {
    return client::query_directory_request(directory, FileInfoClass::kIdBothDirectory, u"*",
                                           1024 * kKiB, wire::kQueryDirectoryReopen);
  })(stage);
}

Round rename(Stage& stage) {
  const FileId file = stage.make(u"one", 100);
  auto other = std::make_shared<bool>(false);
  return {.act = [=, &stage] {
    *other = !*other;
    wire::FileRenameInformation to;
    to.file_name = as_bytes(std::u16string_view(*other ? u"two" : u"one"));
    CHECK(stage.call(stage.tree, set_request(file, to)).ok());
  }};
}

Round lock_and_unlock(Stage& stage) {
  const FileId file = stage.make(u"file", 100);
  return {.act = [=, &stage] {
    for (uint32_t flags :
         {wire::kLockFlagExclusiveLock | wire::kLockFlagFailImmediately, wire::kLockFlagUnlock}) {
      const wire::LockElement lock{0, 100, flags};
      CHECK(stage.call(stage.tree, client::lock_request(file, {&lock, 1})).ok());
    }
  }};
}

Round change_notify_and_cancel(Stage& stage) {
  const FileId directory = stage.directory(u"dir");
  return {.act = [=, &stage] {
    const uint64_t request = stage.send(
        stage.tree, client::change_notify_request(directory, wire::kNotifyChangeFileName, 4096));
    // Once this is answered, the other is pending.
    CHECK(stage.call(stage.tree, client::simple_request(Command::kEcho)).ok());
    stage.smb().client().cancel(request, stage.signing());
    CHECK(stage.smb().wait(request).status() == NtStatus::kCancelled);
  }};
}

Round negotiate_and_log_in(Stage& stage) {
  auto peer = std::make_shared<std::unique_ptr<Peer>>();
  return {
      .act = [=] { (*peer)->log_in(); },
      .before = [=, &stage] { *peer = std::make_unique<Peer>(stage.server, Protection::kNone); },
      .after = [=] { peer->reset(); }};
}

Round tree_connect(Stage& stage) {
  auto tree = std::make_shared<client::Tree>();
  return {
      .act = [=, &stage] { *tree = stage.peer.connect(stage.session, kShare); },
      .after = [=, &stage] { CHECK(stage.smb().tree_disconnect(*tree) == NtStatus::kSuccess); }};
}

// A DCE/RPC bind to srvsvc: MS-RPCE 2.2.2.
std::vector<uint8_t> bind_pdu() {
  constexpr uint8_t kSyntaxes[] = {0xC8, 0x4F, 0x32, 0x4B, 0x70, 0x16, 0xD3, 0x01, 0x12, 0x78,
                                   0x5A, 0x47, 0xBF, 0x6E, 0xE1, 0x88, 3,    0,    0,    0,
                                   0x04, 0x5D, 0x88, 0x8A, 0xEB, 0x1C, 0xC9, 0x11, 0x9F, 0xE8,
                                   0x08, 0x00, 0x2B, 0x10, 0x48, 0x60, 2,    0,    0,    0};
  std::vector<uint8_t> pdu = {5,    0,    11,   3,    0x10, 0, 0, 0, 72, 0, 0, 0, 1, 0, 0, 0,
                              0xB8, 0x10, 0xB8, 0x10, 0,    0, 0, 0, 1,  0, 0, 0, 0, 0, 1, 0};
  pdu.insert(pdu.end(), std::begin(kSyntaxes), std::end(kSyntaxes));
  return pdu;
}

Round pipe_transact(Stage& stage) {
  auto pipe = std::make_shared<FileId>();
  return {.act =
              [=, &stage] {
                CHECK(stage
                          .call(stage.ipc, client::ioctl_request(*pipe, wire::kFsctlPipeTransceive,
                                                                 bind_pdu(), 4280))
                          .ok());
              },
          .before =
              [=, &stage] {
                auto opened = stage.smb().create(
                    stage.ipc, {.name = u"srvsvc", .disposition = CreateDisposition::kOpen});
                CHECK(opened.has_value());
                *pipe = opened->id;
              },
          .after = [=, &stage] { CHECK(stage.smb().close(stage.ipc, *pipe).has_value()); }};
}

}  // namespace

const std::vector<Scenario>& scenarios() {
  using enum Protection;
  static const std::vector<Scenario> all = {
      {"ECHO", echoes(1)},
      {"ECHO, 32 at once", echoes(kTogether), kTogether},
      {"READ 512", reads(512, 1)},
      {"READ 512, 32 at once", reads(512, kTogether), kTogether},
      {"READ 4 KiB, CMAC", reads(4 * kKiB, 1), 1, kCmac},
      {"READ 4 KiB, GMAC", reads(4 * kKiB, 1), 1, kGmac},
      {"READ 64 KiB", reads(64 * kKiB, 1)},
      {"READ 64 KiB, sealed", reads(64 * kKiB, 1), 1, kSealed},
      {"WRITE 512", writes(512, 1)},
      {"WRITE 512, 32 at once", writes(512, kTogether), kTogether},
      {"WRITE 64 KiB", writes(64 * kKiB, 1)},
      {"WRITE 64 KiB, sealed", writes(64 * kKiB, 1), 1, kSealed},
      {"FLUSH", on_a_file([](FileId file) { return client::flush_request(file); })},
      {"CREATE, exact case", creates(u"dir\\file", CreateDisposition::kOpen), 1, kNone, 2},
      {"CREATE, other case", creates(u"DIR\\File", CreateDisposition::kOpen), 1, kNone, 2},
      {"CREATE, missing", create_missing},
      {"CREATE, new", create_new},
      {"CREATE, new, and CLOSE", create_new_and_close},
      {"CREATE, overwrite", creates(u"dir\\file", CreateDisposition::kOverwrite), 1, kNone, 2},
      {"CREATE, QUERY_INFO, CLOSE", open_query_close},
      {"CLOSE", closes(0, Fate::kStays)},
      {"CLOSE, attributes", closes(wire::kCloseFlagPostqueryAttrib, Fate::kStays)},
      {"CLOSE, delete", closes(0, Fate::kGoes)},
      {"QUERY_DIRECTORY, 1,000", query_directory, 1, kNone, 1, kFiles + 2},
      {"QUERY_INFO, all", on_a_file([](FileId file) {
         return client::query_info_request(file, InfoType::kFile,
                                           static_cast<uint8_t>(FileInfoClass::kAll), 4096);
       })},
      {"QUERY_INFO, file system", on_a_file([](FileId file) {
         return client::query_info_request(file, InfoType::kFileSystem,
                                           static_cast<uint8_t>(wire::FsInfoClass::kFullSize), 512);
       })},
      {"SET_INFO, end of file", on_a_file([](FileId file) {
         return set_request(file, wire::FileEndOfFileInformation{50});
       })},
      {"SET_INFO, times", on_a_file([](FileId file) {
         wire::FileBasicInformation info;
         info.last_write_time = {FileTime::kUnixEpoch};
         return set_request(file, info);
       })},
      {"SET_INFO, rename", rename},
      {"LOCK, unlock", lock_and_unlock},
      {"CHANGE_NOTIFY, ECHO, CANCEL", change_notify_and_cancel},
      {"NEGOTIATE, SESSION_SETUP", negotiate_and_log_in},
      {"TREE_CONNECT", tree_connect},
      {"IOCTL, pipe", pipe_transact},
  };
  return all;
}

}  // namespace semblance::effects
