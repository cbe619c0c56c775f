// Information classes of files and file systems, and the lists among them.

#include "engine/wire/change_notify.h"
#include "engine/wire/directory_entry.h"
#include "engine/wire/file_info.h"
#include "engine/wire/file_list_info.h"
#include "engine/wire/file_name_info.h"
#include "engine/wire/fs_info.h"
#include "engine/wire/pipe_info.h"
#include "tests/unit/wire_layout_suite.h"

namespace semblance::wire {

using test::Arena;

void make_valid(Arena& arena, FileAllInformation& i) { i.name.file_name = arena.bytes(2); }

namespace test {

using FixedTypes =
    testing::Types<FileBasicInformation, FileStandardInformation, FileInternalInformation,
                   FileEaInformation, FileAccessInformation, FileDispositionInformation,
                   FileDispositionInformationEx, FilePositionInformation, FileModeInformation,
                   FileAlignmentInformation, FileAllocationInformation, FileEndOfFileInformation,
                   FileValidDataLengthInformation, FileNetworkOpenInformation,
                   FileAttributeTagInformation, FileIdInformation, FileCompressionInformation,
                   FilePipeInformation, FilePipeLocalInformation>;
INSTANTIATE_TYPED_TEST_SUITE_P(File, Layout, FixedTypes);

using NameTypes = testing::Types<FileNameInformation, FileAlternateNameInformation,
                                 FileNormalizedNameInformation, FileRenameInformation,
                                 FileLinkInformation, FileRenameInformationEx, FileAllInformation>;
INSTANTIATE_TYPED_TEST_SUITE_P(FileName, Layout, NameTypes);

using FsTypes =
    testing::Types<FileFsVolumeInformation, FileFsSizeInformation, FileFsDeviceInformation,
                   FileFsAttributeInformation, FileFsControlInformation, FileFsFullSizeInformation,
                   FileFsObjectIdInformation, FileFsSectorSizeInformation>;
INSTANTIATE_TYPED_TEST_SUITE_P(FileSystem, Layout, FsTypes);

template <typename T>
class FixedSize : public testing::Test {};
TYPED_TEST_SUITE_P(FixedSize);

// kSize is what the build writes when no name follows.
TYPED_TEST_P(FixedSize, IsTheSizeOfTheBuild) {
  size_t padding = 0;
  if constexpr (requires(TypeParam t) { t.root_directory; }) padding = 4;
  EXPECT_EQ(encode(TypeParam{}).size(), TypeParam::kSize + padding);
}
REGISTER_TYPED_TEST_SUITE_P(FixedSize, IsTheSizeOfTheBuild);
INSTANTIATE_TYPED_TEST_SUITE_P(File, FixedSize, FixedTypes);
INSTANTIATE_TYPED_TEST_SUITE_P(FileName, FixedSize, NameTypes);
INSTANTIATE_TYPED_TEST_SUITE_P(FileSystem, FixedSize, FsTypes);

TEST(InfoLength, TooShortIsInfoLengthMismatch) {
  const uint8_t data[39] = {};
  EXPECT_EQ(FileBasicInformation::parse(data).error(), NtStatus::kInfoLengthMismatch);
}

// ---- lists with NextEntryOffset

std::vector<uint8_t> output(const std::vector<uint8_t>& memory, size_t size) {
  return {memory.begin(), memory.begin() + static_cast<ptrdiff_t>(size)};
}

// Given arbitrary entries and an output buffer of arbitrary size: the writer takes entries until
// one does not fit, never writes past the buffer, and the reader sees exactly those taken.
template <typename Entry, typename Writer, typename Reader, typename... Class>
void list_holds_what_fits(Arena& arena, std::vector<Entry> entries, Class... info_class) {
  size_t room = *rc::gen::inRange<size_t>(0, 700);
  std::vector<uint8_t> memory(room);
  Writer writer(MutableBytes(memory), info_class...);
  size_t taken = 0;
  while (taken < entries.size() && writer.add(entries[taken])) ++taken;
  RC_ASSERT(writer.size() <= room);
  std::vector<uint8_t> list = output(memory, writer.size());
  Reader reader(list, info_class...);
  for (size_t i = 0; i < taken; ++i) {
    std::optional<Entry> read = reader.next();
    RC_ASSERT(read.has_value());
    RC_ASSERT(same(*read, entries[i]));
  }
  RC_ASSERT(!reader.next());
  RC_ASSERT(reader.ok());
  RC_CLASSIFY(taken < entries.size(), "did not all fit");
}

template <typename Reader, typename... Class>
void noise_is_safe(std::vector<uint8_t> list, size_t entry_size_min, Class... info_class) {
  list.shrink_to_fit();
  Reader reader(list, info_class...);
  size_t steps = 0;
  while (reader.next()) ++steps;
  RC_ASSERT(steps <= list.size() / entry_size_min);
}

template <typename Entry>
std::vector<Entry> some_entries(Arena& arena) {
  std::vector<Entry> entries(*rc::gen::inRange(0, 12));
  for (Entry& entry : entries) arena.fill(entry);
  return entries;
}

RC_GTEST_PROP(Lists, StreamsHoldWhatFits, ()) {
  Arena arena;
  list_holds_what_fits<StreamEntry, StreamEntryWriter, StreamEntries>(
      arena, some_entries<StreamEntry>(arena));
}

RC_GTEST_PROP(Lists, FullEaHoldsWhatFits, ()) {
  Arena arena;
  list_holds_what_fits<FullEaEntry, FullEaEntryWriter, FullEaEntries>(
      arena, some_entries<FullEaEntry>(arena));
}

RC_GTEST_PROP(Lists, NotifyHoldsWhatFits, ()) {
  Arena arena;
  list_holds_what_fits<NotifyEntry, NotifyEntryWriter, NotifyEntries>(
      arena, some_entries<NotifyEntry>(arena));
}

constexpr FileInfoClass kDirectoryClasses[] = {
    FileInfoClass::kDirectory,       FileInfoClass::kFullDirectory,
    FileInfoClass::kBothDirectory,   FileInfoClass::kNames,
    FileInfoClass::kIdBothDirectory, FileInfoClass::kIdFullDirectory,
    FileInfoClass::kIdExtdDirectory,
};

// What is left of an entry in a class that does not carry all of it.
DirectoryEntry as_carried(DirectoryEntry e, FileInfoClass c) {
  using enum FileInfoClass;
  if (c == kNames) return {.file_index = e.file_index, .file_name = e.file_name};
  if (c == kDirectory) e.ea_size = 0;
  if (c != kBothDirectory && c != kIdBothDirectory) e.short_name = {};
  e.short_name = e.short_name.first(std::min<size_t>(e.short_name.size(), 24));
  if (c != kIdBothDirectory && c != kIdFullDirectory && c != kIdExtdDirectory) e.file_id = 0;
  if (c != kIdExtdDirectory) e.file_id_high = e.reparse_point_tag = 0;
  return e;
}

RC_GTEST_PROP(Lists, DirectoryHoldsWhatFitsInEveryClass, ()) {
  Arena arena;
  FileInfoClass info_class = *rc::gen::elementOf(
      std::vector<FileInfoClass>(std::begin(kDirectoryClasses), std::end(kDirectoryClasses)));
  std::vector<DirectoryEntry> entries = some_entries<DirectoryEntry>(arena);
  for (DirectoryEntry& entry : entries) entry = as_carried(entry, info_class);
  list_holds_what_fits<DirectoryEntry, DirectoryEntryWriter, DirectoryEntries>(arena, entries,
                                                                               info_class);
}

RC_GTEST_PROP(Lists, NoiseIsSafe, (const std::vector<uint8_t>& list)) {
  noise_is_safe<StreamEntries>(list, 24);
  noise_is_safe<FullEaEntries>(list, 9);
  noise_is_safe<NotifyEntries>(list, 12);
  for (FileInfoClass info_class : kDirectoryClasses)
    noise_is_safe<DirectoryEntries>(list, 12, info_class);
}

RC_GTEST_PROP(Lists, DamagedDirectoryIsSafe, ()) {
  Arena arena;
  for (FileInfoClass info_class : kDirectoryClasses) {
    std::vector<uint8_t> memory(1024);
    DirectoryEntryWriter writer(memory, info_class);
    for (DirectoryEntry& entry : some_entries<DirectoryEntry>(arena))
      if (!writer.add(as_carried(entry, info_class))) break;
    std::vector<uint8_t> list = output(memory, writer.size());
    if (list.empty()) continue;
    list[*rc::gen::inRange<size_t>(0, list.size())] = *rc::gen::element<uint8_t>(0, 1, 8, 0xFF);
    noise_is_safe<DirectoryEntries>(list, 12, info_class);
  }
}

TEST(DirectoryEntryWriter, EntryThatDoesNotFitLeavesRoomForAShorterOne) {
  const uint8_t long_name[20] = {}, short_name[2] = {'a', 0};
  uint8_t memory[12 + 2 + 2 + 12 + 2];
  DirectoryEntryWriter writer(memory, FileInfoClass::kNames);
  EXPECT_TRUE(writer.add({.file_name = short_name}));
  EXPECT_FALSE(writer.add({.file_name = long_name}));
  EXPECT_EQ(writer.size(), 14u);
  EXPECT_TRUE(writer.add({.file_name = short_name}));
  EXPECT_EQ(writer.size(), sizeof memory);
  EXPECT_EQ(writer.count(), 2u);
}

TEST(DirectoryEntryWriter, NamesInformationWrittenByteForByte) {
  const uint8_t a[] = {'a', 0}, b[] = {'b', 0};
  std::vector<uint8_t> memory(64, 0xA5);
  DirectoryEntryWriter writer(memory, FileInfoClass::kNames);
  ASSERT_TRUE(writer.add({.file_index = 1, .file_name = a}));
  ASSERT_TRUE(writer.add({.file_index = 2, .file_name = b}));
  EXPECT_EQ(output(memory, writer.size()),
            (std::vector<uint8_t>{16, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 'a', 0,   0,
                                  0,  0, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0,   'b', 0}));
}

TEST(FullEaEntry, ValueStandsBehindTheNameAndItsZero) {
  const uint8_t name[] = {'A', 'B'}, value[] = {7};
  std::vector<uint8_t> memory(64);
  FullEaEntryWriter writer(memory);
  ASSERT_TRUE(writer.add({.flags = FullEaEntry::kFlagNeedEa, .ea_name = name, .ea_value = value}));
  EXPECT_EQ(output(memory, writer.size()),
            (std::vector<uint8_t>{0, 0, 0, 0, 0x80, 2, 1, 0, 'A', 'B', 0, 7}));
}

}  // namespace test
}  // namespace semblance::wire
