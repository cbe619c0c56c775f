#include "sim/log/record_file.h"

#include <cstddef>

#include "sim/log/content_hash.h"

namespace semblance::log {
namespace {

constexpr std::string_view kMagic = "SMBEVLG\n";

struct Frame {
  uint32_t head, tail, content_check, frame_check;
};
static_assert(sizeof(Frame) == 16);

uint32_t check_of(const Frame& frame) {
  return static_cast<uint32_t>(
      hash64({reinterpret_cast<const uint8_t*>(&frame), offsetof(Frame, frame_check)}));
}

uint32_t check_of(std::string_view head, Bytes tail) {
  const uint64_t parts[] = {hash64(as_bytes(head)), hash64(tail)};
  return static_cast<uint32_t>(hash64({reinterpret_cast<const uint8_t*>(parts), sizeof parts}));
}

}  // namespace

RecordWriter::RecordWriter(std::ostream& out) : out_(out) {
  out_.write(kMagic.data(), kMagic.size());
}

void RecordWriter::write(std::string_view head, Bytes tail) {
  Frame frame = {static_cast<uint32_t>(head.size()), static_cast<uint32_t>(tail.size()),
                 check_of(head, tail), 0};
  frame.frame_check = check_of(frame);
  out_.write(reinterpret_cast<const char*>(&frame), sizeof frame);
  out_.write(head.data(), static_cast<std::streamsize>(head.size()));
  out_.write(reinterpret_cast<const char*>(tail.data()), static_cast<std::streamsize>(tail.size()));
}

bool RecordReader::read_magic() {
  char magic[kMagic.size()];
  return read(magic, sizeof magic) == sizeof magic &&
         std::string_view(magic, sizeof magic) == kMagic;
}

RecordReader::Status RecordReader::next() {
  begin_ = offset_;
  Frame frame;
  const size_t got = read(&frame, sizeof frame);
  if (got == 0) return Status::kEnd;
  if (got < sizeof frame) return Status::kCut;
  if (frame.frame_check != check_of(frame)) return Status::kDamaged;
  head_.resize(frame.head);
  tail_.resize(frame.tail);
  if (read(head_.data(), head_.size()) < head_.size() ||
      read(tail_.data(), tail_.size()) < tail_.size())
    return Status::kCut;
  return frame.content_check == check_of(head_, tail_) ? Status::kRecord : Status::kDamaged;
}

size_t RecordReader::read(void* into, size_t size) {
  in_.read(static_cast<char*>(into), static_cast<std::streamsize>(size));
  const auto got = static_cast<size_t>(in_.gcount());
  offset_ += got;
  return got;
}

}  // namespace semblance::log
