#include "core/analysis/engine/analysis.hpp"

#include "core/analysis/engine/writer_advice.hpp"
#include "core/query/filter_text.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"

using namespace core;
using namespace core::testing;

namespace {

const Analysis& breakdown() { return *find_analysis("temporal-breakdown"); }

std::string refusal(const GivenParams& given) {
    const Result<Params> params = make_params(breakdown(), given);
    REQUIRE_FALSE(params);
    return params.error().message;
}

constexpr std::string_view kUnits[] = {"a", "b"};
constexpr Param kThreshold[] = {{"threshold", "from this on", Unit::Ns, 30'000, 0, 1'000'000, {}},
                                {"most", "how many", Unit::Count, 5, 1, 9, {}},
                                {"kind", "which", Unit::Count, 1, 0, 1, kUnits}};
const Analysis kWithParams = {"with-params", "", "", "", kThreshold, {}, true, nullptr, nullptr, nullptr};

RankTracePtr two_kernels() {
    return TraceFixture().kernel(100, 50, "gemm").kernel(200, 20, "ncclAllReduce", 8).build();
}

}  // namespace

TEST_CASE("params are canonical: with defaults, parsed names and durations, all as integers") {
    CHECK(*make_params(kWithParams, {}) == Params{30'000, 5, 1});
    const GivenParams given = {{"kind", "a"}, {"threshold", "2us"}, {"most", "9"}};
    CHECK(*make_params(kWithParams, given) == Params{2'000, 9, 0});
    CHECK(format_params(kWithParams, {2'000, 9, 0}) == "threshold=2000ns most=9 kind=a");
}

TEST_CASE("an unknown, malformed or out-of-range param is refused with the valid choices") {
    CHECK(refusal({{"windw", "gpu"}}) == "temporal-breakdown has no parameter 'windw': it has window");
    CHECK(refusal({{"window", "host"}}) == "window: 'host' is not one of gpu, steps");
    CHECK(make_params(kWithParams, GivenParams{{"most", "10"}}).error().message == "most: 10 is not in 1 .. 9");
    CHECK(make_params(kWithParams, GivenParams{{"most", "3x"}}).error().message == "most: '3x' is not a whole number");
    CHECK_FALSE(make_params(kWithParams, GivenParams{{"threshold", "soon"}}));
}

TEST_CASE("a rank's view cuts events and the window to the filter's time range") {
    const RunPtr run = run_of({two_kernels()});
    const Filter filter = *parse_filter("time:20ns..110ns");  // from the first event at 100
    const RankView view = *build_rank_view(*run, 0, filter, {});
    CHECK(view.window() == RankRange{rank_time(120), rank_time(210)});
    const std::vector<EventId> events = view.gpu_events();
    REQUIRE(events.size() == 2);
    CHECK(view.visible(events[0]) == RankRange{rank_time(120), rank_time(150)});
    CHECK(view.visible(events[1]) == RankRange{rank_time(200), rank_time(210)});
    CHECK(view.since_origin(rank_time(150)) == Duration{50});
    CHECK(view.has_gpu_work());
}

TEST_CASE("an event outside the time range has an empty visible part, a window outside it is empty") {
    const RunPtr run = run_of({two_kernels()});
    const Filter filter = *parse_filter("time:1us..2us");
    const RankView view = *build_rank_view(*run, 0, filter, {});
    CHECK(view.gpu_events().empty());
    CHECK(view.window().empty());
    CHECK(view.visible(view.trace().gpu_events[0]).empty());
}

TEST_CASE("a step filter reports GPU events without a step") {
    const RankTracePtr trace = TraceFixture()
                                   .step(0, 100, 1)
                                   .launch(10, 5, 1)
                                   .kernel(40, 10, "gemm", 7, 1)
                                   .kernel(20, 10, "early", 7, 99)  // its launch is not in the trace
                                   .build();
    const RunPtr run = run_of({trace, trace});
    const Answer answer = answer_of(*run, "kernels", "step:1");
    REQUIRE(answer.excluded.size() == 1);
    CHECK(answer.excluded[0].what == "GPU events that belong to no step");
    CHECK(answer.excluded[0].count == 2);
    CHECK(answer_of(*run, "kernels").excluded.empty());
}

TEST_CASE("a run without a matching rank gives an empty table with its columns") {
    const RunPtr run = run_of({two_kernels()});
    for (const Analysis& analysis : all_analyses()) {
        const Answer answer = answer_of(*run, analysis.id, "rank:7");
        CHECK(answer.main().rows() == 0);
        CHECK(answer.main().columns().size() == analysis.columns().size());
    }
}

TEST_CASE("ranks are sorted by number for any number of threads") {
    const RunPtr run = run_of({TraceFixture().rank(5).kernel(0, 5, "a").build(),
                               TraceFixture().rank(2).kernel(0, 3, "a").build(), TraceFixture().rank(9).build()});
    const Table table = answer_of(*run, "overlap").main();
    CHECK(rows_of(table, 6) == Rows{"2 0 0 0 - -", "5 0 0 0 - -", "9 - - - - -"});
}

TEST_CASE("a cancelled analysis returns an error") {
    std::stop_source stop;
    stop.request_stop();
    const RunPtr run = run_of({two_kernels()});
    const Result<Answer> answer = run_analysis(breakdown(), *run, {}, {0}, 2, {stop.get_token(), nullptr});
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == ErrorCode::Cancelled);
}

TEST_CASE("an analysis is found by its exact id") {
    CHECK(find_analysis("kernels")->id == "kernels");
    CHECK(find_analysis("Kernels") == nullptr);
    CHECK(find_analysis("") == nullptr);
}

TEST_CASE("an answer without rows says whether the traces lack its events or the filter excludes them") {
    const RunPtr on_cpu = run_of({TraceFixture().cpu(0, 10, "aten::mm").build()});
    const RunPtr on_gpu = run_of({TraceFixture().cpu(0, 10, "aten::mm").kernel(20, 5, "gemm").build()});
    const Filter none;
    const Filter name = *parse_filter("name:nothing");
    CHECK(explain_no_rows(*find_analysis("kernels"), *on_cpu, none).sentence == explain_no_gpu_events(*on_cpu));
    CHECK(explain_no_rows(*find_analysis("kernels"), *on_cpu, name).sentence == explain_no_gpu_events(*on_cpu));
    CHECK(explain_no_rows(*find_analysis("kernels"), *on_gpu, name).sentence == "Nothing passes the filter.");
    CHECK(explain_no_rows(*find_analysis("steps"), *on_gpu, none).sentence ==
          "The traces have no step marks (ProfilerStep#N).");
    CHECK(explain_no_rows(*find_analysis("findings"), *on_gpu, none).sentence == "Nothing stands out.");
    CHECK(has_no_numbers(answer_of(*on_cpu, "temporal-breakdown").main()));
    CHECK_FALSE(has_no_numbers(answer_of(*on_gpu, "temporal-breakdown").main()));
    Table words({{"of", Unit::Text, Role::Key, Facet::None}, {"sentence", Unit::Text, Role::Info, Facet::None}});
    CHECK(has_no_numbers(words));
    words.add_row({std::string_view("run"), std::string_view("Rank 5 is late.")});
    CHECK_FALSE(has_no_numbers(words));
    for (const Analysis& analysis : all_analyses()) {
        CAPTURE(analysis.id);
        if (!has_no_numbers(answer_of(*on_gpu, analysis.id).main())) continue;
        CHECK(explain_no_rows(analysis, *on_gpu, none).sentence.find("no GPU events.") == std::string::npos);
    }
}
