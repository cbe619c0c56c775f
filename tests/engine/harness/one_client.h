#pragma once
// The fixture of most tests: a world, one logged-in client, its share.

#include "engine/base/utf16.h"
#include "engine/wire/close.h"
#include "engine/wire/file_attributes.h"
#include "engine/wire/file_name_info.h"
#include "engine/wire/ioctl.h"
#include "engine/wire/open_contexts.h"
#include "engine/wire/query_directory.h"
#include "tests/engine/harness/world.h"

namespace semblance::test {

class OneClient : public testing::Test {
 protected:
  SyncClient& smb() { return peer.sync(); }

  NtStatus create_status(const CreateArgs& args) {
    auto opened = smb().create(tree, args);
    if (!opened) return opened.error();
    smb().close(tree, opened->id);
    return NtStatus::kSuccess;
  }
  // Opens what exists, for everything.
  Result<client::Opened> open(std::u16string name, uint32_t access = wire::kFileAllAccess) {
    return smb().create(
        tree, {.name = std::move(name), .access = access, .disposition = CreateDisposition::kOpen});
  }
  NtStatus open_status(std::u16string name, uint32_t access = wire::kFileAllAccess) {
    return create_status(
        {.name = std::move(name), .access = access, .disposition = CreateDisposition::kOpen});
  }
  void make(std::u16string name, std::string_view content = "") {
    EXPECT_TRUE(smb().close(tree, peer.file(tree, std::move(name), content)).has_value());
  }
  std::string content(FileId file) {
    client::Answer answer = smb().read(tree, file, 0, 60000);
    return answer.ok() ? std::string(as_text(answer.data)) : show(answer.status);
  }
  std::string content(std::u16string name) {
    auto opened = open(std::move(name));
    if (!opened) return show(opened.error());
    std::string text = content(opened->id);
    smb().close(tree, opened->id);
    return text;
  }
  NtStatus write_status(FileId file, uint64_t offset, std::string_view text) {
    auto written = smb().write(tree, file, offset, as_bytes(text));
    return written ? NtStatus::kSuccess : written.error();
  }
  NtStatus close_status(FileId file) {
    auto closed = smb().close(tree, file);
    return closed ? NtStatus::kSuccess : closed.error();
  }
  uint64_t size_of(FileId file) {
    auto info = smb().query<wire::FileStandardInformation>(tree, file);
    return info ? info->end_of_file : UINT64_MAX;
  }

  World world;
  Peer& peer = world.add_peer();
  Tree tree = peer.connect();
};

}  // namespace semblance::test
