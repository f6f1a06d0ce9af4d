#include "core/diff/align/align_runs.hpp"

#include "core/query/filter_text.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace core;
using namespace core::testing;

namespace {

// One rank with consecutive steps of 100 ns from `begin`.
RankTracePtr rank_with_steps(std::initializer_list<int> numbers, std::int64_t begin = 0, int rank = 0) {
    TraceFixture fixture;
    fixture.rank(rank);
    for (const int number : numbers) {
        fixture.step(begin, 100, number);
        begin += 100;
    }
    return fixture.kernel(begin, 10, "gemm").build();
}

std::string pairs_of(const RunAlignment& alignment) {
    std::string text;
    for (const BySide<StepBegin>& pair : alignment.steps)
        text += std::to_string(pair.baseline.number) + "=" + std::to_string(pair.candidate.number) + " ";
    return text;
}

std::string rank_pairs_of(const RunAlignment& alignment) {
    std::string text;
    for (const BySide<RankKey>& pair : alignment.ranks)
        text += format_rank(pair.baseline) + "=" + format_rank(pair.candidate) + " ";
    return text;
}

RunAlignment align(std::initializer_list<int> baseline, std::initializer_list<int> candidate) {
    return align_runs(*run_of({rank_with_steps(baseline)}), *run_of({rank_with_steps(candidate)}));
}

std::string filter_of(const RunAlignment& alignment, Side side, std::string_view text) {
    return format_filter(alignment.filter_for(side, *parse_filter(text)));
}

}  // namespace

TEST_CASE("steps pair by number if one run has all numbers of the other") {
    CHECK(pairs_of(align({10, 11, 12}, {10, 11, 12})) == "10=10 11=11 12=12 ");
    const RunAlignment fewer = align({10, 11, 12}, {11, 12});
    CHECK(fewer.steps_by_number);
    CHECK(pairs_of(fewer) == "11=11 12=12 ");
    CHECK(fewer.lone_steps.baseline == std::vector<std::int64_t>{10});
    CHECK(fewer.lone_steps.candidate.empty());
}

TEST_CASE("steps pair by order if numbers only overlap or differ") {
    const RunAlignment shifted = align({10, 11, 12}, {12, 13, 14, 15});
    CHECK_FALSE(shifted.steps_by_number);
    CHECK(pairs_of(shifted) == "10=12 11=13 12=14 ");
    CHECK(shifted.lone_steps.candidate == std::vector<std::int64_t>{15});
}

TEST_CASE("a repeated step number is one step that begins with the first") {
    const RunAlignment alignment = align({7, 8, 7, 8}, {7, 8});
    CHECK(pairs_of(alignment) == "7=7 8=8 ");
    CHECK(alignment.steps[0].baseline.begin == run_time(0));
    CHECK(alignment.steps[1].baseline.begin == run_time(100));
}

TEST_CASE("ranks pair by number if the runs share any, else by order") {
    const auto run = [](std::initializer_list<int> ranks) {
        std::vector<RankTracePtr> traces;
        for (const int rank : ranks) traces.push_back(rank_with_steps({1}, 0, rank));
        return run_of(traces);
    };
    const RunAlignment some = align_runs(*run({0, 1, 2}), *run({1, 2, 3}));
    CHECK(some.ranks_by_number);
    CHECK(rank_pairs_of(some) == "1=1 2=2 ");
    CHECK(some.lone_ranks.baseline == std::vector<RankKey>{{0, 0}});
    CHECK(some.lone_ranks.candidate == std::vector<RankKey>{{3, 0}});
    const RunAlignment none = align_runs(*run({0, 1}), *run({8, 9, 10}));
    CHECK_FALSE(none.ranks_by_number);
    CHECK(rank_pairs_of(none) == "0=8 1=9 ");
    CHECK(filter_of(none, Side::Baseline, "rank:1") == "rank:1");
    CHECK(filter_of(none, Side::Candidate, "rank:1") == "rank:9");
    CHECK(filter_of(none, Side::Candidate, "rank:7") == "rank:11");  // a rank of neither run
    // Ranks of the candidate only keep their own number.
    CHECK(filter_of(none, Side::Candidate, "rank:10") == "rank:10");
    CHECK(filter_of(none, Side::Candidate, "rank:0,10") == "rank:8,10");
    CHECK(none.rank_in_filter(Side::Candidate, {9, 0}) == RankKey{1, 0});
    CHECK(none.rank_in_filter(Side::Candidate, {10, 0}) == RankKey{10, 0});
    CHECK_FALSE(none.rank_in_filter(Side::Candidate, {11, 0}));
    CHECK(some.rank_in_filter(Side::Candidate, {3, 0}) == RankKey{3, 0});
}

