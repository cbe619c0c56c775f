#pragma once
// What a load works on: a directory of its own in the share, made before and removed after it, over
// a connection that is not measured.

#include <string>
#include <vector>

#include "tools/bench/connection.h"

namespace semblance::bench {

class Stage {
 public:
  // Makes the directory. Throws Failure, as everything here does.
  explicit Stage(const Target& target);
  // Removes it and what is in it as far as that still works.
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  const std::u16string& directory() const { return directory_; }
  // The path of `name` in it.
  std::u16string path(std::u16string_view name) const {
    return directory_ + u"\\" + std::u16string(name);
  }
  void make_directory(std::u16string_view name);
  // Empty files, entry_name(0) and on.
  void make_entries(size_t count);

  // Removes everything. The destructor has nothing left to do then.
  void clear();

 private:
  void call_all(std::vector<std::vector<client::Request>> compounds, std::string_view what);
  void clear_directory(const std::u16string& path);

  Connection connection_;
  std::u16string directory_;
  bool there_ = false;
};

// Names that differ in their digits alone, kEntryDigits of them at the end.
inline constexpr size_t kEntryDigits = 8;
std::u16string entry_name(uint64_t number);

}  // namespace semblance::bench
