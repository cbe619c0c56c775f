#pragma once
// MS-FSCC 2.5 file system information classes.
//
// Each has its size, `parse` and `build` of the buffer of a QUERY_INFO response or SET_INFO
// request. Reserved fields are written as zero and ignored when read.

#include "engine/base/time.h"
#include "engine/wire/ids.h"
#include "engine/wire/info_body.h"
#include "engine/wire/info_class.h"

namespace semblance::wire {

// MS-FSCC FileFsSizeInformation.
struct FileFsSizeInformation {
  static constexpr auto kClass = FsInfoClass::kSize;
  static constexpr size_t kSize = 24;
  uint64_t total_allocation_units = 0;
  uint64_t available_allocation_units = 0;  // the caller's, where quotas hold
  uint32_t sectors_per_allocation_unit = 0;
  uint32_t bytes_per_sector = 0;

  static Result<FileFsSizeInformation> parse(Bytes data) {
    Reader r(data);
    FileFsSizeInformation i;
    i.total_allocation_units = r.u64();
    i.available_allocation_units = r.u64();
    i.sectors_per_allocation_unit = r.u32();
    i.bytes_per_sector = r.u32();
    return finish_info(r, i);
  }
  void build(Builder& b) const {
    b.u64(total_allocation_units);
    b.u64(available_allocation_units);
    b.u32(sectors_per_allocation_unit);
    b.u32(bytes_per_sector);
  }
};
// DeviceType and Characteristics
inline constexpr uint32_t kFileDeviceDisk = 0x00000007;
inline constexpr uint32_t kFileDeviceNamedPipe = 0x00000011;
inline constexpr uint32_t kFileReadOnlyDevice = 0x00000002;
inline constexpr uint32_t kFileRemoteDevice = 0x00000010;
inline constexpr uint32_t kFileDeviceIsMounted = 0x00000020;

// MS-FSCC FileFsDeviceInformation.
struct FileFsDeviceInformation {
  static constexpr auto kClass = FsInfoClass::kDevice;
  static constexpr size_t kSize = 8;
  uint32_t device_type = 0;
  uint32_t characteristics = 0;

  static Result<FileFsDeviceInformation> parse(Bytes data) {
    Reader r(data);
    FileFsDeviceInformation i;
    i.device_type = r.u32();
    i.characteristics = r.u32();
    return finish_info(r, i);
  }
  void build(Builder& b) const {
    b.u32(device_type);
    b.u32(characteristics);
  }
};
// MS-FSCC FileFsControlInformation.
struct FileFsControlInformation {
  static constexpr auto kClass = FsInfoClass::kControl;
  static constexpr size_t kSize = 48;
  uint64_t free_space_start_filtering = 0;
  uint64_t free_space_threshold = 0;
  uint64_t free_space_stop_filtering = 0;
  uint64_t default_quota_threshold = 0;
  uint64_t default_quota_limit = 0;
  uint32_t file_system_control_flags = 0;

  static Result<FileFsControlInformation> parse(Bytes data) {
    Reader r(data);
    FileFsControlInformation i;
    i.free_space_start_filtering = r.u64();
    i.free_space_threshold = r.u64();
    i.free_space_stop_filtering = r.u64();
    i.default_quota_threshold = r.u64();
    i.default_quota_limit = r.u64();
    i.file_system_control_flags = r.u32();
    r.skip(4);
    return finish_info(r, i);
  }
  void build(Builder& b) const {
    b.u64(free_space_start_filtering);
    b.u64(free_space_threshold);
    b.u64(free_space_stop_filtering);
    b.u64(default_quota_threshold);
    b.u64(default_quota_limit);
    b.u32(file_system_control_flags);
    b.zeros(4);
  }
};
// MS-FSCC FileFsFullSizeInformation.
struct FileFsFullSizeInformation {
  static constexpr auto kClass = FsInfoClass::kFullSize;
  static constexpr size_t kSize = 32;
  uint64_t total_allocation_units = 0;
  uint64_t caller_available_allocation_units = 0;
  uint64_t actual_available_allocation_units = 0;
  uint32_t sectors_per_allocation_unit = 0;
  uint32_t bytes_per_sector = 0;

  static Result<FileFsFullSizeInformation> parse(Bytes data) {
    Reader r(data);
    FileFsFullSizeInformation i;
    i.total_allocation_units = r.u64();
    i.caller_available_allocation_units = r.u64();
    i.actual_available_allocation_units = r.u64();
    i.sectors_per_allocation_unit = r.u32();
    i.bytes_per_sector = r.u32();
    return finish_info(r, i);
  }
  void build(Builder& b) const {
    b.u64(total_allocation_units);
    b.u64(caller_available_allocation_units);
    b.u64(actual_available_allocation_units);
    b.u32(sectors_per_allocation_unit);
    b.u32(bytes_per_sector);
  }
};
// MS-FSCC FileFsObjectIdInformation.
struct FileFsObjectIdInformation {
  static constexpr auto kClass = FsInfoClass::kObjectId;
  static constexpr size_t kSize = 64;
  Guid object_id{};
  std::array<uint8_t, 48> extended_info{};

