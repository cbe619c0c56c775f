#pragma once
// The Server Service, MS-SRVS: the calls that clients make to look at a server.

#include "engine/rpc/service_view.h"
#include "engine/wire/dcerpc.h"
#include "engine/wire/ndr.h"

namespace semblance::rpc {

// 4b324fc8-1670-01d3-1278-5a47bf6ee188 v3.0
inline constexpr wire::dcerpc::Syntax kSrvsvcInterface{
    {0xC8, 0x4F, 0x32, 0x4B, 0x70, 0x16, 0xD3, 0x01, 0x12, 0x78, 0x5A, 0x47, 0xBF, 0x6E, 0xE1,
     0x88},
    3};

// Executes one call: writes its reply stub, or returns the fault to send instead (then `out` is not
// to be used). Errors of the call itself are Werr values inside the stub.
//
//     15 NetrShareEnum     levels 0, 1, 2, 501, 502 (without security descriptor)
//     16 NetrShareGetInfo  levels 0, 1, 2, 501, 502, 1005
//     21 NetrServerGetInfo levels 100, 101, 102
//     8..14, 17..20, 22    ACCESS_DENIED: enumerations of others' connections, files and sessions,
//                          and all that changes the server
//     others               nca_op_rng_error
wire::dcerpc::Fault call_srvsvc(uint16_t opnum, Bytes stub, const ServiceView& view,
                                wire::NdrWriter& out);

}  // namespace semblance::rpc
