#pragma once
// MS-SMB2 2.2.17 SMB2 FLUSH Request. The response is a SimpleBody.

#include "engine/wire/body.h"
#include "engine/wire/ids.h"
#include "engine/wire/simple_body.h"

namespace semblance::wire {

// StructureSize 24.
struct FlushRequest {
  static constexpr uint16_t kStructureSize = 24;

  FileId file_id;

  static Result<FlushRequest> parse(Bytes element) {
    Reader r = open_body(element, kStructureSize);
    r.skip(6);
    FlushRequest f;
    f.file_id = FileId::read(r);
    return finish(r, f);
  }
  void build(Builder& b) const {
    b.u16(kStructureSize);
    b.zeros(6);
    file_id.write(b);
  }
};

}  // namespace semblance::wire
