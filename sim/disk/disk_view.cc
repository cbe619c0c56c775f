// Disk: looking at it.

#include <algorithm>
#include <bit>

#include "io/store/path.h"
#include "sim/disk/disk.h"

namespace semblance::sim {
namespace {

class Hash {
 public:
  void add(uint64_t word) { state_ = std::rotl((state_ ^ word) * 0x9E37'79B9'7F4A'7C15, 29); }
  void add(Bytes bytes) {
    add(bytes.size());
    for (; bytes.size() >= 8; bytes = bytes.subspan(8)) add(load<uint64_t>(bytes.data()));
    uint64_t rest = 0;
    for (const uint8_t byte : bytes) rest = rest << 8 | byte;
    add(rest);
  }
  uint64_t value() const {
    const uint64_t mixed = (state_ ^ state_ >> 32) * 0xD6E8'FEB8'6659'FD93;
    return mixed ^ mixed >> 32;
  }

 private:
  uint64_t state_ = 0x5345'4D42;
};

}  // namespace

MemoryStore::Inode Disk::inode_of(StoreHandle handle) const {
  const Handle* found = find_handle(handle);
  return found == nullptr ? kNoInode : found->inode;
}

MemoryStore::Inode Disk::find(ShareId share, std::string_view path) const {
  const Place place = resolve(share, path, LastLink::kKeep);
  return place.error == StoreError::kNone ? place.inode : kNoInode;
}

bool Disk::exists_durably(ShareId share, std::string_view path) const {
  Inode at = root_of(share);
  while (!path.empty() && at != kNoInode) {
    const std::string_view name = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(path.size(), name.size() + 1));
    const Node& node = nodes_.at(at);
    const auto found = node.order_of.find(name);
    if (found == node.order_of.end() || journal_.touches(at, name)) return false;
    at = node.entries.at(found->second).second;
  }
  return at != kNoInode;
}

bool Disk::is_durable(Inode inode) const { return lives(inode) && !unsaved_.contains(inode); }
bool Disk::lives(Inode inode) const { return nodes_.contains(inode); }

Bytes Disk::content(Inode inode) const {
  const Node& node = nodes_.at(inode);
  return node.kind == FileKind::kSymlink ? as_bytes(node.target) : Bytes(node.data);
}

FileStat Disk::stat(Inode inode) const { return stat_of(inode, true); }
Bytes Disk::descriptor(Inode inode) const { return nodes_.at(inode).descriptor; }

std::vector<std::pair<std::string_view, MemoryStore::Inode>> Disk::children(Inode directory) const {
  const Node& node = nodes_.at(directory);
  std::vector<std::pair<std::string_view, Inode>> children;
  children.reserve(node.order_of.size());
  for (const auto& [name, order] : node.order_of)
    children.emplace_back(name, node.entries.at(order).second);
  return children;
}

std::vector<MemoryStore::Inode> Disk::inodes() const {
  std::vector<Inode> all;
  all.reserve(nodes_.size());
  for (const auto& [inode, node] : nodes_) all.push_back(inode);
  return all;
}

std::optional<std::pair<ShareId, std::string>> Disk::path_of(Inode inode) const {
  std::string path;
  for (;;) {
    const auto root = std::ranges::find(roots_, inode);
    if (root != roots_.end()) return std::pair{ShareId(root - roots_.begin()), path};
    if (!lives(inode) || nodes_.at(inode).links != 1) return std::nullopt;
    const auto names_it = [&](const auto& entry) { return entry.second.second == inode; };
    // Where it got its last name; an earlier name of a file may be the one that is left.
    Inode parent = nodes_.at(inode).parent;
    if (!lives(parent) || std::ranges::none_of(nodes_.at(parent).entries, names_it))
      parent = std::ranges::find_if(nodes_, [&](const auto& node) {
                 return std::ranges::any_of(node.second.entries, names_it);
               })->first;
    const auto& entries = nodes_.at(parent).entries;
    const std::string& name = std::ranges::find_if(entries, names_it)->second.first;
    if (!path.empty()) path.insert(0, 1, '/');
    path.insert(0, name);
    inode = parent;
  }
}

size_t Disk::share_count() const { return roots_.size(); }
MemoryStore::Inode Disk::root(ShareId share) const { return root_of(share); }

uint64_t Disk::content_hash() const {
  Hash hash;
  std::vector<Inode> open(roots_.rbegin(), roots_.rend());  // the next to visit is the last
  while (!open.empty()) {
    const Node& node = nodes_.at(open.back());
    hash.add(static_cast<uint64_t>(node.kind) << 32 | node.links);
    hash.add(content(open.back()));
    hash.add(node.descriptor);
    hash.add(uint64_t{node.dos.present} << 32 | node.dos.attributes);
    hash.add(node.dos.created.ticks);
    for (const FileTime time : {node.created, node.accessed, node.modified, node.changed})
      hash.add(time.ticks);
    open.pop_back();
    hash.add(node.order_of.size());
    for (const auto& [name, order] : node.order_of) hash.add(as_bytes(name));
    for (auto at = node.order_of.rbegin(); at != node.order_of.rend(); ++at)
      open.push_back(node.entries.at(at->second).second);
  }
  return hash.value();
}

}  // namespace semblance::sim
