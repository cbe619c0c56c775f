#pragma once
// A stream's buffer over a file descriptor whose content a crash does not lose: whatever signal
// ends the process by a fault of its own, what is buffered is written first. One in a process.

#include <memory>
#include <streambuf>

#include "io/unique_fd.h"

namespace semblance {

class FileBuffer : public std::streambuf {
 public:
  explicit FileBuffer(UniqueFd fd);
  ~FileBuffer() override;

 protected:
  int_type overflow(int_type next) override;
  std::streamsize xsputn(const char* from, std::streamsize size) override;
  int sync() override;

 private:
  static constexpr size_t kSize = 1 << 20;

  bool write_all(const char* from, size_t size);
  bool write_buffered();
  static void on_fault(int signal);

  UniqueFd fd_;
  std::unique_ptr<char[]> memory_;
};

}  // namespace semblance
