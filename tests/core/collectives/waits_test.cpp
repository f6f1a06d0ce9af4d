#include "core/collectives/waits.hpp"

#include "tests/core/collectives/member_fixture.hpp"

#include <doctest/doctest.h>

#include <map>

using namespace core;
using core::testing::MemberFixture;
using core::testing::plant;
using core::testing::PlantedRun;

namespace {

using Call = MemberFixture::Call;

// The naive waits of one collective on recorded clocks.
std::map<std::uint32_t, std::int64_t> naive_waits(const MatchedRun& run, const Collective& c) {
    std::int64_t last = INT64_MIN;
    for (const MemberRef ref : run.members_of(c)) last = std::max(last, ns_of(run.member(ref).start));
    std::map<std::uint32_t, std::int64_t> waits;
    for (const MemberRef ref : run.members_of(c)) {
        const MemberEvent& member = run.member(ref);
        waits[ref.slot] = std::min(last - ns_of(member.start), member.duration.count());
    }
    return waits;
}

}  // namespace

TEST_CASE("waits and transfers add up to durations, and blame to waits") {
    for (unsigned seed = 1; seed <= 40; ++seed) {
        INFO(seed);
        PlantedRun plan;
        plan.ranks = 2 + static_cast<std::int32_t>(seed % 6);
        plan.numbered = seed % 2 == 0;
        plan.loss = seed % 3 == 0 ? 0.1 : 0;
        plan.most_offset = seed % 5 == 0 ? 50'000 : 0;
        MemberFixture fixture;
        const std::vector<std::vector<Call>> calls = plant(plan, seed);
        for (std::size_t r = 0; r < calls.size(); ++r) fixture.add_rank(static_cast<std::int32_t>(r), calls[r]);
        const MatchedRunPtr run = fixture.match();
        for (const bool aligned : {false, true}) {
            const WaitsPtr waits = measure_waits(run, std::vector<bool>(run->sessions.size(), aligned));
            for (std::uint32_t c = 0; c < run->collectives.size(); ++c) {
                const Collective& one = run->collectives[c];
                std::int64_t sum = 0;
                for (std::uint32_t i = one.first; i < one.first + one.count; ++i) {
                    CHECK(waits->wait_of(i) >= 0);
                    CHECK(waits->wait_of(i) + waits->transfer_of(i) == waits->duration(run->members[i]));
                    sum += waits->wait_of(i);
                }
                if (!waits->times[c].counts) continue;
                CHECK(one.missing == 0);
                CHECK(sum == waits->times[c].wait);
                double shares = 0;
                for (const BlameShare& share : waits->blame_of(c)) shares += share.share;
                CHECK(shares == doctest::Approx(1.0));
                if (aligned) continue;
                const std::map<std::uint32_t, std::int64_t> naive = naive_waits(*run, one);
                for (std::uint32_t i = one.first; i < one.first + one.count; ++i)
                    CHECK(naive.at(run->members[i].slot) == waits->wait_of(i));
            }
        }
    }
}

TEST_CASE("the last to arrive is named only where the skew exceeds the error") {
    MemberFixture fixture;
    std::vector<Call> first, second, third;
    for (std::int64_t k = 0; k < 8; ++k) {
        const std::int64_t at = k * 10'000'000;
        const std::int64_t late = k < 4 ? 2'000'000 : 500;
        first.push_back(Call{at, late + 50'000, Operation::AllReduce, k});
        second.push_back(Call{at + 1'000, late + 49'000, Operation::AllReduce, k});
        third.push_back(Call{at + late, 50'000, Operation::AllReduce, k});
    }
    fixture.add_rank(0, first);
    fixture.add_rank(1, second);
    fixture.add_rank(2, third);
    const MatchedRunPtr run = fixture.match();
    const WaitsPtr waits = measure_waits(run, {true});
    REQUIRE(run->collectives.size() == 8);
    for (std::size_t c = 0; c < 8; ++c) {
        INFO(c);
        CHECK(waits->times[c].counts);
        CHECK(waits->times[c].resolved == (c < 4));
        if (c < 4) CHECK(waits->times[c].last_slot == 2);
        if (c < 4) CHECK(waits->times[c].wait == 2'000'000 + 1'999'000);
        CHECK(waits->times[c].close == (c >= 4));
    }
}

TEST_CASE("a collective that someone left before the last had come does not count") {
    MemberFixture fixture;
    std::vector<Call> first, second;
    for (std::int64_t k = 0; k < 6; ++k) {
        first.push_back(Call{k * 1'000'000, 100'000, Operation::AllToAll, k});
        second.push_back(Call{k * 1'000'000 + (k == 3 ? 500'000 : 0), 100'000, Operation::AllToAll, k});
    }
    fixture.add_rank(0, first);
    fixture.add_rank(1, second);
    const WaitsPtr waits = measure_waits(fixture.match(), {false});
    for (std::size_t c = 0; c < 6; ++c) {
        CHECK(waits->times[c].left_early == (c == 3));
        CHECK(waits->times[c].counts == (c != 3));
    }
}

TEST_CASE("waiting that was inherited through another group is rooted in who began it") {
    // Rank 0 is late for a collective with rank 1; rank 1 is released late by it, so late for one with rank 2.
    MemberFixture fixture;
    std::vector<Call> zero, one, two;
    std::int64_t number = 0;
    for (std::int64_t k = 0; k < 6; ++k) {
        const std::int64_t at = k * 100'000'000;
        const std::int64_t late = k == 5 ? 10'000'000 : 0;
        zero.push_back(Call{at + late, 50'000, Operation::AllReduce, number});
        one.push_back(Call{at, late + 50'000, Operation::AllReduce, number});
        two.push_back(Call{at, late + 50'000, Operation::AllReduce, number});
        ++number;
        zero.push_back(Call{at + late + 1'000'000, 50'000, Operation::AllReduce, number});
        one.push_back(Call{at + late + 1'000'000, 50'000, Operation::AllReduce, number});
        two.push_back(Call{at + late + 1'000'000, 50'000, Operation::AllReduce, number});
        ++number;
    }
    fixture.add_rank(0, zero);
    fixture.add_rank(1, one);
    fixture.add_rank(2, two);
    const MatchedRunPtr run = fixture.match();
    const WaitsPtr waits = measure_waits(run, {false});
    const std::size_t late = 10;
    CHECK(waits->times[late].last_slot == 0);
    CHECK(waits->lateness[late].known);
    CHECK(waits->lateness[late].own == 10'000'000);
    CHECK(waits->lateness[late].inherited == 0);
    REQUIRE(waits->blame_of(late).size() == 1);
    CHECK(waits->blame_of(late)[0].slot == 0);
}
