#pragma once
// MS-SMB2 3.3.5.3 Receiving an SMB_COM_NEGOTIATE: the one SMB1 message this server understands.

#include "engine/wire/body.h"

namespace semblance::wire {

// MS-CIFS 2.2.4.52.1. Only what 3.3.5.3 asks: which SMB2 dialect strings are offered.
//
//     +0 FF 'SMB'  +4 Command 0x72  ...  +32 WordCount 0  +33 ByteCount (2)
//     +35 { 0x02 "dialect" 0x00 } ...
struct Smb1NegotiateRequest {
  bool offers_smb_2_002 = false;       // "SMB 2.002"
  bool offers_smb_2_wildcard = false;  // "SMB 2.???"

  static Result<Smb1NegotiateRequest> parse(Bytes message);
  void build(Builder& b) const;
};

}  // namespace semblance::wire
