#include "core/collectives/matched_run.hpp"

#include "tests/core/collectives/member_fixture.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>

using namespace core;
using core::testing::MemberFixture;
using core::testing::plant;
using core::testing::PlantedRun;

namespace {

// Contents of a match per collective, with ranks by number: equal for equal matches in any order of ranks.
using Row = std::tuple<Operation, std::uint32_t, MatchedBy, Confidence,
                       std::vector<std::pair<std::int32_t, std::int64_t>>, std::vector<std::int32_t>>;

std::vector<Row> rows_of(const MatchedRun& run, const std::vector<std::int32_t>& renamed = {}) {
    const auto name = [&](std::int32_t rank) {
        return renamed.empty() ? rank : renamed[static_cast<std::size_t>(rank)];
    };
    std::vector<Row> rows;
    for (const Collective& c : run.collectives) {
        std::vector<std::pair<std::int32_t, std::int64_t>> members;
        for (const MemberRef ref : run.members_of(c))
            members.emplace_back(name(run.ranks[ref.slot].rank), ns_of(run.member(ref).start));
        std::vector<std::int32_t> missing;
        for (const std::uint32_t slot : run.missing_of(c)) missing.push_back(name(run.ranks[slot].rank));
        std::ranges::sort(members);
        std::ranges::sort(missing);
        rows.emplace_back(c.operation, c.sequence, c.by, c.confidence, members, missing);
    }
    std::ranges::sort(rows);
    return rows;
}

MatchedRunPtr match_calls(const std::vector<std::vector<MemberFixture::Call>>& calls, MemberFixture& fixture,
                          const std::vector<std::int32_t>& ranks = {}) {
    for (std::size_t r = 0; r < calls.size(); ++r)
        fixture.add_rank(ranks.empty() ? static_cast<std::int32_t>(r) : ranks[r], calls[r]);
    return fixture.match();
}

}  // namespace

TEST_CASE("numbers match members of one group for certain, and name who is missing") {
    MemberFixture fixture;
    using Call = MemberFixture::Call;
    const std::int64_t ms = 1'000'000;
    const auto call = [&](std::int64_t at, std::int64_t number) {
        return Call{at * ms, ms, Operation::AllReduce, number};
    };
    fixture.add_rank(0, {call(0, 1), call(10, 2), call(20, 3)});
    fixture.add_rank(1, {call(1, 1), call(21, 3)});
    fixture.add_rank(2, {call(2, 1), call(12, 2), call(22, 3)});
    const MatchedRunPtr run = fixture.match();
    REQUIRE(run->collectives.size() == 3);
    for (const Collective& c : run->collectives) {
        CHECK(c.by == MatchedBy::Number);
        CHECK(c.confidence == Confidence::Certain);
    }
    const Collective& second = run->collectives[1];
    CHECK(second.number == 2);
    CHECK(second.count == 2);
    REQUIRE(second.missing == 1);
    CHECK(run->missing_of(second)[0] == 1);
}

TEST_CASE("sends and receives are matched first in, first out per pair, and never by number") {
    MemberFixture fixture;
    using Call = MemberFixture::Call;
    // The counters of sender and receiver differ; the last send has no receiver here.
    fixture.add_rank(0, {Call{0, 10, Operation::Send, 7, 64, 1}, Call{100, 10, Operation::Send, 8, 128, 1},
                         Call{200, 10, Operation::Send, 9, 64, 2}});
    fixture.add_rank(1, {Call{50, 10, Operation::Recv, 1, 64, 0}, Call{150, 10, Operation::Recv, 2, 128, 0}});
    const MatchedRunPtr run = fixture.match();
    std::map<std::int64_t, Confidence> by_bytes;
    std::size_t pairs = 0;
    for (const Collective& c : run->collectives) {
        CHECK(c.by == MatchedBy::Pair);
        if (c.count == 2) {
            ++pairs;
            CHECK(run->member(run->members_of(c)[0]).in_bytes == run->member(run->members_of(c)[1]).in_bytes);
            CHECK(c.confidence == Confidence::Probable);
        } else {
            CHECK(c.confidence == Confidence::Alone);
            CHECK(c.absent == 1);
        }
    }
    CHECK(pairs == 2);
    CHECK(run->collectives.size() == 3);
}

