#include <algorithm>

#include "engine/smb/fs_query.h"

#include "engine/base/utf16.h"
#include "engine/smb/file_query.h"
#include "engine/wire/fs_info.h"

namespace semblance::smb {
namespace {

using wire::FsInfoClass;

constexpr uint32_t kSectorBytes = 512;

// MS-FSCC 2.5.1: what the share really does. CASE_PRESERVED_NAMES, UNICODE_ON_DISK; searches are
// not case-sensitive; PERSISTENT_ACLS where the store keeps them; READ_ONLY_VOLUME for read-only
// shares.
constexpr uint32_t kCasePreserved = 0x2, kUnicodeOnDisk = 0x4, kPersistentAcls = 0x8,
                   kReadOnlyVolume = 0x80000;

struct Units {
  uint64_t total, available, free;
  uint32_t sectors;
};

Units units_of(const FsStat& fs) {
  uint64_t unit = std::max<uint64_t>(fs.block_size / kSectorBytes * kSectorBytes, kSectorBytes);
  return {fs.total_bytes / unit, fs.available_bytes / unit, fs.free_bytes / unit,
          static_cast<uint32_t>(unit / kSectorBytes)};
}

size_t build(FsInfoClass info_class, const FsStat& fs, const ShareConfig& share, FileTime started,
             wire::Builder& b) {
  Units units = units_of(fs);
  switch (info_class) {
    case FsInfoClass::kVolume: {
      std::u16string label = utf16_from_utf8(share.name).value_or(u"");
      wire::FileFsVolumeInformation info;
      info.volume_creation_time = started;
      info.volume_serial_number = static_cast<uint32_t>(fs.volume_id ^ (fs.volume_id >> 32));
      info.volume_label = as_bytes(label);
      info.build(b);
      return wire::FileFsVolumeInformation::kSize;
    }
    case FsInfoClass::kSize: {
      wire::FileFsSizeInformation info;
      info.total_allocation_units = units.total;
      info.available_allocation_units = units.available;
      info.sectors_per_allocation_unit = units.sectors;
      info.bytes_per_sector = kSectorBytes;
      info.build(b);
      return wire::FileFsSizeInformation::kSize;
    }
    case FsInfoClass::kFullSize: {
      wire::FileFsFullSizeInformation info;
      info.total_allocation_units = units.total;
      info.caller_available_allocation_units = units.available;
      info.actual_available_allocation_units = units.free;
      info.sectors_per_allocation_unit = units.sectors;
      info.bytes_per_sector = kSectorBytes;
      info.build(b);
      return wire::FileFsFullSizeInformation::kSize;
    }
    case FsInfoClass::kDevice:
      wire::FileFsDeviceInformation{
          wire::kFileDeviceDisk,
          wire::kFileDeviceIsMounted | (share.read_only ? wire::kFileReadOnlyDevice : 0)}
          .build(b);
      return wire::FileFsDeviceInformation::kSize;
    case FsInfoClass::kAttribute: {
      constexpr std::u16string_view kName = u"NTFS";  // some clients refuse names they do not know
      wire::FileFsAttributeInformation info;
      info.file_system_attributes = kCasePreserved | kUnicodeOnDisk |
                                    (fs.keeps_attributes ? kPersistentAcls : 0) |
                                    (share.read_only ? kReadOnlyVolume : 0);
      info.maximum_component_name_length = fs.name_max;
      info.file_system_name = as_bytes(kName);
      info.build(b);
      return wire::FileFsAttributeInformation::kSize;
    }
    case FsInfoClass::kSectorSize: {
      wire::FileFsSectorSizeInformation info;
      info.logical_bytes_per_sector = kSectorBytes;
      info.physical_bytes_per_sector_for_atomicity = fs.block_size;
      info.physical_bytes_per_sector_for_performance = fs.block_size;
      info.effective_physical_bytes_per_sector_for_atomicity = fs.block_size;
      info.flags = wire::kSsinfoAlignedDevice | wire::kSsinfoPartitionAlignedOnDevice;
      info.build(b);
      return wire::FileFsSectorSizeInformation::kSize;
    }
    default:
      return SIZE_MAX;
  }
}

Step fs_done(Call call, const StoreResult& result) {
  if (!result.ok()) return share::status_of(result.error);
  EngineState& e = call.engine();
  auto request = wire::QueryInfoRequest::parse(call.element());
  TreeConnect* tree = call.tree();
  if (tree == nullptr) return NtStatus::kNetworkNameDeleted;
  const ShareConfig& share = e.config.shares[static_cast<size_t>(tree->share)];
  std::array<uint8_t, 512> info;
  wire::Builder b(info);
  size_t fixed = build(static_cast<FsInfoClass>(request->file_info_class),
                       std::get<FsStat>(result.value), share, e.started, b);
  if (fixed == SIZE_MAX || !b.ok()) return NtStatus::kInvalidInfoClass;
  return answer_info(call, b.written(), fixed, request->output_buffer_length);
}

}  // namespace

Step query_file_system(Call call, Open& open, const wire::QueryInfoRequest& request) {
  if (open.is_pipe()) return NtStatus::kNotSupported;
  call.shape(Shape::kQueryInfo);
  return call.run(StoreFsStat{open.share}, fs_done);
}

}  // namespace semblance::smb
