#pragma once
// A small SMB 2/3 client without I/O: bytes in, bytes out; no clock, no randomness of its own.
//
//     Client client(options);
//     client.negotiate();                       // queues bytes
//     ... outgoing() / sent(n) / receive(bytes), whenever the owner has or gets some ...
//     Session& session = client.log_in(login);  // goes through its legs by itself
//     uint64_t id = client.send(request);       // after session.valid()
//     auto reply = client.take(id);             // once it has come
//
// It seals what the server asks to be sealed, and what the login asks for. It keeps its own books:
// message ids, credits, signatures, seals and their nonces, one final reply for each request. What
// the server does against them is collected in faults(), which an honest test requires empty.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/client/reply.h"
#include "engine/client/request.h"
#include "engine/client/session.h"
#include "engine/wire/negotiate_contexts.h"

namespace semblance::client {

struct Options {
  std::vector<uint16_t> dialects = {0x0202, 0x0210, 0x0300, 0x0302, 0x0311};
  uint16_t security_mode = wire::kNegotiateSigningEnabled;
  uint32_t capabilities = wire::kGlobalCapLargeMtu;
  wire::Guid guid = {0x53, 0x65, 0x6D, 0x62};
  std::vector<uint16_t> signing_algorithms = {2, 1, 0};  // empty: no context
  // Empty: no context and no capability. 3.0 and 3.0.2 know AES-128-CCM alone.
  std::vector<uint16_t> ciphers;
  // Instead of the contexts made of the above: the list as it stands on the wire.
  std::optional<std::vector<uint8_t>> raw_contexts;
  uint16_t raw_context_count = 0;
};

class Client {
 public:
  explicit Client(Options options = {});

  // ---- Bytes ------------------------------------------------------------------------------------
  void receive(Bytes bytes);
  Bytes outgoing() const { return outgoing_; }
  void sent(size_t bytes) { outgoing_.erase(outgoing_.begin(), outgoing_.begin() + bytes); }
  // Bytes as they are, without a frame; what comes back for them is in unexpected().
  void send_raw(Bytes bytes);
  // A message of any content behind a right frame.
  void send_message(Bytes message);

  // ---- Connection -------------------------------------------------------------------------------
  uint64_t negotiate();
  // Once its reply has come: what was agreed on.
  bool negotiated() const { return negotiated_; }
  wire::Dialect dialect() const { return dialect_; }
  crypto::SigningAlgorithm signing_algorithm() const { return algorithm_; }
  std::optional<crypto::Cipher> cipher() const { return cipher_; }
  uint32_t server_capabilities() const { return server_capabilities_; }
  const Options& options() const { return options_; }

  // ---- Sessions ---------------------------------------------------------------------------------
  // The reference is good as long as the client. Replies of the exchange are not in take().
  Session& log_in(Login login);
  void log_in_again(Session& session, Login login);
  Session* find_session(uint64_t id);

  // ---- Requests ---------------------------------------------------------------------------------
  // One request, or a compound; message ids in their order. A request that takes more credits than
  // there are is sent all the same and noted in faults().
  uint64_t send(Request request);
  std::vector<uint64_t> send(std::vector<Request> compound);
  // By AsyncId when the request was answered PENDING. Has no reply.
  void cancel(uint64_t message_id, Signing signing = Signing::kAuto);

  bool is_pending(uint64_t message_id) const { return pending_.contains(message_id); }
  size_t pending() const { return pending_.size(); }
  // None if it has not come (yet), or was taken.
  std::optional<Reply> take(uint64_t message_id);
  // The AsyncId that an interim reply gave; 0 without one.
  uint64_t async_id(uint64_t message_id) const;

  int64_t credits() const { return credits_; }  // held and unused
  uint64_t next_message_id() const { return next_message_id_; }
  void set_next_message_id(uint64_t id) { next_message_id_ = id; }
  // The charge that a payload needs here: 1 for dialects without multi-credit requests.
  uint16_t charge_for(uint64_t payload) const;

  // What the server did wrong, in words.
  const std::vector<std::string>& faults() const { return faults_; }
  // Replies that answer no request of send(): notifications, answers to raw bytes.
  const std::vector<Reply>& unexpected() const { return unexpected_; }
  // For a client that breaks the rules itself: what comes back is not held against the server.
  void expect_anything() { lenient_ = true; }

 private:
  struct Pending {
    wire::Command command{};
    uint64_t session_id = 0;
    Session* login = nullptr;  // a leg of this session's exchange
    bool signed_well = false;
    bool sealed = false;
    uint64_t async_id = 0;
    uint32_t interims = 0;
  };

  std::vector<uint8_t> negotiate_contexts(uint16_t& count) const;
  void send_login_leg(Session& session);
  void take_agreements(const wire::NegotiateResponse& response);
  // Whose key seals this message; null when it goes in the clear.
  Session* sealing_session(const std::vector<Request>& compound);
  void lay_out(Request& request, Pending& pending, uint64_t chain_session, bool last);
  // Pads the element and makes NextCommand its size, unless it is no longer what was `said`.
  static void link(std::vector<uint8_t>& element, size_t said);
  uint64_t issue_id(uint16_t charge);

  void take_frame(MutableBytes message);
  // `sealed_by`: the session whose key opened it; 0 for plaintext.
  void take_message(Bytes message, uint64_t sealed_by);
  void take_reply(Reply reply);
  void take_negotiate(const Reply& reply);
  void check_reply(const Reply& reply, const Pending& pending);
  void check_sealed(const Reply& reply, const Pending& pending, const Session* session);
  Signature verify(const Reply& reply, Session* session);
  void fault(std::string what);

  Options options_;
  std::vector<uint8_t> outgoing_, incoming_;
  bool negotiated_ = false;
  bool lenient_ = false;
  wire::Dialect dialect_{};
  crypto::SigningAlgorithm algorithm_ = crypto::SigningAlgorithm::kHmacSha256;
  std::optional<crypto::Cipher> cipher_;
  uint32_t server_capabilities_ = 0;
  crypto::PreauthHash preauth_;
  uint64_t next_message_id_ = 0;
  int64_t credits_ = 1;
  std::vector<std::unique_ptr<Session>> sessions_;
  std::map<uint64_t, Pending> pending_;
  std::map<uint64_t, Reply> replies_;
  std::vector<Reply> unexpected_;
  std::vector<std::string> faults_;
};

}  // namespace semblance::client
