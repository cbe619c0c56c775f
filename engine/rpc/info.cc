#include "engine/rpc/info.h"

#include "engine/base/utf16.h"

namespace semblance::rpc {
namespace {

void put_fixed(wire::NdrWriter& out, const Info& info) {
  for (const InfoField& field : info) {
    if (const auto* number = std::get_if<uint32_t>(&field)) {
      out.u32(*number);
    } else if (std::holds_alternative<std::u16string>(field)) {
      out.pointer();
    } else {
      out.null();
    }
  }
}

void put_deferred(wire::NdrWriter& out, const Info& info) {
  for (const InfoField& field : info) {
    if (const auto* text = std::get_if<std::u16string>(&field)) out.wide_string(*text);
  }
}

}  // namespace

size_t info_size(const Info& info) {
  size_t size = 0;
  for (const InfoField& field : info) {
    size += 4;
    if (const auto* text = std::get_if<std::u16string>(&field)) {
      size += wire::NdrWriter::wide_string_size(*text);
    }
  }
  return size;
}

void put_info_union(wire::NdrWriter& out, uint32_t level, const Info& info) {
  out.u32(level);
  out.pointer();
  put_fixed(out, info);
  put_deferred(out, info);
}

void put_info_array(wire::NdrWriter& out, std::span<const Info> infos) {
  out.u32(static_cast<uint32_t>(infos.size()));
  for (const Info& info : infos) put_fixed(out, info);
  for (const Info& info : infos) put_deferred(out, info);
}

std::u16string wide(std::string_view text) { return utf16_from_utf8(text).value_or(u""); }

}  // namespace semblance::rpc
