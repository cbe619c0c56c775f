#include "tools/bench/stage.h"

#include <unistd.h>

#include "engine/base/utf16.h"

namespace semblance::bench {
namespace {

using client::CreateArgs;
using client::Request;

constexpr size_t kPipelined = 16;  // compounds at once, well within anybody's first credits

std::u16string wide(std::string_view ascii) { return {ascii.begin(), ascii.end()}; }

CreateArgs making(std::u16string path, uint32_t options) {
  return {
      .name = std::move(path), .disposition = wire::CreateDisposition::kCreate, .options = options};
}

CreateArgs removing(std::u16string path, uint32_t options) {
  return {.name = std::move(path),
          .access = wire::kDelete,
          .disposition = wire::CreateDisposition::kOpen,
          .options = options | wire::kFileDeleteOnClose};
}

}  // namespace

std::u16string entry_name(uint64_t number) {
  const std::string digits = std::to_string(number);
  return wide(std::string(kEntryDigits - std::min(kEntryDigits, digits.size()), '0') + digits);
}

Stage::Stage(const Target& target)
    : connection_(target), directory_(u"semblance-bench-" + wide(std::to_string(::getpid()))) {
  call_all({{client::create_request(making(directory_, wire::kFileDirectoryFile)),
             client::close_request(wire::FileId::previous())}},
           "making a directory in the share");
  there_ = true;
}

Stage::~Stage() {
  try {
    clear();
  } catch (const Failure&) {
    // Whoever got here has a failure to report already; what is left has a telling name.
  }
}

void Stage::make_directory(std::u16string_view name) {
  call_all({{client::create_request(making(path(name), wire::kFileDirectoryFile)),
             client::close_request(wire::FileId::previous())}},
           "making a directory");
}

void Stage::make_entries(size_t count) {
  std::vector<std::vector<Request>> compounds;
  compounds.reserve(count);
  for (size_t i = 0; i < count; ++i)
    compounds.push_back(
        {client::create_request(making(path(entry_name(i)), wire::kFileNonDirectoryFile)),
         client::close_request(wire::FileId::previous())});
  call_all(std::move(compounds), "making files");
}

void Stage::clear() {
  if (!there_) return;
  clear_directory(directory_);
  there_ = false;
}

void Stage::clear_directory(const std::u16string& path) {
  client::SyncClient& sync = connection_.sync();
  const auto opened =
      sync.create(connection_.tree(), {.name = path,
                                       .access = wire::kFileGenericRead,
                                       .disposition = wire::CreateDisposition::kOpen,
                                       .options = wire::kFileDirectoryFile});
  if (!opened) throw Failure("removing: " + std::string(status_name(opened.error())));
  const auto entries =
      sync.list(connection_.tree(), opened->id, wire::FileInfoClass::kIdBothDirectory, u"*");
  const auto closed = sync.close(connection_.tree(), opened->id);
  if (!closed) throw Failure("removing: " + std::string(status_name(closed.error())));
  if (!entries) throw Failure("removing: " + std::string(status_name(entries.error())));
  std::vector<std::vector<Request>> compounds;
  for (const client::Listed& entry : *entries) {
    if (entry.name == u"." || entry.name == u"..") continue;
    const std::u16string inner = path + u"\\" + entry.name;
    if (entry.entry.file_attributes & wire::kFileAttributeDirectory) {
      clear_directory(inner);
      continue;
    }
    compounds.push_back({client::create_request(removing(inner, wire::kFileNonDirectoryFile)),
                         client::close_request(wire::FileId::previous())});
  }
  call_all(std::move(compounds), "removing files");
  call_all({{client::create_request(removing(path, wire::kFileDirectoryFile)),
             client::close_request(wire::FileId::previous())}},
           "removing a directory");
}

void Stage::call_all(std::vector<std::vector<Request>> compounds, std::string_view what) {
  std::vector<uint64_t> waiting;
  const auto wait = [&] {
    for (const uint64_t id : waiting)
      if (const NtStatus status = connection_.sync().wait(id).status(); is_error(status))
        throw Failure(std::string(what) + ": " + std::string(status_name(status)));
    waiting.clear();
  };
  for (std::vector<Request>& compound : compounds) {
    for (size_t i = 0; i < compound.size(); ++i)
      compound[i] = i == 0 ? client::on(connection_.tree(), std::move(compound[i]))
                           : client::related(std::move(compound[i]));
    const std::vector<uint64_t> ids = connection_.client().send(std::move(compound));
    waiting.insert(waiting.end(), ids.begin(), ids.end());
    if (waiting.size() >= 2 * kPipelined) wait();
  }
  wait();
}

}  // namespace semblance::bench
