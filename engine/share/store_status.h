#pragma once
// How a store's failure is told to a client.

#include "engine/base/status.h"
#include "engine/store.h"

namespace semblance::share {

NtStatus status_of(StoreError error);

}  // namespace semblance::share
