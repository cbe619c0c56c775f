#include "engine/smb/directory_change.h"
#include "engine/base/planted.h"

#include "engine/share/names.h"

namespace semblance::smb {

Task<DirectoryChange> begin_directory_change(Call call, ShareId share, std::string path) {
  EngineState& e = call.engine();
  DirectoryChange change;
  change.began = e.wall;
  change.changes_before = e.names.changes();
  if (e.names.names() == 0) co_return change;
  std::string parent(share::parent_path(path));
  StoreResult result = co_await call.store(StoreStatPath{share, parent});
  const FileStat* stat = std::get_if<FileStat>(&result.value);
  if (stat == nullptr) co_return change;
  change.directory = stat->key;
  share::IndexState state = e.names.validate(*stat);
  change.indexed = state == share::IndexState::kValid;
  co_return change;
}

void note_created(EngineState& e, const DirectoryChange& change, std::string_view path) {
  if (PLANTED(kIndexForgets)) return;
  if (change.indexed)
    e.names.created(change.directory, share::last_component(path),
                    {change.began, e.wall, change.changes_before});
}

void note_removed(EngineState& e, const DirectoryChange& change, std::string_view path) {
  if (change.indexed)
    e.names.removed(change.directory, share::last_component(path),
                    {change.began, e.wall, change.changes_before});
}

}  // namespace semblance::smb
