#include "fuzz/support/script.h"

#include "engine/wire/header.h"

namespace semblance::fuzz {

using wire::Command;

Script Script::parse(Bytes bytes) {
  FuzzInput input(bytes.data(), bytes.size());
  Script script;
  script.setting = input.u8();
  while (!input.empty() && script.records.size() < kRecordsMax) {
    uint8_t kind = input.u8();
    Record record;
    record.doing = static_cast<Doing>(kind & 0x0F);
    record.peer = kind >> 4 & 1;
    record.payload = exactly(input.piece());
    if (record.doing < Doing::kCount) script.records.push_back(std::move(record));
  }
  return script;
}

std::vector<uint8_t> Script::build() const {
  std::vector<uint8_t> bytes = {setting};
  for (const Record& record : records) {
    size_t size = std::min<size_t>(record.payload.size(), UINT16_MAX);
    bytes.push_back(static_cast<uint8_t>(static_cast<uint8_t>(record.doing) | record.peer << 4));
    bytes.push_back(static_cast<uint8_t>(size));
    bytes.push_back(static_cast<uint8_t>(size >> 8));
    bytes.insert(bytes.end(), record.payload.begin(), record.payload.begin() + size);
  }
  return bytes;
}

Element Element::parse(Bytes payload) {
  FuzzInput input(payload.data(), payload.size());
  Element e;
  e.command = input.u8();
  e.flags = input.u8();
  e.session = input.u8();
  e.tree = input.u8();
  e.file = input.u8();
  e.message_id = input.u8();
  e.credits = input.u8();
  e.charge = input.u8();
  size_t patches = input.u8() % (kPatchesMax + 1);
  for (size_t i = 0; i < patches && !input.empty(); ++i) {
    uint8_t offset = input.u8();
    e.patches.push_back({offset, input.u8()});
  }
  e.body = exactly(input.rest());
  return e;
}

std::vector<uint8_t> Element::build() const {
  std::vector<uint8_t> bytes = {command, flags,  session,
                                tree,    file,   message_id,
                                credits, charge, static_cast<uint8_t>(patches.size())};
  for (Patch patch : patches) {
    bytes.push_back(patch.offset);
    bytes.push_back(patch.value);
  }
  bytes.insert(bytes.end(), body.begin(), body.end());
  return bytes;
}

size_t file_id_offset(uint8_t command) {
  switch (static_cast<Command>(command)) {
    case Command::kClose:
    case Command::kFlush:
    case Command::kLock:
    case Command::kIoctl:
    case Command::kQueryDirectory:
    case Command::kChangeNotify:
    case Command::kOplockBreak:
      return 8;
    case Command::kRead:
    case Command::kWrite:
    case Command::kSetInfo:
      return 16;
    case Command::kQueryInfo:
      return 24;
    default:
      return 0;
  }
}

namespace {

// Of a variable part that ends the body: where its length stands, in how many bytes, where it
// begins, and what one unit of it takes.
struct Variable {
  size_t length_at = 0, length_size = 0, begins = 0, unit = 1;
};

Variable variable_of(uint8_t command) {
  switch (static_cast<Command>(command)) {
    case Command::kSessionSetup:
      return {14, 2, 24};
    case Command::kTreeConnect:
      return {6, 2, 8};
    case Command::kWrite:
      return {4, 4, 48};
    case Command::kLock:
      return {2, 2, 24, 24};
    case Command::kIoctl:
      return {28, 4, 56};
    case Command::kQueryDirectory:
      return {26, 2, 32};
    case Command::kQueryInfo:
      return {12, 4, 40};
    case Command::kSetInfo:
      return {4, 4, 32};
    default:
      return {};
  }
}

}  // namespace

void fix_length(uint8_t command, std::vector<uint8_t>& body) {
  Variable v = variable_of(command);
  if (v.length_size == 0 || body.size() < v.begins) return;
  size_t count = (body.size() - v.begins) / v.unit;
  if (v.length_size == 2)
    store(body.data() + v.length_at, static_cast<uint16_t>(count));
  else
    store(body.data() + v.length_at, static_cast<uint32_t>(count));
}

}  // namespace semblance::fuzz
