#pragma once
// One connection's operations on their way: bytes in, bytes out, no I/O. It takes over from a
// client::Client that has logged in, because a load has other needs than a test: each of `depth`
// slots holds its request laid out already, an operation changes a few bytes of it and is sent from
// where it lies; replies are judged where they were received. Nothing is allocated, but for seals.
//
//     issue(now)                  as many operations as depth and credits allow
//     outgoing() / sent(n)        what to send, in order; good until the next issue() or receive()
//     receive(bytes, now)         takes whole frames in; returns what it consumed
//     stop(); ... idle()          no new operations; those at work end

#include <sys/uio.h>

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "engine/client/client.h"
#include "engine/client/sync_client.h"
#include "tools/bench/histogram.h"
#include "tools/bench/work.h"

namespace semblance::bench {

// What the lanes of a load add to.
struct Tally {
  uint64_t operations = 0;  // that did what they should
  uint64_t failed = 0;
  std::map<NtStatus, uint64_t> errors;    // the first of each failed operation
  std::map<std::string, uint64_t> wrong;  // failed without an error status
  Histogram latency;                      // of `operations`, from issue to reply
};

struct LaneOptions {
  size_t depth = 1;
  bool sign = false;
  bool seal = false;
};

class Lane {
 public:
  // `client` is only asked where it stands; it, `session`, `work` and `tally` outlive the lane.
  Lane(const client::Client& client, client::Session& session, const client::Tree& tree, Work& work,
       const LaneOptions& options);

  void issue(uint64_t now_ns, Tally& tally);
  std::span<const iovec> outgoing() const { return std::span(outgoing_).subspan(first_outgoing_); }
  void sent(size_t bytes);
  size_t receive(MutableBytes bytes, uint64_t now_ns, Tally& tally);

  void stop() { stopping_ = true; }
  bool idle() const { return in_flight_ == 0; }
  // Operations at once, at most; less than the depth where the server gave too few credits.
  size_t reached_depth() const { return reached_depth_; }
  uint64_t next_message_id() const { return next_message_id_; }

 private:
  struct Element {
    size_t at = 0, size = 0;  // within the message
    uint16_t charge = 1;
  };
  struct Slot {
    std::vector<uint8_t> frame;  // frame header and message
    std::vector<uint8_t> sealed;
    uint64_t started_ns = 0;
    size_t unanswered = 0;  // elements
    bool again = false;
    std::optional<NtStatus> error;
    const char* wrong = nullptr;
  };
  // Who waits for a message id.
  struct Waiting {
    uint64_t message_id = UINT64_MAX;
    uint32_t slot = 0, element = 0;
  };

  void lay_out(size_t index, const client::Tree& tree);
  void send_slot(size_t index);
  void take_message(MutableBytes message, bool sealed, uint64_t now_ns, Tally& tally);
  void take_reply(const wire::Header& header, Bytes element, bool sealed, uint64_t now_ns,
                  Tally& tally);
  void finish(size_t index, uint64_t now_ns, Tally& tally);
  Waiting& waiting(uint64_t id) { return waiting_[id % waiting_.size()]; }
  // What can't be laid to an operation.
  static void fault(const char* what, Tally& tally);

  client::Session& session_;
  Work& work_;
  LaneOptions options_;
  std::vector<Element> elements_;  // the same in every slot
  uint16_t charge_ = 0;            // of a whole operation
  std::vector<Slot> slots_;
  std::vector<uint32_t> free_, again_;
  std::vector<Waiting> waiting_;
  std::vector<iovec> outgoing_;
  size_t first_outgoing_ = 0;
  uint64_t next_message_id_ = 0;
  int64_t credits_ = 0;
  size_t in_flight_ = 0, reached_depth_ = 0;
  bool stopping_ = false;
};

}  // namespace semblance::bench
