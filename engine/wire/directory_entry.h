#pragma once
// MS-FSCC 2.4 directory information classes: the entries of QUERY_DIRECTORY.

#include <optional>

#include "engine/base/time.h"
#include "engine/wire/info_body.h"
#include "engine/wire/info_class.h"

namespace semblance::wire {

// Everything that some class carries. What a class does not carry is not written, and left 0 when
// read.
//
//     all but Names:  +0 NextEntryOffset  +4 FileIndex  +8 four times (32)  +40 EndOfFile
//                     +48 AllocationSize  +56 FileAttributes  +60 FileNameLength  +64 ...
//     Directory       +64 name
//     FullDirectory   +64 EaSize  +68 name
//     IdFullDirectory +64 EaSize  +68 Reserved  +72 FileId  +80 name
//     IdExtdDirectory +64 EaSize  +68 ReparsePointTag  +72 FileId (16)  +88 name
//     BothDirectory   +64 EaSize  +68 ShortNameLength (1)  +70 ShortName (24)  +94 name
//     IdBothDirectory +64 EaSize  +68 ShortNameLength (1)  +70 ShortName (24)  +96 FileId  +104
//     name Names           +0 NextEntryOffset  +4 FileIndex  +8 FileNameLength  +12 name
struct DirectoryEntry {
  uint32_t file_index = 0;
  FileTime creation_time;
  FileTime last_access_time;
  FileTime last_write_time;
  FileTime change_time;
  uint64_t end_of_file = 0;
  uint64_t allocation_size = 0;
  uint32_t file_attributes = 0;
  // For a reparse point every class but IdExtdDirectory has the reparse tag here.
  uint32_t ea_size = 0;
  uint32_t reparse_point_tag = 0;
  uint64_t file_id = 0;
  uint64_t file_id_high = 0;  // IdExtdDirectory: the upper half of 128 bits
  Bytes short_name;           // UTF-16LE, at most 24 bytes
  Bytes file_name;            // UTF-16LE
};

// Offset of the name in an entry of the class, or 0 if it is not a directory class.
constexpr size_t directory_entry_name_offset(FileInfoClass info_class) {
  switch (info_class) {
    case FileInfoClass::kDirectory:
      return 64;
    case FileInfoClass::kFullDirectory:
      return 68;
    case FileInfoClass::kBothDirectory:
      return 94;
    case FileInfoClass::kNames:
      return 12;
    case FileInfoClass::kIdBothDirectory:
      return 104;
    case FileInfoClass::kIdFullDirectory:
      return 80;
    case FileInfoClass::kIdExtdDirectory:
      return 88;
    default:
      return 0;
  }
}
constexpr bool is_directory_class(FileInfoClass info_class) {
  return directory_entry_name_offset(info_class) != 0;
}

// Appends entries to `out`, each 8-aligned from its start; never writes past its end. The last
// entry has NextEntryOffset 0 and no padding at any time, so the list can be sent as it stands.
class DirectoryEntryWriter {
 public:
  // `info_class` is a directory class.
  DirectoryEntryWriter(MutableBytes out, FileInfoClass info_class);

  // False if the entry did not fit; then nothing was written and a later, shorter one may fit.
  [[nodiscard]] bool add(const DirectoryEntry& entry);

  size_t size() const { return builder_.size(); }
  size_t count() const { return count_; }

 private:
  Builder builder_;
  FileInfoClass info_class_;
  size_t name_offset_;
  size_t last_ = 0;  // where the last entry begins
  size_t count_ = 0;
};

// Walks such a list, for clients.
class DirectoryEntries {
 public:
  // `info_class` is a directory class.
  DirectoryEntries(Bytes list, FileInfoClass info_class);

  std::optional<DirectoryEntry> next();
  bool ok() const { return ok_; }

 private:
  Bytes list_;  // from the next entry on
  FileInfoClass info_class_;
  size_t name_offset_;
  bool done_;
  bool ok_ = true;
};

}  // namespace semblance::wire
