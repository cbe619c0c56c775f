#include "tools/daemon/options.h"

#include <toml++/toml.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <sstream>

namespace semblance {
namespace {

// Both sources yield this: option names and their values as text, then one conversion.
struct Raw {
  std::vector<std::string> listen, share, user, limit;
  std::string users, signing, encryption, min_dialect, max_dialect, driver, metrics, record,
      log_level;
};

struct Key {
  const char* name;
  const char* help;
  std::string Raw::* one;
  std::vector<std::string> Raw::* many;
};

constexpr Key kKeys[] = {
    {"listen", "ADDR:PORT to listen on (repeatable; port 0 takes a free one)", nullptr,
     &Raw::listen},
    {"share", "NAME=PATH[,ro,guest,encrypt,ca,hidden,comment=TEXT] (repeatable)", nullptr,
     &Raw::share},
    {"user", "NAME:PASSWORD, for trials (repeatable)", nullptr, &Raw::user},
    {"users", "file of accounts in smbpasswd format", &Raw::users, nullptr},
    {"signing", "auto or required", &Raw::signing, nullptr},
    {"encryption", "auto, required or off", &Raw::encryption, nullptr},
    {"min-dialect", "2.0.2, 2.1, 3.0, 3.0.2 or 3.1.1", &Raw::min_dialect, nullptr},
    {"max-dialect", "2.0.2, 2.1, 3.0, 3.0.2 or 3.1.1", &Raw::max_dialect, nullptr},
    {"limit", "NAME=N: any limit of engine/limits.h (repeatable)", nullptr, &Raw::limit},
    {"driver", "uring or epoll; else uring where the kernel allows it", &Raw::driver, nullptr},
    {"metrics", "ADDR:PORT for Prometheus text at /metrics", &Raw::metrics, nullptr},
    {"record",
     "file to record the engine's events in, for semblance replay; SECRET: it holds the accounts' "
     "password hashes and all content that passes (mode 0600; an old one becomes FILE.old)",
     &Raw::record, nullptr},
    {"log-level", "error, warn, info or debug", &Raw::log_level, nullptr},
};

using Failure = std::unexpected<std::string>;

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

std::expected<Requirement, std::string> parse_requirement(const char* option,
                                                          const std::string& text, bool may_off) {
  if (text.empty() || text == "auto") return Requirement::kAuto;
  if (text == "required") return Requirement::kRequired;
  if (text == "off" && may_off) return Requirement::kOff;
  return Failure(std::string(option) + ": \"" + text + "\" is not " +
                 (may_off ? "auto, required or off" : "auto or required"));
}

std::expected<uint16_t, std::string> parse_dialect(const char* option, const std::string& text,
                                                   uint16_t otherwise) {
  static constexpr std::pair<const char*, uint16_t> kDialects[] = {
      {"2.0.2", 0x0202}, {"2.1", 0x0210}, {"3.0", 0x0300}, {"3.0.2", 0x0302}, {"3.1.1", 0x0311}};
  if (text.empty()) return otherwise;
  for (const auto& [name, value] : kDialects)
    if (text == name) return value;
  return Failure(std::string(option) + ": \"" + text + "\" is not 2.0.2, 2.1, 3.0, 3.0.2 or 3.1.1");
}

std::expected<void, std::string> set_limit(Limits& limits, const std::string& text) {
  const size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  uint32_t value = 0;
  if (equals != std::string::npos) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + equals + 1, end, value);
    if (error != std::errc() || stop != end || value == 0)
      return Failure("limit: \"" + text + "\" is not NAME=N with N of 1 or more");
  } else {
    return Failure("limit: \"" + text + "\" is not NAME=N");
  }
#define X(type, field, value_unused, meaning) \
  if (name == #field) {                       \
    limits.field = value;                     \
    return {};                                \
  }
  SEMBLANCE_LIMITS(X)
#undef X
  return Failure("limit: there is no limit \"" + name + "\"");
}

// A value of the file as text; numbers are taken too, so that `limit` may be a table of numbers.
std::expected<std::string, std::string> text_of(const char* key, const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto number = node.value_exact<int64_t>()) return std::to_string(*number);
  return Failure(std::string(key) + ": a text is expected");
}

std::expected<void, std::string> read_value(const Key& key, const toml::node& node, Raw& into) {
  if (key.one != nullptr) {
    auto text = text_of(key.name, node);
    if (!text) return Failure(text.error());
    into.*key.one = *text;
    return {};
  }
  std::vector<std::string>& list = into.*key.many;
  if (const toml::array* array = node.as_array()) {
    for (const toml::node& element : *array) {
      auto text = text_of(key.name, element);
      if (!text) return Failure(text.error());
      list.push_back(*text);
    }
  } else if (const toml::table* table = node.as_table(); table && key.many == &Raw::limit) {
    for (const auto& [name, value] : *table) {
      auto text = text_of(key.name, value);
      if (!text) return Failure(text.error());
      list.push_back(std::string(name.str()) + "=" + *text);
    }
  } else {
    auto text = text_of(key.name, node);
    if (!text) return Failure(text.error());
    list.push_back(*text);
  }
  return {};
}

std::expected<Raw, std::string> read_file(const std::string& path) {
  Raw raw;
  toml::table table;
  try {
    table = toml::parse_file(path);
  } catch (const toml::parse_error& error) {
    std::ostringstream where;
    if (error.source().begin.line > 0) where << ":" << error.source().begin.line;
    return Failure(path + where.str() + ": " + std::string(error.description()));
  }
  for (const auto& [name, node] : table) {
    const auto key =
        std::ranges::find_if(kKeys, [&](const Key& k) { return name.str() == k.name; });
    if (key == std::end(kKeys))
      return Failure(path + ": there is no option \"" + std::string(name.str()) + "\"");
    if (auto read = read_value(*key, node, raw); !read) return Failure(path + ": " + read.error());
  }
  return raw;
}

