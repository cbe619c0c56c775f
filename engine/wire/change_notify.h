#pragma once
// MS-SMB2 2.2.35 SMB2 CHANGE_NOTIFY Request, 2.2.36 SMB2 CHANGE_NOTIFY Response.

#include <optional>

#include "engine/wire/body.h"
#include "engine/wire/buffer_response.h"
#include "engine/wire/ids.h"

namespace semblance::wire {

inline constexpr uint16_t kChangeNotifyWatchTree = 0x0001;

// CompletionFilter
inline constexpr uint32_t kNotifyChangeFileName = 0x00000001;
inline constexpr uint32_t kNotifyChangeDirName = 0x00000002;
inline constexpr uint32_t kNotifyChangeAttributes = 0x00000004;
inline constexpr uint32_t kNotifyChangeSize = 0x00000008;
inline constexpr uint32_t kNotifyChangeLastWrite = 0x00000010;
inline constexpr uint32_t kNotifyChangeLastAccess = 0x00000020;
inline constexpr uint32_t kNotifyChangeCreation = 0x00000040;
inline constexpr uint32_t kNotifyChangeEa = 0x00000080;
inline constexpr uint32_t kNotifyChangeSecurity = 0x00000100;
inline constexpr uint32_t kNotifyChangeStreamName = 0x00000200;
inline constexpr uint32_t kNotifyChangeStreamSize = 0x00000400;
inline constexpr uint32_t kNotifyChangeStreamWrite = 0x00000800;

// StructureSize 32.
struct ChangeNotifyRequest {
  static constexpr uint16_t kStructureSize = 32;

  uint16_t flags = 0;
  uint32_t output_buffer_length = 0;
  FileId file_id;
  uint32_t completion_filter = 0;

  static Result<ChangeNotifyRequest> parse(Bytes element) {
    Reader r = open_body(element, kStructureSize);
    ChangeNotifyRequest c;
    c.flags = r.u16();
    c.output_buffer_length = r.u32();
    c.file_id = FileId::read(r);
    c.completion_filter = r.u32();
    r.skip(4);
    return finish(r, c);
  }
  void build(Builder& b) const {
    b.u16(kStructureSize);
    b.u16(flags);
    b.u32(output_buffer_length);
    file_id.write(b);
    b.u32(completion_filter);
    b.u32(0);
  }
};

using ChangeNotifyResponse = BufferResponse;  // output: a list of FILE_NOTIFY_INFORMATION

// MS-FSCC 2.7.1 FILE_NOTIFY_INFORMATION, Action.
enum class NotifyAction : uint32_t {
  kAdded = 1,
  kRemoved = 2,
  kModified = 3,
  kRenamedOldName = 4,
  kRenamedNewName = 5,
  kAddedStream = 6,
  kRemovedStream = 7,
  kModifiedStream = 8,
};

//     +0 NextEntryOffset  +4 Action  +8 FileNameLength  +12 name | pad to 4 | next entry
struct NotifyEntry {
  NotifyAction action{};
  Bytes name;  // UTF-16LE, relative to the watched directory
};

// Appends entries to `out`, 4-aligned, never past its end.
class NotifyEntryWriter {
 public:
  explicit NotifyEntryWriter(MutableBytes out) : builder_(out) {}

  // False if it did not fit; then nothing was written, and the answer is NOTIFY_ENUM_DIR.
  [[nodiscard]] bool add(const NotifyEntry& entry);
  size_t size() const { return builder_.size(); }

 private:
  static constexpr size_t kNone = SIZE_MAX;
  Builder builder_;
  size_t last_ = kNone;
};

// Walks such a list.
class NotifyEntries {
 public:
  explicit NotifyEntries(Bytes list) : list_(list), done_(list.empty()) {}
  std::optional<NotifyEntry> next();
  bool ok() const { return ok_; }

 private:
  Bytes list_;  // what is left of it
  bool done_;
  bool ok_ = true;
};

}  // namespace semblance::wire
