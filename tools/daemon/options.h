#pragma once
// The daemon's options: command line and TOML file. Every option is a key of the file; what the
// command line gives wins, and a list given there replaces the file's list.

#include <expected>
#include <string>
#include <vector>

#include "engine/config.h"
#include "io/accounts.h"

namespace semblance {

enum class Driver : uint8_t { kAuto, kUring, kEpoll };

struct ShareOption {
  ShareConfig config;
  std::string path;
};

struct Options {
  std::vector<std::string> listen;  // ADDR:PORT
  std::vector<ShareOption> shares;
  std::vector<AccountDatabase::User> users;
  std::string users_file;
  Requirement signing = Requirement::kAuto;
  Requirement encryption = Requirement::kAuto;
  uint16_t dialect_min = 0x0202, dialect_max = 0x0311;
  Limits limits;
  Driver driver = Driver::kAuto;
  std::string metrics;  // ADDR:PORT; empty: none
  std::string record;   // a file; empty: none
  std::string log_level = "info";
};

// Why there are no options: a message and the exit code. Code 0 is --help, to standard output.
struct OptionsExit {
  int code;
  std::string message;
};

// The arguments without the program's name. Reads the --config file.
std::expected<Options, OptionsExit> parse_options(std::vector<std::string> arguments);

// NAME=PATH[,OPTION...]; the error is one line.
std::expected<ShareOption, std::string> parse_share(const std::string& text);

}  // namespace semblance
