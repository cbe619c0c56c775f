#include "sim/clients/commands.h"

#include <array>

#include "engine/base/utf16.h"
#include "engine/wire/change_notify.h"
#include "engine/wire/file_info.h"
#include "engine/wire/file_name_info.h"
#include "engine/wire/open_contexts.h"
#include "engine/wire/security_descriptor.h"

namespace semblance::sim {

namespace {

using client::on;
using client::related;
using client::Request;
using wire::Command;
using wire::CreateDisposition;
using wire::FileId;
using wire::FileInfoClass;
using wire::FsInfoClass;
using wire::InfoType;

constexpr std::u16string_view kNames[] = {
    u"a",           u"b",
    u"A",           u"dir",
    u"dir\\a",      u"dir\\b",
    u"DIR\\A",      u"dir\\sub",
    u"dir\\sub\\a", u"c.txt",
    u"~tmp",        u"dir\\~tmp",
    u"Stra\u00DFe", u"",
    u"missing\\x",  u"a\\b",
    u"link",        u"dir\\sub\\..\\a",
    u"a:stream",    u"a::$DATA",
    u"x*y",         u"\\a",
    u"dir\\",       u"..\\a",
    u"COM1",        u"name that is a good deal longer than the others are.document",
};
constexpr uint32_t kNameWeights[] = {30, 20, 10, 15, 15, 10, 4, 6, 6, 5, 6, 3, 2,
                                     4,  1,  1,  3,  1,  1,  1, 1, 1, 1, 1, 1, 2};
static_assert(std::size(kNames) == std::size(kNameWeights));

constexpr uint64_t kOffsets[] = {0,    1,     100,   511,    512,     4095,
                                 4096, 65535, 65536, 200000, 1 << 20, 1ull << 40};
constexpr uint32_t kOffsetWeights[] = {40, 5, 10, 5, 10, 5, 10, 2, 4, 2, 1, 1};
constexpr uint32_t kSizes[] = {1, 10, 512, 1000, 4096, 0, 65536, 65537, 200000};
constexpr uint32_t kSizeWeights[] = {20, 20, 30, 10, 10, 3, 2, 2, 1};
constexpr uint32_t kAccesses[] = {
    wire::kFileAllAccess,
    wire::kFileGenericRead,
    wire::kFileGenericRead | wire::kFileGenericWrite,
    wire::kFileReadAttributes,
    wire::kDelete | wire::kFileReadAttributes,
    wire::kFileAppendData | wire::kFileReadAttributes,
    0x02000000,  // MAXIMUM_ALLOWED
    0x10000000,  // GENERIC_ALL
    0,
};
constexpr uint32_t kAccessWeights[] = {40, 15, 20, 8, 8, 4, 5, 2, 1};

class Drawer {
 public:
  explicit Drawer(const CommandContext& context) : c_(context) {}

  uint32_t pick(uint32_t bound) { return c_.chooser.pick(Site::kArgument, c_.entity, bound); }
  bool chance(uint32_t ppm) { return c_.chooser.chance(Site::kArgument, c_.entity, ppm); }
  template <typename T, size_t N>
  T of(const T (&values)[N], const uint32_t (&weights)[N]) {
    return values[c_.chooser.weighted(Site::kArgument, c_.entity, weights)];
  }
  template <typename T, size_t N>
  T of(const T (&values)[N]) {
    return values[pick(N)];
  }

  std::u16string name() { return std::u16string(of(kNames, kNameWeights)); }
  uint64_t offset() { return of(kOffsets, kOffsetWeights); }
  uint32_t size() { return std::min(of(kSizes, kSizeWeights), c_.bytes_max); }

  // The newest one mostly; sometimes one that is closed, another client's, or none at all.
  Held handle() {
    uint32_t where = c_.chooser.weighted(
        Site::kArgument, c_.entity, {900'000, 60'000, c_.foreign_handles ? 40'000u : 0u, 8'000});
    if (where == 1 && !c_.closed.empty()) return from(c_.closed);
    if (where == 2 && !c_.commons.handles.empty())
      return c_.commons.handles[pick(static_cast<uint32_t>(c_.commons.handles.size()))];
    if (where == 3) return {FileId{pick(4), pick(4)}, c_.tree.tree_id, c_.tree.session_id};
    return c_.held.empty() ? Held{FileId{}, c_.tree.tree_id, c_.tree.session_id} : from(c_.held);
  }
  const Held& from(const std::vector<Held>& list) {
    return list[list.size() - 1 - pick(static_cast<uint32_t>(list.size()))];
  }

