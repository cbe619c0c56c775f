#pragma once
// MS-FSCC 2.4 file information classes of fixed size.
//
// Each has its size, `parse` and `build` of the buffer of a QUERY_INFO response or SET_INFO
// request. Reserved fields are written as zero and ignored when read.

#include "engine/base/time.h"
#include "engine/wire/ids.h"
#include "engine/wire/info_body.h"
#include "engine/wire/info_class.h"

namespace semblance::wire {

// MS-FSCC FileBasicInformation. In SET_INFO a time of 0 leaves it alone, -1 and -2 stop and resume
// updates.
struct FileBasicInformation {
  static constexpr auto kClass = FileInfoClass::kBasic;
  static constexpr size_t kSize = 40;
  FileTime creation_time;
  FileTime last_access_time;
  FileTime last_write_time;
  FileTime change_time;
  uint32_t file_attributes = 0;  // 0 in SET_INFO: unchanged

  static Result<FileBasicInformation> parse(Bytes data) {
    Reader r(data);
    FileBasicInformation i;
    i.creation_time = {r.u64()};
    i.last_access_time = {r.u64()};
    i.last_write_time = {r.u64()};
    i.change_time = {r.u64()};
    i.file_attributes = r.u32();
    r.skip(4);
    return finish_info(r, i);
  }
  void build(Builder& b) const {
    b.u64(creation_time.ticks);
    b.u64(last_access_time.ticks);
    b.u64(last_write_time.ticks);
    b.u64(change_time.ticks);
    b.u32(file_attributes);
    b.zeros(4);
  }
};
// MS-FSCC FileStandardInformation.
struct FileStandardInformation {
  static constexpr auto kClass = FileInfoClass::kStandard;
  static constexpr size_t kSize = 24;
  uint64_t allocation_size = 0;
  uint64_t end_of_file = 0;
  uint32_t number_of_links = 0;
  bool delete_pending = false;
  bool directory = false;

  static Result<FileStandardInformation> parse(Bytes data) {
    Reader r(data);
    FileStandardInformation i;
    i.allocation_size = r.u64();
    i.end_of_file = r.u64();
    i.number_of_links = r.u32();
    i.delete_pending = r.u8() != 0;
    i.directory = r.u8() != 0;
    r.skip(2);
    return finish_info(r, i);
  }
  void build(Builder& b) const {
    b.u64(allocation_size);
    b.u64(end_of_file);
    b.u32(number_of_links);
    b.u8(delete_pending);
    b.u8(directory);
    b.zeros(2);
  }
};
// MS-FSCC FileInternalInformation.
struct FileInternalInformation {
  static constexpr auto kClass = FileInfoClass::kInternal;
  static constexpr size_t kSize = 8;
  uint64_t index_number = 0;

  static Result<FileInternalInformation> parse(Bytes data) {
    Reader r(data);
    FileInternalInformation i;
    i.index_number = r.u64();
    return finish_info(r, i);
  }
  void build(Builder& b) const { b.u64(index_number); }
};
// MS-FSCC FileEaInformation.
struct FileEaInformation {
  static constexpr auto kClass = FileInfoClass::kEa;
  static constexpr size_t kSize = 4;
  uint32_t ea_size = 0;

  static Result<FileEaInformation> parse(Bytes data) {
    Reader r(data);
    FileEaInformation i;
    i.ea_size = r.u32();
    return finish_info(r, i);
  }
  void build(Builder& b) const { b.u32(ea_size); }
};
// MS-FSCC FileAccessInformation.
struct FileAccessInformation {
  static constexpr auto kClass = FileInfoClass::kAccess;
  static constexpr size_t kSize = 4;
  uint32_t access_flags = 0;

  static Result<FileAccessInformation> parse(Bytes data) {
    Reader r(data);
    FileAccessInformation i;
    i.access_flags = r.u32();
    return finish_info(r, i);
  }
  void build(Builder& b) const { b.u32(access_flags); }
};
// MS-FSCC FileDispositionInformation.
struct FileDispositionInformation {
  static constexpr auto kClass = FileInfoClass::kDisposition;
  static constexpr size_t kSize = 1;
  bool delete_pending = false;

