#pragma once
// The names of a directory by their folded form, so that a name that does not exist costs the same
// in a directory of any size.
//
// An index is a memory of one complete enumeration plus our own changes since. It is valid while
// the directory carries the stamp it had: each use compares the stamp by one stat. Our own changes
// move the stamp too; they are noted as they happen, and the stamp after them is accepted if it
// lies within the time span in which the change was made. So changes beside the server are noticed
// at the next use.

#include <string>
#include <unordered_map>
#include <vector>

#include "engine/share/file_key_hash.h"
#include "engine/store.h"

namespace semblance::share {

// What tells one state of a directory from another.
struct DirectoryStamp {
  FileKey key;
  FileTime modified;
  static DirectoryStamp of(const FileStat& stat) { return {stat.key, stat.modified}; }
  bool operator==(const DirectoryStamp&) const = default;
};

// A change of ours: made somewhere between the two times of the wall clock.
struct ChangeSpan {
  FileTime began, ended;
  // NameIndex::changes() when it began. Two changes of one name that overlap are noted in the order
  // of their completions, which need not be that of their effects.
  uint64_t changes_before = UINT64_MAX;
};

enum class IndexState : uint8_t { kValid, kStale };

// The indexes of all directories of all shares. Bounded by a number of names; the directory that
// was not used for longest is forgotten first, and a directory too large for it is simply read each
// time.
class NameIndex {
 public:
  explicit NameIndex(size_t names_max) : names_max_(names_max) {}

  // Compares the directory's stamp as of now. kStale: forget what is known, enumerate, `begin`
  // again.
  IndexState validate(const FileStat& directory);

  // Takes over a complete enumeration of the directory, whose stamp was taken before it began:
  // changes made meanwhile, by anyone, then show as a later stamp.
  void publish(const FileStat& directory, std::vector<std::string> names);

  // The stored name that equals `name` without regard to case; the exact spelling if it exists.
  // Empty if there is none. Only after validate said kValid, or after a complete enumeration.
  std::string_view find(FileKey directory, std::string_view name);

  // Our own changes. Nothing happens for a directory without an index.
  bool has(FileKey directory) const { return directories_.contains(directory); }
  void created(FileKey directory, std::string_view name, ChangeSpan span);
  void removed(FileKey directory, std::string_view name, ChangeSpan span);
  void forget(FileKey directory);

  size_t names() const { return names_; }
  // How many changes were noted so far.
  uint64_t changes() const { return changes_; }

 private:
  struct Directory {
    DirectoryStamp stamp;
    bool changed = false;  // by us, since `stamp`
    ChangeSpan span;       // from before our first to after our last change
    uint64_t used = 0;     // when, for forgetting
    std::unordered_multimap<std::u16string, std::string> names;  // folded wire form -> stored
    // The latest changes, oldest first: folded name, and which change it was.
    std::vector<std::pair<std::u16string, uint64_t>> recent;
    uint64_t forgotten = 0;  // the latest change that is not in `recent` any more
  };
  void add(Directory& directory, std::string_view name);
  // False when the change can't be told from another one of the same name: the index is worthless.
  bool note_change(Directory& directory, std::string_view name, ChangeSpan span);
  void make_room();

  size_t names_max_;
  size_t names_ = 0;
  uint64_t clock_ = 0;
  uint64_t changes_ = 0;
  std::unordered_map<FileKey, Directory, FileKeyHash> directories_;
};

}  // namespace semblance::share
