#include "tools/bench/work.h"

#include "engine/wire/create.h"
#include "engine/wire/query_directory.h"
#include "engine/wire/read.h"
#include "engine/wire/write.h"
#include "tools/bench/stage.h"

namespace semblance::bench {
namespace {

using client::Request;
using wire::kHeaderSize;

// Where both READ and WRITE requests have their Offset.
constexpr size_t kExtentOffsetAt = kHeaderSize + 8;

class ExtentWork : public Work {
 public:
  explicit ExtentWork(const Extent& extent) : extent_(extent), random_(extent.seed) {}

  void next(size_t, MutableBytes message) override {
    store<uint64_t>(message.data() + kExtentOffsetAt, block() * extent_.size);
  }

 protected:
  const Extent& extent() const { return extent_; }

 private:
  uint64_t block() {
    const uint64_t blocks = extent_.file_bytes / extent_.size;
    if (extent_.order == Order::kSequential) return sequence_++ % blocks;
    // Marsaglia's xorshift: good enough to miss every read-ahead, and free.
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    return random_ % blocks;
  }

  Extent extent_;
  uint64_t sequence_ = 0, random_;
};

class ReadWork : public ExtentWork {
 public:
  using ExtentWork::ExtentWork;
  std::vector<Request> compound(size_t) const override {
    return {client::read_request(extent().file, 0, extent().size)};
  }
  Verdict judge(size_t, size_t, const wire::Header& header, Bytes reply) override {
    const auto response = wire::ReadResponse::parse(reply);
    const bool whole = response && response->data.size() == extent().size;
    return header.nt_status() == NtStatus::kSuccess && whole ? Verdict::kDone : Verdict::kWrong;
  }
};

class WriteWork : public ExtentWork {
 public:
  using ExtentWork::ExtentWork;
  std::vector<Request> compound(size_t) const override {
    const std::vector<uint8_t> data(extent().size, 'w');
    return {client::write_request(extent().file, 0, data)};
  }
  Verdict judge(size_t, size_t, const wire::Header& header, Bytes reply) override {
    const auto response = wire::WriteResponse::parse(reply);
    const bool whole = response && response->count == extent().size;
    return header.nt_status() == NtStatus::kSuccess && whole ? Verdict::kDone : Verdict::kWrong;
  }
};

class EchoWork : public Work {
 public:
  std::vector<Request> compound(size_t) const override {
    return {client::simple_request(wire::Command::kEcho)};
  }
  void next(size_t, MutableBytes) override {}
};

// Compounds that begin with the CREATE of a file whose name ends in a number.
class NamedWork : public Work {
 public:
  NamedWork(std::u16string directory, uint64_t entries)
      : name_(std::move(directory) + u"\\" + entry_name(0)), entries_(entries) {}

  void next(size_t, MutableBytes message) override {
    uint64_t number = sequence_++ % entries_;
    uint8_t* end = message.data() + wire::variable_offset(wire::CreateRequest::kStructureSize) +
                   name_.size() * sizeof(char16_t);
    for (size_t i = 0; i < kEntryDigits; ++i, number /= 10)
      store<char16_t>(end -= sizeof(char16_t), static_cast<char16_t>(u'0' + number % 10));
  }

 protected:
  const std::u16string& name() const { return name_; }

 private:
  std::u16string name_;
  uint64_t entries_, sequence_ = 0;
};

class QueryWork : public NamedWork {
 public:
  QueryWork(std::u16string directory, uint64_t entries, uint32_t access,
            wire::FileInfoClass info_class)
      : NamedWork(std::move(directory), entries), access_(access), info_class_(info_class) {}

  std::vector<Request> compound(size_t) const override {
    return {client::create_request(
                {.name = name(), .access = access_, .disposition = wire::CreateDisposition::kOpen}),
            client::query_info_request(client::FileId::previous(), wire::InfoType::kFile,
                                       static_cast<uint8_t>(info_class_), kAnswerBytesMax),
            client::close_request(client::FileId::previous())};
  }

