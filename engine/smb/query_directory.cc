// MS-SMB2 3.3.5.18 Receiving an SMB2 QUERY_DIRECTORY Request, MS-FSA 2.1.5.6.3.
//
// A handle remembers a position in the store's order, not entries. A request reads batches from
// there, stats what matches (unless the class wants names only) and stops before the entry that
// does not fit.

#include <algorithm>

#include "engine/base/planted.h"
#include "engine/wire/query_directory.h"

#include "engine/base/utf16.h"
#include "engine/share/attributes.h"
#include "engine/share/names.h"
#include "engine/share/pattern.h"
#include "engine/smb/chain.h"
#include "engine/smb/commands.h"
#include "engine/smb/marks.h"
#include "engine/smb/put_facts.h"
#include "engine/wire/access_mask.h"
#include "engine/wire/directory_entry.h"

namespace semblance::smb {
namespace {

// What one request wants, as plain values.
struct Wish {
  OpenSlot open;
  wire::FileInfoClass info_class{};
  bool single = false;
  uint32_t output_length = 0;
};

// A batch about as large as the answer, so that little is read twice.
size_t batch_bytes(uint32_t output_length) {
  return std::clamp<size_t>(output_length / 4, 1024, 32 << 10);
}

wire::DirectoryEntry entry_of(const FileStat* stat, std::u16string_view name) {
  wire::DirectoryEntry entry;
  entry.file_name = as_bytes(name);
  if (stat == nullptr) return entry;
  share::FileFacts facts = share::facts_of(*stat);
  put_facts(facts, entry);
  entry.file_id = facts.index_number;
  return entry;
}

// The enumeration of one request. Lives in its coroutine's frame; writes into the reply.
struct Listing {
  Wish wish;
  wire::DirectoryEntryWriter writer;
  bool full = false;  // an entry did not fit, or the single one is there

