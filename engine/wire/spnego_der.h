#pragma once
// The little of DER (X.690) that SPNEGO needs.

#include <optional>

#include "engine/wire/builder.h"
#include "engine/wire/reader.h"

namespace semblance::wire::der {

enum Tag : uint8_t {
  kBitString = 0x03,
  kOctetString = 0x04,
  kOid = 0x06,
  kEnumerated = 0x0A,
  kGeneralString = 0x1B,
  kSequence = 0x30,
  kApplication0 = 0x60,
  kContext0 = 0xA0,  // [0], explicit; [n] is kContext0 + n
};

constexpr uint8_t context(unsigned n) { return static_cast<uint8_t>(kContext0 + n); }

struct Element {
  uint8_t tag = 0;
  Bytes content;
  Bytes whole;  // tag and length included
};

// The next element. Definite lengths of at most four bytes; multi-byte tags don't occur in SPNEGO
// and fail the reader, as does everything that leaves the span.
inline Element next(Reader& reader) {
  const size_t start = reader.position();
  Element element;
  element.tag = reader.u8();
  size_t length = reader.u8();
  if ((element.tag & 0x1F) == 0x1F) reader.fail();
  if (length >= 0x80) {
    const size_t count = length & 0x7F;
    if (count == 0 || count > 4) reader.fail();  // indefinite, or absurd
    length = 0;
    for (size_t i = 0; i < count && reader.ok(); ++i) length = length << 8 | reader.u8();
  }
  element.content = reader.bytes(length);
  if (!reader.ok()) return {};
  element.whole = reader.all().subspan(start, reader.position() - start);
  return element;
}

// The next element when it has this tag, otherwise fails the reader.
inline Bytes expect(Reader& reader, uint8_t tag) {
  const Element element = next(reader);
  if (element.tag != tag) return reader.fail();
  return element.content;
}

// The content of the one element inside an explicit tag; none when it has another tag.
inline std::optional<Bytes> inner(Bytes content, uint8_t tag) {
  Reader reader(content);
  const Bytes value = expect(reader, tag);
  if (!reader.ok()) return std::nullopt;
  return value;
}

// Bytes that tag and length take in front of `content` bytes, and with them.
constexpr size_t header_size(size_t content) {
  return content < 0x80 ? 2 : content < 0x100 ? 3 : content < 0x10000 ? 4 : 6;
}
constexpr size_t size(size_t content) { return header_size(content) + content; }

inline void put_header(Builder& out, uint8_t tag, size_t content) {
  out.u8(tag);
  const size_t header = header_size(content);
  if (header == 2) {
    out.u8(static_cast<uint8_t>(content));
    return;
  }
  out.u8(static_cast<uint8_t>(0x80 + header - 2));
  for (size_t i = header - 2; i-- > 0;) out.u8(static_cast<uint8_t>(content >> 8 * i));
}

inline void put(Builder& out, uint8_t tag, Bytes content) {
  put_header(out, tag, content.size());
  out.bytes(content);
}

// [n] EXPLICIT around one element.
inline void put_explicit(Builder& out, unsigned n, uint8_t tag, Bytes content) {
  put_header(out, context(n), size(content.size()));
  put(out, tag, content);
}
constexpr size_t explicit_size(size_t content) { return size(size(content)); }

}  // namespace semblance::wire::der
