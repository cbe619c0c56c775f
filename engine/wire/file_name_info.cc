#include "engine/wire/file_name_info.h"

namespace semblance::wire {

namespace {

// The parts are of fixed size, so each parses on the bytes where it stands.
template <typename T>
void part(Reader& r, T& out) {
  if (Result<T> parsed = T::parse(r.bytes(T::kSize)); parsed)
    out = *parsed;
  else
    r.fail();
}

}  // namespace

Result<FileAllInformation> FileAllInformation::parse(Bytes data) {
  Reader r(data);
  FileAllInformation i;
  part(r, i.basic);
  part(r, i.standard);
  part(r, i.internal);
  part(r, i.ea);
  part(r, i.access);
  part(r, i.position);
  part(r, i.mode);
  part(r, i.alignment);
  i.name.file_name = read_name(r);
  return finish_info(r, i);
}

void FileAllInformation::build(Builder& b) const {
  basic.build(b);
  standard.build(b);
  internal.build(b);
  ea.build(b);
  access.build(b);
  position.build(b);
  mode.build(b);
  alignment.build(b);
  name.build(b);
}

}  // namespace semblance::wire