std::expected<Options, std::string> convert(const Raw& raw) {
  Options options;
  options.listen = raw.listen;
  if (options.listen.empty()) options.listen.push_back("0.0.0.0:445");
  for (const std::string& text : raw.share) {
    auto share = parse_share(text);
    if (!share) return Failure(share.error());
    for (const ShareOption& other : options.shares)
      if (same_name(other.config.name, share->config.name))
        return Failure("share: \"" + share->config.name + "\" is given twice");
    options.shares.push_back(*share);
  }
  if (options.shares.empty()) return Failure("there is nothing to serve: give --share NAME=PATH");
  for (const std::string& text : raw.user) {
    const size_t colon = text.find(':');
    if (colon == 0 || colon == std::string::npos)
      return Failure("user: \"" + text.substr(0, colon) + "\" is not NAME:PASSWORD");
    options.users.push_back({text.substr(0, colon), text.substr(colon + 1)});
  }
  options.users_file = raw.users;
  auto signing = parse_requirement("signing", raw.signing, false);
  if (!signing) return Failure(signing.error());
  options.signing = *signing;
  auto encryption = parse_requirement("encryption", raw.encryption, true);
  if (!encryption) return Failure(encryption.error());
  options.encryption = *encryption;
  auto low = parse_dialect("min-dialect", raw.min_dialect, options.dialect_min);
  if (!low) return Failure(low.error());
  auto high = parse_dialect("max-dialect", raw.max_dialect, options.dialect_max);
  if (!high) return Failure(high.error());
  if (*low > *high) return Failure("min-dialect is above max-dialect");
  options.dialect_min = *low;
  options.dialect_max = *high;
  for (const std::string& text : raw.limit)
    if (auto set = set_limit(options.limits, text); !set) return Failure(set.error());
  if (raw.driver == "uring")
    options.driver = Driver::kUring;
  else if (raw.driver == "epoll")
    options.driver = Driver::kEpoll;
  else if (!raw.driver.empty())
    return Failure("driver: \"" + raw.driver + "\" is not uring or epoll");
  options.metrics = raw.metrics;
  options.record = raw.record;
  if (!raw.log_level.empty()) options.log_level = raw.log_level;
  static constexpr std::string_view kLevels[] = {"error", "warn", "info", "debug"};
  if (std::ranges::find(kLevels, options.log_level) == std::end(kLevels))
    return Failure("log-level: \"" + options.log_level + "\" is not error, warn, info or debug");
  return options;
}

}  // namespace

std::expected<ShareOption, std::string> parse_share(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos)
    return Failure("share: \"" + text + "\" is not NAME=PATH[,OPTION...]");
  ShareOption share;
  share.config.name = text.substr(0, equals);
  if (share.config.name.size() > 80 ||
      share.config.name.find_first_of("\\/:*?\"<>|[];,+") != std::string::npos)
    return Failure("share: \"" + share.config.name + "\" is no name for a share");
  if (same_name(share.config.name, "IPC$")) return Failure("share: IPC$ is the server's own");
  size_t comma = text.find(',', equals);
  share.path = text.substr(equals + 1, comma - equals - 1);
  if (share.path.empty()) return Failure("share: \"" + share.config.name + "\" has no path");
  while (comma != std::string::npos) {
    const size_t next = text.find(',', comma + 1);
    const std::string option = text.substr(comma + 1, next - comma - 1);
    comma = next;
    if (option == "ro") {
      share.config.read_only = true;
    } else if (option == "guest") {
      share.config.guest = true;
    } else if (option == "encrypt") {
      share.config.encrypt = true;
    } else if (option == "ca") {
      share.config.continuously_available = true;
    } else if (option == "hidden") {
      share.config.hidden = true;
    } else if (option.starts_with("comment=")) {
      share.config.comment = option.substr(8);
    } else {
      return Failure("share: \"" + option +
                     "\" is not ro, guest, encrypt, ca, hidden or comment=TEXT");
    }
  }
  return share;
}

std::expected<Options, OptionsExit> parse_options(std::vector<std::string> arguments) {
  CLI::App app("semblanced: an SMB 2 and 3 file server", "semblanced");
  Raw given;
  std::string config;
  app.add_option("--config", config, "TOML file; every option below is a key in it");
  for (const Key& key : kKeys) {
    const std::string name = std::string("--") + key.name;
    if (key.one != nullptr)
      app.add_option(name, given.*key.one, key.help);
    else
      app.add_option(name, given.*key.many, key.help)->allow_extra_args(false);
  }
  try {
    std::ranges::reverse(arguments);  // what CLI11 expects of a vector
    app.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    return std::unexpected(OptionsExit{0, app.help()});
  } catch (const CLI::ParseError& error) {
    return std::unexpected(OptionsExit{2, error.what()});
  }
  Raw raw;
  if (!config.empty()) {
    auto file = read_file(config);
    if (!file) return std::unexpected(OptionsExit{2, file.error()});
    raw = *file;
  }
  for (const Key& key : kKeys) {
    if (key.one != nullptr && !(given.*key.one).empty()) raw.*key.one = given.*key.one;
    if (key.many != nullptr && !(given.*key.many).empty()) raw.*key.many = given.*key.many;
  }
  auto options = convert(raw);
  if (!options) return std::unexpected(OptionsExit{2, options.error()});
  return *options;
}

}  // namespace semblance
