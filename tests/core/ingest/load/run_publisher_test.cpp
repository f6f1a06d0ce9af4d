#include "core/ingest/load/run_publisher.hpp"

#include <doctest/doctest.h>

#include <cstdint>

using namespace core;
using namespace std::chrono_literals;

namespace {

struct Load {
    std::uint64_t hand_overs = 0;
    std::uint64_t ranks = 0;  // of all hand-overs: what publishing costs
    std::size_t published = 0;
};

// A load of `ranks` files, one every `apart`.
Load load(std::size_t ranks, std::chrono::microseconds apart) {
    HandOver policy;
    Load load;
    std::chrono::microseconds since{0};
    for (std::size_t arrived = 1; arrived <= ranks; ++arrived) {
        since += apart;
        if (!policy.is_due(arrived, since, arrived == ranks)) continue;
        policy.publish(arrived);
        since = 0us;
        ++load.hand_overs;
        load.ranks += arrived;
        load.published = arrived;
    }
    return load;
}

}  // namespace

TEST_CASE("publishing costs a load of many ranks a constant number of copies of each") {
    for (const std::size_t ranks : {10'000u, 100'000u, 1'000'000u}) {
        for (const auto apart : {0us, 100us, 1000us}) {
            const Load fast = load(ranks, apart);
            CAPTURE(ranks);
            CAPTURE(apart.count());
            CHECK(fast.published == ranks);
            CHECK(fast.ranks < 20 * ranks);
        }
    }
}

TEST_CASE("the first ranks appear one by one, and slow ones are not held back for their batch") {
    CHECK(load(64, 0us).hand_overs == 64);
    CHECK(load(5, 0us).hand_overs == 5);
    CHECK(load(300, 1s).hand_overs == 300);
    CHECK(load(300, 0us).hand_overs < 200);
    HandOver policy;
    policy.publish(1000);
    CHECK_FALSE(policy.is_due(1000, 1h, true));  // nothing new
    CHECK_FALSE(policy.is_due(1001, 0us, false));
    CHECK(policy.is_due(1001, 0us, true));
    CHECK(policy.is_due(1001, 1s, false));
}
