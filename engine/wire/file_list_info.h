#pragma once
// MS-FSCC information classes that are lists: FileStreamInformation, FileFullEaInformation. Every
// entry begins with NextEntryOffset, counted from itself, 0 in the last.

#include <optional>

#include "engine/wire/info_body.h"
#include "engine/wire/info_class.h"

namespace semblance::wire {

// MS-FSCC FileStreamInformation.
//
//     +0 NextEntryOffset (4)  +4 StreamNameLength (4)  +8 StreamSize (8)
//     +16 StreamAllocationSize (8)  +24 name | pad to 8
struct StreamEntry {
  uint64_t stream_size = 0;
  uint64_t stream_allocation_size = 0;
  Bytes stream_name;  // UTF-16LE with its type, "::$DATA"

  static constexpr size_t kAlignment = 8;
  static StreamEntry read(Reader& r);
  void write(Builder& b) const;
};

// MS-FSCC FileFullEaInformation.
//
//     +0 NextEntryOffset (4)  +4 Flags (1)  +5 EaNameLength (1)  +6 EaValueLength (2)
//     +8 name (8-bit characters) 0x00 value | pad to 4
struct FullEaEntry {
  uint8_t flags = 0;
  Bytes ea_name;  // at most 255 bytes, without its 0
  Bytes ea_value;

  static constexpr uint8_t kFlagNeedEa = 0x80;
  static constexpr size_t kAlignment = 4;
  static FullEaEntry read(Reader& r);
  void write(Builder& b) const;
};

// Appends entries to `out`; never writes past its end.
template <typename Entry>
class EntryListWriter {
 public:
  explicit EntryListWriter(MutableBytes out) : builder_(out) {}

  // False if it did not fit; then nothing was written.
  [[nodiscard]] bool add(const Entry& entry) {
    size_t before = builder_.size();
    builder_.align(Entry::kAlignment);
    size_t at = builder_.size();
    builder_.u32(0);
    entry.write(builder_);
    if (!builder_.ok()) {
      builder_.rewind(before);
      return false;
    }
    if (last_ != kNone) builder_.patch_u32(last_, static_cast<uint32_t>(at - last_));
    last_ = at;
    return true;
  }
  size_t size() const { return builder_.size(); }

 private:
  static constexpr size_t kNone = SIZE_MAX;
  Builder builder_;
  size_t last_ = kNone;
};

// Walks a list. Bounded: NextEntryOffset must lead behind the entry it stands in. Alignment of the
// entries is not demanded.
template <typename Entry>
class EntryList {
 public:
  explicit EntryList(Bytes list) : list_(list), done_(list.empty()) {}

  // The next entry; nothing at the end or once the list is broken.
  std::optional<Entry> next() {
    if (done_ || !ok_) return std::nullopt;
    Reader r(list_);
    size_t next_offset = r.u32();
    Entry entry = Entry::read(r);
    if (next_offset != 0 && next_offset < r.position()) r.fail();
    if (next_offset > list_.size()) r.fail();
    ok_ = r.ok();
    if (!ok_) return std::nullopt;
    done_ = next_offset == 0;
    list_ = list_.subspan(next_offset);
    return entry;
  }
  bool ok() const { return ok_; }

 private:
  Bytes list_;  // from the next entry on
  bool done_;
  bool ok_ = true;
};

using StreamEntryWriter = EntryListWriter<StreamEntry>;
using StreamEntries = EntryList<StreamEntry>;
using FullEaEntryWriter = EntryListWriter<FullEaEntry>;
using FullEaEntries = EntryList<FullEaEntry>;

}  // namespace semblance::wire
