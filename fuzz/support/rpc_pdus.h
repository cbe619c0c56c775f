#pragma once
// DCE/RPC PDUs as clients send them to srvsvc and wkssvc.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace semblance::fuzz {

inline constexpr size_t kRpcPdus = 10;
// which < kRpcPdus: binds first, then requests of the calls that are known.
std::vector<uint8_t> rpc_pdu(size_t which);

}  // namespace semblance::fuzz
