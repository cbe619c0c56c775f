#include "engine/wire/directory_entry.h"

namespace semblance::wire {

namespace {

constexpr size_t kEaSizeAt = 64;
constexpr size_t kShortNameLengthAt = 68;
constexpr size_t kShortNameAt = 70;
constexpr size_t kShortNameSizeMax = 24;
constexpr size_t kReparsePointTagAt = 68;

constexpr bool has_short_name(FileInfoClass info_class) {
  return info_class == FileInfoClass::kBothDirectory ||
         info_class == FileInfoClass::kIdBothDirectory;
}

// Where FileId stands, 0 if the class has none.
constexpr size_t file_id_offset(FileInfoClass info_class) {
  switch (info_class) {
    case FileInfoClass::kIdBothDirectory:
      return 96;
    case FileInfoClass::kIdFullDirectory:
    case FileInfoClass::kIdExtdDirectory:
      return 72;
    default:
      return 0;
  }
}

// What stands between the common part and the name. `p` has `name_offset` bytes, all zero.
void store_class_part(uint8_t* p, FileInfoClass info_class, const DirectoryEntry& e) {
  if (info_class == FileInfoClass::kDirectory) return;
  store<uint32_t>(p + kEaSizeAt, e.ea_size);
  if (has_short_name(info_class)) {
    CHECK(e.short_name.size() <= kShortNameSizeMax);
    p[kShortNameLengthAt] = static_cast<uint8_t>(e.short_name.size());
    if (!e.short_name.empty())
      std::memcpy(p + kShortNameAt, e.short_name.data(), e.short_name.size());
  }
  if (size_t at = file_id_offset(info_class); at != 0) store<uint64_t>(p + at, e.file_id);
  if (info_class == FileInfoClass::kIdExtdDirectory) {
    store<uint32_t>(p + kReparsePointTagAt, e.reparse_point_tag);
    store<uint64_t>(p + file_id_offset(info_class) + 8, e.file_id_high);
  }
}

void store_common_part(uint8_t* p, const DirectoryEntry& e) {
  store<uint64_t>(p + 8, e.creation_time.ticks);
  store<uint64_t>(p + 16, e.last_access_time.ticks);
  store<uint64_t>(p + 24, e.last_write_time.ticks);
  store<uint64_t>(p + 32, e.change_time.ticks);
  store<uint64_t>(p + 40, e.end_of_file);
  store<uint64_t>(p + 48, e.allocation_size);
  store<uint32_t>(p + 56, e.file_attributes);
  store<uint32_t>(p + 60, length_u32(e.file_name));
}

}  // namespace

DirectoryEntryWriter::DirectoryEntryWriter(MutableBytes out, FileInfoClass info_class)
    : builder_(out),
      info_class_(info_class),
      name_offset_(directory_entry_name_offset(info_class)) {
  CHECK(is_directory_class(info_class));
}

bool DirectoryEntryWriter::add(const DirectoryEntry& entry) {
  size_t before = builder_.size();
  builder_.align(8);
  size_t at = builder_.size();
  MutableBytes to = builder_.reserve(name_offset_ + entry.file_name.size());
  if (!builder_.ok()) {
    builder_.rewind(before);
    return false;
  }
  uint8_t* p = to.data();
  std::memset(p, 0, name_offset_);
  store<uint32_t>(p + 4, entry.file_index);
  if (info_class_ == FileInfoClass::kNames) {
    store<uint32_t>(p + 8, length_u32(entry.file_name));
  } else {
    store_common_part(p, entry);
    store_class_part(p, info_class_, entry);
  }
  if (!entry.file_name.empty())
    std::memcpy(p + name_offset_, entry.file_name.data(), entry.file_name.size());
  if (count_ != 0) builder_.patch_u32(last_, static_cast<uint32_t>(at - last_));
  last_ = at;
  ++count_;
  return true;
}

DirectoryEntries::DirectoryEntries(Bytes list, FileInfoClass info_class)
    : list_(list),
      info_class_(info_class),
      name_offset_(directory_entry_name_offset(info_class)),
      done_(list.empty()) {
  CHECK(is_directory_class(info_class));
}

std::optional<DirectoryEntry> DirectoryEntries::next() {
  if (done_ || !ok_) return std::nullopt;
  Reader r(list_);
  DirectoryEntry e;
  size_t next_offset = r.u32();
  e.file_index = r.u32();
  if (info_class_ != FileInfoClass::kNames) {
    e.creation_time = {r.u64()};
    e.last_access_time = {r.u64()};
    e.last_write_time = {r.u64()};
    e.change_time = {r.u64()};
    e.end_of_file = r.u64();
    e.allocation_size = r.u64();
    e.file_attributes = r.u32();
  }
  size_t name_length = r.u32();
  if (name_offset_ > kEaSizeAt) e.ea_size = r.u32();
  if (has_short_name(info_class_)) {
    size_t short_name_length = r.u8();
    if (short_name_length > kShortNameSizeMax) r.fail();
    e.short_name = r.at(kShortNameAt, short_name_length);
  }
  if (info_class_ == FileInfoClass::kIdExtdDirectory) e.reparse_point_tag = r.u32();
  if (size_t at = file_id_offset(info_class_); at != 0) {
    r.seek(at);
    e.file_id = r.u64();
    if (info_class_ == FileInfoClass::kIdExtdDirectory) e.file_id_high = r.u64();
  }
  r.seek(name_offset_);
  e.file_name = r.bytes(name_length);
  if (next_offset != 0 && (next_offset % 8 != 0 || next_offset < r.position())) r.fail();
  if (next_offset > list_.size()) r.fail();
  ok_ = r.ok();
  if (!ok_) return std::nullopt;
  done_ = next_offset == 0;
  list_ = list_.subspan(next_offset);
  return e;
}

}  // namespace semblance::wire
