#pragma once
// A file system of a given kind on a loop file, for this process alone: mounted in a mount
// namespace of its own, the image in a tmpfs that is seen there only. Nothing is left behind,
// however the process ends.

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cstdlib>
#include <expected>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>

namespace semblance::test {

// An empty private tmpfs, or why there can be none. Once in a process.
inline std::expected<std::string, std::string> private_scratch() {
  const std::string at = "/mnt";
  if (::geteuid() != 0) return std::unexpected("mounting a loop file needs root");
  if (::unshare(CLONE_NEWNS) != 0 ||
      ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("tmpfs", at.c_str(), "tmpfs", 0, nullptr) != 0)
    return std::unexpected("no mounts in a namespace of our own are permitted here");
  return at;
}

// Where it is mounted, or why it can not be here. Each kind (ext4, xfs, btrfs) once in a process.
inline std::expected<std::string, std::string> mounted_loop(const std::string& kind) {
  static const auto scratch = private_scratch();
  if (!scratch) return scratch;
  static std::map<std::string, std::expected<std::string, std::string>> known;
  if (const auto found = known.find(kind); found != known.end()) return found->second;
  const std::string at = *scratch + "/" + kind, image = at + ".image", log = at + ".log";
  std::filesystem::create_directory(at);
  std::ofstream(image).close();
  // The smallest that mkfs.xfs makes; sparse, so that next to nothing of it is used.
  std::filesystem::resize_file(image, 320 << 20);
  const std::string command = "exec >" + log + " 2>&1; PATH=$PATH:/usr/sbin:/sbin; mkfs." + kind +
                              " -q " + image + " && mount -o loop " + image + " " + at;
  if (std::system(command.c_str()) == 0) return known.emplace(kind, at).first->second;
  std::string why;
  std::ifstream from(log);
  std::getline(from, why);
  why = "no " + kind + " on a loop file here: " + why;
  return known.emplace(kind, std::unexpected(why)).first->second;
}

// Looks at what a power loss now would leave of it: at what has reached the image, mounted after
// the journal's recovery. False where that is not possible.
inline bool look_after_power_loss(const std::string& kind,
                                  const std::function<void(const std::string&)>& look) {
  const auto at = mounted_loop(kind);
  if (!at) return false;
  const std::string copy = *at + ".copy", there = *at + ".after";
  std::filesystem::create_directory(there);
  // The copy has the same identity as what it is a copy of; XFS wants to be told, btrfs (since
  // Linux 6.7) gives it another for the time.
  const std::string options = kind == "xfs" ? "loop,nouuid" : "loop";
  const std::string command = "exec >/dev/null 2>&1; cp --sparse=always " + *at + ".image " + copy +
                              " && mount -t " + kind + " -o " + options + " " + copy + " " + there;
  const bool mounted = std::system(command.c_str()) == 0;
  if (mounted) look(there);
  if (mounted) ::umount2(there.c_str(), MNT_DETACH);
  std::filesystem::remove(copy);
  return mounted;
}

}  // namespace semblance::test
