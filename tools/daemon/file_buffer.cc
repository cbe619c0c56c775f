#include "tools/daemon/file_buffer.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

namespace semblance {
namespace {

// Whose content on_fault() saves.
std::atomic<FileBuffer*> saved_on_fault = nullptr;

}  // namespace

FileBuffer::FileBuffer(UniqueFd fd)
    : fd_(std::move(fd)), memory_(std::make_unique_for_overwrite<char[]>(kSize)) {
  setp(memory_.get(), memory_.get() + kSize);
  saved_on_fault = this;
  // The handler is reset when it runs and blocked until it returns: raised again, the signal then
  // ends the process as it would have.
  struct sigaction action = {};
  action.sa_handler = on_fault;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int number : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV})
    ::sigaction(number, &action, nullptr);
}

FileBuffer::~FileBuffer() {
  saved_on_fault = nullptr;
  write_buffered();
}

void FileBuffer::on_fault(int signal) {
  if (FileBuffer* buffer = saved_on_fault.exchange(nullptr)) buffer->write_buffered();
  ::raise(signal);
}

FileBuffer::int_type FileBuffer::overflow(int_type next) {
  if (!write_buffered()) return traits_type::eof();
  if (traits_type::eq_int_type(next, traits_type::eof())) return traits_type::not_eof(next);
  return sputc(traits_type::to_char_type(next));
}

std::streamsize FileBuffer::xsputn(const char* from, std::streamsize size) {
  const auto bytes = static_cast<size_t>(size);
  if (bytes > static_cast<size_t>(epptr() - pptr()) && !write_buffered()) return 0;
  // Large pieces are not copied; what is buffered goes before them.
  if (bytes > kSize / 2) return write_buffered() && write_all(from, bytes) ? size : 0;
  std::memcpy(pptr(), from, bytes);
  pbump(static_cast<int>(bytes));
  return size;
}

int FileBuffer::sync() { return write_buffered() ? 0 : -1; }

bool FileBuffer::write_buffered() {
  const bool written = write_all(pbase(), static_cast<size_t>(pptr() - pbase()));
  setp(memory_.get(), memory_.get() + kSize);
  return written;
}

bool FileBuffer::write_all(const char* from, size_t size) {
  while (size > 0) {
    const ssize_t put = ::write(fd_.get(), from, size);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    from += put;
    size -= static_cast<size_t>(put);
  }
  return true;
}

}  // namespace semblance
