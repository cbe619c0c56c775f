#include "fuzz/support/conversation.h"

#include "engine/wire/file_info.h"
#include "engine/wire/frame_header.h"
#include "fuzz/support/protocol_states.h"
#include "fuzz/support/round_trip.h"

namespace semblance::fuzz {

Conversation::Conversation(uint8_t choice)
    : choice_(choice),
      stage_(static_cast<Stage>(choice % kStages)),
      sync_(client_, [this] { return pump(); }) {
  server_.world().store().make(kDataShare, "file", OpenWhat::kNewFile, "some bytes");
  begin();
}

void Conversation::run(FuzzInput& input) {
  input_ = &input;
  forget_coverage();
  ask();
}

std::vector<uint8_t> Conversation::record() {
  recorded_ = {choice_};
  recording_ = true;
  ask();
  return recorded_;
}

void Conversation::begin() {
  if (stage_ == Stage::kFresh) return;
  CHECK(sync_.negotiate() == NtStatus::kSuccess);
  if (stage_ == Stage::kNegotiated) return;
  client::Session& session = client_.log_in(server_.login());
  if (stage_ == Stage::kHalfWay) return;
  while (!session.valid()) CHECK(pump());
  auto tree = sync_.tree_connect(session, u"\\\\server\\data");
  CHECK(tree.has_value());
  tree_ = *tree;
}

void Conversation::hear(Bytes piece) {
  if (!(choice_ & kAsIs)) {
    std::array<uint8_t, wire::kFrameHeaderSize> frame;
    wire::Builder b(frame);
    wire::FrameHeader{wire::kFrameSessionMessage, static_cast<uint32_t>(piece.size())}.build(b);
    client_.receive(frame);
  }
  client_.receive(piece);
}

bool Conversation::pump() {
  if (input_ != nullptr) {
    client_.sent(client_.outgoing().size());
    if (input_->empty()) return false;
    hear(exactly(input_->piece()));
    return true;
  }
  bool moved = server_.deliver(client_);
  std::vector<uint8_t> received = server_.take();
  if (received.empty()) return moved;
  if (recording_) {
    Bytes piece = Bytes(received).subspan(choice_ & kAsIs ? 0 : wire::kFrameHeaderSize);
    recorded_.push_back(static_cast<uint8_t>(piece.size()));
    recorded_.push_back(static_cast<uint8_t>(piece.size() >> 8));
    recorded_.insert(recorded_.end(), piece.begin(), piece.end());
  }
  client_.receive(received);
  return true;
}

void Conversation::send_some() {
  for (int i = 0; i < 3; ++i)
    sent_.push_back(client_.send(client::on(tree_, client::simple_request(wire::Command::kEcho))));
}

void Conversation::ask() {
  if (stage_ == Stage::kFresh) look_at(sync_.negotiate());
  if (stage_ == Stage::kNegotiated) look_at(sync_.log_in(server_.login()).valid());
  if (stage_ == Stage::kLoggedIn) {
    if (choice_ & kPending) send_some();
    auto opened = sync_.create(tree_, {.name = u"file"});
    client::FileId file = opened ? opened->id : client::FileId{};
    look_at(sync_.read(tree_, file, 0, 100));
    look_at(sync_.write(tree_, file, 0, as_bytes("abc")));
    look_at(sync_.query<wire::FileBasicInformation>(tree_, file));
    look_at(sync_.ioctl(tree_, file, wire::kFsctlSrvRequestResumeKey, {}, 64));
    auto directory =
        sync_.create(tree_, {.name = u"", .disposition = wire::CreateDisposition::kOpen});
    look_at(sync_.list(tree_, directory ? directory->id : file,
                       wire::FileInfoClass::kIdBothDirectory, u"*"));
    look_at(sync_.close(tree_, file, 1));
    look_at(sync_.tree_disconnect(tree_));
  }
  while (pump()) {
  }
  for (uint64_t id : sent_) look_at(client_.take(id));
}

}  // namespace semblance::fuzz
