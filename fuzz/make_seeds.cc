// make_seeds DIRECTORY: writes a seed corpus for every target into DIRECTORY/TARGET: well-formed
// messages as the builders lay them out, tokens of real exchanges, the conversation of an honest
// client with the engine, scripts of honest requests, and runs of the simulator. The same files
// each time.

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "engine/auth/acceptor.h"
#include "engine/auth/initiator.h"
#include "engine/auth/smbpasswd.h"
#include "engine/base/utf16.h"
#include "engine/wire/create.h"
#include "engine/wire/frame_header.h"
#include "engine/wire/set_info.h"
#include "fuzz/support/byte_record.h"
#include "fuzz/support/conversation.h"
#include "fuzz/support/requests.h"
#include "fuzz/support/rpc_pdus.h"
#include "fuzz/support/scene.h"
#include "fuzz/support/simulator_run.h"

namespace semblance::fuzz {
namespace {

using Blob = std::vector<uint8_t>;
using wire::Command;

class Corpus {
 public:
  explicit Corpus(std::filesystem::path directory) : directory_(std::move(directory)) {}

  void add(const std::string& target, const std::string& name, Bytes bytes) {
    std::filesystem::create_directories(directory_ / target);
    std::ofstream out(directory_ / target / name, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
    CHECK(out.good());
    ++count_;
  }
  size_t count() const { return count_; }

 private:
  std::filesystem::path directory_;
  size_t count_ = 0;
};

Blob joined(std::initializer_list<Bytes> parts) {
  Blob whole;
  for (Bytes part : parts) whole.insert(whole.end(), part.begin(), part.end());
  return whole;
}
Blob with_first(size_t first, Bytes rest) {
  const uint8_t byte[] = {static_cast<uint8_t>(first)};
  return joined({byte, rest});
}
// Behind its length in 16 bits, as FuzzInput::piece() takes it.
Blob piece(Bytes bytes) {
  const uint8_t length[] = {static_cast<uint8_t>(bytes.size()),
                            static_cast<uint8_t>(bytes.size() >> 8)};
  return joined({length, bytes});
}
Blob framed(Bytes message) {
  Blob frame(wire::kFrameHeaderSize);
  wire::Builder b(frame);
  wire::FrameHeader{0, static_cast<uint32_t>(message.size())}.build(b);
  return joined({frame, message});
}

// The request with a header that says what it must.
Blob whole(const client::Request& request, const Learnt& learnt, size_t file) {
  Blob message = request.element;
  wire::Header header;
  header.command = request.command;
  header.credit_charge = 1;
  header.credits = 1;
  bool tree_wanted = request.command != Command::kNegotiate &&
                     request.command != Command::kSessionSetup && !learnt.trees.empty();
  if (tree_wanted) header.tree_id = learnt.trees[file == 2 && learnt.trees.size() > 1 ? 1 : 0];
  if (!learnt.sessions.empty()) header.session_id = learnt.sessions.front();
  wire::Builder b(MutableBytes(message).first(wire::kHeaderSize));
  header.build(b);
  size_t at = wire::kHeaderSize + file_id_offset(static_cast<uint8_t>(request.command));
  if (at > wire::kHeaderSize && file < learnt.files.size()) {
    wire::Builder id(MutableBytes(message).subspan(at, 16));
    learnt.files[file].write(id);
  }
  return message;
}

// Where a request's body stands in the table of bodies.cc.
size_t body_of_request(Command command) {
  constexpr uint8_t kBodies[wire::kCommandCount] = {0,  2,  4, 5, 4,  7,  9,  11, 12, 14,
                                                    16, 17, 4, 4, 19, 20, 22, 23, 25};
  return kBodies[static_cast<size_t>(command)];
}

void add_requests(Corpus& corpus) {
  Random random(1);
  for (size_t i = 0; i < 3 * kRequestKinds; ++i) {
    client::Request request = request_of_kind(i % kRequestKinds, random);
    std::string name = "request_" + std::to_string(i);
    Bytes body = Bytes(request.element).subspan(wire::kHeaderSize);
    corpus.add("frame", name, framed(whole(request, {}, 0)));
    corpus.add("bodies", name, with_first(body_of_request(request.command), body));
    if (auto create = wire::CreateRequest::parse(request.element);
        create && request.command == Command::kCreate && !create->contexts.empty())
      corpus.add("create_contexts", name, create->contexts);
    auto set = wire::SetInfoRequest::parse(request.element);
    if (set && request.command == Command::kSetInfo && set->info_type == wire::InfoType::kSecurity)
      corpus.add("security_descriptor", name,
                 joined({with_first(random.below(16), piece(set->buffer)), set->buffer}));
  }
}

void add_scenes(Corpus& corpus) {
  for (size_t state = 0; state < kStates; ++state) {
    Scene scene(static_cast<State>(state));
    Random random(state);
    for (size_t i = 0; i < 2 * kRequestKinds; ++i) {
      client::Request request = request_of_kind(i % kRequestKinds, random);
      size_t kind = i % kRequestKinds;
      size_t file = kind == 8 || kind == 11 ? 2 : kind >= 12 && kind <= 14 ? 1 : 0;
      size_t sending = state == static_cast<size_t>(State::kSealed) ? 2 : 0;
      corpus.add("engine_message", std::to_string(state) + "_" + std::to_string(i),
                 with_first(state + kStates * sending, whole(request, scene.learnt(), file)));
    }
    scene.settle();
  }
}

void add_sessions(Corpus& corpus) {
  for (uint64_t seed = 0; seed < 64; ++seed) {
    Random random(seed);
    Script script;
    script.setting = static_cast<uint8_t>(seed);
    for (size_t i = 0; i < 30; ++i) {
      Record record;
      record.doing = Doing::kMessage;
      if (i % 7 == 6) {
        record.doing = static_cast<Doing>(2 + random.below(10));
        record.payload = {static_cast<uint8_t>(random.next()),
                          static_cast<uint8_t>(random.below(4))};
      } else {
        record.payload = as_element(any_request(random), random).build();
      }
      record.peer = random.one_in(4);
      script.records.push_back(record);
    }
    corpus.add("engine_session", "session_" + std::to_string(seed), script.build());
  }
}

void add_conversations(Corpus& corpus) {
  for (uint8_t choice = 0; choice < 16; ++choice) {
    Blob input = Conversation(choice).record();
    corpus.add("client_receive", "honest_" + std::to_string(choice), input);
    FuzzInput pieces(input.data() + 1, input.size() - 1);
    for (int i = 0; !pieces.empty(); ++i) {
      Bytes message = pieces.piece();
      if (choice & Conversation::kAsIs || message.size() < wire::kHeaderSize) continue;
      corpus.add("frame", "reply_" + std::to_string(choice) + "_" + std::to_string(i),
                 framed(message));
    }
  }
}

// The tokens of a whole exchange, for both sides.
void add_exchange(Corpus& corpus, uint8_t choice) {
  auth::InitiatorOptions options;
  options.spnego = choice & 2;
  options.optimistic_token = choice & 8;
  options.anonymous = choice & 128;
  auth::Initiator initiator({"anna", "WORKGROUP", "CLIENT", auth::NtHash{1, 2, 3}}, options);
  auth::AcceptorContext context;
  context.server_name = context.domain = "SEMBLANCE";
  context.dns_name = "semblance";
  auth::Acceptor acceptor;
  Blob client = {0}, server = {static_cast<uint8_t>(choice | 1)};
  Blob token(auth::Initiator::kTokenSizeMax), reply(auth::Acceptor::kReplySizeMax);
  auto size = initiator.start(token);
  for (int leg = 0; size && leg < 4; ++leg) {
    Bytes sent = Bytes(token).first(*size);
    client = joined({client, piece(sent)});
    std::string name = "token_" + std::to_string(choice) + "_" + std::to_string(leg);
    corpus.add(options.spnego ? "spnego" : "ntlmssp", name, sent);
    auth::AcceptorStep step = acceptor.accept(sent, context, reply);
    Bytes answer = Bytes(reply).first(step.reply_size);
    if (step.outcome == auth::AcceptorStep::Outcome::kNeedAccount) {
      auto result = step.is_anonymous ? acceptor.finish_anonymous(reply)
                                      : acceptor.finish({auth::NtHash{1, 2, 3}}, reply);
      if (result) answer = Bytes(reply).first(result->reply_size);
    }
    server = joined({server, piece(answer)});
    if (!answer.empty())
      corpus.add(options.spnego ? "spnego" : "ntlmssp", name + "_answer", answer);
    if (step.outcome != auth::AcceptorStep::Outcome::kContinue) break;
    size = initiator.step(answer, {{8, 7, 6, 5}, {1, 2, 3, 4}}, {FileTime::kUnixEpoch}, token);
  }
  corpus.add("auth_exchange", "client_" + std::to_string(choice), client);
  corpus.add("auth_exchange", "server_" + std::to_string(choice), server);
}

void add_pipes(Corpus& corpus) {
  for (size_t service = 0; service < 2; ++service) {
    Blob all = {static_cast<uint8_t>(service)};
    auto write = [&](size_t which) {
      const uint8_t operations[] = {0};
      all = joined({all, operations, piece(rpc_pdu(which))});
      const uint8_t read[] = {1, 0, 16};
      all = joined({all, read});
    };
    write(service);
    for (size_t which = 2; which < kRpcPdus; ++which) {
      write(which);
      corpus.add("rpc_pipe", std::to_string(service) + "_" + std::to_string(which), all);
    }
  }
}

void add_texts(Corpus& corpus) {
  auth::SmbPasswdEntry entry{"anna", 1000, auth::NtHash{1, 2, 3}, false, false, 1'700'000'000};
  std::string text = *auth::format_smbpasswd(entry);
  corpus.add("smbpasswd", "anna", as_bytes(text));
  entry.disabled = true;
  entry.nt_hash.reset();
  corpus.add("smbpasswd", "two", as_bytes("# comment\n\n" + text + *auth::format_smbpasswd(entry)));
  constexpr std::u16string_view kNames[] = {u"dir\\file",    u"a.b ",       u"x\uF022y\uF07F",
                                            u"\u00E4\u0130", u"*.<\">?txt", u"a:$DATA"};
  for (size_t mode = 0; mode < 4; ++mode)
    for (std::u16string_view name : kNames) {
      std::string narrow = utf8_from_utf16(name).value_or("");
      Bytes bytes = mode == 1 ? as_bytes(narrow) : as_bytes(name);
      Blob rest = mode == 3 ? joined({with_first(bytes.size(), bytes), bytes}) : joined({bytes});
      corpus.add("names", std::to_string(mode) + "_" + std::to_string(&name - kNames),
                 with_first(mode, rest));
    }
}

// Runs of the simulator whose choices take no more bytes than tools/fuzz lets an input have.
void add_worlds(Corpus& corpus) {
  constexpr uint64_t kSeeds = 300;
  constexpr size_t kBytesMax = 2048;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    sim::HashSource hash(seed);
    ByteRecord record(hash);
    sim::Chooser chooser(record);
    sim::RunResult result = sim::simulate(chooser, simulator_run());
    if (result.failure || record.bytes().size() > kBytesMax) continue;
    sim::BytesSource bytes(record.bytes());
    sim::Chooser again(bytes);
    CHECK(sim::simulate(again, simulator_run()).hash == result.hash);
    corpus.add("simulator", "seed_" + std::to_string(seed), record.bytes());
  }
}

// Layouts of which zeros are a value.
void add_zeros(Corpus& corpus) {
  for (size_t which = 0; which < 40; ++which)
    corpus.add("info_classes", "zeros_" + std::to_string(which), with_first(which, Blob(104)));
  for (size_t which = 0; which < 10; ++which)
    corpus.add("entry_lists", "zeros_" + std::to_string(which), with_first(which, Blob(96)));
  for (size_t count = 0; count < 4; ++count)
    corpus.add("negotiate_contexts", "zeros_" + std::to_string(count), with_first(count, Blob(32)));
  for (uint8_t type = 1; type < 9; ++type) {
    Blob context = {1, type, 0, 10, 0, 0, 0, 0, 0, 1, 0, 2, 0, 1, 0, 2, 0, 0, 0};
    corpus.add("negotiate_contexts", "type_" + std::to_string(type), context);
  }
}

}  // namespace
}  // namespace semblance::fuzz

int main(int argc, char** argv) {
  using namespace semblance::fuzz;
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_seeds DIRECTORY\n");
    return 2;
  }
  Corpus corpus(argv[1]);
  add_requests(corpus);
  add_scenes(corpus);
  add_sessions(corpus);
  add_conversations(corpus);
  for (int choice : {0, 2, 8, 10, 128, 138}) add_exchange(corpus, static_cast<uint8_t>(choice));
  add_pipes(corpus);
  add_texts(corpus);
  add_worlds(corpus);
  add_zeros(corpus);
  std::printf("%zu seeds\n", corpus.count());
}