TEST_CASE("the anchor is the first pair of complete steps, at its earliest begin over the ranks") {
    const RunPtr baseline = run_of({rank_with_steps({5, 6, 7}, 1000, 0), rank_with_steps({5, 6, 7}, 990, 1)});
    const RunPtr candidate = run_of({rank_with_steps({6, 7}, 50, 0)});
    const RunAlignment alignment = align_runs(*baseline, *candidate);
    CHECK(alignment.anchor.baseline == run_time(1090));  // step 6: only the baseline has 5
    CHECK(alignment.anchor.candidate == run_time(50));
    CHECK(alignment.across(Side::Baseline, run_time(1100)) == run_time(60));
    CHECK(alignment.across(Side::Candidate, run_time(60)) == run_time(1100));
    // A single step may be the last.
    CHECK(align({3}, {3, 4}).anchor == BySide<RunTime>{run_time(0), run_time(0)});
    // A common step that is the last of one run is incomplete.
    const RunAlignment last =
        align_runs(*run_of({rank_with_steps({1, 2}, 100)}), *run_of({rank_with_steps({2, 3, 4, 1}, 7)}));
    CHECK(last.anchor == BySide<RunTime>{run_time(100), run_time(7)});
}

TEST_CASE("without steps on one side the origins are the anchors") {
    const RunPtr none = run_of({TraceFixture().kernel(500, 10, "gemm").build()});
    const RunAlignment alignment = align_runs(*run_of({rank_with_steps({1, 2}, 40)}), *none);
    CHECK(alignment.anchor == BySide<RunTime>{run_time(40), run_time(500)});
    CHECK(alignment.steps.empty());
    CHECK(alignment.lone_steps.baseline.size() == 2);
    const RunAlignment empty = align_runs(*run_of({}), *run_of({}));
    CHECK(empty.steps.empty());
    CHECK(empty.ranks.empty());
}

TEST_CASE("a filter's times are relative to the anchor of each side") {
    const RunPtr baseline = run_of({TraceFixture().cpu(0, 5, "warm up").step(300, 100, 1).step(400, 100, 2).build()});
    const RunPtr candidate = run_of({TraceFixture().step(50, 100, 1).step(150, 100, 2).build()});
    const RunAlignment alignment = align_runs(*baseline, *candidate);
    CHECK(filter_of(alignment, Side::Baseline, "time:10ns..60ns") ==
          filter_of(alignment, Side::Baseline, "time:10ns..60ns"));
    CHECK(alignment.filter_for(Side::Baseline, *parse_filter("time:10ns..60ns")).time_range(*baseline) ==
          RunRange{run_time(310), run_time(360)});
    CHECK(alignment.filter_for(Side::Candidate, *parse_filter("time:10ns..60ns")).time_range(*candidate) ==
          RunRange{run_time(60), run_time(110)});
    // Open ends stay open.
    CHECK(alignment.filter_for(Side::Candidate, *parse_filter("time:10ns..")).time_range(*candidate)->begin ==
          run_time(60));
}

