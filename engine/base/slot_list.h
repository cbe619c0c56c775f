#pragma once
// A list of pool objects, linked through the objects themselves: a session's trees, a tree's opens.

#include "engine/base/pool.h"

namespace semblance {

// The links that a member of a SlotList carries.
template <typename Id>
struct SlotLink {
  Id previous, next;
};

// Members are ids of a Pool<T, Id>; `Link` names the member of T that holds the links. Order is that of
// insertion. All operations are O(1); an object is in at most one list per Link.
template <typename T, typename Id, SlotLink<Id> T::* Link>
class SlotList {
 public:
  bool empty() const { return !first_; }
  Id first() const { return first_; }
  uint32_t size() const { return size_; }

  void add(Pool<T, Id>& pool, Id id) {
    SlotLink<Id>& link = pool.get(id).*Link;
    link = {last_, {}};
    if (last_)
      (pool.get(last_).*Link).next = id;
    else
      first_ = id;
    last_ = id;
    ++size_;
  }

  void remove(Pool<T, Id>& pool, Id id) {
    SlotLink<Id>& link = pool.get(id).*Link;
    if (link.previous)
      (pool.get(link.previous).*Link).next = link.next;
    else
      first_ = link.next;
    if (link.next)
      (pool.get(link.next).*Link).previous = link.previous;
    else
      last_ = link.previous;
    link = {};
    --size_;
  }

  static Id next(Pool<T, Id>& pool, Id id) { return (pool.get(id).*Link).next; }

 private:
  Id first_, last_;
  uint32_t size_ = 0;
};

}  // namespace semblance