  // Bytes that tell who wrote them.
  std::vector<uint8_t> data(uint32_t size) {
    std::vector<uint8_t> bytes(size);
    uint32_t mark = (c_.client << 24) ^ (c_.number << 8);
    for (uint32_t i = 0; i < size; ++i)
      bytes[i] = static_cast<uint8_t>((mark >> ((i % 3) * 8)) + i / 3 * 7 + 1);
    return bytes;
  }

  client::CreateArgs create_args() {
    client::CreateArgs args;
    args.name = name();
    args.access = of(kAccesses, kAccessWeights);
    constexpr CreateDisposition kDispositions[] = {
        CreateDisposition::kOpenIf,    CreateDisposition::kOpen,
        CreateDisposition::kCreate,    CreateDisposition::kOverwriteIf,
        CreateDisposition::kSupersede, CreateDisposition::kOverwrite};
    constexpr uint32_t kWeights[] = {50, 20, 10, 10, 5, 5};
    args.disposition = of(kDispositions, kWeights);
    constexpr uint32_t kShares[] = {7, 3, 1, 0, 5, 4, 2, 6};
    constexpr uint32_t kShareWeights[] = {70, 8, 8, 5, 3, 2, 2, 2};
    args.share = of(kShares, kShareWeights);
    constexpr uint32_t kOptions[] = {0,
                                     wire::kFileDirectoryFile,
                                     wire::kFileNonDirectoryFile,
                                     wire::kFileDeleteOnClose,
                                     wire::kFileWriteThrough,
                                     wire::kFileOpenReparsePoint,
                                     wire::kFileDeleteOnClose | wire::kFileDirectoryFile,
                                     wire::kFileDirectoryFile | wire::kFileNonDirectoryFile};
    constexpr uint32_t kOptionWeights[] = {60, 15, 8, 5, 4, 2, 2, 1};
    args.options = of(kOptions, kOptionWeights);
    constexpr uint32_t kAttributes[] = {0, wire::kFileAttributeReadonly, wire::kFileAttributeHidden,
                                        wire::kFileAttributeNormal, 0x100000};
    constexpr uint32_t kAttributeWeights[] = {80, 5, 5, 9, 1};
    args.attributes = of(kAttributes, kAttributeWeights);
    constexpr wire::OplockLevel kOplocks[] = {wire::OplockLevel::kNone, wire::OplockLevel::kBatch,
                                              wire::OplockLevel::kLevel2,
                                              wire::OplockLevel::kLease};
    constexpr uint32_t kOplockWeights[] = {85, 6, 6, 3};
    args.oplock = of(kOplocks, kOplockWeights);
    if (chance(100'000)) args.contexts = contexts();
    return args;
  }

  std::vector<uint8_t> contexts() {
    std::vector<uint8_t> chain(512);
    wire::Builder b(chain);
    wire::CreateContextWriter writer(b);
    writer.add(wire::MaximalAccessRequest{});
    writer.add(wire::QueryOnDiskIdRequest{});
    if (chance(300'000)) writer.add(wire::AllocationSizeContext{size() * uint64_t{4}});
    if (chance(200'000)) writer.add_raw(as_bytes("ZzZz"), as_bytes("unknown"));
    chain.resize(b.size());
    return chain;
  }

  Request at(const Held& held, Request request) {
    request.session_id = held.session_id;
    request.tree_id = held.tree_id;
    return request;
  }
  template <typename Info>
  Request set(const Held& held, const Info& info) {
    std::vector<uint8_t> data(2048);
    wire::Builder b(data);
    info.build(b);
    return at(held, client::set_info_request(held.id, InfoType::kFile,
                                             static_cast<uint8_t>(Info::kClass), b.written()));
  }

  Draft one(Request request) {
    Draft draft;
    draft.requests.push_back(std::move(request));
    return draft;
  }
  Draft create() {
    client::CreateArgs args = create_args();
    Draft draft = one(on(c_.tree, client::create_request(args)));
    draft.creates = true;
    return draft;
  }
  Draft query_info();
  Draft query_directory();
  Draft set_basic();
  Draft rename();
  Draft lock(bool unlock);
  Draft ioctl();
  Draft pipe();
  Draft set_security();
  Draft open_query_close();
  Draft create_write_close();
  Draft read_three();
  Draft broken_chain();
  Draft list_to_end();

 private:
  const CommandContext& c_;
};

Draft Drawer::query_info() {
  constexpr FileInfoClass kClasses[] = {
      FileInfoClass::kStandard,       FileInfoClass::kAll,
      FileInfoClass::kBasic,          FileInfoClass::kInternal,
      FileInfoClass::kNetworkOpen,    FileInfoClass::kName,
      FileInfoClass::kStream,         FileInfoClass::kEa,
      FileInfoClass::kPosition,       FileInfoClass::kAttributeTag,
      FileInfoClass::kNormalizedName, FileInfoClass::kAlternateName,
      FileInfoClass::kDisposition};
  constexpr uint32_t kWeights[] = {30, 20, 20, 5, 5, 5, 5, 2, 2, 2, 2, 1, 1};
  Held held = handle();
  uint32_t length = chance(100'000) ? pick(120) : 4096;
  return one(
      at(held, client::query_info_request(held.id, InfoType::kFile,
                                          static_cast<uint8_t>(of(kClasses, kWeights)), length)));
}

Draft Drawer::query_directory() {
  constexpr FileInfoClass kClasses[] = {
      FileInfoClass::kIdBothDirectory, FileInfoClass::kNames,
      FileInfoClass::kFullDirectory,   FileInfoClass::kDirectory,
      FileInfoClass::kBothDirectory,   FileInfoClass::kIdFullDirectory};
  constexpr std::u16string_view kPatterns[] = {u"*", u"a", u"*.txt", u"~*", u"?", u"", u"A"};
  constexpr uint32_t kPatternWeights[] = {70, 8, 6, 4, 4, 2, 6};
  constexpr uint8_t kFlags[] = {0, wire::kFileListDirectory, 1, 2, 0x10};
  constexpr uint32_t kFlagWeights[] = {60, 5, 20, 10, 5};
  Held held = handle();
  for (const Held& other : c_.held)
    if (other.directory) held = other;
  uint32_t length = chance(200'000) ? 64 + pick(64) : 8192;
  FileInfoClass info_class = of(kClasses);
  std::u16string_view pattern = of(kPatterns, kPatternWeights);
  uint8_t flags = of(kFlags, kFlagWeights);
  return one(
      at(held, client::query_directory_request(held.id, info_class, pattern, length, flags)));
}

Draft Drawer::set_basic() {
  Held held = handle();
  wire::FileBasicInformation info;
  if (chance(500'000)) info.last_write_time = FileTime::from_unix(1'000'000'000 + pick(1000), 0);
  if (chance(300'000)) info.creation_time = FileTime::from_unix(900'000'000 + pick(1000), 0);
  if (chance(100'000)) info.last_access_time = {UINT64_MAX - pick(3)};
  constexpr uint32_t kAttributes[] = {0, wire::kFileAttributeHidden, wire::kFileAttributeReadonly,
                                      wire::kFileAttributeNormal, wire::kFileAttributeDirectory};
  constexpr uint32_t kWeights[] = {50, 20, 10, 15, 5};
  info.file_attributes = of(kAttributes, kWeights);
  return one(set(held, info));
}

Draft Drawer::rename() {
  Held held = handle();
  wire::FileRenameInformation info;
  info.replace_if_exists = chance(500'000);
  std::u16string to = name();
  info.file_name = as_bytes(std::u16string_view(to));
  return one(set(held, info));
}

Draft Drawer::lock(bool unlock) {
  constexpr uint64_t kStarts[] = {0, 10, 100, 4096, UINT64_MAX};
  constexpr uint32_t kStartWeights[] = {40, 30, 20, 8, 2};
  constexpr uint64_t kLengths[] = {10, 100, 1, 0, 5000, UINT64_MAX};
  constexpr uint32_t kLengthWeights[] = {40, 20, 20, 5, 10, 5};
  Held held = handle();
  uint32_t count = 1 + (chance(200'000) ? pick(3) : 0);
  std::vector<wire::LockElement> locks;
  for (uint32_t i = 0; i < count; ++i) {
    wire::LockElement lock{of(kStarts, kStartWeights), of(kLengths, kLengthWeights), 0};
    lock.flags =
        unlock ? wire::kLockFlagUnlock
               : (wire::kLockFlagFailImmediately |
                  (chance(400'000) ? wire::kLockFlagSharedLock : wire::kLockFlagExclusiveLock));
    locks.push_back(lock);
  }
  return one(at(held, client::lock_request(held.id, locks)));
}

Draft Drawer::ioctl() {
  constexpr uint32_t kCodes[] = {wire::kFsctlCreateOrGetObjectId,
                                 wire::kFsctlSetSparse,
                                 wire::kFsctlQueryAllocatedRanges,
                                 wire::kFsctlSrvRequestResumeKey,
                                 wire::kFsctlQueryNetworkInterfaceInfo,
                                 wire::kFsctlGetReparsePoint,
                                 wire::kFsctlDfsGetReferrals,
                                 wire::kFsctlSrvCopychunk,
                                 0x12345678};
  Held held = handle();
  std::vector<uint8_t> input = data(pick(64));
  return one(at(held, client::ioctl_request(held.id, of(kCodes), input, 4096)));
}

Draft Drawer::pipe() {
  constexpr std::u16string_view kPipes[] = {u"srvsvc", u"wkssvc", u"lsarpc", u"\\PIPE\\srvsvc"};
  if (c_.pipes.tree_id == 0) return {};
  for (const Held& held : c_.held) {
    if (!held.pipe) continue;
    // A bind whose only fault may be its contents.
    std::vector<uint8_t> pdu(72);
    pdu[0] = 5;
    pdu[2] = static_cast<uint8_t>(chance(700'000) ? 11 : pick(16));
    pdu[3] = 3;
    pdu[4] = 0x10;
    pdu[8] = 72;
    switch (pick(4)) {
      case 0:
        return one(at(held, client::ioctl_request(held.id, wire::kFsctlPipeTransceive, pdu, 4096)));
      case 1:
        return one(at(held, client::write_request(held.id, 0, pdu)));
      case 2:
        return one(at(held, client::read_request(held.id, 0, 1024)));
      default:
        return one(at(held, client::close_request(held.id)));
    }
  }
  client::CreateArgs args;
  args.name = of(kPipes);
  args.access = 0x12019F;
  args.disposition = CreateDisposition::kOpen;
  Draft draft = one(on(c_.pipes, client::create_request(args)));
  draft.creates = draft.pipe = true;
  return draft;
}

Draft Drawer::set_security() {
  Held held = handle();
  // A self-relative descriptor with an empty DACL, or none: MS-DTYP 2.4.6.
  std::vector<uint8_t> descriptor(20 + 8);
  descriptor[0] = 1;
  bool dacl = chance(500'000);
  descriptor[2] = dacl ? 0x04 : 0x00;
  descriptor[3] = 0x80;
  if (dacl) {
    descriptor[16] = 20;
    descriptor[20] = 2;
    descriptor[22] = 8;
  }
  return one(at(held, client::set_info_request(held.id, InfoType::kSecurity, 0, descriptor, 4)));
}

Draft Drawer::open_query_close() {
  Draft draft = create();
  draft.creates = false;
  draft.requests.push_back(related(client::query_info_request(
      FileId::previous(), InfoType::kFile, static_cast<uint8_t>(FileInfoClass::kAll), 4096)));
  draft.requests.push_back(related(client::close_request(FileId::previous())));
  return draft;
}

Draft Drawer::create_write_close() {
  Draft draft = create();
  draft.creates = false;
  std::vector<uint8_t> bytes = data(size());
  uint64_t start = offset();
  draft.requests.push_back(related(client::write_request(FileId::previous(), start, bytes)));
  draft.requests.push_back(related(client::close_request(FileId::previous(), pick(2))));
  return draft;
}

Draft Drawer::read_three() {
  Draft draft;
  Held held = handle();
  for (uint64_t i = 0; i < 3; ++i)
    draft.requests.push_back(at(held, client::read_request(held.id, i * 100, 100)));
  return draft;
}

Draft Drawer::broken_chain() {
  Draft draft = create();
  draft.creates = false;
  uint32_t length = 1 + pick(5);
  for (uint32_t i = 0; i < length; ++i) {
    switch (pick(4)) {
      case 0:
        draft.requests.push_back(related(client::close_request(FileId::previous())));
        break;
      case 1:
        draft.requests.push_back(related(client::flush_request(FileId::previous())));
        break;
      case 2:
        draft.requests.push_back(related(client::read_request(FileId::previous(), 0, 64)));
        break;
      default: {
        Held held = handle();
        draft.requests.push_back(at(held, client::close_request(held.id)));
      }
    }
  }
  return draft;
}

// A scan from its start to its end, the first part of it small.
Draft Drawer::list_to_end() {
  const Held* directory = nullptr;
  for (const Held& other : c_.held)
    if (other.directory) directory = &other;
  if (directory == nullptr) {  // next time
    Draft opening = one(on(c_.tree, client::create_request({.name = u"dir"})));
    opening.creates = true;
    return opening;
  }
  Held held = *directory;
  Draft draft;
  uint32_t length = 100 + pick(500);
  for (uint32_t part : {length, 8192u, 8192u}) {
    bool first = draft.requests.empty();
    Request request =
        client::query_directory_request(first ? held.id : FileId::previous(),
                                        FileInfoClass::kIdBothDirectory, u"*", part, first ? 1 : 0);
    draft.requests.push_back(first ? at(held, std::move(request)) : related(std::move(request)));
  }
  return draft;
}

}  // namespace

std::u16string draw_name(const CommandContext& context) { return Drawer(context).name(); }

Draft draw_command(CommandKind kind, const CommandContext& context) {
  Drawer d(context);
  switch (kind) {
    case CommandKind::kCreate:
      return d.create();
    case CommandKind::kClose: {
      Held held = d.handle();
      return d.one(d.at(held, client::close_request(held.id, static_cast<uint16_t>(d.pick(2)))));
    }
    case CommandKind::kRead: {
      Held held = d.handle();
      uint64_t offset = d.offset();
      return d.one(d.at(held, client::read_request(held.id, offset, d.size())));
    }
    case CommandKind::kWrite: {
      Held held = d.handle();
      uint64_t offset = d.offset();
      uint32_t flags = d.chance(100'000) ? 1 : 0;
      return d.one(d.at(held, client::write_request(held.id, offset, d.data(d.size()), flags)));
    }
    case CommandKind::kFlush: {
      Held held = d.handle();
      return d.one(d.at(held, client::flush_request(held.id)));
    }
    case CommandKind::kQueryInfo:
      return d.query_info();
    case CommandKind::kQueryFs: {
      constexpr FsInfoClass kClasses[] = {FsInfoClass::kFullSize,   FsInfoClass::kVolume,
                                          FsInfoClass::kSize,       FsInfoClass::kAttribute,
                                          FsInfoClass::kSectorSize, FsInfoClass::kDevice};
      Held held = d.handle();
      return d.one(
          d.at(held, client::query_info_request(held.id, InfoType::kFileSystem,
                                                static_cast<uint8_t>(d.of(kClasses)), 512)));
    }
    case CommandKind::kQuerySecurity: {
      Held held = d.handle();
      return d.one(
          d.at(held, client::query_info_request(held.id, InfoType::kSecurity, 0, 4096, 7)));
    }
    case CommandKind::kSetEndOfFile: {
      Held held = d.handle();
      return d.one(d.set(held, wire::FileEndOfFileInformation{d.offset()}));
    }
    case CommandKind::kSetBasic:
      return d.set_basic();
    case CommandKind::kSetAllocation: {
      Held held = d.handle();
      return d.one(d.set(held, wire::FileAllocationInformation{d.offset()}));
    }
    case CommandKind::kSetSecurity:
      return d.set_security();
    case CommandKind::kRename:
      return d.rename();
    case CommandKind::kDisposition: {
      Held held = d.handle();
      return d.one(d.set(held, wire::FileDispositionInformation{d.pick(2) == 0}));
    }
    case CommandKind::kQueryDirectory:
      return d.query_directory();
    case CommandKind::kLock:
      return d.lock(false);
    case CommandKind::kUnlock:
      return d.lock(true);
    case CommandKind::kIoctl:
      return d.ioctl();
    case CommandKind::kPipe:
      return d.pipe();
    case CommandKind::kChangeNotify: {
      Held held = d.handle();
      return d.one(d.at(held, client::change_notify_request(held.id, 0x17, 512)));
    }
    case CommandKind::kEcho:
      return d.one(client::simple_request(Command::kEcho));
    case CommandKind::kOplockBreak: {
      Held held = d.handle();
      return d.one(d.at(held, client::oplock_break_request(held.id, wire::OplockLevel::kNone)));
    }
    case CommandKind::kOpenQueryClose:
      return d.open_query_close();
    case CommandKind::kCreateWriteClose:
      return d.create_write_close();
    case CommandKind::kReadReadRead:
      return d.read_three();
    case CommandKind::kListToEnd:
      return d.list_to_end();
    case CommandKind::kBrokenChain:
      return d.broken_chain();
    default:
      return {};
  }
}

}  // namespace semblance::sim
