// The loop with both backends, over loopback, with an engine of no meaning (fake_engine.h).

#include "io/loop/loop.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <thread>

#include "io/store/memory_store.h"
#include "tests/unit/fake_engine.h"

namespace semblance {
namespace {

// A blocking client with a time limit on every call, so that no failure hangs the test.
class Client {
 public:
  explicit Client(const std::string& address) {
    fd_.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in to = {};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons(static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
    const timeval limit = {20, 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    connected_ = ::connect(fd_.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
  }
  bool connected() const { return connected_; }
  int fd() const { return fd_.get(); }
  void close() { fd_.reset(); }

  static std::string framed(const std::string& text) {
    std::string message(4, 0);
    store<uint32_t>(reinterpret_cast<uint8_t*>(message.data()), static_cast<uint32_t>(text.size()));
    return message + text;
  }
  bool send_raw(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t put = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (put <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(put));
    }
    return true;
  }
  bool send(const std::string& text) { return send_raw(framed(text)); }
  // The next reply; "<end>" when the stream ends or nothing comes.
  std::string reply() {
    std::string head = exactly(4);
    if (head.size() < 4) return "<end>";
    return exactly(load<uint32_t>(reinterpret_cast<uint8_t*>(head.data())));
  }

 private:
  std::string exactly(size_t size) {
    std::string bytes(size, 0);
    const ssize_t got = size == 0 ? 0 : ::recv(fd_.get(), bytes.data(), size, MSG_WAITALL);
    bytes.resize(got < 0 ? 0 : static_cast<size_t>(got));
    return bytes;
  }
  UniqueFd fd_;
  bool connected_ = false;
};

class LoopTest : public testing::TestWithParam<const char*> {
 protected:
  void start(const Limits& limits = {}) {
    std::atomic<bool> started = false;
    thread_ = std::jthread([this, limits, &started] {
      auto backend = std::string(GetParam()) == "uring" ? make_uring_backend(limits.connections)
                                                        : make_epoll_backend(limits.connections);
      if (backend) {
        Engine engine(limits);
        Loop loop(engine, store_, accounts_, limits, std::move(backend));
        loop.configure({});
        Listener listener = open_listener("127.0.0.1:0").value();
        address_ = listener.address;
        loop.listen(std::move(listener));
        loop.watch(stop_.ready_fd(), [&] { loop.drain(); });
        started = true;
        started.notify_all();
        loop.run();
        seen_ = fake::seen();
        counters_ = loop.counters();
        return;
      }
      started = true;
      started.notify_all();
    });
    started.wait(false);
    if (address_.empty()) GTEST_SKIP() << "the kernel refuses " << GetParam();
  }
  // Any store operation finished by this pool makes its descriptor readable: a handy eventfd.
  void stop() {
    stop_.submit({}, StoreFsStat{ShareId{0}});
    thread_.join();
  }
  void TearDown() override {
    if (thread_.joinable()) stop();
  }

  MemoryStore store_;
  MemoryStore stop_store_;
  WorkerPool stop_{stop_store_};
  AccountDatabase accounts_{{}, ""};
  std::string address_;
  fake::Seen seen_;
  LoopCounters counters_;
  std::jthread thread_;
};

INSTANTIATE_TEST_SUITE_P(Backends, LoopTest, testing::Values("uring", "epoll"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(LoopTest, AnswersInOrder) {
  ASSERT_NO_FATAL_FAILURE(start());
  if (IsSkipped()) return;
  Client client(address_);
  for (int i = 0; i < 100; i++) {
    ASSERT_TRUE(client.send("E" + std::to_string(i)));
    ASSERT_EQ(client.reply(), "E" + std::to_string(i));
  }
  client.close();
  stop();
  EXPECT_EQ(seen_.messages, 100u);
  EXPECT_EQ(seen_.opened, 1u);
  EXPECT_EQ(seen_.closed, 1u);
  EXPECT_GE(seen_.entropy, 16u);
}

TEST_P(LoopTest, TakesABatchInFewIterations) {
  ASSERT_NO_FATAL_FAILURE(start());
  if (IsSkipped()) return;
  Client client(address_);
  std::string batch;
  for (int i = 0; i < 64; i++) batch += Client::framed("E" + std::string(100, 'x'));
  for (int round = 0; round < 50; round++) {
    ASSERT_TRUE(client.send_raw(batch));
    for (int i = 0; i < 64; i++) ASSERT_EQ(client.reply().size(), 101u);
  }
  client.close();
  stop();
  EXPECT_EQ(seen_.messages, 3200u);
  EXPECT_LT(counters_.iterations, 800u);
}

TEST_P(LoopTest, ReassemblesMessagesHoweverTheyAreCut) {
  ASSERT_NO_FATAL_FAILURE(start());
  if (IsSkipped()) return;
  Client client(address_);
  const int on = 1;
  ::setsockopt(client.fd(), IPPROTO_TCP, 1 /* TCP_NODELAY */, &on, sizeof on);
  std::string stream;
  for (int i = 0; i < 40; i++) stream += Client::framed("E" + std::string(i * 7, 'a'));
  size_t at = 0;
  for (size_t piece = 1; at < stream.size(); piece = piece % 13 + 1) {
    ASSERT_TRUE(client.send_raw(std::string_view(stream).substr(at, piece)));
    at += piece;
  }
  for (size_t i = 0; i < 40; i++) ASSERT_EQ(client.reply().size(), 1 + i * 7);
  client.close();
  stop();
  EXPECT_EQ(seen_.partial_events, 0u);
}

TEST_P(LoopTest, LargeMessagesAndRepliesAreWhole) {
  ASSERT_NO_FATAL_FAILURE(start());
  if (IsSkipped()) return;
  Client client(address_);
  for (const size_t size : {8191u, 8192u, 70'000u, 200'000u, 1'100'000u, 8'400'000u, 10u}) {
    std::string text = "E" + std::string(size, 0);
    for (size_t i = 1; i < text.size(); i++) text[i] = static_cast<char>(i * 2654435761u >> 24);
    std::jthread sender([&] { EXPECT_TRUE(client.send(text)); });
    ASSERT_TRUE(client.reply() == text) << size;
  }
}

TEST_P(LoopTest, PayloadsReachTheStoreFromTheReceiveBuffer) {
  ASSERT_NO_FATAL_FAILURE(start());
  if (IsSkipped()) return;
  Client client(address_);
  std::string batch;
  for (int i = 0; i < 20; i++) batch += Client::framed("W" + std::string(1000 + i, 'w'));
  batch += Client::framed("W" + std::string(500'000, 'w')) + Client::framed("Eend");
  ASSERT_TRUE(client.send_raw(batch));
  for (int i = 0; i < 20; i++) ASSERT_EQ(client.reply(), "stored " + std::to_string(1000 + i));
  ASSERT_EQ(client.reply(), "stored 500000");
  ASSERT_EQ(client.reply(), "Eend");
  client.close();
  stop();
  EXPECT_GE(seen_.pinned, 2u);
  EXPECT_EQ(seen_.pinned, seen_.released);
}

TEST_P(LoopTest, PausesAndResumes) {
  ASSERT_NO_FATAL_FAILURE(start());
  if (IsSkipped()) return;
  Client client(address_);
  ASSERT_TRUE(client.send_raw(Client::framed("P") + Client::framed("E1") + Client::framed("E2")));
  EXPECT_EQ(client.reply(), "paused");
  EXPECT_EQ(client.reply(), "E1");
  EXPECT_EQ(client.reply(), "E2");
  ASSERT_TRUE(client.send("P"));
  EXPECT_EQ(client.reply(), "paused");
  ASSERT_TRUE(client.send("E3"));
  EXPECT_EQ(client.reply(), "E3");
}

TEST_P(LoopTest, SaysItsLastWordsBeforeClosing) {
  ASSERT_NO_FATAL_FAILURE(start());
  if (IsSkipped()) return;
  Client client(address_);
  ASSERT_TRUE(client.send("X"));
  EXPECT_EQ(client.reply(), "bye");
  EXPECT_EQ(client.reply(), "<end>");
  Client next(address_);
  ASSERT_TRUE(next.send("E"));
  EXPECT_EQ(next.reply(), "E");
}

TEST_P(LoopTest, RefusesMoreConnectionsThanItsLimit) {
  Limits limits;
  limits.connections = 3;
  ASSERT_NO_FATAL_FAILURE(start(limits));
  if (IsSkipped()) return;
  {
    std::vector<std::unique_ptr<Client>> clients;
    for (int i = 0; i < 3; i++) {
      clients.push_back(std::make_unique<Client>(address_));
      ASSERT_TRUE(clients.back()->send("E"));
      ASSERT_EQ(clients.back()->reply(), "E");
    }
    Client fourth(address_);
    EXPECT_EQ(fourth.reply(), "<end>");
  }
  // Slots come back, each time as another connection.
  for (int i = 0; i < 20; i++) {
    Client client(address_);
    client.send("E");
    const std::string answer = client.reply();
    if (answer == "<end>") {
      i--;
      continue;
    }
    ASSERT_EQ(answer, "E");
  }
  stop();
  EXPECT_GE(counters_.refused, 1u);
  EXPECT_EQ(seen_.opened, seen_.closed);
}

TEST_P(LoopTest, SurvivesPeersThatVanishMidway) {
  ASSERT_NO_FATAL_FAILURE(start());
  if (IsSkipped()) return;
  for (int i = 0; i < 100; i++) {
    Client client(address_);
    const std::string big = Client::framed("E" + std::string(300'000, 'b'));
    client.send_raw(std::string_view(big).substr(0, static_cast<size_t>(i) * 3000 + 1));
    if (i % 3 == 0) {
      const linger reset = {1, 0};
      ::setsockopt(client.fd(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    }
  }
  Client last(address_);
  ASSERT_TRUE(last.send("E"));
  EXPECT_EQ(last.reply(), "E");
  stop();
  EXPECT_EQ(seen_.opened, 101u);
  EXPECT_EQ(seen_.closed, 101u);
}

TEST_P(LoopTest, APeerThatDoesNotReadBlocksNobodyElse) {
  ASSERT_NO_FATAL_FAILURE(start());
  if (IsSkipped()) return;
  Client deaf(address_);
  std::jthread flood([&] { deaf.send("E" + std::string(8'000'000, 'd')); });
  for (int i = 0; i < 50; i++) {
    Client client(address_);
    ASSERT_TRUE(client.send("E" + std::string(1000, 'h')));
    ASSERT_EQ(client.reply().size(), 1001u);
  }
  flood.join();
  EXPECT_EQ(deaf.reply().size(), 8'000'001u);
}

TEST_P(LoopTest, SleepsWhenThereIsNothingToDo) {
  ASSERT_NO_FATAL_FAILURE(start());
  if (IsSkipped()) return;
  Client client(address_);
  client.send("E");
  client.reply();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  stop();
  EXPECT_LT(counters_.iterations, 20u);
}

}  // namespace
}  // namespace semblance
