#include "core/collectives/clocks.hpp"

#include "tests/core/collectives/member_fixture.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace core;
using core::testing::MemberFixture;
using core::testing::plant;
using core::testing::PlantedRun;

namespace {

std::int64_t distance(std::int64_t a, std::int64_t b) { return a < b ? b - a : a - b; }

}  // namespace

TEST_CASE("offsets that were planted are measured to within the reported error") {
    for (unsigned seed = 1; seed <= 40; ++seed) {
        INFO(seed);
        PlantedRun plan;
        plan.ranks = 2 + static_cast<std::int32_t>(seed % 7);
        plan.numbered = true;
        plan.most_offset = 5'000'000;
        MemberFixture fixture;
        const std::vector<std::vector<MemberFixture::Call>> calls = plant(plan, seed);
        for (std::size_t r = 0; r < calls.size(); ++r) fixture.add_rank(static_cast<std::int32_t>(r), calls[r]);
        const MatchedRunPtr run = fixture.match();
        const CohortClocks& clocks = run->clocks[0];
        REQUIRE(clocks.measured);
        CHECK(clocks.error == 2'000);
        for (std::size_t r = 0; r < calls.size(); ++r)
            CHECK(distance(clocks.fit.ranks[r].offset, plan.offsets[r]) <= clocks.error);
    }
}

TEST_CASE("a planted drift is measured, and none without one") {
    ClockProblem problem;
    problem.ranks = 2;
    for (std::int64_t k = 0; k < 40; ++k) {
        const std::int64_t end = k * 100'000'000;
        problem.evidence.push_back({static_cast<std::uint32_t>(problem.samples.size()), 2, 20'000, true});
        problem.samples.push_back({0, end - 20'000, end});
        problem.samples.push_back({1, end - 30'000 + k * 2'000, end + k * 2'000 + 5'000});  // 20 ppm
    }
    const ClockFit fit = fit_clocks(problem);
    CHECK(fit.ranks[0].drift == 0);
    CHECK(fit.ranks[1].drift == doctest::Approx(20e-6).epsilon(0.01));
    CHECK(distance(fit.ranks[1].offset, 5'000 + 39 * 1'000) <= 10);
    CHECK(distance(fit.ranks[1].to_true(problem.samples[79].end), problem.samples[78].end) <= 100);

    for (ClockSample& sample : problem.samples)
        if (sample.rank == 1) sample.end = sample.end / 100'000'000 * 100'000'000 + 7'000;
    CHECK(fit_clocks(problem).ranks[1].drift == 0);
}

TEST_CASE("a drift is taken off the same, however far the clocks are apart") {
    for (const std::int64_t apart :
         {std::int64_t{0}, std::int64_t{11'560'000'000}, std::int64_t{-86'400'000'000'000}}) {
        INFO(apart);
        ClockProblem problem;
        problem.ranks = 4;
        for (std::int64_t k = 0; k < 40; ++k) {
            const std::int64_t end = k * 30'000'000;
            problem.evidence.push_back({static_cast<std::uint32_t>(problem.samples.size()), 4, 20'000, true});
            for (std::uint32_t rank = 0; rank < 4; ++rank) {
                const std::int64_t own = rank < 2 ? end : end + k * 900 + apart;  // the other node: 30 ppm
                problem.samples.push_back({rank, own - 20'000, own});
            }
        }
        const ClockFit fit = fit_clocks(problem);
        CHECK(fit.ranks[2].drift == doctest::Approx(30e-6).epsilon(0.01));
        CHECK(fit.residual <= 100);
        for (std::size_t i = 0; i < problem.samples.size(); i += 4)
            for (std::size_t rank = 1; rank < 4; ++rank)
                CHECK(distance(fit.ranks[rank].to_true(problem.samples[i + rank].end), problem.samples[i].end) <= 200);
    }
}

TEST_CASE("adding a constant to one file's times changes its offset by that and nothing else") {
    PlantedRun plan;
    plan.numbered = true;
    std::vector<std::vector<MemberFixture::Call>> calls = plant(plan, 11);
    MemberFixture before, after;
    for (std::size_t r = 0; r < calls.size(); ++r) before.add_rank(static_cast<std::int32_t>(r), calls[r]);
    for (MemberFixture::Call& call : calls[2]) call.start += 12'345'678;
    for (std::size_t r = 0; r < calls.size(); ++r) after.add_rank(static_cast<std::int32_t>(r), calls[r]);
    const MatchedRunPtr first = before.match();
    const MatchedRunPtr second = after.match();
    for (std::size_t r = 0; r < calls.size(); ++r) {
        const std::int64_t moved = r == 2 ? 12'345'678 : 0;
        CHECK(distance(second->clocks[0].fit.ranks[r].offset - moved, first->clocks[0].fit.ranks[r].offset) <= 10);
    }
    const WaitsPtr waits = measure_waits(first, {true});
    const WaitsPtr moved = measure_waits(second, {true});
    REQUIRE(waits->wait.size() == moved->wait.size());
    for (std::size_t i = 0; i < waits->wait.size(); ++i) CHECK(distance(waits->wait[i], moved->wait[i]) <= 20);
}

TEST_CASE("ranks that share no collective are parts of their own, and clocks with too little evidence are refused") {
    MemberFixture fixture;
    using Call = MemberFixture::Call;
    const auto calls = [](std::int64_t count) {
        std::vector<Call> list;
        for (std::int64_t k = 0; k < count; ++k) list.push_back(Call{k * 1'000'000, 50'000, Operation::AllReduce, k});
        return list;
    };
    fixture.add_rank(0, calls(3));
    fixture.add_rank(1, calls(3));
    const MatchedRunPtr run = fixture.match();
    CHECK_FALSE(run->clocks[0].measured);
    CHECK(run->clocks[0].refused == "fewer than 4 usable collectives on rank 0");

    ClockProblem problem;
    problem.ranks = 4;
    for (std::int64_t k = 0; k < 8; ++k) {
        const std::uint32_t rank = k % 2 == 0 ? 0 : 2;
        problem.evidence.push_back({static_cast<std::uint32_t>(problem.samples.size()), 2, 1'000, true});
        problem.samples.push_back({rank, k * 10'000, k * 10'000 + 1'000});
        problem.samples.push_back({rank + 1, k * 10'000, k * 10'000 + 1'500});
    }
    const ClockFit fit = fit_clocks(problem);
    CHECK(fit.ranks[0].part == 0);
    CHECK(fit.ranks[1].part == 0);
    CHECK(fit.ranks[2].part == 2);
    CHECK(fit.ranks[3].part == 2);
    CHECK(fit.ranks[2].offset == 0);
    CHECK(distance(fit.ranks[3].offset, 500) <= 1);
}

TEST_CASE("parts that messages go both ways between are joined in the middle of what causality allows") {
    // Ranks 0 and 1 meet, and 2 and 3, whose clocks are 7 ms ahead; 1 and 2 send to each other, 20 us each way.
    constexpr std::int64_t kAhead = 7'000'000;
    for (const bool both_ways : {true, false}) {
        MemberFixture fixture;
        using Call = MemberFixture::Call;
        const auto calls = [&](std::int32_t rank) {
            std::vector<Call> list;
            const std::int64_t clock = rank < 2 ? 0 : kAhead;
            for (std::int64_t k = 0; k < 8; ++k) {
                const std::int64_t at = clock + k * 1'000'000;
                list.push_back({.start = at,
                                .duration = 50'000,
                                .comms_id = static_cast<std::uint64_t>(100 * (rank / 2 + 1) + k)});
                if (rank == 1 || rank == 2) {
                    const bool sends = (rank == 1) == (k % 2 == 0 || !both_ways);
                    list.push_back({.start = at + 200'000,
                                    .duration = sends ? std::int64_t{30'000} : std::int64_t{20'000},
                                    .operation = sends ? Operation::Send : Operation::Recv,
                                    .peer = rank == 1 ? 2 : 1});
                }
            }
            return list;
        };
        for (std::int32_t rank = 0; rank < 4; ++rank) fixture.add_rank(rank, calls(rank));
        const MatchedRunPtr run = fixture.match();
        CHECK(run->clock(2).part == (both_ways ? 0u : 2u));
        if (!both_ways) {
            // No wait is computed across parts.
            const WaitsPtr apart = measure_waits(run, {true});
            for (std::uint32_t c = 0; c < run->collectives.size(); ++c)
                if (run->collectives[c].by == MatchedBy::Pair) CHECK_FALSE(apart->find_pivot(c).has_value());
            continue;
        }
        CHECK(distance(run->clock(2).offset, kAhead) <= 20'000);
        CHECK(distance(run->clock(3).offset, kAhead) <= 20'000);
        CHECK(run->clocks[0].error >= 20'000);
        CHECK(run->clocks[0].fit.width >= kAhead - 20'000);
    }
}

TEST_CASE("with very many groups every rank's clock is measured, however few of its collectives are the shortest") {
    // 600 groups of two and one of all; those of the first group are the longest.
    constexpr std::int64_t kRanks = 1200;
    ClockProblem problem;
    problem.ranks = kRanks;
    const auto add = [&](std::span<const std::uint32_t> ranks, std::int64_t end, std::int64_t duration) {
        problem.evidence.push_back({static_cast<std::uint32_t>(problem.samples.size()),
                                    static_cast<std::uint32_t>(ranks.size()), duration, true});
        for (const std::uint32_t rank : ranks)
            problem.samples.push_back({rank, end - duration, end + rank % 7 * 100'000});
    };
    std::vector<std::uint32_t> all;
    for (std::uint32_t r = 0; r < kRanks; ++r) all.push_back(r);
    for (std::int64_t k = 0; k < 40; ++k) {
        for (std::uint32_t r = 0; r < kRanks; r += 2)
            add(std::vector{r, r + 1}, k * 10'000'000 + r, r == 0 ? 90'000 : 20'000);
        add(all, k * 10'000'000 + 5'000'000, 50'000);
    }
    const ClockFit fit = fit_clocks(problem);
    std::uint32_t least = UINT32_MAX;
    for (const MeasuredClock& clock : fit.ranks) least = std::min(least, clock.collectives);
    CHECK(least >= 24);
    for (std::uint32_t r = 0; r < kRanks; ++r) CHECK(distance(fit.ranks[r].offset, r % 7 * 100'000) <= 2'000);
}
