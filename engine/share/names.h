#pragma once
// Names on the wire and names in the store: MS-FSCC 2.1.5, MS-SMB2 2.2.13.
//
// The wire has UTF-16LE paths separated by '\'; the store has UTF-8 paths separated by '/'. A stored
// name that Windows can't spell ("Jr.", "a:b", a control character) is shown with the private-use
// characters that macOS clients use too (U+F001..U+F029) and is opened by them; a stored name that
// really holds one of these is shown with U+F07F before it. So no two stored names look alike, and
// whatever is listed opens what it names.

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/bytes.h"
#include "engine/base/status.h"

namespace semblance::share {

// The longest component, in UTF-16 units.
inline constexpr size_t kNameUnitsMax = 255;

// The store path of a wire path relative to a share's root. An empty name is the root, "".
// INVALID_PARAMETER for a leading '\'; OBJECT_NAME_INVALID for a reserved or control character, an
// unpaired surrogate, a component or a path that is too long, or a stream name (this server keeps no
// streams yet); OBJECT_PATH_SYNTAX_BAD for "." and ".." components. A trailing '\' is ignored.
Result<std::string> store_path(Bytes wire_name);

// The wire form of one stored component; none if it is not UTF-8, or too long, and so can't be shown.
std::optional<std::u16string> wire_name(std::string_view component);
// The wire form of a whole store path with '\' in front of every component; "\" for the root.
std::u16string wire_path(std::string_view path);

// The key under which names that differ only in case are equal; of the wire form.
std::u16string folded(std::u16string_view wire_name);

std::string_view parent_path(std::string_view path);     // "" for a name at the top
std::string_view last_component(std::string_view path);  // the whole for a name at the top
std::string joined(std::string_view directory, std::string_view component);
uint32_t component_count(std::string_view path);         // 0 for the root
// Whether `path` lies beneath `directory` (not the directory itself).
bool is_beneath(std::string_view path, std::string_view directory);

}  // namespace semblance::share