 private:
  static constexpr uint32_t kAnswerBytesMax = 4096;

  uint32_t access_;
  wire::FileInfoClass info_class_;
};

class CreateWork : public NamedWork {
 public:
  CreateWork(std::u16string directory, uint32_t size)
      : NamedWork(std::move(directory), kNamesMax), size_(size) {}

  std::vector<Request> compound(size_t) const override {
    const std::vector<uint8_t> data(size_, 'c');
    return {client::create_request({.name = name(),
                                    .disposition = wire::CreateDisposition::kCreate,
                                    .options = wire::kFileNonDirectoryFile}),
            client::write_request(client::FileId::previous(), 0, data),
            client::close_request(client::FileId::previous())};
  }

 private:
  static constexpr uint64_t kNamesMax = 100'000'000;  // of kEntryDigits

  uint32_t size_;
};

class ListWork : public Work {
 public:
  ListWork(std::vector<client::FileId> directories, size_t entries, uint32_t buffer_bytes)
      : directories_(std::move(directories)),
        entries_(entries),
        buffer_bytes_(buffer_bytes),
        seen_(directories_.size()) {}

  std::vector<Request> compound(size_t slot) const override {
    return {client::query_directory_request(
        directories_[slot], wire::FileInfoClass::kIdBothDirectory, u"*", buffer_bytes_)};
  }
  void next(size_t slot, MutableBytes message) override {
    seen_[slot] = 0;
    message[kFlagsAt] = wire::kQueryDirectoryRestartScans;
  }
  void go_on(size_t, MutableBytes message) override { message[kFlagsAt] = 0; }

  Verdict judge(size_t slot, size_t, const wire::Header& header, Bytes reply) override {
    // "." and ".." come too.
    if (header.nt_status() == NtStatus::kNoMoreFiles)
      return seen_[slot] == entries_ + 2 ? Verdict::kDone : Verdict::kWrong;
    const auto response = wire::QueryDirectoryResponse::parse(reply);
    if (!response || response->output.empty()) return Verdict::kWrong;
    for (Bytes rest = response->output; rest.size() >= sizeof(uint32_t);) {
      ++seen_[slot];
      const auto next = load<uint32_t>(rest.data());
      if (next == 0 || next > rest.size()) break;
      rest = rest.subspan(next);
    }
    return Verdict::kAgain;
  }

 private:
  static constexpr size_t kFlagsAt = kHeaderSize + 3;

  std::vector<client::FileId> directories_;
  size_t entries_;
  uint32_t buffer_bytes_;
  std::vector<size_t> seen_;
};

}  // namespace

std::unique_ptr<Work> read_work(const Extent& extent) { return std::make_unique<ReadWork>(extent); }
std::unique_ptr<Work> write_work(const Extent& extent) {
  return std::make_unique<WriteWork>(extent);
}
std::unique_ptr<Work> echo_work() { return std::make_unique<EchoWork>(); }
std::unique_ptr<Work> open_work(std::u16string directory, size_t entries) {
  return std::make_unique<QueryWork>(std::move(directory), entries, wire::kFileGenericRead,
                                     wire::FileInfoClass::kAll);
}
std::unique_ptr<Work> stat_work(std::u16string directory, size_t entries) {
  return std::make_unique<QueryWork>(std::move(directory), entries, wire::kFileReadAttributes,
                                     wire::FileInfoClass::kNetworkOpen);
}
std::unique_ptr<Work> create_work(std::u16string directory, uint32_t size) {
  return std::make_unique<CreateWork>(std::move(directory), size);
}
std::unique_ptr<Work> list_work(std::vector<client::FileId> directories, size_t entries,
                                uint32_t buffer_bytes) {
  return std::make_unique<ListWork>(std::move(directories), entries, buffer_bytes);
}

}  // namespace semblance::bench
