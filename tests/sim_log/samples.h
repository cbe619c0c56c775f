#pragma once
// Events and effects of every kind with every field filled, and the same with one field changed:
// made from the list of fields itself (sim/log/fields.h), so that none is forgotten.

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "sim/log/fields.h"

namespace semblance::log {

// Owns what views and pointers of samples point to.
struct Arena {
  std::deque<std::string> texts;
  std::deque<std::vector<uint8_t>> bytes;
  std::deque<Config> configs;
};

// Visits mutable objects and gives fields another value: all of them, or the one in `place`.
class Editor {
 public:
  static constexpr int kAll = -1;

  Editor(Arena& arena, int place) : arena_(arena), place_(place) {}

  // How many fields it came by.
  int fields_seen() const { return seen_; }

  template <class T>
  void operator()(const char*, T& value) {
    edit(value);
  }
  void room(const char*, MutableBytes& into) {
    if (due()) into = arena_.bytes.emplace_back(into.size() + 64);
  }

 private:
  bool due() { return seen_++ == place_ || place_ == kAll; }

  template <class T>
  void edit(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      if (due()) value = !value;
    } else if constexpr (std::is_enum_v<T>) {
      if (due()) value = static_cast<T>(static_cast<std::underlying_type_t<T>>(value) + 1);
    } else if constexpr (std::is_integral_v<T>) {
      if (due()) value = static_cast<T>(value + 1 + static_cast<T>(seen_));
    } else {
      change(value);
    }
  }
  void change(std::string& text) {
    if (due()) text += "x";
  }
  void change(std::string_view& text) {
    if (due())
      text = arena_.texts.emplace_back("name " + std::to_string(seen_) + std::string(text));
  }
  void change(const char*& literal) {
    if (due()) literal = literal == nullptr ? "a literal" : "another";
  }
  void change(Bytes& bytes) {
    if (due()) bytes = other(bytes);
  }
  void change(MutableBytes& bytes) {
    if (due()) bytes = other(bytes);
  }
  void change(std::array<uint8_t, 16>& bytes) {
    if (due()) bytes[seen_ % 16] ^= 1;
  }
  void change(const Config*& config) {
    if (config == nullptr) {
      arena_.configs.emplace_back();
      arena_.configs.back().shares = {{.name = "one"}, {.name = "two"}};
    } else {
      arena_.configs.push_back(*config);
    }
    config = &arena_.configs.back();
    fields(*this, arena_.configs.back());
  }
  void change(std::vector<ShareConfig>& shares) {
    for (ShareConfig& share : shares) fields(*this, share);
    if (place_ != kAll && due()) shares.emplace_back();
  }
  template <class... T>
  void change(std::variant<T...>& variant) {
    std::visit([this](auto& value) { fields(*this, value); }, variant);
  }
  template <class T>
    requires std::is_class_v<T>
  void change(T& value) {
    fields(*this, value);
  }
  // Short and long ones by turns; one bit in the middle differs.
  std::vector<uint8_t>& other(Bytes bytes) {
    auto& copy = arena_.bytes.emplace_back(bytes.begin(), bytes.end());
    if (copy.empty()) copy.resize(seen_ % 2 == 0 ? 5 : 100, static_cast<uint8_t>(seen_));
    copy[copy.size() / 2] ^= 1;
    return copy;
  }

  Arena& arena_;
  int place_;
  int seen_ = 0;
};

template <class Variant>
Variant alternative(size_t index) {
  Variant value;
  [&]<size_t... i>(std::index_sequence<i...>) {
    ((i == index ? void(value.template emplace<i>()) : void()), ...);
  }(std::make_index_sequence<std::variant_size_v<Variant>>());
  return value;
}

// One event of every kind, StoreDone once for every kind of result.
inline std::vector<Event> sample_events(Arena& arena) {
  std::vector<Event> events;
  for (size_t i = 0; i < std::variant_size_v<Event>; i++) {
    Event event = alternative<Event>(i);
    if (auto* done = std::get_if<StoreDone>(&event))
      for (size_t k = 1; k < std::variant_size_v<decltype(StoreResult::value)>; k++) {
        done->result.value = alternative<decltype(StoreResult::value)>(k);
        events.push_back(event);
      }
    else
      events.push_back(event);
  }
  for (Event& event : events) {
    Editor editor(arena, Editor::kAll);
    editor("event", event);
  }
  events.push_back(StoreDone{{7, 8}, {}});
  return events;
}

// One effect of every kind, RunStore once for every kind of operation.
inline std::vector<Effect> sample_effects(Arena& arena) {
  std::vector<Effect> effects;
  for (size_t i = 0; i < std::variant_size_v<Effect>; i++) {
    Effect effect = alternative<Effect>(i);
    if (auto* log = std::get_if<LogLine>(&effect)) log->what = nullptr;
    if (auto* run = std::get_if<RunStore>(&effect))
      for (size_t k = 0; k < kStoreOperationKinds; k++) {
        run->what = alternative<StoreOperation>(k);
        effects.push_back(effect);
      }
    else
      effects.push_back(effect);
  }
  for (Effect& effect : effects) {
    Editor editor(arena, Editor::kAll);
    editor("effect", effect);
  }
  return effects;
}

}  // namespace semblance::log
