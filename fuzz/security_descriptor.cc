// Two security descriptors, the first behind its length: there and back, and what is made of them
// when access is evaluated, inherited and changed.

#include "engine/share/security.h"
#include "fuzz/support/fuzz_input.h"
#include "fuzz/support/round_trip.h"

namespace semblance::fuzz {
namespace {

using share::Token;
using wire::SecurityDescriptor;

std::optional<SecurityDescriptor> parse(Bytes view) {
  std::vector<uint8_t> bytes = exactly(view);
  auto parsed = SecurityDescriptor::parse(bytes);
  if (!parsed) return std::nullopt;
  return *parsed;
}

bool within_limits(const SecurityDescriptor& d) {
  auto small = [](const std::optional<wire::Acl>& acl) {
    return !acl || acl->aces.size() <= wire::kAcesMax;
  };
  return d.size() <= wire::kDescriptorBytesMax && small(d.dacl) && small(d.sacl);
}

// It can be kept, and reads back the same.
void keeps(const SecurityDescriptor& d) {
  if (!within_limits(d)) return;
  std::vector<uint8_t> bytes = built(d, 0, d.size());
  CHECK(bytes.size() == d.size());
  auto again = SecurityDescriptor::parse(bytes);
  CHECK(again.has_value());
}

void use(const SecurityDescriptor& one, const SecurityDescriptor* other, const Token& token,
         uint8_t choice) {
  uint32_t rights = share::granted(one, token);
  look_at(share::granted_by_parent(rights));
  FileKind kind = choice & 1 ? FileKind::kDirectory : FileKind::kFile;
  for (const SecurityDescriptor* given : {static_cast<const SecurityDescriptor*>(nullptr), other}) {
    auto made = share::descriptor_of_new(given, &one, kind, token);
    if (made && *made) keeps(**made);
  }
  if (other != nullptr) {
    auto changed = share::changed(one, *other, choice, token);
    if (changed) keeps(*changed);
  }
  keeps(share::part_of(one, choice));
}

}  // namespace
}  // namespace semblance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace semblance;
  using namespace semblance::fuzz;
  static constexpr std::array<uint8_t, 16> kGuid{1, 2, 3, 4};
  FuzzInput input(data, size);
  uint8_t choice = input.u8();
  Bytes first = input.piece();
  round_trip<wire::SecurityDescriptor>(exactly(first));
  auto one = parse(first);
  if (!one) return 0;
  auto other = parse(input.rest());
  const wire::SecurityDescriptor* second = other ? &*other : nullptr;
  use(*one, second, share::Token::user(kGuid, 1000, "anna"), choice);
  use(*one, second, share::Token::user(kGuid, UINT32_MAX, "bert"), choice);
  use(*one, second, share::Token::guest(kGuid), choice);
  use(*one, second, share::Token::anonymous(), choice);
  return 0;
}
