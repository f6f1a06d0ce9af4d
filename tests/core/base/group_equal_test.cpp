#include "core/base/group_equal.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace core;

namespace {

using Groups = std::vector<std::vector<std::size_t>>;

// Counts how often values are compared, which is what grouping costs.
struct CountedNumber {
    std::int64_t value;
    static inline std::uint64_t compared = 0;
    friend bool operator<(CountedNumber a, CountedNumber b) {
        ++compared;
        return a.value < b.value;
    }
};

std::uint64_t comparisons(const std::vector<CountedNumber>& numbers, std::size_t groups) {
    CountedNumber::compared = 0;
    CHECK(group_equal(std::span<const CountedNumber>(numbers)).size() == groups);
    return CountedNumber::compared;
}

}  // namespace

TEST_CASE("equal values form one group, in the order of their first places") {
    const std::vector<std::int64_t> values{7, 3, 7, -1, 3, 7};
    CHECK(group_equal(std::span<const std::int64_t>(values)) == Groups{{0, 2, 5}, {1, 4}, {3}});
    CHECK(group_equal(std::span<const std::int64_t>()).empty());
}

TEST_CASE("grouping 100,000 values compares each a few dozen times, whether they are distinct, equal or falling") {
    constexpr std::int64_t kCount = 100'000;
    constexpr std::uint64_t kMostComparisons = 25 * kCount;  // 17 halvings, and one pass over the sorted values
    std::vector<CountedNumber> rising, falling, equal, far_apart;
    for (std::int64_t i = 0; i < kCount; ++i) {
        rising.push_back({i});
        falling.push_back({kCount - i});
        equal.push_back({5});
        far_apart.push_back({i * 126'271});  // the prime that a hash table of this size has for its buckets
    }
    CHECK(comparisons(rising, kCount) < kMostComparisons);
    CHECK(comparisons(falling, kCount) < kMostComparisons);
    CHECK(comparisons(far_apart, kCount) < kMostComparisons);
    CHECK(comparisons(equal, 1) < kMostComparisons);
}
