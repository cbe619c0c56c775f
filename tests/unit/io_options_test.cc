// The daemon's options: what is accepted, and that whatever is wrong is one clear line.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "tools/daemon/options.h"

namespace semblance {
namespace {

std::string error_of(std::vector<std::string> arguments) {
  const auto options = parse_options(std::move(arguments));
  if (options) return "accepted";
  EXPECT_EQ(options.error().code, 2);
  EXPECT_EQ(options.error().message.find('\n'), std::string::npos) << options.error().message;
  return options.error().message;
}

std::string file_with(const std::string& text) {
  const char* scratch = std::getenv("TEST_TMPDIR");
  const std::string path = std::string(scratch ? scratch : "/tmp") + "/options.toml";
  std::ofstream(path) << text;
  return path;
}

TEST(Options, TakesWhatTheCommandLineSays) {
  const auto options = parse_options({"--listen",
                                      "127.0.0.1:0",
                                      "--listen",
                                      "[::1]:4445",
                                      "--share",
                                      "a=/tmp,ro,guest",
                                      "--share=b=/var/tmp,encrypt,ca,hidden,comment=two words",
                                      "--user",
                                      "u:p:q",
                                      "--users",
                                      "/etc/file",
                                      "--signing",
                                      "required",
                                      "--encryption",
                                      "off",
                                      "--min-dialect",
                                      "2.1",
                                      "--max-dialect",
                                      "3.0.2",
                                      "--limit",
                                      "connections=7",
                                      "--limit",
                                      "opens=9",
                                      "--driver",
                                      "epoll",
                                      "--metrics",
                                      "127.0.0.1:1",
                                      "--log-level",
                                      "debug"});
  ASSERT_TRUE(options.has_value()) << options.error().message;
  EXPECT_EQ(options->listen, (std::vector<std::string>{"127.0.0.1:0", "[::1]:4445"}));
  ASSERT_EQ(options->shares.size(), 2u);
  EXPECT_EQ(options->shares[0].path, "/tmp");
  EXPECT_TRUE(options->shares[0].config.read_only);
  EXPECT_TRUE(options->shares[0].config.guest);
  EXPECT_FALSE(options->shares[0].config.encrypt);
  EXPECT_EQ(options->shares[1].config.name, "b");
  EXPECT_TRUE(options->shares[1].config.encrypt);
  EXPECT_TRUE(options->shares[1].config.continuously_available);
  EXPECT_TRUE(options->shares[1].config.hidden);
  EXPECT_EQ(options->shares[1].config.comment, "two words");
  ASSERT_EQ(options->users.size(), 1u);
  EXPECT_EQ(options->users[0].password, "p:q");
  EXPECT_EQ(options->signing, Requirement::kRequired);
  EXPECT_EQ(options->encryption, Requirement::kOff);
  EXPECT_EQ(options->dialect_min, 0x0210);
  EXPECT_EQ(options->dialect_max, 0x0302);
  EXPECT_EQ(options->limits.connections, 7u);
  EXPECT_EQ(options->limits.opens, 9u);
  EXPECT_EQ(options->driver, Driver::kEpoll);
  EXPECT_EQ(options->log_level, "debug");
}

TEST(Options, EveryOptionIsAKeyOfTheFileAndTheCommandLineWins) {
  const std::string path = file_with(R"(
listen = ["127.0.0.1:1", "127.0.0.1:2"]
share = "a=/tmp"
user = ["u:p"]
signing = "required"
max-dialect = "3.0"
log-level = "warn"
driver = "epoll"
[limit]
connections = 5
)");
  auto options = parse_options({"--config", path});
  ASSERT_TRUE(options.has_value()) << options.error().message;
  EXPECT_EQ(options->listen.size(), 2u);
  EXPECT_EQ(options->signing, Requirement::kRequired);
  EXPECT_EQ(options->dialect_max, 0x0300);
  EXPECT_EQ(options->limits.connections, 5u);
  options = parse_options({"--config", path, "--listen", "127.0.0.1:9", "--log-level", "info"});
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->listen, std::vector<std::string>{"127.0.0.1:9"});
  EXPECT_EQ(options->log_level, "info");
  EXPECT_EQ(options->shares.size(), 1u);
}

TEST(Options, WhatIsWrongIsOneClearLine) {
  EXPECT_EQ(error_of({}), "there is nothing to serve: give --share NAME=PATH");
  EXPECT_EQ(error_of({"--share", "a"}), "share: \"a\" is not NAME=PATH[,OPTION...]");
  EXPECT_EQ(error_of({"--share", "a="}), "share: \"a\" has no path");
  EXPECT_EQ(error_of({"--share", "a=/tmp,rw"}),
            "share: \"rw\" is not ro, guest, encrypt, ca, hidden or comment=TEXT");
  EXPECT_EQ(error_of({"--share", "a=/tmp", "--share", "A=/tmp"}), "share: \"A\" is given twice");
  EXPECT_EQ(error_of({"--share", "ipc$=/tmp"}), "share: IPC$ is the server's own");
  EXPECT_EQ(error_of({"--share", "a/b=/tmp"}), "share: \"a/b\" is no name for a share");
  EXPECT_EQ(error_of({"--share", "a=/tmp", "--user", "nopassword"}),
            "user: \"nopassword\" is not NAME:PASSWORD");
  EXPECT_EQ(error_of({"--share", "a=/tmp", "--signing", "off"}),
            "signing: \"off\" is not auto or required");
  EXPECT_EQ(error_of({"--share", "a=/tmp", "--min-dialect", "1.0"}),
            "min-dialect: \"1.0\" is not 2.0.2, 2.1, 3.0, 3.0.2 or 3.1.1");
  EXPECT_EQ(error_of({"--share", "a=/tmp", "--min-dialect", "3.1.1", "--max-dialect", "3.0"}),
            "min-dialect is above max-dialect");
  EXPECT_EQ(error_of({"--share", "a=/tmp", "--limit", "nonsense=1"}),
            "limit: there is no limit \"nonsense\"");
  EXPECT_EQ(error_of({"--share", "a=/tmp", "--limit", "opens=-1"}),
            "limit: \"opens=-1\" is not NAME=N with N of 1 or more");
  EXPECT_EQ(error_of({"--share", "a=/tmp", "--driver", "iocp"}),
            "driver: \"iocp\" is not uring or epoll");
  EXPECT_NE(error_of({"--nonsense"}), "accepted");
  EXPECT_NE(error_of({"--config", "/nonexistent/file"}), "accepted");
  const std::string path = file_with("share = \"a=/tmp\"\nnonsense = 1\n");
  EXPECT_EQ(error_of({"--config", path}), path + ": there is no option \"nonsense\"");
  const std::string broken = file_with("share = \n");
  EXPECT_TRUE(error_of({"--config", broken}).starts_with(broken + ":1: "));
  const std::string typed = file_with("share = \"a=/tmp\"\nsigning = true\n");
  EXPECT_EQ(error_of({"--config", typed}), typed + ": signing: a text is expected");
}

TEST(Options, HelpIsNoError) {
  const auto options = parse_options({"--help"});
  ASSERT_FALSE(options.has_value());
  EXPECT_EQ(options.error().code, 0);
  EXPECT_NE(options.error().message.find("--share"), std::string::npos);
}

}  // namespace
}  // namespace semblance