  bool add(const FileStat* stat, std::u16string_view name) {
    if (!writer.add(entry_of(stat, name))) {
      full = true;
      return false;
    }
    if (wish.single) full = true;
    return true;
  }
  bool names_only() const { return wish.info_class == wire::FileInfoClass::kNames; }
};

// "." and "..", which the store does not report. The parent's facts are those of the directory
// itself: what is above a share's root is nobody's business, and clients do not look.
Task<NtStatus> list_dots(Call call, OpenSlot slot, Listing& listing) {
  Open* open = call.open(slot);
  if (open == nullptr) co_return NtStatus::kFileClosed;
  StoreResult result;
  if (!listing.names_only()) {
    result = co_await call.store(StoreStat{open->handle});
    if (!result.ok()) co_return share::status_of(result.error);
    open = call.open(slot);
    if (open == nullptr) co_return NtStatus::kFileClosed;
  }
  const FileStat* stat = std::get_if<FileStat>(&result.value);
  Enumeration& at = *open->enumeration;
  while (at.at != Enumeration::At::kStore && !listing.full) {
    std::u16string_view name = at.at == Enumeration::At::kDot ? u"." : u"..";
    if (share::matches(at.pattern, name) && !listing.add(stat, name)) break;
    at.at = at.at == Enumeration::At::kDot ? Enumeration::At::kDotDot : Enumeration::At::kStore;
  }
  co_return NtStatus::kSuccess;
}

// One batch from the store. False when the enumeration is over or the answer is full.
Task<Result<bool>> list_batch(Call call, OpenSlot slot, Listing& listing, MutableBytes batch) {
  Open* open = call.open(slot);
  if (open == nullptr) co_return fail(NtStatus::kFileClosed);
  StoreHandle directory = open->handle;
  StoreResult read =
      co_await call.store(StoreReadDirectory{directory, open->enumeration->position, batch});
  call.ledger().batches += 1;
  if (!read.ok()) co_return fail(share::status_of(read.error));
  open = call.open(slot);
  if (open == nullptr) co_return fail(NtStatus::kFileClosed);
  size_t used = std::get<StoreCount>(read.value).count;
  if (used == 0) {
    SOMETIMES(call.engine(), kListed);
    open->enumeration->at = Enumeration::At::kEnd;
    co_return false;
  }
  for (size_t at = 0; at + sizeof(DirectoryRecord) <= used;) {
    auto record = load<DirectoryRecord>(batch.data() + at);
    std::string_view stored(reinterpret_cast<const char*>(batch.data()) + at + sizeof record,
                            record.name_length);
    at = align_up(at + sizeof record + record.name_length, 8);
    auto name = share::wire_name(stored);
    bool wanted = name && share::matches(open->enumeration->pattern, *name);
    if (wanted && listing.names_only()) {
      if (!listing.add(nullptr, *name)) co_return false;
    } else if (wanted) {
      call.ledger().entries += 1;
      StoreResult stat = co_await call.store(StoreStatAt{directory, stored});
      open = call.open(slot);
      if (open == nullptr) co_return fail(NtStatus::kFileClosed);
      // Gone since the batch was read, or a link that leads nowhere: not listed.
      const FileStat* facts = std::get_if<FileStat>(&stat.value);
      if (facts != nullptr && !listing.add(facts, *name)) {
        if (PLANTED(kEntrySkipped)) open->enumeration->position = record.next;
        co_return false;
      }
    }
    open->enumeration->position = record.next;
    if (listing.full) co_return false;
  }
  co_return true;
}

Task<Outcome> list(Call call, Wish wish) {
  call.shape(Shape::kQueryDirectory);
  wire::Builder b = call.body();
  wire::QueryDirectoryResponse{}.build(b);
  MutableBytes output = b.reserve(wish.output_length);
  if (!b.ok()) co_return NtStatus::kInsufficientResources;
  Listing listing{wish, wire::DirectoryEntryWriter(output, wish.info_class)};
  Open* open = call.open(wish.open);
  if (open == nullptr) co_return NtStatus::kFileClosed;
  if (open->enumeration->at < Enumeration::At::kStore) {
    NtStatus status = co_await list_dots(call, wish.open, listing);
    if (status != NtStatus::kSuccess) co_return status;
  }
  std::vector<uint8_t> batch(batch_bytes(wish.output_length));
  open = call.open(wish.open);
  while (open != nullptr && open->enumeration->at == Enumeration::At::kStore && !listing.full) {
    Result<bool> more = co_await list_batch(call, wish.open, listing, batch);
    if (!more) co_return more.error();
    open = call.open(wish.open);
    if (!*more) break;
  }
  if (open == nullptr) co_return NtStatus::kFileClosed;
  if (listing.writer.count() == 0) {
    if (listing.full) {  // not even one fits
      SOMETIMES(call.engine(), kListTooSmall);
      co_return NtStatus::kInfoLengthMismatch;
    }
    bool again = std::exchange(open->enumeration->answered, true);
    co_return again ? NtStatus::kNoMoreFiles : NtStatus::kNoSuchFile;
  }
  if (open->enumeration->answered) SOMETIMES(call.engine(), kListedInParts);
  open->enumeration->answered = true;
  b.rewind(wire::QueryDirectoryResponse::kOutputOffset + listing.writer.size());
  wire::QueryDirectoryResponse::finish_output(b);
  co_return Call::done(b);
}

// 3.3.5.18: where the enumeration stands for this request. A pattern is taken on the first one and
// when the scan is reopened.
void position(Open& open, const wire::QueryDirectoryRequest& request) {
  bool reopen = request.flags & wire::kQueryDirectoryReopen;
  bool restart = request.flags & wire::kQueryDirectoryRestartScans;
  if (open.enumeration == nullptr || reopen) open.enumeration = std::make_unique<Enumeration>();
  Enumeration& at = *open.enumeration;
  if (!at.begun || ((restart || reopen) && !request.file_name.empty())) {
    at.pattern = request.file_name.empty() ? u"*" : utf16_from_wire(request.file_name);
    at.begun = true;
  }
  if (!restart && !reopen) return;
  at.at = Enumeration::At::kDot;
  at.position = 0;
  at.answered = false;
}

}  // namespace

Step query_directory(Call call) {
  auto request = wire::QueryDirectoryRequest::parse(call.element());
  if (!request) return request.error();
  Open* open = call.open(request->file_id);
  if (open == nullptr) return call.no_open();
  if (open->is_pipe() || !open->is_directory) return NtStatus::kInvalidParameter;
  if (!(open->granted_access & wire::kFileListDirectory)) return NtStatus::kAccessDenied;
  if (!wire::is_directory_class(request->file_information_class))
    return NtStatus::kInvalidInfoClass;
  if (request->output_buffer_length > call.connection()->max_transact)
    return NtStatus::kInvalidParameter;
  size_t least = wire::directory_entry_name_offset(request->file_information_class);
  if (request->output_buffer_length < least) return NtStatus::kInfoLengthMismatch;
  position(*open, *request);
  Wish wish{open->id, request->file_information_class,
            (request->flags & wire::kQueryDirectoryReturnSingleEntry) != 0,
            request->output_buffer_length};
  return spawn(call, list(call, wish));
}

}  // namespace semblance::smb
