#include "tools/cli/effects/scenario.h"

#include "engine/auth/ntlmv2.h"
#include "engine/base/check.h"

namespace semblance::effects {
namespace {

client::Options options_for(Protection protection) {
  client::Options options;
  switch (protection) {
    case Protection::kNone:
      break;
    case Protection::kCmac:
      options.signing_algorithms = {1};
      break;
    case Protection::kGmac:
      options.signing_algorithms = {2};
      break;
    case Protection::kSealed:
      options.ciphers = {static_cast<uint16_t>(crypto::Cipher::kAes128Gcm)};
      break;
  }
  return options;
}

}  // namespace

Peer::Peer(Server& server, Protection protection)
    : protection_(protection),
      wire_(server.connect()),
      client_(options_for(protection)),
      smb_(client_, [this] { return wire_->pump(client_); }) {}

client::Session& Peer::log_in() {
  CHECK(smb_.negotiate() == NtStatus::kSuccess);
  client::Login login;
  login.credentials.user = kUser;
  login.credentials.domain = "WORKGROUP";
  login.credentials.workstation = "CLIENT";
  login.credentials.nt_hash = *auth::nt_hash_of(kPassword);
  login.entropy.challenge = {8, 7, 6, 5, 4, 3, 2, 1};
  login.entropy.exported_key = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  login.now = FileTime::from_unix(1'700'000'000, 0);
  login.seal = protection_ == Protection::kSealed;
  if (protection_ == Protection::kCmac || protection_ == Protection::kGmac)
    login.security_mode |= wire::kNegotiateSigningRequired;
  client::Session& session = smb_.log_in(login);
  CHECK(session.valid());
  return session;
}

client::Tree Peer::connect(client::Session& session, std::u16string_view share) {
  auto tree = smb_.tree_connect(session, u"\\\\server\\" + std::u16string(share));
  CHECK(tree.has_value());
  return *tree;
}

Stage::Stage(Server& server, Protection protection)
    : server(server),
      protection(protection),
      peer(server, protection),
      session(peer.log_in()),
      tree(peer.connect(session, kShare)),
      ipc(peer.connect(session, u"IPC$")) {}

client::Signing Stage::signing() const {
  return protection == Protection::kNone ? client::Signing::kNever : client::Signing::kAuto;
}

uint64_t Stage::send(const client::Tree& to, client::Request request) {
  request.signing = signing();
  return smb().client().send(on(to, std::move(request)));
}

client::Reply Stage::call(const client::Tree& to, client::Request request) {
  return smb().wait(send(to, std::move(request)));
}

client::FileId Stage::open(std::u16string name, wire::CreateDisposition disposition) {
  const client::Reply reply =
      call(tree, client::create_request({.name = std::move(name), .disposition = disposition}));
  const auto opened = reply.as<wire::CreateResponse>();
  CHECK(opened.has_value());
  return opened->file_id;
}

client::FileId Stage::make(std::u16string name, size_t bytes) {
  const client::FileId file = open(std::move(name), wire::CreateDisposition::kCreate);
  const std::vector<uint8_t> content(bytes, 'x');
  CHECK(bytes == 0 || call(tree, client::write_request(file, 0, content)).ok());
  return file;
}

client::FileId Stage::directory(std::u16string name) {
  auto opened = smb().create(tree, {.name = std::move(name), .options = wire::kFileDirectoryFile});
  CHECK(opened.has_value());
  return opened->id;
}

void Stage::close(client::FileId file) { CHECK(call(tree, client::close_request(file)).ok()); }

void Stage::together(std::vector<client::Request> requests) {
  std::vector<uint64_t> ids;
  ids.reserve(requests.size());
  for (client::Request& request : requests) {
    if (requests.size() > 1) request.credits = 1;  // the window stays as it is
    ids.push_back(send(tree, std::move(request)));
  }
  for (uint64_t id : ids) CHECK(smb().wait(id).ok());
}

void play(Server& server, const Scenario& scenario, unsigned warm, unsigned rounds) {
  Stage stage(server, scenario.protection);
  Round round = scenario.prepare(stage);
  for (unsigned i = 0; i < warm + rounds; ++i) {
    server.pass_time();
    if (round.before) round.before();
    server.measure(i >= warm);
    round.act();
    server.measure(false);
    if (round.after) round.after();
  }
  CHECK(stage.smb().client().faults().empty());
}

}  // namespace semblance::effects
