#include "core/base/saturate.hpp"

#include <doctest/doctest.h>

using namespace core;

TEST_CASE("sums and differences stop at the ends of 64 bits, and are exact within") {
    constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    CHECK(saturating_add(2, 3) == 5);
    CHECK(saturating_add(kMost, -1) == kMost - 1);
    CHECK(saturating_add(kMost, 1) == kMost);
    CHECK(saturating_add(kLeast, -1) == kLeast);
    CHECK(saturating_add(kMost, kLeast) == -1);
    CHECK(saturating_subtract(2, 3) == -1);
    CHECK(saturating_subtract(kLeast, 1) == kLeast);
    CHECK(saturating_subtract(0, kLeast) == kMost);
    CHECK(saturating_subtract(kMost, -1) == kMost);
    CHECK(saturating_subtract(kLeast, kLeast) == 0);
}
