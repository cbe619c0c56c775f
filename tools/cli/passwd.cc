#include "tools/cli/passwd.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>

#include "engine/auth/smbpasswd.h"
#include "io/unique_fd.h"

namespace semblance {
namespace {

int fail(const std::string& message) {
  std::fprintf(stderr, "semblance: %s\n", message.c_str());
  return 2;
}

// One line without echo. The terminal is set right again whatever was read.
std::optional<std::string> ask(const char* prompt) {
  termios shown, hidden;
  if (::tcgetattr(STDIN_FILENO, &shown) != 0) return std::nullopt;
  hidden = shown;
  hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  std::fprintf(stderr, "%s", prompt);
  ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
  std::string line;
  const bool read = static_cast<bool>(std::getline(std::cin, line));
  ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown);
  std::fprintf(stderr, "\n");
  if (!read) return std::nullopt;
  return line;
}

std::optional<std::string> read_password() {
  if (::isatty(STDIN_FILENO) == 0) {
    std::string line;
    if (!std::getline(std::cin, line)) return std::nullopt;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    return line;
  }
  auto first = ask("New password: ");
  auto second = ask("Again: ");
  if (!first || first != second) return std::nullopt;
  return first;
}

// The old file survives until the new one is whole and on disk.
bool replace_file(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".new";
  UniqueFd fd(
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return false;
  for (size_t done = 0; done < text.size();) {
    const ssize_t put = ::write(fd.get(), text.data() + done, text.size() - done);
    if (put < 0 && errno != EINTR) return false;
    if (put > 0) done += static_cast<size_t>(put);
  }
  return ::fsync(fd.get()) == 0 && ::rename(temporary.c_str(), path.c_str()) == 0;
}

}  // namespace

int set_password(const std::string& file, const std::string& name) {
  std::stringstream text;
  if (std::ifstream stream(file, std::ios::binary); stream) {
    if (stream.peek() != std::ifstream::traits_type::eof()) text << stream.rdbuf();
  } else if (errno != ENOENT) {
    return fail(file + ": " + std::strerror(errno));
  }
  const auto password = read_password();
  if (!password) return fail("no password, or not the same one twice");
  const auto hash = auth::nt_hash_of(*password);
  if (!hash) return fail("the password is not valid UTF-8");

  auth::SmbPasswdEntry account;
  account.name = name;
  account.uid = ::getuid();
  // Every other line stays exactly as it is, comments and lines of other programs too.
  std::string kept, line;
  bool found = false;
  while (std::getline(text, line)) {
    const auto parsed = auth::parse_smbpasswd(line + "\n");
    const bool same = parsed.entries.size() == 1 &&
                      ::strcasecmp(parsed.entries[0].name.c_str(), name.c_str()) == 0;
    if (same && !found) {
      account = parsed.entries[0];
      found = true;
      kept += '\0';  // where the account's new line goes
    } else if (!same) {
      kept += line + "\n";
    }
  }
  account.nt_hash = *hash;
  account.no_password = false;
  account.last_change = static_cast<uint32_t>(std::time(nullptr));
  const auto written = auth::format_smbpasswd(account);
  if (!written) return fail("\"" + name + "\" can't be the name of an account");
  if (found)
    kept.replace(kept.find('\0'), 1, *written);
  else
    kept += *written;
  if (!replace_file(file, kept)) return fail(file + ": " + std::strerror(errno));
  return 0;
}

}  // namespace semblance
