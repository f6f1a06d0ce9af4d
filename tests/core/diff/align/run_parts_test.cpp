#include "core/diff/align/run_parts.hpp"

#include "core/query/filter_text.hpp"
#include "core/store/flight_names.hpp"
#include "tests/core/captures.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <utility>

using core::BySide;
using core::RankKey;
using core::RunPart;
using core::testing::run_of;
using core::testing::TraceFixture;

namespace {

// Ranks of three steps, of which the last may be cut: 100 ns long, on the slow rank 160; step 2 takes twice as long.
core::RunPtr run_with_steps(std::initializer_list<int> ranks, int slow) {
    std::vector<core::RankTracePtr> traces;
    for (const int rank : ranks) {
        TraceFixture fixture;
        fixture.rank(rank);
        std::int64_t at = 0;
        for (const int step : {1, 2, 3, 4}) {
            const std::int64_t length = (rank == slow ? 160 : 100 + rank) * (step == 2 ? 2 : 1);
            fixture.step(at, length, step).kernel(at + 10, 50, "gemm");
            at += 400;
        }
        traces.push_back(fixture.build());
    }
    return run_of(traces);
}

core::Filter filter_of(const char* text) { return core::parse_filter(text).value(); }

}  // namespace

TEST_CASE("ranks of two parts pair by their order, and each side's filter stays within its part") {
    const core::RunPtr run = run_with_steps({0, 1, 2, 3}, 3);
    const BySide<RunPart> parts{core::part_of_ranks({{1}}), core::part_of_ranks({{3}})};
    const core::RunAlignment alignment = core::align_parts(*run, parts);
    REQUIRE(alignment.ranks.size() == 1);
    CHECK(alignment.partner_of_rank(core::Side::Baseline, {1}) == RankKey{3});
    CHECK(alignment.lone_ranks.baseline.size() == 3);
    CHECK(alignment.compares == core::Compares::Ranks);
    CHECK(alignment.steps.size() == 4);
    const core::Filter baseline = alignment.filter_for(core::Side::Baseline, filter_of("step:2"));
    const core::Filter candidate = alignment.filter_for(core::Side::Candidate, filter_of("step:2"));
    CHECK(baseline.accepts_rank({1}));
    CHECK_FALSE(baseline.accepts_rank({3}));
    CHECK(candidate.accepts_rank({3}));
    CHECK_FALSE(candidate.accepts_rank({1}));
    CHECK(core::parse_filter(core::format_filter(candidate)).value() == candidate);
}

TEST_CASE("ranks that have not arrived have no partner") {
    const core::RunPtr run = run_with_steps({0, 1}, 1);
    CHECK(core::align_parts(*run, {core::part_of_ranks({{1}}), core::part_of_ranks({{5}})}).ranks.empty());
    CHECK(core::align_parts(*run, {core::part_of_ranks({{5}, {0}}), core::part_of_ranks({{1}, {1}})}).ranks.size() ==
          1);
}

TEST_CASE("steps of two parts coincide at their begins") {
    const core::RunPtr run = run_with_steps({0, 1}, 1);
    const core::RunAlignment alignment = core::align_parts(*run, {core::part_of_steps({1}), core::part_of_steps({3})});
    REQUIRE(alignment.anchor_steps.has_value());
    CHECK(*alignment.anchor_steps == BySide<std::int64_t>{1, 3});
    CHECK(alignment.anchor.candidate - alignment.anchor.baseline == core::Duration{800});
    CHECK(alignment.ranks.size() == 2);
    CHECK(alignment.compares == core::Compares::Steps);
    CHECK(core::format_filter(alignment.filter_for(core::Side::Candidate, {})) == "step:3");
}

TEST_CASE("the median rank is that of the other ranks' mean step, the lower of two, equal times by rank") {
    const core::RunPtr run = run_with_steps({0, 1, 2, 3, 4}, 4);
    CHECK(core::find_median_rank(*run, {}, {4}) == RankKey{1});
    CHECK(core::find_median_rank(*run, filter_of("rank:2-4"), {4}) == RankKey{2});
    CHECK(core::find_median_rank(*run, {}, {1}) == RankKey{2});
    CHECK_FALSE(core::find_median_rank(*run, filter_of("rank:4"), {4}).has_value());
    const auto parts = core::against_median_rank(*run, {}, {4});
    REQUIRE(parts.has_value());
    CHECK(parts->candidate.title == "rank 4");
    CHECK(parts->baseline.title == "rank 1 (median)");
}

