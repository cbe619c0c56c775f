// Names between the wire and the store, UTF-16, search patterns. The first byte picks.

#include "engine/share/names.h"

#include "engine/base/upcase.h"
#include "engine/base/utf16.h"
#include "engine/share/pattern.h"
#include "fuzz/support/fuzz_input.h"
#include "fuzz/support/round_trip.h"

namespace semblance::fuzz {
namespace {

// What a client asks for is shown by a path that leads to the same place.
void from_wire(Bytes name) {
  auto path = share::store_path(name);
  if (!path) return;
  CHECK(path->empty() || (path->front() != '/' && path->back() != '/'));
  CHECK(path->find('\0') == path->npos && ("/" + *path + "/").find("/../") == path->npos &&
        ("/" + *path + "/").find("/./") == path->npos && path->find("//") == path->npos);
  std::u16string shown = share::wire_path(*path);
  CHECK(!shown.empty() && shown.front() == u'\\');
  auto again = share::store_path(as_bytes(std::u16string_view(shown).substr(1)));
  CHECK(again && *again == *path);
}

// Whatever is listed opens what it names.
void from_store(std::string_view name) {
  if (name.empty() || name == "." || name == ".." || name.find('/') != name.npos ||
      name.find('\0') != name.npos)
    return;  // no directory holds it
  auto shown = share::wire_name(name);
  if (!shown) return;
  CHECK(shown->size() <= share::kNameUnitsMax);
  auto path = share::store_path(as_bytes(*shown));
  CHECK(path && *path == name);
  CHECK(share::folded(share::folded(*shown)) == share::folded(*shown));
}

void text(Bytes bytes) {
  if (auto wide = utf16_from_utf8(as_text(bytes))) CHECK(utf8_from_utf16(*wide) == as_text(bytes));
  std::u16string wide = utf16_from_wire(bytes);
  if (auto narrow = utf8_from_utf16(wide)) CHECK(utf16_from_utf8(*narrow) == wide);
  CHECK(equal_without_case(wide, upcase(wide)));
}

void pattern(FuzzInput& input) {
  std::u16string pattern = utf16_from_wire(input.bytes(input.u8()));
  std::u16string name = utf16_from_wire(input.bytes(512));
  bool matches = share::matches(pattern, name);
  CHECK(matches == share::matches(upcase(pattern), upcase(name)));
  if (name.size() <= share::kNameUnitsMax) CHECK(share::matches(u"*", name));
  if (share::is_literal(pattern) && pattern.size() <= share::kNameUnitsMax)
    CHECK(matches == equal_without_case(pattern, name));
}

}  // namespace
}  // namespace semblance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace semblance;
  using namespace semblance::fuzz;
  FuzzInput input(data, size);
  switch (input.u8() % 4) {
    case 0:
      from_wire(input.rest());
      break;
    case 1:
      from_store(as_text(input.rest()));
      break;
    case 2:
      text(input.rest());
      break;
    default:
      pattern(input);
  }
  return 0;
}
