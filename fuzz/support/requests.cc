#include "fuzz/support/requests.h"

#include "engine/base/utf16.h"
#include "engine/client/requests.h"
#include "engine/wire/change_notify.h"
#include "engine/wire/file_info.h"
#include "engine/wire/file_name_info.h"
#include "engine/wire/negotiate.h"
#include "engine/wire/negotiate_contexts.h"
#include "engine/wire/open_contexts.h"
#include "engine/wire/query_info.h"
#include "engine/wire/security_descriptor.h"
#include "engine/wire/session_setup.h"
#include "fuzz/support/rpc_pdus.h"

namespace semblance::fuzz {

using client::Request;
using wire::Command;
using wire::FileId;
using wire::FileInfoClass;
using wire::InfoType;

namespace {

constexpr std::u16string_view kNames[] = {
    u"file",       u"FILE", u"dir",      u"dir\\one",       u"DIR\\One", u"dir\\two",  u"a",
    u"A",          u"a\\b", u"dir\\sub", u"dir\\sub\\deep", u"none\\at", u"",          u"a:s",
    u"dir\\..\\a", u"\\a",  u"*",        u"srvsvc",         u"wkssvc",   u"trailing.",
};
constexpr std::u16string_view kPatterns[] = {u"*", u"*", u"one", u"t?o", u"<.\">", u"", u"*o*"};
constexpr uint64_t kOffsets[] = {0, 1, 10, 100, 4096, 65535, 65536, 1 << 20, UINT64_MAX};
constexpr uint32_t kLengths[] = {0, 1, 10, 64, 512, 4096, 65536, 65537, 131072, UINT32_MAX};
constexpr uint32_t kAccess[] = {wire::kMaximumAllowed,     wire::kFileAllAccess,
                                wire::kFileGenericRead,    wire::kFileGenericWrite | wire::kDelete,
                                wire::kFileReadAttributes, wire::kDelete,
                                wire::kGenericAll,         0};
constexpr uint32_t kOptions[] = {0,
                                 0,
                                 wire::kFileDirectoryFile,
                                 wire::kFileNonDirectoryFile,
                                 wire::kFileDeleteOnClose,
                                 wire::kFileWriteThrough,
                                 wire::kFileDirectoryFile | wire::kFileDeleteOnClose};
constexpr uint32_t kFsctls[] = {
    wire::kFsctlPipeTransceive,  wire::kFsctlCreateOrGetObjectId, wire::kFsctlValidateNegotiateInfo,
    wire::kFsctlDfsGetReferrals, wire::kFsctlSrvCopychunk,        wire::kFsctlPipeWait,
    wire::kFsctlPipePeek,
};

std::vector<uint8_t> small_descriptor(Random& random) {
  wire::SecurityDescriptor d;
  if (random.one_in(2)) d.owner = wire::Sid{22, {1, 1000}};
  if (random.one_in(2)) d.group = wire::kSidEveryone;
  d.control |= wire::kDaclPresent;
  wire::Acl acl;
  for (size_t i = random.below(4); i > 0; --i) {
    wire::Ace ace;
    ace.type = random.one_in(2) ? wire::AceType::kAllowed : wire::AceType::kDenied;
    ace.flags = static_cast<uint8_t>(random.below(32));
    ace.mask = random.pick(kAccess);
    ace.sid = random.one_in(2) ? wire::kSidEveryone : wire::kSidCreatorOwner;
    acl.aces.push_back(ace);
  }
  if (!random.one_in(4)) d.dacl = acl;
  std::vector<uint8_t> bytes(d.size());
  wire::Builder b(bytes);
  d.build(b);
  return bytes;
}

std::vector<uint8_t> some_contexts(Random& random) {
  std::vector<uint8_t> chain(1024);
  wire::Builder b(chain);
  wire::CreateContextWriter writer(b);
  if (random.one_in(2)) writer.add(wire::MaximalAccessRequest{});
  if (random.one_in(2)) writer.add(wire::QueryOnDiskIdRequest{});
  if (random.one_in(3)) writer.add(wire::AllocationSizeContext{random.pick(kOffsets)});
  if (random.one_in(3)) writer.add_raw(as_bytes("SecD"), small_descriptor(random));
  if (random.one_in(4)) writer.add(wire::TimewarpContext{{1}});
  if (random.one_in(4)) writer.add_raw(as_bytes("DHnQ"), std::array<uint8_t, 16>{});
  chain.resize(b.size());
  return chain;
}

Request create(Random& random) {
  client::CreateArgs args;
  args.name = random.pick(kNames);
  args.access = random.pick(kAccess);
  args.disposition = static_cast<wire::CreateDisposition>(random.below(7));
  args.options = random.pick(kOptions);
  args.attributes = random.one_in(3) ? static_cast<uint32_t>(random.below(64)) : 0;
  args.share = static_cast<uint32_t>(random.one_in(2) ? 7 : random.below(8));
  args.oplock = random.one_in(4) ? wire::OplockLevel::kBatch : wire::OplockLevel::kNone;
  if (random.one_in(3)) args.contexts = some_contexts(random);
  return client::create_request(args);
}

template <typename Info>
Request set(const Info& info) {
  std::vector<uint8_t> data(1024);
  wire::Builder b(data);
  info.build(b);
  return client::set_info_request({}, InfoType::kFile, static_cast<uint8_t>(Info::kClass),
                                  b.written());
}

template <typename Info>
Request set_target(Random& random) {
  Info info;
  std::u16string_view name = random.pick(kNames);
  info.file_name = as_bytes(name);
  if constexpr (requires { info.replace_if_exists; }) info.replace_if_exists = random.one_in(2);
  if constexpr (requires { info.flags; }) info.flags = static_cast<uint32_t>(random.below(4));
  return set(info);
}

Request set_basic(Random& random) {
  wire::FileBasicInformation info;
  if (random.one_in(2))
    info.last_write_time = {random.one_in(2) ? FileTime::kUnixEpoch : UINT64_MAX};
  if (random.one_in(2)) info.creation_time = {random.next() >> random.below(64)};
  info.file_attributes = static_cast<uint32_t>(random.below(0x100));
  return set(info);
}

Request query(Random& random) {
  auto type = static_cast<InfoType>(1 + random.below(4));
  return client::query_info_request({}, type, static_cast<uint8_t>(random.below(70)),
                                    random.pick(kLengths), 7);
}

Request lock(Random& random) {
  std::vector<wire::LockElement> locks(1 + random.below(3));
  constexpr uint32_t kKinds[] = {0x11, 0x12, 0x01, 0x02, 0x04, 0x04};
  for (wire::LockElement& one : locks)
    one = {random.pick(kOffsets), random.pick(kOffsets), random.pick(kKinds)};
  return client::lock_request({}, locks, static_cast<uint32_t>(random.below(8)));
}

Request query_directory(Random& random) {
  constexpr FileInfoClass kClasses[] = {
      FileInfoClass::kDirectory,       FileInfoClass::kFullDirectory,
      FileInfoClass::kBothDirectory,   FileInfoClass::kNames,
      FileInfoClass::kIdBothDirectory, FileInfoClass::kIdFullDirectory,
      FileInfoClass::kIdExtdDirectory,
  };
  return client::query_directory_request({}, random.pick(kClasses), random.pick(kPatterns),
                                         random.pick(kLengths),
                                         static_cast<uint8_t>(random.below(32)));
}

Request session_setup(Random& random) {
  std::vector<uint8_t> token = {'N', 'T', 'L', 'M', 'S', 'S', 'P', 0, 1, 0, 0, 0, 0x15, 0x82, 8, 0};
  token.resize(random.one_in(2) ? 40 : 16);
  wire::SessionSetupRequest body;
  body.flags = random.one_in(8) ? 1 : 0;
  body.security_mode = 1;
  body.security_buffer = token;
  return client::make_request(Command::kSessionSetup, body, token.size());
}

Request negotiate() {
  const uint16_t dialects[] = {0x0202, 0x0302, 0x0311};
  const uint16_t hashes[] = {1};
  std::array<uint8_t, 128> memory;
  wire::Builder list(memory);
  wire::NegotiateContextWriter writer(list);
  writer.add(wire::PreauthIntegrityContext{wire::U16List::of(hashes), {}});
  wire::NegotiateRequest body;
  body.dialects = wire::U16List::of(dialects);
  body.context_count = writer.count();
  body.contexts = list.written();
  return client::make_request(Command::kNegotiate, body, 256);
}

Request ioctl(Random& random) {
  uint32_t code = random.pick(kFsctls);
  std::vector<uint8_t> input = code == wire::kFsctlPipeTransceive ? rpc_pdu(random.below(kRpcPdus))
                                                                  : std::vector<uint8_t>(24);
  return client::ioctl_request({}, code, input, random.pick(kLengths));
}

}  // namespace

Request request_of_kind(size_t kind, Random& random) {
  switch (kind) {
    case 0 ... 4:
      return create(random);
    case 5:
      return client::close_request({}, static_cast<uint16_t>(random.below(2)));
    case 6:
      return client::read_request({}, random.pick(kOffsets), random.pick(kLengths));
    case 7:
      return client::write_request({}, random.pick(kOffsets),
                                   as_bytes("bytes to write, not many of them"),
                                   static_cast<uint32_t>(random.below(3)));
    case 8:
      return client::write_request({}, 0, rpc_pdu(random.below(kRpcPdus)));
    case 9:
      return client::flush_request({});
    case 10:
      return lock(random);
    case 11:
      return ioctl(random);
    case 12:
    case 13:
      return query_directory(random);
    case 14:
      return client::change_notify_request({}, wire::kNotifyChangeFileName, random.pick(kLengths));
    case 15:
    case 16:
      return query(random);
    case 17:
      return client::query_info_request({}, InfoType::kSecurity, 0, random.pick(kLengths),
                                        static_cast<uint32_t>(random.below(16)));
    case 18:
      return client::set_info_request({}, InfoType::kSecurity, 0, small_descriptor(random),
                                      static_cast<uint32_t>(random.below(16)));
    case 19:
      return set_basic(random);
    case 20:
      return set(wire::FileEndOfFileInformation{random.pick(kOffsets)});
    case 21:
      return set(wire::FileAllocationInformation{random.pick(kOffsets)});
    case 22:
      return set(wire::FileDispositionInformation{random.one_in(2)});
    case 23:
      return set_target<wire::FileRenameInformation>(random);
    case 24:
      return set_target<wire::FileLinkInformation>(random);
    case 25: {
      constexpr Command kSimple[] = {Command::kEcho, Command::kEcho, Command::kCancel,
                                     Command::kTreeDisconnect, Command::kLogoff};
      return client::simple_request(random.pick(kSimple));
    }
    case 26: {
      constexpr std::u16string_view kShares[] = {u"\\\\server\\data", u"\\\\server\\IPC$",
                                                 u"\\\\server\\fixed", u"\\\\server\\sealed"};
      return client::tree_connect_request(random.pick(kShares));
    }
    case 27:
      return session_setup(random);
    case 28:
      return client::oplock_break_request({}, wire::OplockLevel::kNone);
    default:
      return negotiate();
  }
}

Request any_request(Random& random) { return request_of_kind(random.below(kRequestKinds), random); }

Element as_element(const Request& request, Random& random) {
  Element e;
  e.command = static_cast<uint8_t>(request.command);
  e.body.assign(request.element.begin() + wire::kHeaderSize, request.element.end());
  e.tree = random.one_in(8) ? static_cast<uint8_t>(random.below(4)) : 0;
  e.file = static_cast<uint8_t>(random.below(4));
  e.charge = static_cast<uint8_t>(std::clamp<uint64_t>((request.payload + 65535) / 65536, 1, 4));
  if (random.one_in(16)) e.file = Element::kAllOnes;
  if (request.command == Command::kCancel && random.one_in(2)) e.flags |= Element::kAsync;
  return e;
}

}  // namespace semblance::fuzz
