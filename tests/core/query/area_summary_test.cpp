#include "core/query/area_summary.hpp"

#include "core/query/filter_text.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

using namespace core;
using core::testing::run_of;
using core::testing::TraceFixture;

namespace {

RunPtr two_ranks() {
    return run_of({TraceFixture()
                       .cpu(0, 500, "aten::mm")
                       .kernel(100, 100, "gemm")
                       .kernel(300, 50, "gemm")
                       .kernel(320, 80, "ncclDevKernel_AllReduce", 9)
                       .kernel(900, 50, "late")
                       .build(),
                   TraceFixture().kernel(150, 10, "relu").build()});
}

AreaSummary summarize(const RunPtr& run, std::int64_t begin, std::int64_t end, std::string_view filter = "") {
    AreaQuery query{run, {run_time(begin), run_time(end)}, {}, {}};
    if (!filter.empty()) query.filter = parse_filter(filter).value();
    return summarize_area(query, {}).value();
}

std::string name_of(const Run& run, const NameTotal& total) {
    return std::string(run.rank(total.example.slot).trace().name_text(total.example.event));
}

}  // namespace

TEST_CASE("an area holds what overlaps it, cut to it, on every rank") {
    const RunPtr run = two_ranks();
    const AreaSummary summary = summarize(run, 150, 350);
    CHECK(summary.events == 5);
    CHECK(summary.gpu_events == 4);
    CHECK(summary.times.compute() == Duration{50 + 50 + 10});
    CHECK(summary.times.with(KernelClass::Communication) == Duration{30});
    CHECK(summary.times.total() == Duration{2 * 200});
    REQUIRE(summary.longest.size() == 3);
    CHECK(name_of(*run, summary.longest[0]) == "gemm");
    CHECK(summary.longest[0].total == Duration{100});
    CHECK(summary.longest[0].count == 2);
    CHECK(name_of(*run, summary.longest[1]) == "ncclDevKernel_AllReduce");
    CHECK(name_of(*run, summary.longest[2]) == "relu");
}

TEST_CASE("only what the filter lets through is in it") {
    const RunPtr run = two_ranks();
    CHECK(summarize(run, 0, 1000, "rank:1").events == 1);
    CHECK(summarize(run, 0, 1000, "name:gemm").gpu_events == 2);
    CHECK(summarize(run, 0, 1000, "time:310ns..330ns").longest.front().total == Duration{20});
    CHECK(summarize(run, 0, 100, "time:310ns..330ns").events == 0);
}

TEST_CASE("without work on the GPU the longest CPU events are named") {
    const RunPtr run = two_ranks();
    const AreaSummary summary = summarize(run, 0, 50);
    CHECK(summary.gpu_events == 0);
    REQUIRE(summary.longest.size() == 1);
    CHECK(name_of(*run, summary.longest[0]) == "aten::mm");
}
