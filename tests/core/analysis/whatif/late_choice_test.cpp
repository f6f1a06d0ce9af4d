#include "core/analysis/whatif/late_choice.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace core;

namespace {

struct Chosen {
    std::vector<std::uint32_t> slots;
    std::size_t replays = 0;
};

// A run of 1 ms whose ranks exceed their peers by these ns of kernels; it is as long as the latest rank that is not
// like its peers makes it.
Chosen choose(const std::vector<std::int64_t>& excess) {
    Chosen chosen;
    LateEvidence evidence;
    const auto count = static_cast<std::uint32_t>(excess.size());
    for (std::uint32_t part = 0; part < count; ++part) {
        evidence.slots.push_back(part);
        evidence.excess.push_back({.time = {excess[part]}});
    }
    evidence.steps = 1;
    evidence.length = 1'000'000;
    evidence.suspects = {.examined = std::vector<bool>(count), .left_out = std::vector<bool>(count)};
    evidence.save = [&](const std::vector<std::uint32_t>& named) -> Result<std::int64_t> {
        ++chosen.replays;
        std::int64_t latest = 0;
        for (std::uint32_t part = 0; part < count; ++part)
            if (std::ranges::find(named, part) == named.end()) latest = std::max(latest, excess[part]);
        return std::ranges::max(excess) - latest;
    };
    const Result<LateRanks> late = choose_late_ranks(evidence);
    REQUIRE(late);
    chosen.slots = late->slots;
    std::ranges::sort(chosen.slots);
    return chosen;
}

}  // namespace

TEST_CASE("a late rank is named, and so is every one of several; ranks that jitter are not") {
    CHECK(choose({0, 1'000, 90'000, 500}).slots == std::vector<std::uint32_t>{2});
    CHECK(choose({0, 90'000, 95'000, 500, 1'000}).slots == std::vector<std::uint32_t>{1, 2});
    // Half of the ranks differ from the other half by as much as these differ among themselves.
    CHECK(choose({-30'000, -18'000, -6'000, 6'000, 18'000, 30'000}).slots.empty());
    CHECK(choose({0, 0, 0, 0}).slots.empty());
    // Two ranks have no others to compare.
    CHECK(choose({0, 90'000}).slots == std::vector<std::uint32_t>{1});
}

TEST_CASE("innocent candidates are left out together") {
    std::vector<std::int64_t> excess(64, 8'000);  // each a candidate by itself
    excess[17] = 400'000;
    const Chosen chosen = choose(excess);
    CHECK(chosen.slots == std::vector<std::uint32_t>{17});
    CHECK(chosen.replays < 10);
}