  static Result<FileDispositionInformation> parse(Bytes data) {
    Reader r(data);
    FileDispositionInformation i;
    i.delete_pending = r.u8() != 0;
    return finish_info(r, i);
  }
  void build(Builder& b) const { b.u8(delete_pending); }
};
// Flags of FileDispositionInformationEx
inline constexpr uint32_t kFileDispositionDelete = 0x00000001;
inline constexpr uint32_t kFileDispositionPosixSemantics = 0x00000002;
inline constexpr uint32_t kFileDispositionForceImageSectionCheck = 0x00000004;
inline constexpr uint32_t kFileDispositionOnClose = 0x00000008;
inline constexpr uint32_t kFileDispositionIgnoreReadonlyAttribute = 0x00000010;

// MS-FSCC FileDispositionInformationEx.
struct FileDispositionInformationEx {
  static constexpr auto kClass = FileInfoClass::kDispositionEx;
  static constexpr size_t kSize = 4;
  uint32_t flags = 0;

  static Result<FileDispositionInformationEx> parse(Bytes data) {
    Reader r(data);
    FileDispositionInformationEx i;
    i.flags = r.u32();
    return finish_info(r, i);
  }
  void build(Builder& b) const { b.u32(flags); }
};
// MS-FSCC FilePositionInformation.
struct FilePositionInformation {
  static constexpr auto kClass = FileInfoClass::kPosition;
  static constexpr size_t kSize = 8;
  uint64_t current_byte_offset = 0;

  static Result<FilePositionInformation> parse(Bytes data) {
    Reader r(data);
    FilePositionInformation i;
    i.current_byte_offset = r.u64();
    return finish_info(r, i);
  }
  void build(Builder& b) const { b.u64(current_byte_offset); }
};
// MS-FSCC FileModeInformation. Bits of CreateOptions.
struct FileModeInformation {
  static constexpr auto kClass = FileInfoClass::kMode;
  static constexpr size_t kSize = 4;
  uint32_t mode = 0;

  static Result<FileModeInformation> parse(Bytes data) {
    Reader r(data);
    FileModeInformation i;
    i.mode = r.u32();
    return finish_info(r, i);
  }
  void build(Builder& b) const { b.u32(mode); }
};
// MS-FSCC FileAlignmentInformation. 0: byte-aligned.
struct FileAlignmentInformation {
  static constexpr auto kClass = FileInfoClass::kAlignment;
  static constexpr size_t kSize = 4;
  uint32_t alignment_requirement = 0;

  static Result<FileAlignmentInformation> parse(Bytes data) {
    Reader r(data);
    FileAlignmentInformation i;
    i.alignment_requirement = r.u32();
    return finish_info(r, i);
  }
  void build(Builder& b) const { b.u32(alignment_requirement); }
};
// MS-FSCC FileAllocationInformation.
struct FileAllocationInformation {
  static constexpr auto kClass = FileInfoClass::kAllocation;
  static constexpr size_t kSize = 8;
  uint64_t allocation_size = 0;

  static Result<FileAllocationInformation> parse(Bytes data) {
    Reader r(data);
    FileAllocationInformation i;
    i.allocation_size = r.u64();
    return finish_info(r, i);
  }
  void build(Builder& b) const { b.u64(allocation_size); }
};
// MS-FSCC FileEndOfFileInformation.
struct FileEndOfFileInformation {
  static constexpr auto kClass = FileInfoClass::kEndOfFile;
  static constexpr size_t kSize = 8;
  uint64_t end_of_file = 0;

  static Result<FileEndOfFileInformation> parse(Bytes data) {
    Reader r(data);
    FileEndOfFileInformation i;
    i.end_of_file = r.u64();
    return finish_info(r, i);
  }
  void build(Builder& b) const { b.u64(end_of_file); }
};
// MS-FSCC FileValidDataLengthInformation.
struct FileValidDataLengthInformation {
  static constexpr auto kClass = FileInfoClass::kValidDataLength;
  static constexpr size_t kSize = 8;
  uint64_t valid_data_length = 0;

