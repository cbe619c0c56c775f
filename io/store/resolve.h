#pragma once
// The one place that turns a path of a share into a descriptor: openat2 beneath the share's root.
// No magic links, never out of the root, never a terminal, never a wait.

#include <expected>
#include <string_view>

#include "io/store/store_error.h"
#include "io/unique_fd.h"

namespace semblance {

// What a symbolic link inside a share means. Links out of the share (absolute ones too) are never
// followed.
enum class SymlinkPolicy : uint8_t { kFollowBeneath, kRefuse };

class Resolver {
 public:
  explicit Resolver(SymlinkPolicy policy) : policy_(policy) {}

  SymlinkPolicy policy() const { return policy_; }

  // Opens `path` beneath `root` with openat2's flags. The caller chooses flags without side effects
  // on special files (O_PATH, O_DIRECTORY, O_CREAT|O_EXCL). Errors as io/store/store.h says.
  std::expected<UniqueFd, StoreError> open(int root, std::string_view path, int flags,
                                           unsigned mode = 0) const;

  // The directory that holds the last component, as an O_PATH descriptor for *at() calls. A path
  // without slash yields the root itself, undoubled and unopened: see Parent::fd.
  struct Parent {
    int root;
    UniqueFd opened;
    char name[256];
    int fd() const { return opened ? opened.get() : root; }
  };
  std::expected<Parent, StoreError> parent(int root, std::string_view path) const;

 private:
  SymlinkPolicy policy_;
};

}  // namespace semblance
