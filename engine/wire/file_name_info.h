#pragma once
// MS-FSCC 2.4 file information classes that carry one name, and FileAllInformation, which ends in
// one. Names are UTF-16LE; an odd or overlong FileNameLength is INFO_LENGTH_MISMATCH.

#include "engine/wire/file_info.h"

namespace semblance::wire {

// FileNameLength (4), then the name: MS-FSCC 2.1.7 FILE_NAME_INFORMATION.
inline Bytes read_name(Reader& r) {
  size_t length = r.u32();
  return length % 2 == 0 ? r.bytes(length) : r.fail();
}
inline void write_name(Builder& b, Bytes name) {
  b.u32(length_u32(name));
  b.bytes(name);
}

template <FileInfoClass Class>
struct FileNameOnlyInformation {
  static constexpr auto kClass = Class;
  static constexpr size_t kSize = 4;  // without the name
  Bytes file_name;

  static Result<FileNameOnlyInformation> parse(Bytes data) {
    Reader r(data);
    return finish_info(r, FileNameOnlyInformation{read_name(r)});
  }
  void build(Builder& b) const { write_name(b, file_name); }
};

// MS-FSCC FileNameInformation, FileAlternateNameInformation, FileNormalizedNameInformation.
using FileNameInformation = FileNameOnlyInformation<FileInfoClass::kName>;
using FileAlternateNameInformation = FileNameOnlyInformation<FileInfoClass::kAlternateName>;
using FileNormalizedNameInformation = FileNameOnlyInformation<FileInfoClass::kNormalizedName>;

// MS-FSCC FileRenameInformation for SMB2 and FileLinkInformation for SMB2.
//
//     +0 ReplaceIfExists (1)  +1 Reserved (7)  +8 RootDirectory (8)  +16 FileNameLength (4)  +20
//     name
template <FileInfoClass Class>
struct FileTargetInformation {
  static constexpr auto kClass = Class;
  static constexpr size_t kSize = 20;  // without the name
  bool replace_if_exists = false;
  uint64_t root_directory = 0;  // must be 0 over the network
  Bytes file_name;              // relative to the share's root

  static Result<FileTargetInformation> parse(Bytes data) {
    Reader r(data);
    FileTargetInformation i;
    i.replace_if_exists = r.u8() != 0;
    r.skip(7);
    i.root_directory = r.u64();
    i.file_name = read_name(r);
    return finish_info(r, i);
  }
  // Windows wants at least 24 bytes, so a short name is padded.
  void build(Builder& b) const {
    b.u8(replace_if_exists);
    b.zeros(7);
    b.u64(root_directory);
    write_name(b, file_name);
    if (file_name.size() < 4) b.zeros(4 - file_name.size());
  }
};
using FileRenameInformation = FileTargetInformation<FileInfoClass::kRename>;
using FileLinkInformation = FileTargetInformation<FileInfoClass::kLink>;

// MS-FSCC FileRenameInformationEx: the same layout with Flags (4) in the first bytes.
inline constexpr uint32_t kFileRenameReplaceIfExists = 0x00000001;
inline constexpr uint32_t kFileRenamePosixSemantics = 0x00000002;
struct FileRenameInformationEx {
  static constexpr auto kClass = FileInfoClass::kRenameEx;
  static constexpr size_t kSize = 20;  // without the name
  uint32_t flags = 0;
  uint64_t root_directory = 0;
  Bytes file_name;

  static Result<FileRenameInformationEx> parse(Bytes data) {
    Reader r(data);
    FileRenameInformationEx i;
    i.flags = r.u32();
    r.skip(4);
    i.root_directory = r.u64();
    i.file_name = read_name(r);
    return finish_info(r, i);
  }
  void build(Builder& b) const {
    b.u32(flags);
    b.u32(0);
    b.u64(root_directory);
    write_name(b, file_name);
    if (file_name.size() < 4) b.zeros(4 - file_name.size());
  }
};

// MS-FSCC FileAllInformation: other classes one behind the other, without padding:
//
//     +0 Basic (40) +40 Standard (24) +64 Internal (8) +72 Ea (4) +76 Access (4) +80 Position (8)
//     +88 Mode (4)  +92 Alignment (4) +96 Name (4 + n)
struct FileAllInformation {
  static constexpr auto kClass = FileInfoClass::kAll;
  static constexpr size_t kSize = 100;  // without the name
  FileBasicInformation basic;
  FileStandardInformation standard;
  FileInternalInformation internal;
  FileEaInformation ea;
  FileAccessInformation access;
  FilePositionInformation position;
  FileModeInformation mode;
  FileAlignmentInformation alignment;
  FileNameInformation name;

  static Result<FileAllInformation> parse(Bytes data);
  void build(Builder& b) const;
};

}  // namespace semblance::wire