  static Result<FileFsObjectIdInformation> parse(Bytes data) {
    Reader r(data);
    FileFsObjectIdInformation i;
    i.object_id = r.array<16>();
    i.extended_info = r.array<48>();
    return finish_info(r, i);
  }
  void build(Builder& b) const {
    b.bytes(object_id);
    b.bytes(extended_info);
  }
};
// Flags of FileFsSectorSizeInformation
inline constexpr uint32_t kSsinfoAlignedDevice = 0x00000001;
inline constexpr uint32_t kSsinfoPartitionAlignedOnDevice = 0x00000002;
inline constexpr uint32_t kSsinfoNoSeekPenalty = 0x00000004;
inline constexpr uint32_t kSsinfoTrimEnabled = 0x00000008;

// MS-FSCC FileFsSectorSizeInformation. Sizes and offsets in bytes.
struct FileFsSectorSizeInformation {
  static constexpr auto kClass = FsInfoClass::kSectorSize;
  static constexpr size_t kSize = 28;
  uint32_t logical_bytes_per_sector = 0;
  uint32_t physical_bytes_per_sector_for_atomicity = 0;
  uint32_t physical_bytes_per_sector_for_performance = 0;
  uint32_t effective_physical_bytes_per_sector_for_atomicity = 0;
  uint32_t flags = 0;
  uint32_t byte_offset_for_sector_alignment = 0;
  uint32_t byte_offset_for_partition_alignment = 0;

  static Result<FileFsSectorSizeInformation> parse(Bytes data) {
    Reader r(data);
    FileFsSectorSizeInformation i;
    i.logical_bytes_per_sector = r.u32();
    i.physical_bytes_per_sector_for_atomicity = r.u32();
    i.physical_bytes_per_sector_for_performance = r.u32();
    i.effective_physical_bytes_per_sector_for_atomicity = r.u32();
    i.flags = r.u32();
    i.byte_offset_for_sector_alignment = r.u32();
    i.byte_offset_for_partition_alignment = r.u32();
    return finish_info(r, i);
  }
  void build(Builder& b) const {
    b.u32(logical_bytes_per_sector);
    b.u32(physical_bytes_per_sector_for_atomicity);
    b.u32(physical_bytes_per_sector_for_performance);
    b.u32(effective_physical_bytes_per_sector_for_atomicity);
    b.u32(flags);
    b.u32(byte_offset_for_sector_alignment);
    b.u32(byte_offset_for_partition_alignment);
  }
};
// FileSystemAttributes
inline constexpr uint32_t kFileCaseSensitiveSearch = 0x00000001;
inline constexpr uint32_t kFileCasePreservedNames = 0x00000002;
inline constexpr uint32_t kFileUnicodeOnDisk = 0x00000004;
inline constexpr uint32_t kFilePersistentAcls = 0x00000008;
inline constexpr uint32_t kFileFileCompression = 0x00000010;
inline constexpr uint32_t kFileVolumeQuotas = 0x00000020;
inline constexpr uint32_t kFileSupportsSparseFiles = 0x00000040;
inline constexpr uint32_t kFileSupportsReparsePoints = 0x00000080;
inline constexpr uint32_t kFileSupportsObjectIds = 0x00010000;
inline constexpr uint32_t kFileSupportsEncryption = 0x00020000;
inline constexpr uint32_t kFileNamedStreams = 0x00040000;
inline constexpr uint32_t kFileReadOnlyVolume = 0x00080000;
inline constexpr uint32_t kFileSupportsHardLinks = 0x00400000;
inline constexpr uint32_t kFileSupportsExtendedAttributes = 0x00800000;
inline constexpr uint32_t kFileSupportsOpenByFileId = 0x01000000;
inline constexpr uint32_t kFileSupportsBlockRefcounting = 0x08000000;

// MS-FSCC FileFsAttributeInformation. The name in UTF-16LE follows the 12 fixed bytes.
struct FileFsAttributeInformation {
  static constexpr auto kClass = FsInfoClass::kAttribute;
  static constexpr size_t kSize = 12;
  uint32_t file_system_attributes = 0;
  uint32_t maximum_component_name_length = 0;  // characters
  Bytes file_system_name;

  static Result<FileFsAttributeInformation> parse(Bytes data) {
    Reader r(data);
    FileFsAttributeInformation i;
    i.file_system_attributes = r.u32();
    i.maximum_component_name_length = r.u32();
    i.file_system_name = r.bytes(r.u32());
    return finish_info(r, i);
  }
  void build(Builder& b) const {
    b.u32(file_system_attributes);
    b.u32(maximum_component_name_length);
    b.u32(length_u32(file_system_name));
    b.bytes(file_system_name);
  }
};

// MS-FSCC FileFsVolumeInformation. The label in UTF-16LE follows the 18 fixed bytes.
struct FileFsVolumeInformation {
  static constexpr auto kClass = FsInfoClass::kVolume;
  static constexpr size_t kSize = 18;
  FileTime volume_creation_time;
  uint32_t volume_serial_number = 0;
  bool supports_objects = false;
  Bytes volume_label;

  static Result<FileFsVolumeInformation> parse(Bytes data) {
    Reader r(data);
    FileFsVolumeInformation i;
    i.volume_creation_time = {r.u64()};
    i.volume_serial_number = r.u32();
    size_t label_length = r.u32();
    i.supports_objects = r.u8() != 0;
    r.skip(1);
    i.volume_label = r.bytes(label_length);
    return finish_info(r, i);
  }
  void build(Builder& b) const {
    b.u64(volume_creation_time.ticks);
    b.u32(volume_serial_number);
    b.u32(length_u32(volume_label));
    b.u8(supports_objects);
    b.u8(0);
    b.bytes(volume_label);
  }
};

}  // namespace semblance::wire
