#pragma once
// Info-level structures as data. Every structure that these services send is a sequence of
// four-byte fields: a number, or a pointer to a string that NDR defers behind the structure
// (C706 14.3.12.3), and behind the whole array when there is one.

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "engine/wire/ndr.h"

namespace semblance::rpc {

struct NullPointer {};
using InfoField = std::variant<uint32_t, std::u16string, NullPointer>;
using Info = std::vector<InfoField>;

// Bytes that one structure takes with its strings.
size_t info_size(const Info& info);

// One structure behind a pointer: union discriminant, referent id, structure, strings.
void put_info_union(wire::NdrWriter& out, uint32_t level, const Info& info);

// A conformant array of structures: count, fixed parts, then all strings.
void put_info_array(wire::NdrWriter& out, std::span<const Info> infos);

// UTF-16 of UTF-8, empty when it is not UTF-8.
std::u16string wide(std::string_view text);

// Win32 and network errors that calls return, MS-ERREF 2.2 and MS-SRVS 2.2.2.
enum class Werr : uint32_t {
  kOk = 0,
  kInvalidParameter = 87,
  kInvalidLevel = 124,
  kMoreData = 234,
  kNetNameNotFound = 2310,
};

}  // namespace semblance::rpc
