#include "tests/sim/answers.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/time.h"
#include "engine/wire/fsctl.h"
#include "engine/wire/header.h"
#include "engine/wire/info_class.h"

namespace semblance::sim::test {

namespace {

using wire::Command;
using wire::FileInfoClass;
using Body = std::vector<uint8_t>;

// Offsets below count from the start of the body.
void mask(Body& body, size_t at, size_t size) {
  for (size_t i = at; i < std::min(at + size, body.size()); ++i) body[i] = 0;
}

// Of the furniture, or of the simulated clock; times that a client has set lie elsewhere.
bool is_time_of_the_world(uint64_t ticks) {
  constexpr uint64_t kDay = 86'400ull * 10'000'000;
  for (int64_t start : {1'600'000'000, 1'700'000'000}) {
    uint64_t from = FileTime::from_unix(start, 0).ticks;
    if (ticks + kDay >= from && ticks <= from + kDay) return true;
  }
  return false;
}

void mask_times(Body& body) {
  for (size_t at = 0; at + 8 <= body.size(); ++at)
    if (is_time_of_the_world(load<uint64_t>(body.data() + at))) mask(body, at, 8);
}

// The FileId that a class of directory entries has, and where.
void mask_entries(Body& body, FileInfoClass info_class) {
  size_t id_at = info_class == FileInfoClass::kIdBothDirectory   ? 96
                 : info_class == FileInfoClass::kIdFullDirectory ? 72
                                                                 : 0;
  if (id_at == 0) return;
  for (size_t at = 8; at + 4 <= body.size();) {
    mask(body, at + id_at, 8);
    uint32_t next = load<uint32_t>(body.data() + at);
    if (next == 0) return;
    at += next;
  }
}

void mask_info(Body& body, Bytes request) {
  auto type = static_cast<wire::InfoType>(request[wire::kHeaderSize + 2]);
  uint8_t info_class = request[wire::kHeaderSize + 3];
  constexpr size_t kOutput = 8;
  // What is free on the disk is everybody's.
  if (type == wire::InfoType::kFileSystem) mask(body, kOutput, SIZE_MAX / 2);
  if (type != wire::InfoType::kFile) return;
  if (static_cast<FileInfoClass>(info_class) == FileInfoClass::kInternal) mask(body, kOutput, 8);
  if (static_cast<FileInfoClass>(info_class) == FileInfoClass::kAll) mask(body, kOutput + 64, 8);
}

void mask_ids(Body& body, Command command, Bytes request) {
  switch (command) {
    case Command::kCreate:
      mask(body, 64, 16);
      // Contexts tell the object's number; which they are tells their length.
      mask(body, 88, SIZE_MAX / 2);
      break;
    case Command::kIoctl:
      mask(body, 8, 16);
      // Resume keys and object ids; not what a pipe says.
      if (load<uint32_t>(request.data() + wire::kHeaderSize + 4) != wire::kFsctlPipeTransceive)
        mask(body, 48, SIZE_MAX / 2);
      break;
    case Command::kOplockBreak:
      mask(body, 8, 16);
      break;
    case Command::kQueryInfo:
      mask_info(body, request);
      break;
    case Command::kQueryDirectory:
      mask_entries(body, static_cast<FileInfoClass>(request[wire::kHeaderSize + 2]));
      break;
    default:
      break;
  }
}

}  // namespace

void Answers::answered(uint32_t client, Bytes request, Bytes answer) {
  auto header = wire::Header::parse(answer);
  if (!header) return;
  Body body(answer.begin() + wire::kHeaderSize, answer.end());
  // Padding to the next element depends on who travels together.
  while (!body.empty() && body.back() == 0) body.pop_back();
  if (!is_error(header->nt_status())) {
    mask_ids(body, header->command, request);
    mask_times(body);
  }
  char text[64];
  std::snprintf(text, sizeof text, "command %u status %08X ",
                static_cast<unsigned>(header->command), header->status);
  std::string words = text;
  for (uint8_t byte : body) {
    std::snprintf(text, sizeof text, "%02x", byte);
    words += text;
  }
  all_[{client, header->message_id}] = std::move(words);
}

std::string Answers::difference(const Answers& other) const {
  auto mine = all_.begin(), theirs = other.all_.begin();
  for (; mine != all_.end() && theirs != other.all_.end(); ++mine, ++theirs)
    if (*mine != *theirs) break;
  if (mine == all_.end() && theirs == other.all_.end()) return "";
  auto say = [](auto at, auto end) {
    if (at == end) return std::string("nothing");
    const auto& [who, words] = *at;
    return "client " + std::to_string(who.first) + " MessageId " + std::to_string(who.second) +
           ": " + words;
  };
  return say(mine, all_.end()) + "\nagainst\n" + say(theirs, other.all_.end());
}

}  // namespace semblance::sim::test
