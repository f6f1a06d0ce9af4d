#include "core/diff/join/unique_events.hpp"

#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

using namespace core;
using core::testing::run_of;
using core::testing::TraceFixture;

namespace {

UniqueEvents compare(const RunPtr& baseline, const RunPtr& candidate) {
    Result<UniqueEvents> result = find_unique_events({baseline, candidate}, {});
    REQUIRE(result);
    return std::move(result).value();
}

std::vector<std::string> names_in(const Run& run, const FoundEvents& found) {
    std::vector<std::string> names;
    for (std::uint32_t slot = 0; slot < run.ranks().size(); ++slot) {
        const RankTrace& trace = run.rank(slot).trace();
        for (std::uint32_t i = 0; i < trace.size(); ++i)
            if (found.contains({slot, EventId{i}})) names.emplace_back(trace.name_text(EventId{i}));
    }
    std::ranges::sort(names);
    return names;
}

}  // namespace

TEST_CASE("an event is unique if its name occurs on no rank of the other run") {
    const RunPtr baseline = run_of({TraceFixture().kernel(0, 10, "gemm").kernel(20, 10, "relu").build(),
                                    TraceFixture().kernel(0, 10, "gemm").kernel(20, 5, "old").build()});
    const RunPtr candidate =
        run_of({TraceFixture().kernel(0, 10, "gemm").kernel(20, 10, "new").kernel(40, 10, "new").build(),
                TraceFixture().kernel(0, 10, "relu").build()});
    const UniqueEvents result = compare(baseline, candidate);
    CHECK(names_in(*baseline, *result.events.baseline) == std::vector<std::string>{"old"});
    CHECK(names_in(*candidate, *result.events.candidate) == std::vector<std::string>{"new", "new"});
    CHECK(result.names == BySide<std::size_t>{1, 1});
    CHECK(result.events.candidate->total() == Duration{20});
}

TEST_CASE("a run compared with itself has no unique events") {
    const RunPtr run = run_of({TraceFixture().step(0, 100, 1).cpu(0, 10, "op").kernel(20, 10, "k").build()});
    const UniqueEvents result = compare(run, run);
    for (const Side side : kSides) {
        CHECK(result.events[side]->count() == 0);
        CHECK(result.names[side] == 0);
    }
}

TEST_CASE("digits distinguish kernels, but not steps and lines of code") {
    const RunPtr baseline =
        run_of({TraceFixture().step(0, 100, 9).cpu(0, 10, "train.py(7)").kernel(20, 10, "gemm_64x64").build()});
    const RunPtr candidate =
        run_of({TraceFixture().step(0, 100, 10).cpu(0, 10, "train.py(12)").kernel(20, 10, "gemm_128x64").build()});
    const UniqueEvents result = compare(baseline, candidate);
    CHECK(names_in(*baseline, *result.events.baseline) == std::vector<std::string>{"gemm_64x64"});
    CHECK(names_in(*candidate, *result.events.candidate) == std::vector<std::string>{"gemm_128x64"});
}

TEST_CASE("the same name in another class is unique") {
    const RunPtr baseline = run_of({TraceFixture().cpu(0, 10, "all_reduce").build()});
    const RunPtr candidate = run_of({TraceFixture().cpu(0, 10, "all_reduce").kernel(0, 10, "all_reduce").build()});
    const UniqueEvents result = compare(baseline, candidate);
    CHECK(result.events.baseline->count() == 0);
    CHECK(result.events.candidate->count() == 1);
}

TEST_CASE("random runs: unique events agree with comparing every pair of names") {
    std::mt19937 random(7);
    for (int round = 0; round < 20; ++round) {
        BySide<RunPtr> runs;
        BySide<std::set<std::string>> names;
        for (const Side side : kSides) {
            std::vector<RankTracePtr> ranks;
            for (int rank = 0; rank < 3; ++rank) {
                TraceFixture fixture;
                for (int i = 0; i < 30; ++i) {
                    const std::string name = "k" + std::to_string(random() % 40);
                    names[side].insert(name);
                    fixture.kernel(i * 10, 5, name);
                }
                ranks.push_back(fixture.build());
            }
            runs[side] = run_of(ranks);
        }
        const UniqueEvents result = compare(runs.baseline, runs.candidate);
        for (const Side side : kSides) {
            const Side other = side == Side::Baseline ? Side::Candidate : Side::Baseline;
            std::set<std::string> lone;
            std::ranges::set_difference(names[side], names[other], std::inserter(lone, lone.end()));
            CHECK(result.names[side] == lone.size());
            for (std::uint32_t slot = 0; slot < 3; ++slot) {
                const RankTrace& trace = runs[side]->rank(slot).trace();
                for (std::uint32_t i = 0; i < trace.size(); ++i)
                    CHECK(result.events[side]->contains({slot, EventId{i}}) ==
                          lone.contains(std::string(trace.name_text(EventId{i}))));
            }
        }
    }
}

TEST_CASE("a cancelled comparison of names returns an error") {
    const RunPtr run = run_of({TraceFixture().kernel(20, 10, "k").build()});
    std::stop_source stop;
    stop.request_stop();
    const Result<UniqueEvents> result = find_unique_events({run, run}, JobContext{stop.get_token(), nullptr});
    REQUIRE_FALSE(result);
    CHECK(result.error().code == ErrorCode::Cancelled);
}
