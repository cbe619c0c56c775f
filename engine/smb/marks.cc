#include "engine/smb/marks.h"

#include "engine/base/check.h"

namespace semblance::smb {

namespace {
struct Entry {
  std::string_view name, meaning;
};
constexpr Entry kEntries[] = {
#define X(enumerator, what) {#enumerator, what},
    SEMBLANCE_MARKS(X)
#undef X
};
}  // namespace

std::string_view mark_name(Mark mark) {
  CHECK(mark < Mark::kCount);
  return kEntries[static_cast<size_t>(mark)].name;
}

std::string_view mark_meaning(Mark mark) {
  CHECK(mark < Mark::kCount);
  return kEntries[static_cast<size_t>(mark)].meaning;
}

}  // namespace semblance::smb
