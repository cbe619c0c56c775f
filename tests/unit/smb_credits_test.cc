// smb::CreditWindow against a set of granted ids. MS-SMB2 3.3.1.1, 3.3.1.2, 3.3.5.2.3.

#include "engine/smb/credits.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>

namespace semblance::smb {
namespace {

// Ids [0, next) have been granted at some time; `free` are those not yet used.
struct Model {
  uint32_t limit;
  std::set<uint64_t> free = {0};
  uint64_t next = 1;

  bool consume(uint64_t id, uint16_t charge) {
    for (uint64_t i = 0; i < std::max<uint16_t>(charge, 1); ++i)
      if (!free.contains(id + i)) return false;
    for (uint64_t i = 0; i < std::max<uint16_t>(charge, 1); ++i) free.erase(id + i);
    return true;
  }
  uint16_t grant(uint16_t wanted) {
    uint64_t low = free.empty() ? next : *free.begin();
    if (wanted == 0 && free.empty()) wanted = 1;
    auto granted = static_cast<uint16_t>(std::min<uint64_t>(wanted, limit - (next - low)));
    for (int i = 0; i < granted; ++i) free.insert(next++);
    return granted;
  }
};

TEST(CreditWindow, AgreesWithASetOfIds) {
  EXPECT_TRUE(rc::check([] {
    Model model{*rc::gen::element(1u, 2u, 63u, 64u, 65u, 100u, 128u, 1000u)};
    CreditWindow window(model.limit);
    int steps = *rc::gen::inRange(0, 200);
    for (int i = 0; i < steps; ++i) {
      if (*rc::gen::inRange(0, 2) == 0) {
        auto wanted = *rc::gen::inRange<uint16_t>(0, 40);
        RC_ASSERT(window.grant(wanted) == model.grant(wanted));
      } else {
        uint64_t low = model.free.empty() ? model.next : *model.free.begin();
        uint64_t id = low + *rc::gen::inRange<uint64_t>(0, 12);
        if (*rc::gen::inRange(0, 8) == 0) id = low - *rc::gen::inRange<uint64_t>(0, 4);
        auto charge = *rc::gen::inRange<uint16_t>(0, 8);
        RC_ASSERT(window.consume(id, charge) == model.consume(id, charge));
      }
      RC_ASSERT(window.held() == model.free.size());
      RC_ASSERT(window.held() <= model.limit);
      RC_ASSERT(window.low() == (model.free.empty() ? model.next : *model.free.begin()));
    }
  }));
}

TEST(CreditWindow, AClientThatUsesItsIdsIsNeverStranded) {
  EXPECT_TRUE(rc::check([](const std::vector<uint16_t>& wishes) {
    CreditWindow window(*rc::gen::inRange(1u, 100u));
    uint64_t next = 0;
    for (uint16_t wish : wishes) {
      RC_ASSERT(window.consume(next++, 1));
      window.grant(wish % 4);
      RC_ASSERT(window.held() >= 1u);
    }
  }));
}

TEST(CreditWindow, IdsAtTheEndOfTheirRange) {
  CreditWindow window(100);
  EXPECT_FALSE(window.consume(UINT64_MAX, 1));
  EXPECT_FALSE(window.consume(UINT64_MAX, 2));
  EXPECT_FALSE(window.consume(UINT64_MAX - 1, 65535));
  EXPECT_FALSE(window.consume(0, 65535));
  EXPECT_FALSE(window.consume(1, 1));
  EXPECT_TRUE(window.consume(0, 1));
  EXPECT_FALSE(window.consume(0, 1));
  EXPECT_EQ(window.grant(65535), 100);
}

}  // namespace
}  // namespace semblance::smb
