#include "tests/sim/disk_history.h"

#include <algorithm>

#include "io/store/directory_packer.h"

namespace semblance::sim::test {
namespace {

std::string text(Bytes bytes) { return std::string(as_text(bytes)); }

std::string number(uint64_t value) { return std::to_string(value) + ' '; }

}  // namespace

// ---- Actor --------------------------------------------------------------------------------------

StoreResult Actor::run(const StoreOperation& operation) {
  const StoreResult result = store_.execute(operation);
  answers_ += std::string(store_operation_name(operation.index())) + '=' +
              number(static_cast<uint64_t>(result.error));
  if (const auto* stat = std::get_if<FileStat>(&result.value)) note(*stat);
  const bool lists = std::holds_alternative<StoreReadDirectory>(operation);
  if (const auto* count = std::get_if<StoreCount>(&result.value); count != nullptr && !lists)
    answers_ += number(count->count);
  return result;
}

void Actor::note(const FileStat& stat) {
  // The size and the links of a directory are the file system's own business.
  const bool file = stat.kind == FileKind::kFile;
  answers_ += number(file ? stat.size : 0) + number(file ? stat.links : 0) +
              number(stat.dos.attributes) + number(stat.has_descriptor);
  if (detail_ == Detail::kAll)
    answers_ += number(stat.key.inode) + number(stat.allocated) + number(stat.modified.ticks) +
                number(stat.changed.ticks);
}

StoreHandle Actor::open(std::string_view path, OpenWhat what) {
  const StoreResult result = run(StoreOpen{kShare, path, what, kBoth});
  const auto* opened = std::get_if<StoreOpened>(&result.value);
  return opened == nullptr ? StoreHandle::kNone : opened->handle;
}

std::string Actor::perform(const Step& step) {
  answers_.clear();
  const std::string_view path = kPaths[step.path], other = kPaths[step.other];
  switch (step.what) {
    case Do::kCreate:
      run(StoreClose{open(path, OpenWhat::kNewFile)});
      break;
    case Do::kMakeDirectory:
      run(StoreClose{open(path, OpenWhat::kNewDirectory)});
      break;
    case Do::kRename:
      run(StoreRename{kShare, path, other, step.value % 2 == 0});
      break;
    case Do::kUnlink:
      run(StoreUnlink{kShare, path});
      break;
    case Do::kRemoveDirectory:
      run(StoreUnlink{kShare, path, FileKind::kDirectory});
      break;
    case Do::kHold:
      held_.push_back(open(path));
      break;
    case Do::kRelease:
      for (const StoreHandle handle : held_) run(StoreClose{handle});
      held_.clear();
      break;
    case Do::kList:
      list();
      break;
    case Do::kFlushRoot: {
      const StoreHandle root = open("");
      run(StoreFlush{root});
      run(StoreClose{root});
      break;
    }
    default: {
      const StoreHandle handle = open(path);
      if (handle == StoreHandle::kNone) break;
      through_handle(step, handle);
      run(StoreStat{handle});
      run(StoreClose{handle});
    }
  }
  return answers_;
}

void Actor::through_handle(const Step& step, StoreHandle handle) {
  const std::string data(step.size, static_cast<char>(step.value));
  switch (step.what) {
    case Do::kWrite:
      run(StoreWrite{handle, step.offset, as_bytes(data)});
      break;
    case Do::kWriteThrough:
      run(StoreWrite{handle, step.offset, as_bytes(data), true});
      break;
    case Do::kTruncate:
      run(StoreTruncate{handle, step.size});
      break;
    case Do::kAllocate:
      run(StoreAllocate{handle, step.size});
      break;
    case Do::kFlush:
      run(StoreFlush{handle});
      break;
    case Do::kSetDos:
      run(StoreSetAttributes{handle, {}, {}, true, {true, step.value, {}}});
      break;
    case Do::kSetDescriptor:
      run(StoreWriteDescriptor{handle, as_bytes(data.empty() ? "x" : data)});
      break;
    case Do::kLink:
      run(StoreLink{handle, kShare, kPaths[step.other]});
      break;
    case Do::kRead: {
      std::vector<uint8_t> into(4096);
      run(StoreRead{handle, step.offset, into});
      answers_ += text(into);
      break;
    }
    default:
      break;
  }
}

void Actor::list() {
  const StoreHandle root = open("");
  std::vector<uint8_t> into(4096);
  const StoreResult result = run(StoreReadDirectory{root, 0, into});
  const auto* count = std::get_if<StoreCount>(&result.value);
  std::vector<std::string> names;
  for (size_t at = 0; count != nullptr && at < count->count;) {
    const auto record = load<DirectoryRecord>(into.data() + at);
    names.push_back(text(Bytes(into).subspan(at + sizeof record, record.name_length)));
    at += align_up(sizeof record + record.name_length, 8);
  }
  if (detail_ == Detail::kPortable) std::ranges::sort(names);
  for (const std::string& name : names) answers_ += name + ' ';
  run(StoreClose{root});
}

std::set<std::string> outcomes(const std::function<void(Disk&)>& change,
                               const std::function<std::string(const Disk&)>& look) {
  std::set<std::string> seen;
  Odometer odometer;
  do {
    Disk disk;
    change(disk);
    disk.lose_power(odometer.pick());
    seen.insert(look(disk));
  } while (odometer.next());
  return seen;
}

// ---- Witness ------------------------------------------------------------------------------------

std::set<Witness::Cell> Witness::cells() const {
  std::set<Cell> cells;
  for (const Inode inode : disk_.inodes())
    for (const auto& [name, child] : disk_.children(inode)) cells.emplace(inode, name, child);
  return cells;
}

Witness::Values Witness::values_of(Inode inode) const {
  Values values;
  const std::string data = text(disk_.content(inode));
  for (uint64_t at = 0; at < data.size(); at += 512) {
    std::string sector = data.substr(at, 512);
    sector.resize(512);
    values.sectors[at / 512].insert(sector);
  }
  values.sizes.insert(data.size());
  values.dos.insert(disk_.stat(inode).dos);
  values.descriptors.insert(text(disk_.descriptor(inode)));
  return values;
}

void Witness::all_durable() {
  values_.clear();
  links_.clear();
  kept_.clear();
  doubtful_.clear();
  for (const Inode inode : disk_.inodes()) {
    values_[inode] = values_of(inode);
    links_[inode] = disk_.stat(inode).links;
    if (links_[inode] != 0) kept_.insert(inode);
  }
  possible_ = firm_ = cells();
}

void Witness::observe(const Step& step, const std::string& answers) {
  const std::set<Cell> now = cells();
  possible_.insert(now.begin(), now.end());
  std::erase_if(firm_, [&](const Cell& cell) { return !now.contains(cell); });
  std::erase_if(kept_, [&](Inode inode) {
    return !disk_.lives(inode) || disk_.stat(inode).links < links_[inode];
  });
  for (const Inode inode : disk_.inodes()) {
    links_[inode] = disk_.stat(inode).links;
    Values& values = values_[inode];
    const bool is_new = values.sizes.empty();
    Values seen = values_of(inode);
    // What nobody has written yet reads as zeroes; all that a file can hold starts so.
    if (is_new) values = {{}, {0}, {DosAttributes{}}, {""}};
    const std::string hole(512, '\0');
    for (auto& [sector, contents] : seen.sectors) {
      if (!values.sectors.contains(sector)) values.sectors[sector].insert(hole);
      values.sectors[sector].merge(contents);
    }
    for (auto& [sector, contents] : values.sectors)
      if (!seen.sectors.contains(sector)) contents.insert(hole);
    values.sizes.merge(seen.sizes);
    values.dos.merge(seen.dos);
    values.descriptors.merge(seen.descriptors);
  }
  const Inode inode =
      step.what == Do::kFlushRoot ? disk_.root(kShare) : disk_.find(kShare, kPaths[step.path]);
  const bool flushes = step.what == Do::kFlush || step.what == Do::kFlushRoot;
  const std::string wanted = flushes ? "flush=" : "write=";
  if ((!flushes && step.what != Do::kWriteThrough) || answers.find(wanted) == std::string::npos)
    return;
  if (answers.find(wanted + "0 ") == std::string::npos) {
    doubtful_.insert(inode);
    return;
  }
  names_durable(inode);
  if (step.what == Do::kWriteThrough)
    data_durable(inode, step.offset, step.offset + step.size);
  else if (!doubtful_.contains(inode))
    values_[inode] = values_of(inode);
}

void Witness::data_durable(Inode inode, uint64_t begin, uint64_t end) {
  Values now = values_of(inode);
  Values& values = values_[inode];
  values.sizes = now.sizes;
  // Blocks behind the end are given back for good.
  std::erase_if(values.sectors, [&](const auto& one) { return !now.sectors.contains(one.first); });
  if (begin == end) return;
  for (uint64_t sector = begin / 512; sector <= (end - 1) / 512; sector++)
    values.sectors[sector] = now.sectors[sector];
}

void Witness::names_durable(Inode inode) {
  const auto about = [&](const Cell& cell) {
    return std::get<0>(cell) == inode || std::get<2>(cell) == inode;
  };
  std::erase_if(possible_, about);
  for (const Cell& cell : cells()) {
    if (!about(cell)) continue;
    possible_.insert(cell);
    firm_.insert(cell);
    kept_.insert(std::get<2>(cell));
  }
}

std::string Witness::verdict() const {
  if (const std::string wrong = tree_verdict(); !wrong.empty()) return wrong;
  const std::set<Cell> now = cells();
  for (const Cell& cell : now)
    if (!possible_.contains(cell)) return "a name that is not possible: " + std::get<1>(cell);
  for (const Cell& cell : firm_)
    if (!now.contains(cell)) return "a durable name is lost: " + std::get<1>(cell);
  for (const Inode inode : kept_)
    if (!disk_.lives(inode)) return "a durable object is lost: " + number(inode);
  for (const Inode inode : disk_.inodes())
    if (const std::string wrong = file_verdict(inode, values_.at(inode)); !wrong.empty())
      return wrong;
  return {};
}

// Every object has its names and is reached from a root exactly so often; no handles.
std::string Witness::tree_verdict() const {
  if (disk_.open_count() != 0) return "handles survived";
  std::map<Inode, uint32_t> reached = {{disk_.root(kShare), 1}};
  std::vector<Inode> open = {disk_.root(kShare)};
  while (!open.empty()) {
    const Inode directory = open.back();
    open.pop_back();
    for (const auto& [name, child] : disk_.children(directory)) {
      if (!disk_.lives(child)) return "a dangling name: " + std::string(name);
      const bool again = reached[child]++ != 0;
      if (disk_.stat(child).kind != FileKind::kDirectory) continue;
      if (again) return "a directory with two names: " + std::string(name);
      open.push_back(child);
    }
  }
  for (const Inode inode : disk_.inodes())
    if (disk_.stat(inode).links != reached[inode]) return "an orphan: " + number(inode);
  return {};
}

std::string Witness::file_verdict(Inode inode, const Values& allowed) const {
  const std::string who = " of " + number(inode);
  const std::string data = text(disk_.content(inode));
  if (!allowed.sizes.contains(data.size())) return "a size" + who + number(data.size());
  if (!allowed.dos.contains(disk_.stat(inode).dos)) return "attributes" + who;
  if (!allowed.descriptors.contains(text(disk_.descriptor(inode)))) return "a descriptor" + who;
  for (uint64_t at = 0; at < data.size(); at += 512) {
    const std::string sector = data.substr(at, 512);
    const auto found = allowed.sectors.find(at / 512);
    // A sector that never was in the file is a hole.
    if (found == allowed.sectors.end()) {
      if (sector.find_first_not_of('\0') != std::string::npos) return "a sector" + who;
      continue;
    }
    if (std::ranges::none_of(found->second, [&](const std::string& value) {
          return value.compare(0, sector.size(), sector) == 0;
        }))
      return "a sector" + who + number(at / 512);
  }
  return {};
}

}  // namespace semblance::sim::test
