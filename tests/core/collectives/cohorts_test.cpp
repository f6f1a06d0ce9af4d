#include "core/collectives/matched_run.hpp"

#include <doctest/doctest.h>

using namespace core;

namespace {

constexpr std::int64_t kDay = 86'400'000'000'000;

RankMembers member(std::int32_t rank, std::int64_t begin, std::int64_t length, std::vector<std::int64_t> steps) {
    RankMembers made;
    made.rank = rank;
    made.steps = std::move(steps);
    made.work_begin = begin;
    made.work_end = begin + length;
    made.world_size = 4;
    return made;
}

std::vector<std::vector<std::uint32_t>> slots_of(const std::vector<RankMembers>& ranks) {
    std::vector<std::vector<std::uint32_t>> slots;
    for (const Cohort& cohort : find_cohorts(ranks)) slots.push_back(cohort.slots);
    return slots;
}

using Slots = std::vector<std::vector<std::uint32_t>>;

}  // namespace

TEST_CASE("ranks whose clocks are further apart than the run ran together if their steps meet") {
    CHECK(slots_of({member(0, 0, 100, {1, 2, 3}), member(1, kDay, 100, {1, 2, 3})}) == Slots{{0, 1}});
    CHECK(slots_of({member(0, 0, 100, {1, 2, 3}), member(1, kDay, 100, {2, 3, 4})}) == Slots{{0, 1}});
    CHECK(slots_of({member(0, 0, 100, {1, 2, 3}), member(1, kDay, 100, {11, 12, 13})}) == Slots{{0}, {1}});
    CHECK(slots_of({member(0, 0, 100, {}), member(1, kDay, 100, {})}) == Slots{{0}, {1}});
    // A second file of a rank is another session, whatever its steps.
    CHECK(slots_of({member(0, 0, 100, {1, 2}), member(0, kDay, 100, {1, 2})}) == Slots{{0}, {1}});
}

TEST_CASE("a rank without GPU work is with no others, so that they do not lack its records") {
    CHECK(slots_of({member(0, 0, 100, {1, 2}), member(1, 0, 0, {1, 2}), member(2, 10, 100, {1, 2})}) ==
          Slots{{0, 2}, {1}});
}
