// Scope of an answer in words, and the analyses that the filter's choosing terms change.

#include "core/analysis/engine/scope.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"

using namespace core;
using core::testing::answer_of;
using core::testing::rows_of;
using core::testing::run_of;
using core::testing::TraceFixture;

namespace {

RunPtr three_ranks() {
    std::vector<RankTracePtr> traces;
    for (int rank = 0; rank < 3; ++rank) {
        TraceFixture trace;
        trace.rank(rank).step(0, 100'000, 1).step(100'000, 100'000, 2);
        trace.launch(0, 10, 1).launch(100'010, 10, 2).launch(100'020, 10, 3);
        trace.kernel(1'000, 50'000, "gemm", 7, 1)
            .kernel(110'000, 50'000, "ncclAllReduce", 8, 2)
            .kernel(120'000, 5'000, "Memcpy DtoH", 7, 3, "gpu_memcpy");
        traces.push_back(trace.build());
    }
    return run_of(traces);
}

std::string scope_of(const Run& run, std::string_view id, std::string_view filter) {
    return describe_scope(run, *find_analysis(id), *parse_filter(filter));
}

}  // namespace

TEST_CASE("the scope says ranks, steps, streams and time, and what names and classes do") {
    const RunPtr run = three_ranks();
    const std::string dot = " \xC2\xB7 ";
    CHECK(scope_of(*run, "overlap", "") == "3 ranks" + dot + "all steps");
    CHECK(scope_of(*run, "overlap", "rank:1 step:2") == "rank 1 of 3" + dot + "step 2");
    CHECK(scope_of(*run, "overlap", "rank:0-1 stream:7,8 step:1-2") ==
          "2 of 3 ranks" + dot + "steps 1-2" + dot + "streams 7,8");
    CHECK(scope_of(*run, "overlap", "time:50us..100us") ==
          "3 ranks" + dot + "all steps" + dot + "50 \xC2\xB5s to 100 \xC2\xB5s");
    CHECK(scope_of(*run, "overlap", "class:compute") ==
          "3 ranks" + dot + "all steps" + dot + "class:compute highlights, shares are of all work");
    CHECK(scope_of(*run, "kernels", "class:compute name:gemm") ==
          "3 ranks" + dot + "all steps" + dot + "only class:compute name:gemm");
    CHECK(scope_of(*run_of({TraceFixture().kernel(0, 5, "k").build()}), "overlap", "-step:0") ==
          "1 rank" + dot + "not step 0");
}

TEST_CASE("the scope of an area says its ranks, time and streams; threads are counted") {
    const RunPtr run = three_ranks();
    const std::string dot = " \xC2\xB7 ";
    const RunRange range{run->origin() + Duration{50'000}, run->origin() + Duration{100'000}};
    const std::string time = dot + "50 \xC2\xB5s to 100 \xC2\xB5s";
    CHECK(describe_scope(*run, {}, {.range = range}) == "3 ranks" + time);
    CHECK(describe_scope(*run, *parse_filter("time:60us..1s"), {.range = range}) ==
          "3 ranks" + dot + "60 \xC2\xB5s to 100 \xC2\xB5s");
    CHECK(describe_scope(*run, *parse_filter("time:1s.."), {.range = range}) == "3 ranks" + dot + "no time");
    ScopePart part{.range = range, .rows = {{RankKey{1, 0}, true, {}, {}, {}, 0, 0}}};
    CHECK(describe_scope(*run, {}, part) == "rank 1 of 3" + time);
    CHECK(describe_scope(*run, *parse_filter("rank:0 class:compute"), part) ==
          "0 of 3 ranks" + time + dot + "only class:compute");
    const auto rows_of_kind = [&](std::size_t slot, TrackKind kind, std::int64_t stream) {
        const RankTrace& trace = run->rank(slot).trace();
        for (std::uint32_t track = 0; track < trace.tracks.size(); ++track)
            if (trace.tracks[track].kind == kind && (kind != TrackKind::Stream || trace.tracks[track].stream == stream))
                return name_rows(run->rank(slot), track, 0, trace.tracks[track].lane_count);
        return TrackRows{};
    };
    part.rows = {rows_of_kind(0, TrackKind::Stream, 7), rows_of_kind(2, TrackKind::Stream, 7)};
    CHECK(describe_scope(*run, {}, part) == "2 of 3 ranks" + dot + "stream 7" + time);
    part.rows.back() = rows_of_kind(2, TrackKind::Stream, 8);
    CHECK(describe_scope(*run, {}, part) == "2 of 3 ranks" + dot + "2 of 4 streams" + time);
    part.rows = {rows_of_kind(0, TrackKind::Thread, 0)};
    CHECK(describe_scope(*run, {}, part) == "rank 0 of 3" + dot + "0 of 2 streams" + dot + "1 thread" + time);
    part.of_all_work = true;
    CHECK(describe_scope(*run, *parse_filter("step:2 class:compute"), part) ==
          "rank 0 of 3" + dot + "step 2" + dot + "0 of 2 streams" + dot + "1 thread" + time + dot +
              "class:compute highlights, shares are of all work");
}

TEST_CASE("names and classes change no analysis of all work, on any rank, step or time") {
    const RunPtr run = three_ranks();
    for (const Analysis& analysis : all_analyses()) {
        if (!is_of_all_work(analysis)) continue;
        CAPTURE(analysis.id);
        // The last column of steps says what they choose.
        const std::size_t columns = analysis.columns().size() - (analysis.id == "steps" ? 1 : 0);
        for (const std::string cut : {"", "rank:0,2 ", "step:2 ", "stream:7 ", "time:20us..130us "}) {
            CAPTURE(cut);
            const core::testing::Rows expected = rows_of(answer_of(*run, analysis.id, cut).main(), columns);
            for (const char* chooses : {"class:compute", "-class:communication", "name:nothing", "dur:>1s", "group:x"})
                CHECK(rows_of(answer_of(*run, analysis.id, cut + chooses).main(), columns) == expected);
        }
    }
}