TEST_CASE("a filter's steps are the baseline's, translated if steps pair by order") {
    const RunAlignment by_order = align({10, 11, 12}, {20, 21, 22});
    CHECK(filter_of(by_order, Side::Baseline, "step:10-11") == "step:10-11");
    CHECK(filter_of(by_order, Side::Candidate, "step:10-11") == "step:20,21");
    CHECK(filter_of(by_order, Side::Candidate, "-step:12") == "-step:22");
    CHECK(filter_of(by_order, Side::Candidate, "step:complete") == "step:complete");
    CHECK(filter_of(by_order, Side::Candidate, "step:77") == "step:23");  // a step that does not exist
    const RunAlignment by_number = align({10, 11}, {10, 11, 12});
    CHECK(filter_of(by_number, Side::Candidate, "step:11-12") == "step:11-12");
}

TEST_CASE("any two moments can be anchors") {
    const RunAlignment alignment = align({10, 11, 12}, {20, 21, 22});
    CHECK(anchored_at(alignment, {run_time(7), run_time(9)}).anchor == BySide<RunTime>{run_time(7), run_time(9)});
    CHECK(anchored_at_step(alignment, 12)->anchor == BySide<RunTime>{run_time(200), run_time(200)});
    CHECK_FALSE(anchored_at_step(alignment, 22).has_value());
    CHECK(anchored_at_origins(*anchored_at_step(alignment, 12)).anchor == alignment.origin);
}

TEST_CASE("extreme times do not overflow") {
    const RunPtr far =
        run_of({TraceFixture().kernel(-1'000'000'000'000'000, 10, "gemm").step(1'000'000'000'000'000, 10, 1).build()});
    const RunAlignment alignment = align_runs(*far, *far);
    const Filter filter = alignment.filter_for(Side::Baseline, *parse_filter("time:9000000000s.."));
    CHECK_FALSE(filter.empty());
    CHECK(alignment.across(Side::Baseline, RunTime::max()) == RunTime::max());
}

TEST_CASE("an alignment at steps names them in each run's numbers") {
    const RunAlignment alignment = align({10, 11, 12}, {20, 21, 22});
    CHECK(alignment.anchor_steps == BySide<std::int64_t>{10, 20});
    CHECK(anchored_at_step(alignment, 12)->anchor_steps == BySide<std::int64_t>{12, 22});
    CHECK_FALSE(anchored_at_origins(alignment).anchor_steps);
    CHECK_FALSE(anchored_at(alignment, {run_time(5), run_time(7)}).anchor_steps);
    CHECK_FALSE(align({}, {20, 21}).anchor_steps);
}

TEST_CASE("a rank that lost records, and its partner, are in no filter that takes another rank") {
    const auto run = [](int lost_rank) {
        std::vector<RankTracePtr> traces;
        for (int rank = 0; rank < 3; ++rank) {
            TraceFixture fixture;
            fixture.rank(rank).step(0, 100, 1);
            for (int call = 1; call <= 40; ++call) {
                fixture.launch(call * 10, 5, call);
                if (rank != lost_rank || call < 10 || call > 30) fixture.kernel(call * 10 + 6, 3, "gemm", 7, call);
            }
            traces.push_back(fixture.build());
        }
        return run_of(traces);
    };
    const RunPtr whole = run(-1), damaged = run(1);
    const RunAlignment alignment = align_runs(*whole, *damaged);
    CHECK(alignment.lost.baseline.empty());
    CHECK(alignment.lost.candidate == std::vector<RankKey>{{1, 0}});
    for (const Side side : kSides) {
        const Filter all = alignment.filter_for(side, {});
        CHECK_FALSE(all.accepts_rank({1, 0}));
        CHECK(all.accepts_rank({2, 0}));
        CHECK(alignment.filter_for(side, *parse_filter("rank:1")).accepts_rank({1, 0}));
        CHECK_FALSE(alignment.filter_for(side, *parse_filter("rank:0-1")).accepts_rank({1, 0}));
    }
    CHECK(align_runs(*whole, *whole).filter_for(Side::Candidate, {}).empty());
}
