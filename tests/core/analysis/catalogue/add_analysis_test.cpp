#include "core/export/csv.hpp"
#include "core/export/json.hpp"
#include "tests/core/added_row.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace core;
using namespace core::testing;

namespace {

// The example of HACKING.md.
namespace longest_event {

std::vector<Column> columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"longest", Unit::Ns, Role::Measure, Facet::None, "its longest GPU event, cut to the time filter"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext&) {
    Partial partial{{{"main", Table(columns())}}, {}, {}, view.collect_excluded()};
    Duration longest{};
    for (const EventId event : view.gpu_events()) longest = std::max(longest, view.visible(event).length());
    partial.tables.front().table.add_row({view.key(), longest.count()});
    return partial;
}

constexpr std::string_view kLongest[] = {"longest"};

}  // namespace longest_event

constinit const Analysis kLongestEvent{
    .id = "longest-event",
    .title = "Longest event",
    .summary = "The longest GPU event of each rank.",
    .definition = R"(
Maximum over the GPU events that pass the filter, cut to its time range; 0 without any.
)",
    .chart = {.kind = ChartKind::Bars, .category = "rank", .measures = longest_event::kLongest},
    .comparable = true,
    .rank = longest_event::rank,
    .columns = longest_event::columns,
};

}  // namespace

TEST_CASE("an analysis in the table can be found, run, filtered and written, and is gone with its row") {
    const RunPtr run = run_of({TraceFixture().kernel(0, 30, "gemm").kernel(50, 10, "relu").build()});
    REQUIRE(find_analysis("longest-event") == nullptr);
    {
        const core::testing::AddedRow<Analysis> added(analyses(), kLongestEvent);
        const Analysis* const analysis = find_analysis("longest-event");
        REQUIRE(analysis != nullptr);
        CHECK(all_analyses().back().id == "longest-event");
        const Answer answer = answer_of(*run, "longest-event");
        CHECK(row_text(answer.main(), 0) == "0 30");
        CHECK(row_text(answer_of(*run, "longest-event", "name:relu").main(), 0) == "0 10");
        const auto json = nlohmann::json::parse(to_json(*analysis, *run, {}, {}, answer));
        CHECK(json["columns"][1]["id"] == "longest");
        CHECK(json["rows"] == nlohmann::json::parse("[[0, 30]]"));
    }
    CHECK(find_analysis("longest-event") == nullptr);
}
