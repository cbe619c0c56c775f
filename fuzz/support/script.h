#pragma once
// The input of engine_session as a list: what the peers do, and what happens around them.
//
//     input:   +0 setting (1)  +1 records ...
//     record:  +0 kind (low 4 bits), peer (bit 4)  +1 payload size (2)  +3 payload
//
// Any bytes are a script: what does not fit is cut, unknown kinds are nothing.

#include <vector>

#include "fuzz/support/fuzz_input.h"

namespace semblance::fuzz {

enum class Doing : uint8_t {
  kMessage,     // an element (below); ends the compound that kElement began
  kElement,     // an element that another one follows
  kComplete,    // payload: which held operation, how often its completion is reported
  kHold,        // payload: whether store operations wait for kComplete from here on
  kAdvance,     // payload: milliseconds (2)
  kDisconnect,  //
  kReconnect,   // a new connection, logged in, connected
  kDeliver,     // payload: bytes (2) of what the peer has sent
  kCollect,     // payload: bytes (2) of what the engine wants to send
  kRaw,         // payload: bytes as they are
  kOutside,     // payload: what (1), then a name: a change beside the server
  kRun,         // everything that can move
  kDrain,       //
  kCount,
};

struct Record {
  Doing doing = Doing::kRun;
  uint8_t peer = 0;
  std::vector<uint8_t> payload;
};

struct Script {
  static constexpr size_t kRecordsMax = 64;

  uint8_t setting = 0;
  std::vector<Record> records;

  static Script parse(Bytes bytes);
  std::vector<uint8_t> build() const;
};

// A request, with references in place of what the server chooses.
//
//     +0 command  +1 flags  +2 session  +3 tree  +4 file  +5 message id  +6 credits  +7 charge
//     +8 header patches n (1), n times: offset, value  | body, from StructureSize on
struct Element {
  static constexpr uint8_t kRelated = 0x01;
  static constexpr uint8_t kUnsigned = 0x02;
  static constexpr uint8_t kWrongSignature = 0x04;
  static constexpr uint8_t kSealed = 0x08;
  static constexpr uint8_t kAsync = 0x10;      // by the AsyncId that `tree` refers to
  static constexpr uint8_t kOthersIds = 0x20;  // references are to what the other peer learnt
  // References: an index into what was learnt, modulo its size; or
  static constexpr uint8_t kAllOnes = 0xFF;
  static constexpr uint8_t kZero = 0xFE;
  static constexpr uint8_t kAsWritten = 0xFD;  // file: what stands in the body

  uint8_t command = 0, flags = 0, session = 0, tree = 0, file = 0;
  uint8_t message_id = 0;  // added to the next one
  uint8_t credits = 8;
  uint8_t charge = 1;
  struct Patch {
    uint8_t offset, value;
  };
  std::vector<Patch> patches;  // of the header, before it is signed
  std::vector<uint8_t> body;

  static constexpr size_t kPatchesMax = 8;
  static Element parse(Bytes payload);
  std::vector<uint8_t> build() const;
};

// Where a command's body has its FileId, from StructureSize on; 0: it has none.
size_t file_id_offset(uint8_t command);
// Makes the length field of the body's variable part agree with what is there.
void fix_length(uint8_t command, std::vector<uint8_t>& body);

}  // namespace semblance::fuzz
