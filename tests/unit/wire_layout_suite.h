#pragma once
// The properties of wire_generators.h as one typed suite: INSTANTIATE_TYPED_TEST_SUITE_P(Name,
// Layout, testing::Types<...>). Overloads of make_valid() must stand before that.

#include "tests/unit/wire_generators.h"

namespace semblance::wire::test {

template <typename T>
class Layout : public testing::Test {};
TYPED_TEST_SUITE_P(Layout);

TYPED_TEST_P(Layout, BuiltThenParsedIsTheSame) {
  EXPECT_TRUE(rc::check([] { round_trips<TypeParam>(); }));
}
TYPED_TEST_P(Layout, TruncatedIsSafeAndFailsInTheFixedPart) {
  EXPECT_TRUE(rc::check([] { survives_truncation<TypeParam>(); }));
}
TYPED_TEST_P(Layout, TooLittleRoomIsNoticed) {
  EXPECT_TRUE(rc::check([] { notices_lack_of_room<TypeParam>(); }));
}
TYPED_TEST_P(Layout, HostileBytesAreSafe) {
  EXPECT_TRUE(rc::check([] { survives_noise<TypeParam>(); }));
}
REGISTER_TYPED_TEST_SUITE_P(Layout, BuiltThenParsedIsTheSame, TruncatedIsSafeAndFailsInTheFixedPart,
                            TooLittleRoomIsNoticed, HostileBytesAreSafe);

}  // namespace semblance::wire::test
