#include "core/analysis/engine/list_events.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/run/run_analysis.hpp"
#include "core/query/filter_text.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

using namespace core;
using core::testing::run_of;
using core::testing::TraceFixture;

namespace {

RunPtr listed_run() {
    std::vector<RankTracePtr> traces;
    for (int rank = 0; rank < 2; ++rank) {
        TraceFixture fixture;
        fixture.rank(rank).cpu(0, 500, "aten::mm").kernel(100, 40 + rank, "gemm").kernel(200, 30, "gemm", 8);
        fixture.kernel(300, 90, "relu").kernel(400, 7, "gemm_small");
        traces.push_back(fixture.build());
    }
    return run_of(traces);
}

EventListPtr listed(const RunPtr& run, std::string_view filter, std::vector<std::string> names = {},
                    std::size_t most = 5'000) {
    EventListQuery query{run, *parse_filter(filter), std::move(names)};
    query.most = most;
    const auto list = list_events(query, {});
    REQUIRE(list);
    return *list;
}

EventListPtr listed_on_threads(const RunPtr& run, std::vector<std::string> names) {
    const auto list = list_events({run, {}, std::move(names), true}, {});
    REQUIRE(list);
    return *list;
}

std::vector<std::int64_t> durations(const EventListPtr& list) {
    std::vector<std::int64_t> lengths;
    for (std::size_t row = 0; row < list->table.rows(); ++row) lengths.push_back(list->table.integer(row, 4));
    return lengths;
}

}  // namespace

TEST_CASE("events are listed by whole name, longest first") {
    const EventListPtr list = listed(listed_run(), "", {"gemm"});
    CHECK(durations(list) == std::vector<std::int64_t>{41, 40, 30, 30});
    CHECK(list->count == 4);
    CHECK(list->total == Duration{141});
    const Table& table = list->table;
    CHECK(table.integer(0, 0) == RankKey{1, 0}.packed());
    CHECK(table.text(0, 5) == "gemm");
    CHECK(table.integer(0, 3) == 100);
    CHECK(table.text(2, 2).find('8') != std::string_view::npos);
    CHECK(table.columns()[5].facet == Facet::Kernel);
}

TEST_CASE("without a name all GPU events that match the filter are listed") {
    CHECK(listed(listed_run(), "")->count == 8);
    CHECK(durations(listed(listed_run(), "rank:0")) == std::vector<std::int64_t>{90, 40, 30, 7});
    CHECK(durations(listed(listed_run(), "rank:0 stream:8")) == std::vector<std::int64_t>{30});
    CHECK(listed(listed_run(), "rank:5")->count == 0);
}

TEST_CASE("an operator's events are those on threads") {
    const EventListPtr list = listed_on_threads(listed_run(), {"aten::mm"});
    CHECK(durations(list) == std::vector<std::int64_t>{500, 500});
    CHECK(list->table.columns()[5].facet == Facet::None);
    CHECK(listed(listed_run(), "", {"aten::mm"})->count == 0);
    CHECK(listed_on_threads(listed_run(), {"relu"})->count == 2);
}

TEST_CASE("if an operator and a kernel share a name, only those of the row are listed") {
    const RunPtr run = run_of({TraceFixture()
                                   .cpu(0, 50, "triton_fused")
                                   .kernel(100, 10, "triton_fused")
                                   .event(100, 10, "triton_fused", "gpu_user_annotation", {"0", "7"})
                                   .arg(Arg::Stream, 7)
                                   .build()});
    CHECK(durations(listed(run, "", {"triton_fused"})) == std::vector<std::int64_t>{10});
    CHECK(durations(listed_on_threads(run, {"triton_fused"})) == std::vector<std::int64_t>{50});
}

TEST_CASE("a time range cuts the listed events") {
    CHECK(durations(listed(listed_run(), "time:0ns..120ns", {"gemm"})) == std::vector<std::int64_t>{20, 20});
}

TEST_CASE("of very many events only the longest are listed, and all are counted") {
    TraceFixture fixture;
    for (int i = 0; i < 5'000; ++i) fixture.kernel(1'000 * i, (i * 7919) % 997 + 1, "gemm");
    const EventListPtr list = listed(run_of({fixture.build()}), "", {"gemm"}, 10);
    CHECK(list->count == 5'000);
    CHECK(durations(list) == std::vector<std::int64_t>{997, 997, 997, 997, 997, 996, 996, 996, 996, 996});
}

TEST_CASE("a kernel's list has the count and total of its row") {
    const RunPtr run = listed_run();
    const Analysis& kernels = *find_analysis("kernels");
    const auto answer = run_analysis(kernels, *run, *parse_filter("rank:1"), {}, 1, {});
    REQUIRE(answer);
    const Table& table = answer->main();
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const EventListPtr list = listed(run, "rank:1", {std::string(table.text(row, table.find_column("kernel")))});
        CHECK(static_cast<std::int64_t>(list->count) == table.integer(row, table.find_column("count")));
        CHECK(list->total.count() == table.integer(row, table.find_column("total")));
    }
}