TEST_CASE("a match whose sizes or operations differ is doubtful and says why") {
    MemberFixture fixture;
    using Call = MemberFixture::Call;
    fixture.add_rank(0, {Call{0, 100, Operation::AllReduce, 1, 64}, Call{1000, 100, Operation::AllReduce, 2, 64}});
    fixture.add_rank(1, {Call{0, 100, Operation::AllReduce, 1, 128}, Call{1000, 100, Operation::AllGather, 2, 64}});
    const MatchedRunPtr run = fixture.match();
    REQUIRE(run->collectives.size() == 2);
    for (const Collective& c : run->collectives) CHECK(c.confidence == Confidence::Doubtful);
    std::set<std::string> doubts;
    for (const Collective& c : run->collectives) doubts.insert(format_doubts(c.doubts));
    CHECK(doubts == std::set<std::string>{"sizes differ", "operations differ"});
}

TEST_CASE("a number that occurs again later is matched in order from the end") {
    MemberFixture fixture;
    using Call = MemberFixture::Call;
    const auto call = [](std::int64_t at) { return Call{at * 1'000'000, 1'000, Operation::AllReduce, 5}; };
    fixture.add_rank(0, {call(0), call(1000), call(2000)});
    fixture.add_rank(1, {call(1001), call(2001)});
    const MatchedRunPtr run = fixture.match();
    REQUIRE(run->collectives.size() == 3);
    CHECK(run->collectives[0].confidence == Confidence::Alone);
    CHECK(run->collectives[1].confidence == Confidence::Probable);
    CHECK(run->collectives[1].count == 2);
    CHECK(run->collectives[2].count == 2);
}

TEST_CASE("order finds what numbers say with clocks apart, and what it is sure of with records lost") {
    for (unsigned seed = 1; seed <= 60; ++seed) {
        INFO(seed);
        PlantedRun plan;
        plan.ranks = 2 + static_cast<std::int32_t>(seed % 5);
        plan.collectives = 12 + seed % 30;
        plan.loss = seed % 3 == 0 ? 0.05 : 0;
        plan.least_gap = seed % 3 == 0 ? 15'000'000 : 2'000'000;  // a lost record leaves no other within the tolerance
        plan.most_offset = seed % 2 == 0 ? 1'000'000 : 0;
        plan.numbered = true;
        std::vector<std::vector<MemberFixture::Call>> calls = plant(plan, seed);
        MemberFixture numbered;
        const MatchedRunPtr by_number = match_calls(calls, numbered);
        for (auto& of_rank : calls)
            for (MemberFixture::Call& call : of_rank) call.number = kNoNumber;
        MemberFixture plain;
        const MatchedRunPtr by_order = match_calls(calls, plain);
        std::set<std::vector<std::pair<std::int32_t, std::int64_t>>> numbers, orders;
        for (const Row& row : rows_of(*by_number)) numbers.insert(std::get<4>(row));
        for (const Row& row : rows_of(*by_order)) {
            orders.insert(std::get<4>(row));
            const auto holds = [&](const auto& whole) { return std::ranges::includes(whole, std::get<4>(row)); };
            if (std::get<3>(row) == Confidence::Probable) CHECK(std::ranges::any_of(numbers, holds));
        }
        if (plan.loss == 0) CHECK(numbers == orders);
    }
}

TEST_CASE("every member is in exactly one collective, at most one per rank") {
    for (unsigned seed = 1; seed <= 30; ++seed) {
        PlantedRun plan;
        plan.loss = 0.2;
        plan.numbered = seed % 2 == 0;
        MemberFixture fixture;
        const MatchedRunPtr run = match_calls(plant(plan, seed), fixture);
        std::set<MemberRef> seen;
        for (std::uint32_t c = 0; c < run->collectives.size(); ++c) {
            std::set<std::uint32_t> slots;
            for (const MemberRef ref : run->members_of(run->collectives[c])) {
                CHECK(seen.insert(ref).second);
                CHECK(slots.insert(ref.slot).second);
                CHECK(run->collective_of(ref) == c);
            }
        }
        std::size_t members = 0;
        for (const RankMembers& rank : run->ranks) members += rank.events.size();
        CHECK(seen.size() == members);
    }
}

TEST_CASE("renaming ranks renames the rows and changes nothing else") {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        INFO(seed);
        PlantedRun plan;
        plan.numbered = seed % 2 == 0;
        plan.loss = plan.numbered ? 0.05 : 0;
        const std::vector<std::vector<MemberFixture::Call>> calls = plant(plan, seed);
        MemberFixture straight, turned;
        const MatchedRunPtr first = match_calls(calls, straight);
        // Slots are in order of rank numbers: turning the numbers round turns the slots round.
        std::vector<std::vector<MemberFixture::Call>> reversed(calls.rbegin(), calls.rend());
        const MatchedRunPtr second = match_calls(reversed, turned);
        std::vector<std::int32_t> renamed;
        for (std::int32_t r = plan.ranks; r-- > 0;) renamed.push_back(r);
        CHECK(rows_of(*first) == rows_of(*second, renamed));
    }
}

TEST_CASE("files of different world sizes, of one rank number, or of different times are sessions of their own") {
    MemberFixture fixture;
    using Call = MemberFixture::Call;
    const auto calls = [](std::int64_t at) { return std::vector<Call>{Call{at, 100}, Call{at + 200, 100}}; };
    fixture.add_rank(0, calls(0), 2);
    fixture.add_rank(0, calls(10), 2);
    fixture.add_rank(1, calls(20), 2);
    fixture.add_rank(1, calls(5000), 2);
    fixture.add_rank(2, calls(30), 4);
    const MatchedRunPtr run = fixture.match();
    CHECK(run->cohorts.size() == 4);
    CHECK(run->cohorts[0].slots == std::vector<std::uint32_t>{0, 2});
}

TEST_CASE("a job with evenly repeating ends is reported as doubtfully matched if its clocks are far apart") {
    MemberFixture fixture;
    using Call = MemberFixture::Call;
    std::vector<Call> first, second;
    for (std::int64_t k = 0; k < 20; ++k) {
        first.push_back(Call{k * 50'000'000, 100'000});
        second.push_back(Call{k * 50'000'000 + 25'000'000, 100'000});
    }
    fixture.add_rank(0, first);
    fixture.add_rank(1, second);
    const MatchedRunPtr run = fixture.match();
    CHECK_FALSE(run->clocks[0].measured);
    for (const Collective& c : run->collectives)
        if (c.count == 2) CHECK(c.confidence == Confidence::Doubtful);
}

TEST_CASE("with files missing, everything here is matched, and how many are not here is said") {
    PlantedRun plan;
    plan.ranks = 64;
    plan.collectives = 12;
    plan.numbered = true;
    const std::vector<std::vector<MemberFixture::Call>> calls = plant(plan, 5);
    MemberFixture fixture;
    for (std::size_t r = 0; r < calls.size(); ++r)
        if (r % 16 != 3) fixture.add_rank(static_cast<std::int32_t>(r), calls[r], plan.ranks);
    const MatchedRunPtr run = fixture.match();
    REQUIRE(run->collectives.size() == 12);
    for (const Collective& c : run->collectives) {
        CHECK(c.count == 60);
        CHECK(c.missing == 0);
        CHECK(c.absent == 4);
        CHECK(c.confidence == Confidence::Certain);
    }
    CHECK(run->clocks[0].measured);
}

TEST_CASE("runs of one rank, or without communication, have nothing matched and no clocks") {
    MemberFixture one;
    one.add_rank(0, {MemberFixture::Call{0, 100, Operation::AllReduce, 1}}, 8);
    const MatchedRunPtr alone = one.match();
    REQUIRE(alone->collectives.size() == 1);
    CHECK(alone->collectives[0].confidence == Confidence::Alone);
    CHECK(alone->collectives[0].absent == 7);
    CHECK_FALSE(alone->clocks[0].measured);
    CHECK_FALSE(measure_waits(alone, {false})->times[0].counts);
    MemberFixture none;
    none.add_rank(0, {});
    none.add_rank(1, {});
    CHECK(none.match()->collectives.empty());
    CHECK(MemberFixture().match()->cohorts.empty());
}
