#pragma once
// One reply as it came in: the element's bytes, whether its signature held, and how to read it.

#include <vector>

#include "engine/wire/header.h"

namespace semblance::client {

enum class Signature : uint8_t { kNone, kGood, kBad, kNoKey };

struct Reply {
  wire::Header header;
  std::vector<uint8_t> element;  // header included, padding to the next element too
  Signature signature = Signature::kNone;
  bool sealed = false;    // it came encrypted, under the session that its header names
  uint32_t interims = 0;  // STATUS_PENDING replies that came before it

  NtStatus status() const { return header.nt_status(); }
  bool ok() const { return status() == NtStatus::kSuccess; }

  // The body as a Response; views in it live as long as this Reply. An error status is returned
  // as it is; warnings such as BUFFER_OVERFLOW have a body and are parsed.
  template <typename Response>
  Result<Response> as() const {
    if (is_error(status()) && status() != NtStatus::kMoreProcessingRequired) return fail(status());
    return Response::parse(element);
  }
};

}  // namespace semblance::client
