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
            const WaitsPtr waits = measure_waits(run, std::vector<bool>(run->cohorts.size(), aligned));
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
    // Rank 0 is late for a collective with rank 1, which is released late and so is late for one with rank 2.
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

namespace {

// Three ranks in one operation with a root, at these times, all for 100 µs; and their waits in µs, −1 where absent.
std::vector<std::int64_t> one_sided_waits(Operation operation, std::int32_t root, std::vector<std::int64_t> starts_us,
                                          std::int32_t other_root = -2) {
    MemberFixture fixture;
    for (std::size_t r = 0; r < starts_us.size(); ++r)
        fixture.add_rank(static_cast<std::int32_t>(r),
                         {Call{.start = starts_us[r] * 1'000,
                               .duration = 100'000,
                               .operation = operation,
                               .number = 1,
                               .peer = r == 0 && other_root != -2 ? other_root : root}},
                         3);
    const WaitsPtr waits = measure_waits(fixture.match(), {false});
    std::vector<std::int64_t> found;
    for (std::uint32_t i = 0; i < waits->wait.size(); ++i)
        found.push_back(waits->knows_wait(0, i) ? waits->wait_of(i) / 1'000 : -1);
    return found;
}

}  // namespace

TEST_CASE("receivers of a broadcast or scatter wait for the root, and the root does not wait") {
    for (const Operation operation : {Operation::Broadcast, Operation::Scatter}) {
        CHECK(one_sided_waits(operation, 1, {0, 40, 60}) == std::vector<std::int64_t>{40, 0, 0});
        CHECK(one_sided_waits(operation, 2, {0, 40, 60}) == std::vector<std::int64_t>{60, 20, 0});
        CHECK(one_sided_waits(operation, 2, {0, 40, 120}) == std::vector<std::int64_t>{100, 80, 0});  // left early
    }
}

TEST_CASE("the root of a reduce or gather waits for the last, and the others do not wait") {
    for (const Operation operation : {Operation::Reduce, Operation::Gather}) {
        CHECK(one_sided_waits(operation, 0, {0, 40, 60}) == std::vector<std::int64_t>{60, 0, 0});
        CHECK(one_sided_waits(operation, 2, {0, 40, 60}) == std::vector<std::int64_t>{0, 0, 0});
    }
}

TEST_CASE("without a root that all state and whose event is present, waits are unknown") {
    const std::vector<std::int64_t> absent = {-1, -1, -1};
    CHECK(one_sided_waits(Operation::Broadcast, kNoPeer, {0, 40, 60}) == absent);
    CHECK(one_sided_waits(Operation::Broadcast, 1, {0, 40, 60}, 2) == absent);
    CHECK(one_sided_waits(Operation::Broadcast, 7, {0, 40, 60}) == absent);
    // One member states it, which is enough.
    CHECK(one_sided_waits(Operation::Broadcast, 1, {0, 40, 60}, kNoPeer) == std::vector<std::int64_t>{40, 0, 0});
    // The root lacks a member, which may be the last.
    MemberFixture fixture;
    const auto call = [](std::int64_t at, std::int64_t number) {
        return Call{.start = at, .duration = 1'000, .operation = Operation::Reduce, .number = number, .peer = 0};
    };
    fixture.add_rank(0, {call(0, 1), call(10'000, 2)}, 3);
    fixture.add_rank(1, {call(100, 1), call(10'100, 2)}, 3);
    fixture.add_rank(2, {call(10'200, 2)}, 3);
    const WaitsPtr waits = measure_waits(fixture.match(), {false});
    CHECK_FALSE(waits->find_pivot(0));
    CHECK(waits->find_pivot(1));
    CHECK(waits->times[1].wait == 200);
    CHECK_FALSE(waits->times[1].counts);
}

TEST_CASE("a one-sided transfer counts from when both ends have come") {
    MemberFixture fixture;
    const auto call = [](std::int64_t start, std::int64_t end) {
        return Call{.start = start, .duration = end - start, .operation = Operation::Broadcast, .number = 1, .peer = 1};
    };
    fixture.add_rank(0, {call(0, 150)}, 3);
    fixture.add_rank(1, {call(100, 140)}, 3);  // the root
    fixture.add_rank(2, {call(120, 190)}, 3);
    const WaitsPtr waits = measure_waits(fixture.match(), {false});
    CHECK(waits->find_transfer(0) == 60);  // the median of 50 and 70
    CHECK(waits->find_awaited(0) == 1);
}
