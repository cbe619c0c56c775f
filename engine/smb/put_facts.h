#pragma once
// What CREATE, CLOSE, QUERY_DIRECTORY and FileNetworkOpenInformation tell alike of a file.

#include "engine/share/attributes.h"

namespace semblance::smb {

template <typename Layout>
void put_facts(const share::FileFacts& facts, Layout& layout) {
  layout.creation_time = facts.created;
  layout.last_access_time = facts.accessed;
  layout.last_write_time = facts.modified;
  layout.change_time = facts.changed;
  layout.allocation_size = facts.allocation;
  layout.end_of_file = facts.end_of_file;
  layout.file_attributes = facts.attributes;
}

}  // namespace semblance::smb
