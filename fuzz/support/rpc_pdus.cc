#include "fuzz/support/rpc_pdus.h"

#include "engine/rpc/srvsvc.h"
#include "engine/rpc/wkssvc.h"

namespace semblance::fuzz {
namespace {

namespace dce = wire::dcerpc;

template <typename Body>
std::vector<uint8_t> pdu(dce::PduType type, Body body) {
  std::vector<uint8_t> space(4096);
  wire::Builder out(space);
  dce::Header{.type = type, .flags = 3, .call_id = 7}.build(out);
  body(out);
  out.patch_u16(8, static_cast<uint16_t>(out.size()));
  space.resize(out.size());
  return space;
}

std::vector<uint8_t> bind(dce::PduType type, const dce::Syntax& service) {
  return pdu(type, [&](wire::Builder& out) {
    out.u16(4280);
    out.u16(4280);
    out.u32(0);
    out.u8(1);
    out.zeros(3);
    out.u16(0);
    out.u16(1);
    for (const dce::Syntax& syntax : {service, dce::kNdr32}) {
      out.bytes(syntax.uuid);
      out.u32(syntax.version);
    }
  });
}

template <typename Stub>
std::vector<uint8_t> request(uint16_t opnum, Stub write) {
  std::vector<uint8_t> stub(1024);
  wire::NdrWriter ndr(stub);
  write(ndr);
  return pdu(dce::PduType::kRequest, [&](wire::Builder& out) {
    out.u32(static_cast<uint32_t>(ndr.size()));
    out.u16(0);
    out.u16(opnum);
    out.bytes(Bytes(stub).first(ndr.size()));
  });
}

// NetrShareEnum, MS-SRVS 3.1.4.8.
std::vector<uint8_t> share_enum(uint32_t level) {
  return request(15, [&](wire::NdrWriter& out) {
    out.pointer();
    out.wide_string(u"\\\\server");
    out.u32(level);
    out.u32(level);
    out.pointer();
    out.u32(0);
    out.null();
    out.u32(0xFFFFFFFF);
    out.pointer();
    out.u32(0);
  });
}

// NetrServerGetInfo (21), NetrWkstaGetInfo (0).
std::vector<uint8_t> get_info(uint16_t opnum, uint32_t level) {
  return request(opnum, [&](wire::NdrWriter& out) {
    out.pointer();
    out.wide_string(u"S");
    out.u32(level);
  });
}

// NetrShareGetInfo, MS-SRVS 3.1.4.10.
std::vector<uint8_t> share_info(std::u16string_view name, uint32_t level) {
  return request(16, [&](wire::NdrWriter& out) {
    out.null();
    out.wide_string(name);
    out.u32(level);
  });
}

}  // namespace

std::vector<uint8_t> rpc_pdu(size_t which) {
  switch (which) {
    case 0:
      return bind(dce::PduType::kBind, rpc::kSrvsvcInterface);
    case 1:
      return bind(dce::PduType::kBind, rpc::kWkssvcInterface);
    case 2:
      return bind(dce::PduType::kAlterContext, rpc::kSrvsvcInterface);
    case 3:
      return share_enum(1);
    case 4:
      return share_enum(2);
    case 5:
      return share_info(u"data", 1);
    case 6:
      return share_info(u"none", 502);
    case 7:
      return get_info(21, 101);
    case 8:
      return get_info(0, 100);
    default:
      return request(99, [](wire::NdrWriter& out) { out.u32(0); });
  }
}

}  // namespace semblance::fuzz