  static Result<FileValidDataLengthInformation> parse(Bytes data) {
    Reader r(data);
    FileValidDataLengthInformation i;
    i.valid_data_length = r.u64();
    return finish_info(r, i);
  }
  void build(Builder& b) const { b.u64(valid_data_length); }
};
// MS-FSCC FileNetworkOpenInformation.
struct FileNetworkOpenInformation {
  static constexpr auto kClass = FileInfoClass::kNetworkOpen;
  static constexpr size_t kSize = 56;
  FileTime creation_time;
  FileTime last_access_time;
  FileTime last_write_time;
  FileTime change_time;
  uint64_t allocation_size = 0;
  uint64_t end_of_file = 0;
  uint32_t file_attributes = 0;

  static Result<FileNetworkOpenInformation> parse(Bytes data) {
    Reader r(data);
    FileNetworkOpenInformation i;
    i.creation_time = {r.u64()};
    i.last_access_time = {r.u64()};
    i.last_write_time = {r.u64()};
    i.change_time = {r.u64()};
    i.allocation_size = r.u64();
    i.end_of_file = r.u64();
    i.file_attributes = r.u32();
    r.skip(4);
    return finish_info(r, i);
  }
  void build(Builder& b) const {
    b.u64(creation_time.ticks);
    b.u64(last_access_time.ticks);
    b.u64(last_write_time.ticks);
    b.u64(change_time.ticks);
    b.u64(allocation_size);
    b.u64(end_of_file);
    b.u32(file_attributes);
    b.zeros(4);
  }
};
// MS-FSCC FileAttributeTagInformation.
struct FileAttributeTagInformation {
  static constexpr auto kClass = FileInfoClass::kAttributeTag;
  static constexpr size_t kSize = 8;
  uint32_t file_attributes = 0;
  uint32_t reparse_tag = 0;  // 0 unless a reparse point

  static Result<FileAttributeTagInformation> parse(Bytes data) {
    Reader r(data);
    FileAttributeTagInformation i;
    i.file_attributes = r.u32();
    i.reparse_tag = r.u32();
    return finish_info(r, i);
  }
  void build(Builder& b) const {
    b.u32(file_attributes);
    b.u32(reparse_tag);
  }
};
// MS-FSCC FileIdInformation.
struct FileIdInformation {
  static constexpr auto kClass = FileInfoClass::kId;
  static constexpr size_t kSize = 24;
  uint64_t volume_serial_number = 0;
  Guid file_id{};  // 128 bits, little-endian

  static Result<FileIdInformation> parse(Bytes data) {
    Reader r(data);
    FileIdInformation i;
    i.volume_serial_number = r.u64();
    i.file_id = r.array<16>();
    return finish_info(r, i);
  }
  void build(Builder& b) const {
    b.u64(volume_serial_number);
    b.bytes(file_id);
  }
};
// MS-FSCC FileCompressionInformation.
struct FileCompressionInformation {
  static constexpr auto kClass = FileInfoClass::kCompression;
  static constexpr size_t kSize = 16;
  uint64_t compressed_file_size = 0;
  uint16_t compression_format = 0;  // 0: none
  uint8_t compression_unit_shift = 0;
  uint8_t chunk_shift = 0;
  uint8_t cluster_shift = 0;

  static Result<FileCompressionInformation> parse(Bytes data) {
    Reader r(data);
    FileCompressionInformation i;
    i.compressed_file_size = r.u64();
    i.compression_format = r.u16();
    i.compression_unit_shift = r.u8();
    i.chunk_shift = r.u8();
    i.cluster_shift = r.u8();
    r.skip(3);
    return finish_info(r, i);
  }
  void build(Builder& b) const {
    b.u64(compressed_file_size);
    b.u16(compression_format);
    b.u8(compression_unit_shift);
    b.u8(chunk_shift);
    b.u8(cluster_shift);
    b.zeros(3);
  }
};

}  // namespace semblance::wire
