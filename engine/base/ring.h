#pragma once
// A queue that keeps its memory: once it has been as long as it gets, it does not allocate again.

#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

#include "engine/base/check.h"

namespace semblance {

template <typename T>
class Ring {
 public:
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }

  // i < size(), counted from the front.
  T& operator[](size_t i) { return slots_[(first_ + i) & (slots_.size() - 1)]; }
  const T& operator[](size_t i) const { return slots_[(first_ + i) & (slots_.size() - 1)]; }
  T& front() { return (*this)[0]; }
  const T& front() const { return (*this)[0]; }
  T& back() { return (*this)[size_ - 1]; }

  void push_back(T value) {
    if (size_ == slots_.size()) grow();
    ++size_;
    back() = std::move(value);
  }
  void pop_front() {
    CHECK(size_ > 0);
    first_ = (first_ + 1) & (slots_.size() - 1);
    --size_;
  }

 private:
  void grow() {
    std::vector<T> larger(slots_.empty() ? 8 : slots_.size() * 2);
    for (size_t i = 0; i < size_; ++i) larger[i] = std::move((*this)[i]);
    slots_ = std::move(larger);
    first_ = 0;
  }

  std::vector<T> slots_;  // invariant: its size is 0 or a power of two
  size_t first_ = 0;
  size_t size_ = 0;
};

}  // namespace semblance
