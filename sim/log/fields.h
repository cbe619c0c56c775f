#pragma once
// The one list of the fields of every event, effect, store operation and store result. Everything
// that goes over whole events and effects is a visitor of it: the running hash, the event log, the
// one-line rendering. A field that is added to engine/engine.h or engine/store.h is added here.
//
// A visitor has two members:
//   visit(name, field)        one field; `name` is a literal
//   visit.room(name, span)    a destination that the operation fills: only its size means anything
//                             until the operation is done
// Visitors that write see const objects, visitors that read fill mutable ones: `Is<T> auto&` is
// either. No padding and no address is ever visited.

#include <concepts>
#include <type_traits>
#include <utility>

#include "engine/engine.h"

namespace semblance::log {

template <class X, class T>
concept Is = std::same_as<std::remove_const_t<X>, T>;

template <class T>
inline constexpr bool is_slot_id = false;
template <class Tag>
inline constexpr bool is_slot_id<SlotId<Tag>> = true;
template <class X>
concept AnySlotId = is_slot_id<std::remove_const_t<X>>;

// ---- What the others are made of ----------------------------------------------------------------

template <class V>
void fields(V& visit, AnySlotId auto& id) {
  visit("index", id.index);
  visit("generation", id.generation);
}
template <class V>
void fields(V& visit, Is<Instant> auto& instant) {
  visit("ns", instant.ns);
}
template <class V>
void fields(V& visit, Is<FileTime> auto& time) {
  visit("ticks", time.ticks);
}
template <class V>
void fields(V& visit, Is<FileKey> auto& key) {
  visit("device", key.device);
  visit("inode", key.inode);
}
template <class V>
void fields(V& visit, Is<DosAttributes> auto& dos) {
  visit("present", dos.present);
  visit("attributes", dos.attributes);
  visit("created", dos.created);
}
template <class V>
void fields(V& visit, Is<Limits> auto& limits) {
#define X(type, field, value, meaning) visit(#field, limits.field);
  SEMBLANCE_LIMITS(X)
#undef X
}
template <class V>
void fields(V& visit, Is<ShareConfig> auto& share) {
  visit("name", share.name);
  visit("comment", share.comment);
  visit("read_only", share.read_only);
  visit("guest", share.guest);
  visit("encrypt", share.encrypt);
  visit("continuously_available", share.continuously_available);
  visit("hidden", share.hidden);
}
template <class V>
void fields(V& visit, Is<Config> auto& config) {
  visit("server_name", config.server_name);
  visit("dns_name", config.dns_name);
  visit("server_guid", config.server_guid);
  visit("shares", config.shares);
  visit("signing", config.signing);
  visit("encryption", config.encryption);
  visit("dialect_min", config.dialect_min);
  visit("dialect_max", config.dialect_max);
  visit("map_unknown_user_to_guest", config.map_unknown_user_to_guest);
  visit("bugs", config.bugs);
  visit("limits", config.limits);
}

// ---- Store results ------------------------------------------------------------------------------

template <class V>
void fields(V&, Is<std::monostate> auto&) {}
template <class V>
void fields(V& visit, Is<StoreOpened> auto& opened) {
  visit("handle", opened.handle);
  visit("kind", opened.kind);
}
template <class V>
void fields(V& visit, Is<FileStat> auto& stat) {
  visit("key", stat.key);
  visit("kind", stat.kind);
  visit("size", stat.size);
  visit("allocated", stat.allocated);
  visit("links", stat.links);
  visit("mode", stat.mode);
  visit("uid", stat.uid);
  visit("gid", stat.gid);
  visit("created", stat.created);
  visit("accessed", stat.accessed);
  visit("modified", stat.modified);
  visit("changed", stat.changed);
  visit("dos", stat.dos);
  visit("has_descriptor", stat.has_descriptor);
}
template <class V>
void fields(V& visit, Is<StoreCount> auto& count) {
  visit("count", count.count);
}
template <class V>
void fields(V& visit, Is<FsStat> auto& stat) {
  visit("total_bytes", stat.total_bytes);
  visit("free_bytes", stat.free_bytes);
  visit("available_bytes", stat.available_bytes);
  visit("block_size", stat.block_size);
  visit("name_max", stat.name_max);
  visit("volume_id", stat.volume_id);
  visit("keeps_attributes", stat.keeps_attributes);
}
template <class V>
void fields(V& visit, Is<StoreResult> auto& result) {
  visit("error", result.error);
  visit("value", result.value);
}

// ---- Store operations ---------------------------------------------------------------------------

template <class V>
void fields(V& visit, Is<StoreOpen> auto& open) {
  visit("share", open.share);
  visit("path", open.path);
  visit("what", open.what);
  visit("access", open.access);
  visit("descriptor", open.descriptor);
}
template <class V>
void fields(V& visit, Is<StoreClose> auto& close) {
  visit("handle", close.handle);
}
template <class V>
void fields(V& visit, Is<StoreStat> auto& stat) {
  visit("handle", stat.handle);
  visit("with_dos_attributes", stat.with_dos_attributes);
}
template <class V>
void fields(V& visit, Is<StoreStatAt> auto& stat) {
  visit("directory", stat.directory);
  visit("name", stat.name);
  visit("with_dos_attributes", stat.with_dos_attributes);
}
template <class V>
void fields(V& visit, Is<StoreStatPath> auto& stat) {
  visit("share", stat.share);
  visit("path", stat.path);
  visit("with_dos_attributes", stat.with_dos_attributes);
}
template <class V>
void fields(V& visit, Is<StoreRead> auto& read) {
  visit("handle", read.handle);
  visit("offset", read.offset);
  visit.room("into", read.into);
}
template <class V>
void fields(V& visit, Is<StoreWrite> auto& write) {
  visit("handle", write.handle);
  visit("offset", write.offset);
  visit("data", write.data);
  visit("write_through", write.write_through);
}
template <class V>
void fields(V& visit, Is<StoreFlush> auto& flush) {
  visit("handle", flush.handle);
}
template <class V>
void fields(V& visit, Is<StoreTruncate> auto& truncate) {
  visit("handle", truncate.handle);
  visit("size", truncate.size);
}
template <class V>
void fields(V& visit, Is<StoreAllocate> auto& allocate) {
  visit("handle", allocate.handle);
  visit("size", allocate.size);
}
template <class V>
void fields(V& visit, Is<StoreSetAttributes> auto& set) {
  visit("handle", set.handle);
  visit("accessed", set.accessed);
  visit("modified", set.modified);
  visit("set_dos", set.set_dos);
  visit("dos", set.dos);
}
template <class V>
void fields(V& visit, Is<StoreReadDescriptor> auto& read) {
  visit("handle", read.handle);
  visit("share", read.share);
  visit("path", read.path);
  visit.room("into", read.into);
}
template <class V>
void fields(V& visit, Is<StoreWriteDescriptor> auto& write) {
  visit("handle", write.handle);
  visit("descriptor", write.descriptor);
}
template <class V>
void fields(V& visit, Is<StoreReadDirectory> auto& read) {
  visit("directory", read.directory);
  visit("position", read.position);
  visit.room("into", read.into);
}
template <class V>
void fields(V& visit, Is<StoreRename> auto& rename) {
  visit("share", rename.share);
  visit("from", rename.from);
  visit("to", rename.to);
  visit("replace", rename.replace);
  visit("expected", rename.expected);
}
template <class V>
void fields(V& visit, Is<StoreLink> auto& link) {
  visit("handle", link.handle);
  visit("share", link.share);
  visit("to", link.to);
}
template <class V>
void fields(V& visit, Is<StoreUnlink> auto& unlink) {
  visit("share", unlink.share);
  visit("path", unlink.path);
  visit("kind", unlink.kind);
  visit("expected", unlink.expected);
}
template <class V>
void fields(V& visit, Is<StoreFsStat> auto& stat) {
  visit("share", stat.share);
}

// ---- Events -------------------------------------------------------------------------------------

template <class V>
void fields(V& visit, Is<Configure> auto& event) {
  visit("config", event.config);
}
template <class V>
void fields(V& visit, Is<WallClock> auto& event) {
  visit("now", event.now);
}
template <class V>
void fields(V& visit, Is<Entropy> auto& event) {
  visit("bytes", event.bytes);
}
template <class V>
void fields(V& visit, Is<ConnectionOpened> auto& event) {
  visit("connection", event.connection);
  visit("peer", event.peer);
}
template <class V>
void fields(V& visit, Is<BytesReceived> auto& event) {
  visit("connection", event.connection);
  visit("buffer", event.buffer);
  visit("bytes", event.bytes);
}
template <class V>
void fields(V& visit, Is<BytesSent> auto& event) {
  visit("connection", event.connection);
  visit("bytes", event.bytes);
}
template <class V>
void fields(V& visit, Is<ConnectionClosed> auto& event) {
  visit("connection", event.connection);
}
template <class V>
void fields(V& visit, Is<StoreDone> auto& event) {
  visit("operation", event.operation);
  visit("result", event.result);
}
template <class V>
void fields(V& visit, Is<AccountFound> auto& event) {
  visit("operation", event.operation);
  visit("state", event.state);
  visit("nt_hash", event.nt_hash);
  visit("uid", event.uid);
}
template <class V>
void fields(V&, Is<Drain> auto&) {}

// ---- Effects ------------------------------------------------------------------------------------

template <class V>
void fields(V& visit, Is<RunStore> auto& effect) {
  visit("operation", effect.operation);
  visit("what", effect.what);
}
template <class V>
void fields(V& visit, Is<Authenticate> auto& effect) {
  visit("operation", effect.operation);
  visit("user", effect.user);
  visit("domain", effect.domain);
}
template <class V>
void fields(V& visit, Is<ReceiveProgress> auto& effect) {
  visit("connection", effect.connection);
  visit("consumed", effect.consumed);
  visit("wanted", effect.wanted);
  visit("pinned", effect.pinned);
  visit("paused", effect.paused);
}
template <class V>
void fields(V& visit, Is<ResumeReceiving> auto& effect) {
  visit("connection", effect.connection);
}
template <class V>
void fields(V& visit, Is<ReleaseBuffer> auto& effect) {
  visit("buffer", effect.buffer);
}
template <class V>
void fields(V& visit, Is<TransmitReady> auto& effect) {
  visit("connection", effect.connection);
}
template <class V>
void fields(V& visit, Is<CloseConnection> auto& effect) {
  visit("connection", effect.connection);
}
template <class V>
void fields(V& visit, Is<NeedEntropy> auto& effect) {
  visit("bytes", effect.bytes);
}
template <class V>
void fields(V& visit, Is<LogLine> auto& effect) {
  visit("level", effect.level);
  visit("connection", effect.connection);
  visit("session", effect.session);
  visit("what", effect.what);
  visit("detail", effect.detail);
}

// ---- Names of the alternatives, by position -----------------------------------------------------

inline constexpr const char* kEventNames[] = {
    "Configure", "WallClock",        "Entropy",   "ConnectionOpened", "BytesReceived",
    "BytesSent", "ConnectionClosed", "StoreDone", "AccountFound",     "Drain"};
static_assert(std::size(kEventNames) == std::variant_size_v<Event>);

inline constexpr const char* kEffectNames[] = {
    "RunStore",      "Authenticate",    "ReceiveProgress", "ResumeReceiving", "ReleaseBuffer",
    "TransmitReady", "CloseConnection", "NeedEntropy",     "LogLine"};
static_assert(std::size(kEffectNames) == std::variant_size_v<Effect>);

}  // namespace semblance::log
