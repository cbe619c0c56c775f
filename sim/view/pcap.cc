#include "sim/view/pcap.h"

#include <algorithm>
#include <vector>

#include "sim/run/simulation.h"

namespace semblance::sim {

namespace {

constexpr uint32_t kMagicNanoseconds = 0xA1B23C4D;
constexpr uint32_t kLinkRawIp = 101;
constexpr uint32_t kFrameMax = 65535;
constexpr size_t kPayloadMax = 32768;  // large ones, as with segmentation offload
constexpr uint16_t kPort = 445, kFirstClientPort = 40000, kClientPorts = 20000;
constexpr uint32_t kServerAddress = 0x0A000101, kFirstClientAddress = 0x0A000001;
constexpr uint32_t kFirstSequence = 1'000'000;
constexpr uint8_t kFin = 0x01, kSyn = 0x02, kRst = 0x04, kPsh = 0x08, kAck = 0x10;
constexpr size_t kIpHeader = 20, kTcpHeader = 20;

// Fields of files are in the order of this machine, as their magic number says; those of packets in
// the order of networks.
void put_file(std::vector<uint8_t>& to, uint64_t number, size_t size) {
  for (size_t i = 0; i < size; ++i) to.push_back(static_cast<uint8_t>(number >> (8 * i)));
}
void put(std::vector<uint8_t>& to, uint64_t number, size_t size) {
  for (size_t i = size; i-- > 0;) to.push_back(static_cast<uint8_t>(number >> (8 * i)));
}

// The sum that IP and TCP use: RFC 1071.
uint32_t sum_of(Bytes bytes, uint32_t sum = 0) {
  for (size_t i = 0; i < bytes.size(); ++i)
    sum += i % 2 == 0 ? uint32_t{bytes[i]} << 8 : uint32_t{bytes[i]};
  return sum;
}
void put_checksum(std::vector<uint8_t>& packet, size_t at, uint32_t sum) {
  while (sum >> 16 != 0) sum = (sum & 0xFFFF) + (sum >> 16);
  packet[at] = static_cast<uint8_t>(~sum >> 8);
  packet[at + 1] = static_cast<uint8_t>(~sum);
}

}  // namespace

PcapWriter::PcapWriter(FILE* out) : out_(out) {
  std::vector<uint8_t> header;
  put_file(header, kMagicNanoseconds, 4);
  put_file(header, 2, 2);
  put_file(header, 4, 2);
  put_file(header, 0, 8);  // time zone and precision: not in use
  put_file(header, kFrameMax, 4);
  put_file(header, kLinkRawIp, 4);
  std::fwrite(header.data(), 1, header.size(), out_);
  std::fflush(out_);
}

void PcapWriter::called(ConnectionId id, uint32_t client) {
  Flow& flow = flows_[id.generation];
  flow.client = client;
  flow.port = static_cast<uint16_t>(kFirstClientPort + id.generation % kClientPorts);
  flow.next[kClient] = flow.next[kServer] = kFirstSequence;
  frame(flow, kClient, kSyn, {});
  frame(flow, kServer, kSyn | kAck, {});
  frame(flow, kClient, kAck, {});
}

void PcapWriter::delivered(ConnectionId id, Bytes bytes) { data(id, kClient, bytes); }
void PcapWriter::transmitted(ConnectionId id, Bytes bytes) { data(id, kServer, bytes); }

void PcapWriter::data(ConnectionId id, Side from, Bytes bytes) {
  auto found = flows_.find(id.generation);
  while (found != flows_.end() && !bytes.empty()) {
    size_t size = std::min(bytes.size(), kPayloadMax);
    frame(found->second, from, kPsh | kAck, bytes.first(size));
    bytes = bytes.subspan(size);
  }
}

void PcapWriter::hung_up(ConnectionId id) {
  auto found = flows_.find(id.generation);
  if (found != flows_.end() && found->second.end == End::kBroken)
    found->second.end = End::kByClient;
}

void PcapWriter::effect(const Effect& effect) {
  const auto* close = std::get_if<CloseConnection>(&effect);
  if (close == nullptr) return;
  auto found = flows_.find(close->connection.generation);
  if (found != flows_.end()) found->second.end = End::kByServer;
}

void PcapWriter::crashed(CrashKind) { server_dead_ = true; }

void PcapWriter::closed(ConnectionId id) {
  auto found = flows_.extract(id.generation);
  if (found.empty()) return;
  Flow& flow = found.mapped();
  if (server_dead_) return frame(flow, kServer, kRst | kAck, {});
  if (flow.end == End::kBroken) return frame(flow, kClient, kRst | kAck, {});
  Side first = flow.end == End::kByClient ? kClient : kServer;
  Side second = first == kClient ? kServer : kClient;
  frame(flow, first, kFin | kAck, {});
  frame(flow, second, kFin | kAck, {});
  frame(flow, first, kAck, {});
}

void PcapWriter::frame(Flow& flow, Side from, uint8_t flags, Bytes payload) {
  uint32_t addresses[] = {kFirstClientAddress + flow.client, kServerAddress};
  uint16_t ports[] = {flow.port, kPort};
  Side to = from == kClient ? kServer : kClient;
  // A SYN carries the option that makes the window as wide as a run may need.
  size_t options = (flags & kSyn) != 0 ? 4 : 0;
  size_t tcp_size = kTcpHeader + options + payload.size();

  std::vector<uint8_t> packet;
  put(packet, 0x4500, 2);
  put(packet, kIpHeader + tcp_size, 2);
  put(packet, 0x00004000, 4);  // no identification, not to be fragmented
  put(packet, 0x4006, 2);      // 64 hops, TCP
  put(packet, 0, 2);
  put(packet, addresses[from], 4);
  put(packet, addresses[to], 4);
  put_checksum(packet, 10, sum_of(packet));

  put(packet, ports[from], 2);
  put(packet, ports[to], 2);
  put(packet, flow.next[from], 4);
  put(packet, (flags & kAck) != 0 ? flow.next[to] : 0, 4);
  put(packet, (kTcpHeader + options) / 4 << 4, 1);
  put(packet, flags, 1);
  put(packet, 0xFFFF, 2);
  put(packet, 0, 4);
  if (options != 0) put(packet, 0x0103030E, 4);  // window scale 14
  packet.insert(packet.end(), payload.begin(), payload.end());
  // The pseudo header: both addresses, the protocol and the size.
  uint32_t sum = sum_of(Bytes(packet).subspan(12, 8)) + 6 + static_cast<uint32_t>(tcp_size);
  put_checksum(packet, kIpHeader + 16, sum_of(Bytes(packet).subspan(kIpHeader), sum));

  auto now = static_cast<uint64_t>(clock_->now().ns);
  std::vector<uint8_t> record;
  put_file(record, static_cast<uint64_t>(kFirstWallSecond) + now / 1'000'000'000, 4);
  put_file(record, now % 1'000'000'000, 4);
  put_file(record, packet.size(), 4);
  put_file(record, packet.size(), 4);
  record.insert(record.end(), packet.begin(), packet.end());
  std::fwrite(record.data(), 1, record.size(), out_);
  std::fflush(out_);

  flow.next[from] += static_cast<uint32_t>(payload.size());
  if ((flags & (kSyn | kFin)) != 0) ++flow.next[from];
}

}  // namespace semblance::sim
