#pragma once
// The outside actor's hands: what a local process does to the files beside the server. The same
// page cache, the same durability; no handle of the server's table. Paths are relative to a share;
// links on the way are followed beneath it only. Every method returns kNone or why not.

#include <expected>
#include <string_view>

#include "sim/disk/disk.h"

namespace semblance::sim {

class Outside {
 public:
  // `disk` outlives this.
  explicit Outside(Disk& disk) : disk_(disk) {}

  // kExists when something has the name.
  StoreError create_file(ShareId share, std::string_view path, Bytes content = {});
  StoreError create_directory(ShareId share, std::string_view path);
  // Any target: absolute and "../.." too. What follows it learns where it leads.
  StoreError create_symlink(ShareId share, std::string_view path, std::string_view target);
  StoreError create_fifo(ShareId share, std::string_view path);
  StoreError write(ShareId share, std::string_view path, uint64_t offset, Bytes data);
  StoreError truncate(ShareId share, std::string_view path, uint64_t size);
  // rename(2): replaces what is there.
  StoreError rename(ShareId share, std::string_view from, std::string_view to);
  StoreError link(ShareId share, std::string_view from, std::string_view to);
  StoreError unlink(ShareId share, std::string_view path);
  StoreError remove_directory(ShareId share, std::string_view path);
  // As editors save: a new file beside it, written, then renamed over it. `path` + "~new" is free.
  StoreError replace(ShareId share, std::string_view path, Bytes content);
  StoreError set_modified(ShareId share, std::string_view path, FileTime modified);
  StoreError fsync(ShareId share, std::string_view path);

 private:
  using Inode = MemoryStore::Inode;

  // A file, following a link in the last place.
  std::expected<Inode, StoreError> file_at(ShareId share, std::string_view path) const;
  // A new object with this name.
  std::expected<Inode, StoreError> make(ShareId share, std::string_view path, FileKind kind);

  Disk& disk_;
};

}  // namespace semblance::sim
