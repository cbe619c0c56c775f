#pragma once
// The Workstation Service, MS-WKST: the one call that clients make while browsing.

#include "engine/rpc/service_view.h"
#include "engine/wire/dcerpc.h"
#include "engine/wire/ndr.h"

namespace semblance::rpc {

// 6bffd098-a112-3610-9833-46c3f87e345a v1.0
inline constexpr wire::dcerpc::Syntax kWkssvcInterface{
    {0x98, 0xD0, 0xFF, 0x6B, 0x12, 0xA1, 0x10, 0x36, 0x98, 0x33, 0x46, 0xC3, 0xF8, 0x7E, 0x34,
     0x5A},
    1};

// Executes one call, as call_srvsvc() does.
//
//     0 NetrWkstaGetInfo  levels 100, 101, 102
//     1..4                ACCESS_DENIED: setting it, and who is logged on
//     others              nca_op_rng_error
wire::dcerpc::Fault call_wkssvc(uint16_t opnum, Bytes stub, const ServiceView& view,
                                wire::NdrWriter& out);

}  // namespace semblance::rpc
