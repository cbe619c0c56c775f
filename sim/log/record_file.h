#pragma once
// A log as a row of records, each with its own checksum, so that a log cut off anywhere can be read
// up to its last whole record, and damage is told from a cut.
//
//   magic 8 bytes, then records:
//   | head u32 | tail u32 | content check u32 | frame check u32 | head ... | tail ... |
//
// The head is what an archive wrote; the tail is a large piece of bytes as it is. Both are sizes in
// bytes; the frame check covers the three numbers before it. Little-endian.

#include <cstdint>
#include <istream>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/bytes.h"

namespace semblance::log {

class RecordWriter {
 public:
  // Writes the magic. Errors show as out.fail().
  explicit RecordWriter(std::ostream& out);

  void write(std::string_view head, Bytes tail = {});
  bool ok() const { return out_.good(); }
  void flush() { out_.flush(); }

 private:
  std::ostream& out_;
};

class RecordReader {
 public:
  enum class Status : uint8_t {
    kRecord,
    kEnd,      // after a whole record
    kCut,      // within a record
    kDamaged,  // what is there is not what was written
  };

  explicit RecordReader(std::istream& in) : in_(in) {}

  // Whether this is a log at all; comes first.
  bool read_magic();
  // Head and tail are valid until the next call.
  Status next();
  std::string_view head() const { return head_; }
  Bytes tail() const { return tail_; }
  // Where the last record began, in bytes from the beginning of the log.
  uint64_t offset() const { return begin_; }

 private:
  size_t read(void* into, size_t size);

  std::istream& in_;
  std::string head_;
  std::vector<uint8_t> tail_;
  uint64_t begin_ = 0, offset_ = 0;
};

}  // namespace semblance::log
