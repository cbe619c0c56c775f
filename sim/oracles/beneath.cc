#include "sim/oracles/beneath.h"

namespace semblance::sim {

namespace {
// The share that sim/run makes read-only.
constexpr ShareId kFixed{1};
}  // namespace

void BeneathOracle::judge(std::string_view path) {
  if (path.starts_with('/')) return fail("an absolute path: " + std::string(path));
  for (size_t at = 0; at < path.size();) {
    size_t end = std::min(path.find('/', at), path.size());
    std::string_view component = path.substr(at, end - at);
    if (component.empty() || component == "." || component == "..")
      return fail("a path that may lead out of its share: " + std::string(path));
    at = end + 1;
  }
}

void BeneathOracle::started(OperationId, const StoreOperation& what) {
  std::visit(
      [this](const auto& op) {
        if constexpr (requires { op.path; }) judge(op.path);
        if constexpr (requires { op.from; }) judge(op.from);
        if constexpr (requires { op.to; }) judge(op.to);
        if constexpr (requires { op.name; }) judge(op.name);
      },
      what);
  const auto* open = std::get_if<StoreOpen>(&what);
  bool changes = open != nullptr && open->share == kFixed &&
                 (open->what != OpenWhat::kExisting || (open->access & kOpenWrite) != 0);
  if (const auto* unlink = std::get_if<StoreUnlink>(&what)) changes |= unlink->share == kFixed;
  if (const auto* rename = std::get_if<StoreRename>(&what)) changes |= rename->share == kFixed;
  if (changes) fail("a change in a read-only share");
}

}  // namespace semblance::sim
