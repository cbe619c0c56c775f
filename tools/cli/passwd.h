#pragma once
// `semblance passwd FILE NAME`: sets the password of an account in a smbpasswd file.

#include <string>

namespace semblance {

// Asks without echo on a terminal, else reads one line of standard input. The file is replaced as a
// whole, with mode 0600; it and the account are made when missing. Returns the exit code; errors
// are one line on standard error.
int set_password(const std::string& file, const std::string& name);

}  // namespace semblance
