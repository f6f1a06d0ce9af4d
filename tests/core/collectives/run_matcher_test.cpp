#include "core/collectives/run_matcher.hpp"

#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <random>

using namespace core;
using namespace core::testing;

namespace {

// Ranks of two tensor groups and their data groups: numbers where the seed is even, messages between neighbours, some
// records lost, and one rank of another world size.
std::vector<RankTracePtr> random_traces(unsigned seed) {
    std::mt19937_64 random(seed);
    std::vector<RankTracePtr> traces;
    for (int r = 0; r < 5; ++r) {
        TraceFixture fixture;
        fixture.rank(r);
        if (r == 4) fixture.info().world_size = 2;
        const auto collective = [&](std::int64_t at, std::string_view group, std::string_view ranks, int number) {
            if (random() % 16 == 0) return;
            fixture.kernel(at + static_cast<std::int64_t>(random() % 50'000), 100'000, "ncclDevKernel_AllReduce", 9)
                .arg(Arg::CollectiveName, "allreduce")
                .arg(Arg::GroupName, group)
                .arg(Arg::GroupRanks, ranks);
            if (seed % 2 == 0) fixture.arg(Arg::Seq, number / 2);  // each number twice
        };
        for (int k = 0; k < 12; ++k) {
            const std::int64_t at = k * 20'000'000;
            collective(at, "1", r / 2 == 0 ? "[0, 1]" : "[2, 3]", k);
            collective(at + 5'000'000, "2", r % 2 == 0 ? "[0, 2]" : "[1, 3]", k);
            const bool sends = r % 2 == 0;
            fixture.kernel(at + 10'000'000, 50'000, "ncclDevKernel_SendRecv", 9)
                .arg(Arg::CollectiveName, sends ? "send" : "recv")
                .arg(sends ? Arg::DestinationRank : Arg::SourceRank, sends ? r + 1 : r - 1);
        }
        traces.push_back(fixture.build());
    }
    return traces;
}

RunPtr run_of_slots(const Run& whole, std::span<const std::size_t> slots) {
    RunParts parts = whole.parts();
    parts.ranks.clear();
    for (const std::size_t slot : slots) parts.ranks.push_back(whole.rank(slot));
    return std::make_shared<const Run>(std::move(parts));
}

void check_equal(const MatchedRun& a, const MatchedRun& b) {
    CHECK(a.members == b.members);
    CHECK(a.missing_slots == b.missing_slots);
    REQUIRE(a.collectives.size() == b.collectives.size());
    for (std::size_t c = 0; c < a.collectives.size(); ++c) {
        const Collective &one = a.collectives[c], &other = b.collectives[c];
        CHECK(std::tuple(one.group, one.operation, one.sequence, one.count, one.number, one.by, one.confidence) ==
              std::tuple(other.group, other.operation, other.sequence, other.count, other.number, other.by,
                         other.confidence));
    }
    REQUIRE(a.groups.size() == b.groups.size());
    for (std::size_t g = 0; g < a.groups.size(); ++g) {
        CHECK(a.groups[g].label == b.groups[g].label);
        CHECK(a.groups[g].members == b.groups[g].members);
    }
    for (std::size_t s = 0; s < a.clocks.size(); ++s) CHECK(a.clocks[s].error == b.clocks[s].error);
}

}  // namespace

TEST_CASE("a rank that arrives costs a look at its own members, and the match is that of all ranks at once") {
    for (unsigned seed = 1; seed <= 12; ++seed) {
        INFO(seed);
        const RunPtr whole = run_of(random_traces(seed));
        std::vector<std::size_t> order(whole->ranks().size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
        RunMatcher matcher;
        std::size_t members = 0;
        for (std::size_t here = 1; here <= order.size(); ++here) {
            const RunPtr run = run_of_slots(*whole, std::span(order).first(here));
            const MatchedRunPtr matches = matcher.match(*run);
            members += whole->rank(order[here - 1]).index->members().events().size();
            CHECK(matcher.looked_up() == members);
            check_equal(*matches, *match_run(*run));
        }
        CHECK(members > 0);
        static_cast<void>(matcher.match(*whole));
        CHECK(matcher.looked_up() == members);
    }
}

TEST_CASE("a rank that is read again, or under another number, is looked up again") {
    const RunPtr run = run_of(random_traces(2));
    RunMatcher matcher;
    static_cast<void>(matcher.match(*run));
    const std::size_t once = matcher.looked_up();
    RunParts parts = run->parts();
    parts.ranks[0].key.number = 9;
    const RunPtr renamed = std::make_shared<const Run>(std::move(parts));
    check_equal(*matcher.match(*renamed), *match_run(*renamed));
    CHECK(matcher.looked_up() == once + run->rank(0).index->members().events().size());
}