TEST_CASE("the median step is that of the slowest ranks' other complete steps") {
    const core::RunPtr run = run_with_steps({0, 1}, 1);
    CHECK(core::find_median_step(*run, {}, 2) == 1);  // of 1 and 3; the last one may be cut short
    CHECK(core::find_median_step(*run, {}, 1) == 3);
    CHECK(core::find_median_step(*run, filter_of("step:3"), 2) == 3);
    CHECK_FALSE(core::against_median_step(*run, {}, 9).has_value());
    CHECK_FALSE(core::find_median_step(*run_of({TraceFixture().rank(0).step(0, 10, 1).build()}), {}, 1).has_value());
}

TEST_CASE("some ranks are compared with all others") {
    const core::RunPtr run = run_with_steps({0, 1, 2, 3}, 3);
    const auto parts = core::against_other_ranks(*run, {{2}, {3}});
    REQUIRE(parts.has_value());
    CHECK(parts->candidate.title == "ranks 2-3");
    CHECK(parts->baseline.title == "the other 2 ranks");
    CHECK(parts->baseline.ranks == std::vector<RankKey>{{0}, {1}});
    CHECK_FALSE(core::against_other_ranks(*run, {{0}, {1}, {2}, {3}}).has_value());
}

TEST_CASE("parts are read from words of a filter, or as the median of what the other side names") {
    const core::RunPtr run = run_with_steps({0, 1, 2, 3}, 3);
    const auto read = [&](const char* a, const char* b) { return core::read_parts(*run, {}, {a, b}); };
    REQUIRE(read("rank:0-1", "rank:2,3").has_value());
    CHECK(read("rank:0-1", "rank:2,3")->candidate.ranks == std::vector<RankKey>{{2}, {3}});
    CHECK(read("step:1", "step:2")->candidate.steps == std::vector<std::int64_t>{2});
    CHECK(read("median", "rank:3")->baseline.title == "rank 1 (median)");
    CHECK(read("rank:3", "median")->candidate.title == "rank 1 (median)");
    CHECK(read("median", "step:2")->baseline.steps == std::vector<std::int64_t>{1});
    for (const char* wrong : {"rank:9", "step:77", "name:gemm", "-rank:1", "", "rank:"})
        CHECK_FALSE(read(wrong, "rank:1").has_value());
    CHECK_FALSE(read("median", "rank:0-1").has_value());
    CHECK_FALSE(read("median", "median").has_value());
}

TEST_CASE("a dump next to the trace of its rank isn't a capture to compare it with") {
    TraceFixture trace, dump;
    trace.rank(0).kernel(0, 1000, "gemm");
    dump.rank(0).kernel(0, 1000, "gemm").info().trace_name = core::kFlightRecorderTrace;
    core::RunParts both = run_of({trace.build(), dump.build()})->parts();
    both.ranks[1].key.capture = 1;
    const core::Run run(std::move(both));
    CHECK(core::collect_captures(run) == std::vector<std::int32_t>{0});
    CHECK(core::describe_captures(run).empty());
    CHECK_FALSE(core::against_next_capture(run).has_value());
}

TEST_CASE("captures of a rank are two parts that pair by rank, and the time between them is said") {
    TraceFixture early;
    early.rank(0).step(0, 1000, 1).kernel(0, 1000, "gemm");
    TraceFixture late;
    late.rank(0).step(5000, 1000, 9).kernel(5000, 1000, "gemm");
    core::RunParts both = run_of({early.build(), late.build()})->parts();
    both.ranks[1].key.capture = 1;
    const auto run = std::make_shared<const core::Run>(std::move(both));
    REQUIRE(core::collect_captures(*run).size() == 2);
    CHECK(core::describe_captures(*run) == "2 captures (a, b) of 1 rank, 4.00 \xC2\xB5s between them");
    TraceFixture extend, decode;
    extend.rank(0).kernel(0, 10, "gemm").info().path = "1.5-TP-0-EXTEND.trace.json.gz";
    decode.rank(0).kernel(50, 10, "gemm").info().path = "1.5-TP-0-DECODE.trace.json.gz";
    core::RunParts phases = run_of({extend.build(), decode.build()})->parts();
    phases.ranks[1].key.capture = 1;
    CHECK(core::describe_captures(core::Run(std::move(phases))).starts_with("2 captures (a: EXTEND, b: DECODE) of"));
    const auto parts = core::against_next_capture(*run);
    REQUIRE(parts.has_value());
    CHECK(parts->baseline.title == "capture a");
    CHECK(core::align_parts(*run, *parts).partner_of_rank(core::Side::Baseline, {0, 0}) == RankKey{0, 1});
    CHECK(core::align_parts(*run, *parts).compares == core::Compares::Captures);
    CHECK(core::describe_captures(*run_with_steps({0, 1}, 1)).empty());
    CHECK_FALSE(core::against_next_capture(*run_with_steps({0, 1}, 1)).has_value());
}

