#include "tools/cli/status.h"

#include <httplib.h>

#include <cstdio>
#include <sstream>

namespace semblance {

int print_status(const std::string& address) {
  httplib::Client client("http://" + address);
  client.set_connection_timeout(5);
  client.set_read_timeout(5);
  const auto answer = client.Get("/metrics");
  if (!answer || answer->status != 200) {
    std::fprintf(stderr,
                 "semblance: no daemon answers on http://%s/metrics (start it with "
                 "--metrics %s)\n",
                 address.c_str(), address.c_str());
    return 1;
  }
  std::istringstream lines(answer->body);
  for (std::string line; std::getline(lines, line);) {
    // Gauges and totals, without what only a time series needs.
    constexpr std::string_view kPrefix = "semblance_";
    if (!line.starts_with(kPrefix) || line.find('{') != std::string::npos) continue;
    const size_t space = line.find(' ');
    std::string name = line.substr(kPrefix.size(), space - kPrefix.size());
    if (name.ends_with("_total")) name.resize(name.size() - 6);
    for (char& c : name)
      if (c == '_') c = ' ';
    std::printf("%-24s %s\n", name.c_str(), line.substr(space + 1).c_str());
  }
  return 0;
}

}  // namespace semblance
