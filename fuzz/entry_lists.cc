// Lists whose entries lead to each other: directories in every class, streams, extended attributes,
// notifications. The first byte picks the kind; the entries that are read, written again, read the
// same.

#include "engine/wire/change_notify.h"
#include "engine/wire/directory_entry.h"
#include "engine/wire/file_list_info.h"
#include "fuzz/support/round_trip.h"

namespace semblance::fuzz {
namespace {

using namespace wire;

// `entry_max` bounds what an entry takes beside its names.
template <typename Entry, typename Reader, typename Writer, typename... Class>
void walk(Bytes list, Class... info_class) {
  std::vector<Entry> seen;
  size_t names = 0;
  Reader reader(list, info_class...);
  while (auto entry = reader.next()) {
    seen.push_back(*entry);
    names += list.size();  // no name is longer
  }
  if (!reader.ok() || seen.size() > 64) return;
  constexpr size_t kFixedMax = 128;
  std::vector<uint8_t> memory(2 * names + kFixedMax * seen.size());
  Writer writer(memory, info_class...);
  for (const Entry& entry : seen) CHECK(writer.add(entry));
  Reader again(Bytes(memory).first(writer.size()), info_class...);
  for (const Entry& entry : seen) {
    auto read = again.next();
    CHECK(read && equal(*read, entry));
  }
  CHECK(!again.next() && again.ok());
}

constexpr FileInfoClass kDirectoryClasses[] = {
    FileInfoClass::kDirectory,       FileInfoClass::kFullDirectory,
    FileInfoClass::kBothDirectory,   FileInfoClass::kNames,
    FileInfoClass::kIdBothDirectory, FileInfoClass::kIdFullDirectory,
    FileInfoClass::kIdExtdDirectory,
};
constexpr size_t kKinds = std::size(kDirectoryClasses) + 3;

void walk_kind(size_t kind, Bytes list) {
  if (kind < std::size(kDirectoryClasses))
    return walk<DirectoryEntry, DirectoryEntries, DirectoryEntryWriter>(list,
                                                                        kDirectoryClasses[kind]);
  switch (kind - std::size(kDirectoryClasses)) {
    case 0:
      return walk<StreamEntry, StreamEntries, StreamEntryWriter>(list);
    case 1:
      return walk<FullEaEntry, FullEaEntries, FullEaEntryWriter>(list);
    default:
      return walk<NotifyEntry, NotifyEntries, NotifyEntryWriter>(list);
  }
}

}  // namespace
}  // namespace semblance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace semblance::fuzz;
  if (size == 0) return 0;
  walk_kind(data[0] % kKinds, {data + 1, size - 1});
  return 0;
}
