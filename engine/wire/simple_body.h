#pragma once
// The commands whose request and response are four bytes: MS-SMB2 2.2.7 LOGOFF, 2.2.8 LOGOFF,
// 2.2.11 TREE_DISCONNECT, 2.2.12 TREE_DISCONNECT, 2.2.28 ECHO, 2.2.29 ECHO, 2.2.30 CANCEL,
// 2.2.18 FLUSH (response), 2.2.27 LOCK (response).

#include "engine/wire/body.h"

namespace semblance::wire {

// StructureSize 4, then two reserved bytes.
struct SimpleBody {
  static constexpr uint16_t kStructureSize = 4;

  static Result<SimpleBody> parse(Bytes element) {
    Reader r = open_body(element, kStructureSize);
    r.skip(2);
    return finish(r, SimpleBody{});
  }
  void build(Builder& b) const { b.u32(kStructureSize); }
};

using LogoffRequest = SimpleBody;
using LogoffResponse = SimpleBody;
using TreeDisconnectRequest = SimpleBody;
using TreeDisconnectResponse = SimpleBody;
using EchoRequest = SimpleBody;
using EchoResponse = SimpleBody;
using CancelRequest = SimpleBody;  // never answered
using FlushResponse = SimpleBody;
using LockResponse = SimpleBody;

}  // namespace semblance::wire
