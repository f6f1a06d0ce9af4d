#include "core/analysis/engine/explain_column.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/engine/event_counts.hpp"
#include "core/analysis/run/run_analysis.hpp"
#include "core/query/filter_text.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace core;
using core::testing::run_of;
using core::testing::TraceFixture;

namespace {

const Column& column_named(const std::vector<Column>& columns, std::string_view name) {
    return *std::ranges::find(columns, name, &Column::name);
}

Filter parsed(std::string_view text) {
    const auto filter = parse_filter(text);
    REQUIRE(filter);
    return *filter;
}

EventCounts counted(const RunPtr& run, std::string_view filter) {
    const auto answer = run_analysis(event_counting(), *run, parsed(filter), {}, 1, {});
    REQUIRE(answer);
    return counts_of(*answer);
}

}  // namespace

TEST_CASE("a column is explained by the sentences of the definition that name it") {
    const Analysis& idle = *find_analysis("idle-breakdown");
    const Explanation share = explain_column(idle, column_named(idle.columns(), "share"));
    CHECK(share.unit == "ratio");
    CHECK(share.definition == "time, median and max in nanoseconds; share = time / all gaps of the stream.");
    const Explanation rank = explain_column(idle, column_named(idle.columns(), "rank"));
    CHECK(rank.definition.starts_with("A gap before a GPU event is"));
}

TEST_CASE("a sentence that depends on the previous one includes it") {
    const Analysis& steps = *find_analysis("steps");
    const Explanation duration = explain_column(steps, column_named(steps.columns(), "duration"));
    CHECK(duration.definition.find("They add up to duration exactly.") != std::string::npos);
    CHECK_FALSE(duration.definition.starts_with("They"));
}

TEST_CASE("a comparison's column is explained like its measure") {
    const Analysis& idle = *find_analysis("idle-breakdown");
    const Column change{"share.change", Unit::Ratio, Role::Measure, Facet::None, "share: candidate - baseline"};
    const Explanation said = explain_column(idle, change);
    CHECK(said.name == "share");
    CHECK(said.meaning == "share: candidate - baseline");
    CHECK(said.definition == explain_column(idle, column_named(idle.columns(), "share")).definition);
}

TEST_CASE("a column without a meaning has its analysis's") {
    const Analysis& kernels = *find_analysis("kernels");
    CHECK(explain_column(kernels, {"total", Unit::Ns, Role::Measure}).meaning == "sum of their durations");
}

TEST_CASE("a row is named by its keys") {
    Table table({{"rank", Unit::Rank, Role::Key, Facet::Rank},
                 {"stream", Unit::Stream, Role::Key, Facet::Stream},
                 {"event", Unit::Event, Role::Key},
                 {"kernel", Unit::Text, Role::Key, Facet::Kernel},
                 {"count", Unit::Count}});
    table.add_row({RankKey{3, 0}.packed(), std::int64_t{7}, std::int64_t{1234}, "gemm", std::int64_t{5}});
    table.add_row({RankKey{3, 0}.packed(), Cell{}, Cell{}, Cell{}, std::int64_t{5}});
    CHECK(name_of_row(table, 0) == "rank 3 \xC2\xB7 stream 7 \xC2\xB7 gemm");
    CHECK(name_of_row(table, 1) == "rank 3");
}

TEST_CASE("a kernel's row is named without its class") {
    Table table({{"class", Unit::Text, Role::Key, Facet::Class}, {"kernel", Unit::Text, Role::Key, Facet::Kernel}});
    table.add_row({"compute", "gemm"});
    CHECK(name_of_row(table, 0) == "gemm");
}

TEST_CASE("eighteen analyses also use CPU events") {
    CHECK(std::ranges::count_if(all_analyses(), &Analysis::of_cpu) == 18);
    CHECK(find_analysis("operators")->of_cpu);
    CHECK_FALSE(find_analysis("kernels")->of_cpu);
    CHECK_FALSE(find_analysis("temporal-breakdown")->of_cpu);
}

TEST_CASE("events are counted separately on GPU and CPU, including those that the filter excludes") {
    const auto trace = [](int rank) {
        return TraceFixture()
            .rank(rank)
            .cpu(0, 50, "aten::mm")
            .cpu(60, 50, "aten::relu")
            .launch(10, 5, 1)
            .kernel(100, 10, "gemm", 7, 1)
            .kernel(200, 10, "relu", 8)
            .kernel(300, 10, "gemm", 7)
            .build();
    };
    const RunPtr run = run_of({trace(0), trace(1)});
    CHECK(counted(run, "") == EventCounts{6, 6, 6, 6});
    CHECK(counted(run, "rank:1") == EventCounts{6, 3, 6, 3});
    CHECK(counted(run, "name:gemm") == EventCounts{6, 4, 6, 0});
    CHECK(counted(run, "rank:0 name:mm") == EventCounts{6, 2, 6, 1});
    CHECK(counted(run, "time:0ns..105ns") == EventCounts{6, 2, 6, 6});
    CHECK(counted(run, "rank:9") == EventCounts{6, 0, 6, 0});
}
