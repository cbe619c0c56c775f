#pragma once
// Keeping the folded-name index true while we change a directory ourselves.
//
// An index that was valid just before our change and gets told of it stays valid: so every change
// by us is bracketed by `begin_directory_change` and a note.

#include "engine/smb/call.h"

namespace semblance::smb {

struct DirectoryChange {
  FileKey directory;
  bool indexed = false;  // the directory has an index, valid as of `began`
  FileTime began;
  uint64_t changes_before = 0;  // share::ChangeSpan

  static DirectoryChange out_of_frames() { return {}; }
};

// For the directory that holds `path`. One stat, and none while there are no indexes at all.
Task<DirectoryChange> begin_directory_change(Call call, ShareId share, std::string path);

void note_created(EngineState& engine, const DirectoryChange& change, std::string_view path);
void note_removed(EngineState& engine, const DirectoryChange& change, std::string_view path);

}  // namespace semblance::smb
