#include "sim/disk/unsaved.h"

#include <algorithm>

#include "engine/base/bytes.h"

namespace semblance::sim {
namespace {

// The kernel writes back what has been dirty for long: of more changes than this to one file, or
// more bytes that they replaced, the oldest are durable.
constexpr size_t kPiecesMax = 64;
constexpr size_t kOldBytesMax = 1 << 20;
// Of values of which one is kept, the oldest and as many of the latest.
constexpr size_t kVersionsMax = 8;

uint64_t sector_down(uint64_t at) { return at / kSector * kSector; }
uint64_t sector_up(uint64_t at) { return align_up(at, kSector); }

template <typename T>
void remember(std::vector<T>& versions, const T& old) {
  if (!versions.empty() && versions.back() == old) return;
  if (versions.size() == kVersionsMax) versions.erase(versions.begin() + 1);
  versions.push_back(old);
}

// The live value, or one of those before it.
template <typename T>
void choose(const std::vector<T>& versions, T& value, const Pick& pick) {
  if (versions.empty()) return;
  const uint32_t back = pick(static_cast<uint32_t>(versions.size()) + 1);
  if (back != 0) value = versions[versions.size() - back];
}

}  // namespace

void Unsaved::before_change(const std::vector<uint8_t>& data, uint64_t begin, uint64_t end) {
  begin = sector_down(begin);
  end = sector_up(end);
  const auto at = data.begin() + static_cast<ptrdiff_t>(std::min(begin, data.size()));
  const auto stop = data.begin() + static_cast<ptrdiff_t>(std::min(end, data.size()));
  // What goes on behind the last change, where nothing was, is one change with it.
  if (at == stop && !pieces_.empty()) {
    Piece& last = pieces_.back();
    if (last.old.empty() && last.end == begin && !last.forgotten) {
      last.end = end;
      return;
    }
  }
  size_t old_bytes = 0;
  for (const Piece& piece : pieces_) old_bytes += piece.old.size();
  while (pieces_.size() >= kPiecesMax || (old_bytes > kOldBytesMax && !pieces_.empty()))
    old_bytes -= write_back_oldest();
  pieces_.push_back({begin, end, {at, stop}});
}

void Unsaved::before_resize(uint64_t old_size) { remember(sizes_, old_size); }
void Unsaved::before_dos(const DosAttributes& old) { remember(dos_, old); }
void Unsaved::before_descriptor(const std::vector<uint8_t>& old) { remember(descriptors_, old); }

void Unsaved::cut(uint64_t begin, uint64_t end, size_t count) {
  std::vector<Piece> left;
  left.reserve(pieces_.size() + 1);
  for (size_t i = 0; i < pieces_.size(); i++) {
    Piece& piece = pieces_[i];
    if (i >= count || piece.end <= begin || end <= piece.begin) {
      left.push_back(std::move(piece));
      continue;
    }
    if (piece.end > end) {
      const size_t skip = std::min<uint64_t>(end - piece.begin, piece.old.size());
      left.push_back({end,
                      piece.end,
                      {piece.old.begin() + static_cast<ptrdiff_t>(skip), piece.old.end()},
                      piece.forgotten});
    }
    if (piece.begin < begin) {
      piece.old.resize(std::min<uint64_t>(piece.old.size(), begin - piece.begin));
      piece.end = begin;
      left.push_back(std::move(piece));
    }
  }
  pieces_ = std::move(left);
}

// What the kernel writes is the whole sector: what it had forgotten of it before is moot.
void Unsaved::written(size_t index) {
  const uint64_t begin = pieces_[index].begin, end = pieces_[index].end;
  cut(begin, end, index + 1);
}

size_t Unsaved::write_back_oldest() {
  auto oldest = std::ranges::find(pieces_, false, &Piece::forgotten);
  if (oldest == pieces_.end()) oldest = pieces_.begin();
  const size_t bytes = oldest->old.size();
  written(static_cast<size_t>(oldest - pieces_.begin()));
  return bytes;
}

void Unsaved::flushed(uint64_t size) {
  if (std::ranges::none_of(pieces_, &Piece::forgotten)) pieces_.clear();
  // Newest first; each leaves fewer sectors behind, though perhaps in more pieces.
  for (size_t i = pieces_.size(); i-- > 0;) {
    if (pieces_[i].forgotten) continue;
    written(i);
    i = pieces_.size();
  }
  stored(0, 0, size);
  dos_.clear();
  descriptors_.clear();
}

void Unsaved::stored(uint64_t begin, uint64_t end, uint64_t size) {
  if (begin < end) cut(sector_down(begin), sector_up(end), pieces_.size());
  // With the size its blocks behind the end are given back: nothing of them comes to light again.
  if (!pieces_.empty()) cut(sector_up(size), UINT64_MAX, pieces_.size());
  sizes_.clear();
}

void Unsaved::flush_failed(const Pick& pick) {
  enum : uint32_t { kStaysDirty, kForgotten, kStored };
  std::vector<uint32_t> fates;
  for (Piece& piece : pieces_) {
    fates.push_back(pick(3));
    piece.forgotten |= fates.back() == kForgotten;
  }
  // Oldest first; where a piece was cut in two or vanished, those behind it have moved.
  size_t at = 0;
  for (const uint32_t fate : fates) {
    const size_t behind = pieces_.size() - at - 1;
    if (fate == kStored) written(at);
    at = pieces_.size() - behind;
  }
}

// Changes are taken back newest first; where one stays, all before it stay.
void Unsaved::lose_data(std::vector<uint8_t>& data, const Pick& pick) const {
  std::vector<bool> settled;  // by sector
  for (size_t i = pieces_.size(); i-- > 0;) {
    const Piece& piece = pieces_[i];
    const uint64_t first = piece.begin / kSector, last = piece.end / kSector;
    if (settled.size() < last) settled.resize(last);
    std::vector<uint64_t> open;
    for (uint64_t sector = first; sector < last; sector++)
      if (!settled[sector]) open.push_back(sector);
    if (open.empty()) continue;
    enum : uint32_t { kKept, kLost, kTorn };
    const uint32_t fate = pick(open.size() == 1 ? 2 : 3);
    for (const uint64_t sector : open) {
      if (fate == kKept || (fate == kTorn && pick(2) == 0)) {
        settled[sector] = true;
        continue;
      }
      const uint64_t at = sector * kSector;
      if (data.size() < at + kSector) data.resize(at + kSector);
      const auto to = data.begin() + static_cast<ptrdiff_t>(at);
      const uint64_t from = std::min<uint64_t>(at - piece.begin, piece.old.size());
      const uint64_t count = std::min(kSector, piece.old.size() - from);
      std::fill_n(to, kSector, uint8_t{0});
      std::copy_n(piece.old.begin() + static_cast<ptrdiff_t>(from), count, to);
    }
  }
}

void Unsaved::lose_power(std::vector<uint8_t>& data, DosAttributes& dos,
                         std::vector<uint8_t>& descriptor, const Pick& pick) const {
  uint64_t size = data.size();
  lose_data(data, pick);
  choose(sizes_, size, pick);
  data.resize(size);
  choose(dos_, dos, pick);
  choose(descriptors_, descriptor, pick);
}

}  // namespace semblance::sim
