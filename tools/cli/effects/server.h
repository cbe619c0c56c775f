#pragma once
// What canned requests are sent to: the engine alone over any store, or the real driver on a
// socket.

#include <array>
#include <memory>

#include "engine/client/client.h"
#include "engine/engine.h"
#include "engine/smb/report.h"

namespace semblance::effects {

inline constexpr const char* kUser = "anna";
inline constexpr const char* kPassword = "secret";
inline constexpr const char16_t* kShare = u"data";

using OperationCounts = std::array<uint64_t, kStoreOperationKinds>;
using ShapeCounts = std::array<uint64_t, smb::kShapes>;

// Switched on around what is to be measured, and off again.
class Meter {
 public:
  virtual ~Meter() = default;
  virtual void on() = 0;
  virtual void off() = 0;
};

// The server's end of one connection; goes away with it.
class Wire {
 public:
  virtual ~Wire() = default;
  // Moves what there is to move, both ways. False when nothing can move any more.
  virtual bool pump(client::Client& client) = 0;
};

class Server {
 public:
  virtual ~Server() = default;
  virtual std::unique_ptr<Wire> connect() = 0;
  virtual EngineReport report() const = 0;
  // Time passes, so that time stamps of changes differ.
  virtual void pass_time() {}

  // Whether what happens now is measured: the meter runs and operations are counted.
  void measure(bool on);
  // Measured so far.
  const OperationCounts& operations() const { return operations_; }
  const ShapeCounts& requests() const { return requests_; }

 protected:
  bool measuring_ = false;
  OperationCounts operations_{};

 private:
  ShapeCounts requests_{};
};

// False where a sanitizer or no optimiser makes something else of the same source: what is counted
// there says nothing.
bool is_plain_build();

// Share "data" and one user.
Config small_config();

}  // namespace semblance::effects
