#pragma once
// Paths as store operations carry them: checked and split, never resolved (that is resolve.h).

#include <optional>
#include <string_view>

namespace semblance {

inline constexpr size_t kNameBytesMax = 255;

// One component: not empty, not "." or "..", without '/' or NUL.
inline bool valid_component(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\0", 2)) == std::string_view::npos;
}

// "" or components joined by single slashes. The engine sends nothing else; a store that is handed
// something else refuses it rather than resolve it.
inline bool valid_path(std::string_view path) {
  if (path.empty()) return true;
  for (;;) {
    const size_t slash = path.find('/');
    if (!valid_component(path.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

struct SplitPath {
  std::string_view parent, name;  // parent "" is the root
};

// The last component and what is before it. The path is valid and not empty.
inline SplitPath split_path(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {{}, path};
  return {path.substr(0, slash), path.substr(slash + 1)};
}

}  // namespace semblance
