#pragma once
// What a client sees of a file's attributes, sizes and times: MS-FSCC 2.6, MS-FSA 2.1.1.

#include "engine/store.h"

namespace semblance::share {

// The attributes that a client may set and that are kept: READONLY, HIDDEN, SYSTEM, ARCHIVE, TEMPORARY,
// OFFLINE, NOT_CONTENT_INDEXED. Others in a request are dropped.
inline constexpr uint32_t kStorableAttributes = 0x00003127;

// What a file or directory has when nobody set any: a file is to be archived.
uint32_t default_attributes(FileKind kind);

// The attributes to report: the kept ones and DIRECTORY; NORMAL if there is none.
uint32_t file_attributes(const FileStat& stat);

// Everything that CREATE, CLOSE, QUERY_INFO and QUERY_DIRECTORY tell alike.
struct FileFacts {
  FileTime created, accessed, modified, changed;
  uint64_t end_of_file = 0;
  uint64_t allocation = 0;
  uint32_t attributes = 0;
  uint32_t links = 1;
  uint64_t index_number = 0;
  uint64_t volume = 0;
  bool directory = false;
};
FileFacts facts_of(const FileStat& stat);

}  // namespace semblance::share
