#include "engine/smb/file_query.h"
#include "engine/base/planted.h"

#include "engine/base/utf16.h"
#include "engine/share/attributes.h"
#include "engine/share/names.h"
#include "engine/smb/put_facts.h"
#include "engine/wire/access_mask.h"
#include "engine/wire/file_info.h"
#include "engine/wire/file_list_info.h"
#include "engine/wire/file_name_info.h"
#include "engine/wire/pipe_info.h"

namespace semblance::smb {
namespace {

using wire::FileInfoClass;

// The longest path in UTF-16 and the fixed part of the largest class.
constexpr size_t kInfoBytesMax = 3 * kPathBytesMax + 256;

// What of an Open goes into information classes.
struct Facts {
  share::FileFacts file;
  uint32_t access = 0;
  uint64_t position = 0;
  uint32_t mode = 0;
  bool delete_pending = false;
  std::u16string path;
};

wire::FileBasicInformation basic_of(const Facts& f) {
  return {f.file.created, f.file.accessed, f.file.modified, f.file.changed, f.file.attributes};
}

wire::FileStandardInformation standard_of(const Facts& f) {
  wire::FileStandardInformation info;
  info.allocation_size = f.file.allocation;
  info.end_of_file = f.file.end_of_file;
  if (PLANTED(kSizeStale)) info.end_of_file = (info.end_of_file + 511) / 512 * 512;
  // A name that is about to go is not counted any more.
  info.number_of_links = f.file.links - (f.delete_pending && f.file.links > 0 ? 1 : 0);
  info.delete_pending = f.delete_pending;
  info.directory = f.file.directory;
  return info;
}

wire::FileAllInformation all_of(const Facts& f) {
  wire::FileAllInformation info;
  info.basic = basic_of(f);
  info.standard = standard_of(f);
  info.internal.index_number = f.file.index_number;
  info.access.access_flags = f.access;
  info.position.current_byte_offset = f.position;
  info.mode.mode = f.mode;
  info.name.file_name = as_bytes(f.path);
  return info;
}

wire::FileNetworkOpenInformation network_open_of(const Facts& f) {
  wire::FileNetworkOpenInformation info;
  put_facts(f.file, info);
  return info;
}

wire::FileIdInformation id_of(const Facts& f) {
  wire::FileIdInformation info;
  info.volume_serial_number = f.file.volume;
  store(info.file_id.data(), f.file.index_number);
  return info;
}

// Without streams a file has its unnamed one, and a directory none.
void build_streams(const Facts& f, wire::Builder& b) {
  if (f.file.directory) return;
  constexpr std::u16string_view kData = u"::$DATA";
  MutableBytes room = b.reserve(b.room());
  wire::StreamEntryWriter writer(room);
  CHECK(writer.add({f.file.end_of_file, f.file.allocation, as_bytes(kData)}));
  b.rewind(writer.size());
}

// The size of the class's fixed part; 0 if it is not one that can be asked for.
size_t build(FileInfoClass info_class, const Facts& f, wire::Builder& b) {
  auto whole = [&b](const auto& info) {
    info.build(b);
    return std::remove_cvref_t<decltype(info)>::kSize;
  };
  switch (info_class) {
    case FileInfoClass::kBasic:
      return whole(basic_of(f));
    case FileInfoClass::kStandard:
      return whole(standard_of(f));
    case FileInfoClass::kInternal:
      return whole(wire::FileInternalInformation{f.file.index_number});
    case FileInfoClass::kEa:
      return whole(wire::FileEaInformation{0});
    case FileInfoClass::kAccess:
      return whole(wire::FileAccessInformation{f.access});
    case FileInfoClass::kPosition:
      return whole(wire::FilePositionInformation{f.position});
    case FileInfoClass::kMode:
      return whole(wire::FileModeInformation{f.mode});
    case FileInfoClass::kAlignment:
      return whole(wire::FileAlignmentInformation{0});
    case FileInfoClass::kNetworkOpen:
      return whole(network_open_of(f));
    case FileInfoClass::kAttributeTag:
      return whole(wire::FileAttributeTagInformation{f.file.attributes, 0});
    case FileInfoClass::kId:
      return whole(id_of(f));
    case FileInfoClass::kCompression: {
      wire::FileCompressionInformation info;
      info.compressed_file_size = f.file.end_of_file;
      return whole(info);
    }
    case FileInfoClass::kAll:
      return whole(all_of(f));
    case FileInfoClass::kName:
      return whole(wire::FileNameInformation{as_bytes(f.path)});
    case FileInfoClass::kNormalizedName: {
      std::u16string_view relative = f.path;
      return whole(wire::FileNormalizedNameInformation{as_bytes(relative.substr(1))});
    }
    case FileInfoClass::kStream:
      build_streams(f, b);
      return 0;
    default:
      return SIZE_MAX;
  }
}

// What the class must be allowed for: MS-FSA 2.1.5.12.
uint32_t needed_access(FileInfoClass info_class) {
  switch (info_class) {
    case FileInfoClass::kBasic:
    case FileInfoClass::kAll:
    case FileInfoClass::kNetworkOpen:
    case FileInfoClass::kAttributeTag:
      return wire::kFileReadAttributes;
    default:
      return 0;
  }
}

Facts facts_of_open(EngineState& e, const Open& open, const FileStat& stat) {
  Facts f;
  f.file = share::facts_of(stat);
  if (open.sticky_write_time.ticks != 0) f.file.modified = open.sticky_write_time;
  f.access = open.granted_access;
  f.position = open.position;
  f.mode = open.mode;
  share::FileNode* node = e.files.find(open.node);
  f.delete_pending = node != nullptr && node->delete_pending;
  f.path = share::wire_path(open.path);
  return f;
}

Step file_done(Call call, const StoreResult& result) {
  if (!result.ok()) return share::status_of(result.error);
  auto request = wire::QueryInfoRequest::parse(call.element());
  Open* open = call.open(request->file_id);
  if (open == nullptr) return NtStatus::kFileClosed;
  Facts facts = facts_of_open(call.engine(), *open, std::get<FileStat>(result.value));
  std::array<uint8_t, kInfoBytesMax> info;
  wire::Builder b(info);
  size_t fixed = build(static_cast<FileInfoClass>(request->file_info_class), facts, b);
  if (fixed == SIZE_MAX || !b.ok()) return NtStatus::kInvalidInfoClass;
  return answer_info(call, b.written(), fixed, request->output_buffer_length);
}

Step query_pipe(Call call, const Open& open, const wire::QueryInfoRequest& request) {
  std::array<uint8_t, 256> info;
  wire::Builder b(info);
  Facts facts;
  facts.file.attributes = 0x80;
  facts.access = open.granted_access;
  facts.path = u"\\";
  size_t fixed = 0;
  switch (static_cast<FileInfoClass>(request.file_info_class)) {
    case FileInfoClass::kStandard: {
      wire::FileStandardInformation standard;
      standard.allocation_size = 4096;
      standard.number_of_links = 1;
      standard.delete_pending = true;  // as Windows says of pipes
      standard.build(b);
      fixed = wire::FileStandardInformation::kSize;
      break;
    }
    case FileInfoClass::kPipe:
      wire::FilePipeInformation{1, 0}.build(b);
      fixed = wire::FilePipeInformation::kSize;
      break;
    case FileInfoClass::kPipeLocal: {
      wire::FilePipeLocalInformation local;
      local.named_pipe_type = 1;
      local.named_pipe_configuration = 2;
      local.maximum_instances = UINT32_MAX;
      local.current_instances = 1;
      local.read_data_available = static_cast<uint32_t>(open.pipe->readable());
      local.named_pipe_state = 3;
      local.named_pipe_end = 1;
      local.build(b);
      fixed = wire::FilePipeLocalInformation::kSize;
      break;
    }
    default:
      fixed = build(static_cast<FileInfoClass>(request.file_info_class), facts, b);
  }
  if (fixed == SIZE_MAX) return NtStatus::kInvalidInfoClass;
  return answer_info(call, b.written(), fixed, request.output_buffer_length);
}

}  // namespace

Step query_file(Call call, Open& open, const wire::QueryInfoRequest& request) {
  auto info_class = static_cast<FileInfoClass>(request.file_info_class);
  if (open.is_pipe()) return query_pipe(call, open, request);
  switch (info_class) {
    case FileInfoClass::kFullEa:
      return open.granted_access & wire::kFileReadEa ? static_cast<NtStatus>(0xC0000052)
                                                     : NtStatus::kAccessDenied;  // NO_EAS_ON_FILE
    case FileInfoClass::kAlternateName:
      return NtStatus::kObjectNameNotFound;  // there are no short names
    default:
      break;
  }
  uint32_t needed = needed_access(info_class);
  if ((open.granted_access & needed) != needed) return NtStatus::kAccessDenied;
  call.shape(Shape::kQueryInfo);
  return call.run(StoreStat{open.handle}, file_done);
}

}  // namespace semblance::smb