TEST_CASE("the time between captures is cut out of the axis; overlapping captures stay together") {
    const auto capture = [](std::int64_t begin) {
        TraceFixture fixture;
        fixture.rank(0).kernel(begin, 1'000'000, "gemm");
        return fixture.build();
    };
    core::RunParts parts = run_of({capture(0), capture(500'000), capture(90'000'000)})->parts();
    for (std::int32_t i = 0; i < 3; ++i) parts.ranks[static_cast<std::size_t>(i)].key.capture = i;
    const auto run = std::make_shared<const core::Run>(std::move(parts));
    const core::CaptureGaps gaps = core::find_capture_gaps(*run);
    REQUIRE(gaps.gaps.size() == 1);
    // 2.5 ms were captured, of which a fiftieth is left as a pause.
    CHECK(gaps.gaps.front().length == core::Duration{88'500'000 - 50'000});
    CHECK(gaps.gaps.front().at - run->origin() == core::Duration{1'500'000});
    const core::RunPtr cut = core::without_gaps(run, gaps);
    CHECK(cut->window().length() == core::Duration{2'550'000});
    CHECK(cut->start_of({1, core::EventId{0}}) == run->start_of({1, core::EventId{0}}));
    CHECK(core::find_capture_gaps(*cut).gaps.empty());
    CHECK(core::find_capture_gaps(*run_with_steps({0, 1}, 1)).gaps.empty());
    CHECK(core::without_gaps(run_with_steps({0, 1}, 1), {})->ranks().size() == 2);
}

TEST_CASE("captures that count the same steps coincide where each begins its own first one") {
    const auto capture = [](std::int64_t from, std::int64_t late) {
        TraceFixture fixture;
        fixture.rank(0);
        for (int step = 0; step < 3; ++step) fixture.step(from + late + 1000 * step, 900, 4 + step);
        return fixture.kernel(from, 10, "gemm").build();
    };
    const core::RunPtr run = core::testing::run_of_captures({capture(0, 100), capture(1'000'000, 300)});
    const auto parts = core::against_next_capture(*run);
    REQUIRE(parts.has_value());
    const core::RunAlignment alignment = core::align_parts(*run, *parts);
    REQUIRE(alignment.anchor_steps.has_value());
    CHECK(*alignment.anchor_steps == BySide<std::int64_t>{4, 4});
    CHECK(core::ns_of(alignment.anchor.baseline) == 100);
    CHECK(core::ns_of(alignment.anchor.candidate) == 1'000'300);
    REQUIRE(alignment.steps.size() == 3);
    CHECK(core::ns_of(alignment.steps.back().candidate.begin) == 1'002'300);
}

TEST_CASE("captures that go on counting pair their steps by order") {
    const auto capture = [](std::int64_t from, int first) {
        TraceFixture fixture;
        fixture.rank(0);
        for (int step = 0; step < 3; ++step) fixture.step(from + 1000 * step, 900, first + step);
        return fixture.kernel(from, 10, "gemm").build();
    };
    const core::RunPtr run = core::testing::run_of_captures({capture(0, 4), capture(1'000'000, 14)});
    const core::RunAlignment alignment = core::align_parts(*run, *core::against_next_capture(*run));
    REQUIRE(alignment.anchor_steps.has_value());
    CHECK(*alignment.anchor_steps == BySide<std::int64_t>{4, 14});
    CHECK(alignment.partner_of_step(core::Side::Baseline, 5) == 15);
}
