#include "engine/auth/ntlmv2.h"
#include "engine/wire/file_attributes.h"
#include "tests/engine/harness/world.h"

namespace semblance::test {

Peer::Peer(World& world, ConnectionId id, client::Options options)
    : world_(world),
      id_(id),
      client_(std::move(options)),
      sync_(client_, [this] { return world_.run(); }) {}

client::Login Peer::login(std::string user, std::string password) const {
  client::Login login;
  login.credentials.user = std::move(user);
  login.credentials.domain = "WORKGROUP";
  login.credentials.workstation = "CLIENT";
  login.credentials.nt_hash = *auth::nt_hash_of(password);
  login.entropy.challenge = {8, 7, 6, 5, 4, 3, 2, 1};
  login.entropy.exported_key = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  login.now = world_.wall();
  return login;
}

client::Session& Peer::log_in(std::string user, std::string password) {
  session_ = &sync_.log_in(login(std::move(user), std::move(password)));
  return *session_;
}

Tree Peer::tree(const client::Session& session, std::u16string share) {
  auto tree = sync_.tree_connect(session, u"\\\\server\\" + share);
  EXPECT_TRUE(tree.has_value()) << show(tree.error());
  return tree.value_or(Tree{});
}

Tree Peer::connect(std::u16string share) {
  EXPECT_EQ(sync_.negotiate(), NtStatus::kSuccess);
  log_in();
  EXPECT_TRUE(session_->valid()) << show(session_->status());
  return tree(*session_, std::move(share));
}

FileId Peer::file(const Tree& tree, std::u16string name, std::string_view content) {
  CreateArgs args;
  args.name = std::move(name);
  args.access = wire::kFileAllAccess;
  auto opened = sync_.create(tree, args);
  EXPECT_TRUE(opened.has_value()) << show(opened.error());
  if (!opened) return {};
  if (!content.empty()) {
    EXPECT_EQ(sync_.write(tree, opened->id, 0, as_bytes(content)), content.size());
  }
  return opened->id;
}

FileId Peer::directory(const Tree& tree, std::u16string name) {
  CreateArgs args;
  args.name = std::move(name);
  args.access = wire::kFileAllAccess;
  args.options = wire::kFileDirectoryFile;
  auto opened = sync_.create(tree, args);
  EXPECT_TRUE(opened.has_value()) << show(opened.error());
  return opened ? opened->id : FileId{};
}

}  // namespace semblance::test
