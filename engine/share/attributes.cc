#include "engine/share/attributes.h"

namespace semblance::share {
namespace {

constexpr uint32_t kDirectory = 0x10, kArchive = 0x20, kNormal = 0x80, kTemporary = 0x100;

}  // namespace

uint32_t default_attributes(FileKind kind) { return kind == FileKind::kDirectory ? 0 : kArchive; }

uint32_t file_attributes(const FileStat& stat) {
  uint32_t attributes = stat.dos.present ? stat.dos.attributes & kStorableAttributes
                                         : default_attributes(stat.kind);
  if (stat.kind == FileKind::kDirectory) attributes = (attributes & ~kTemporary) | kDirectory;
  return attributes != 0 ? attributes : kNormal;
}

FileFacts facts_of(const FileStat& stat) {
  FileFacts facts;
  bool kept = stat.dos.present && stat.dos.created.ticks != 0;
  facts.created = kept ? stat.dos.created : stat.created;
  facts.accessed = stat.accessed;
  facts.modified = stat.modified;
  facts.changed = stat.changed;
  facts.directory = stat.kind == FileKind::kDirectory;
  facts.end_of_file = facts.directory ? 0 : stat.size;
  facts.allocation = facts.directory ? 0 : stat.allocated;
  facts.attributes = file_attributes(stat);
  facts.links = stat.links;
  facts.index_number = stat.key.inode;
  facts.volume = stat.key.device;
  return facts;
}

}  // namespace semblance::share
