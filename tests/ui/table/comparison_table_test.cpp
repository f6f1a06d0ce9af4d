// Two runs in the panels Analyses and Kernels: numbers equal core's comparison under any filter; rows of one run only
// are marked, never zero; clicks filter in the baseline's numbers.

#include "core/analysis/catalogue/registry.hpp"
#include "core/diff/join/compare_runs.hpp"
#include "core/query/filter_text.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/ui/panels/panel_driver.hpp"

#include <algorithm>

namespace {

using core::Part;
using core::Side;
using core::testing::run_of;
using core::testing::TraceFixture;
using nlohmann::json;
using ui::testing::PanelDriver;

struct Spec {
    std::vector<int> ranks = {0, 1};
    int steps = 2;
    int first_step = 10;
    std::int64_t gemm = 1'000;     // ns
    std::string_view own = "";     // a kernel that only this run has
};

core::RunPtr run_with(const Spec& spec) {
    std::vector<core::RankTracePtr> traces;
    for (const int rank : spec.ranks) {
        TraceFixture fixture;
        for (int step = 0; step < spec.steps; ++step) {
            const std::int64_t at = 100'000 * step;
            int id = 10 * step;
            const auto work = [&](std::int64_t start, std::int64_t duration, std::string_view name) {
                ++id;
                fixture.launch(at + start, 5, id).kernel(at + start + 10, duration, name, 7, id);
            };
            fixture.step(at, 90'000, spec.first_step + step);
            work(100, spec.gemm + 100 * rank, "gemm");
            work(20'000, 300, "relu");
            work(30'000, 2'000, "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
            if (!spec.own.empty()) work(50'000, 4'000, spec.own);
        }
        traces.push_back(fixture.rank(rank).build());
    }
    return run_of(traces);
}

// With its unit, as tables describe it.
std::string described(const core::Column& column) {
    return column.unit == core::Unit::Ns ? column.name + "_ns" : column.name;
}

json described(const core::Table& table, std::size_t row, std::size_t column) {
    if (table.absent(row, column)) return nullptr;
    switch (table.columns()[column].unit) {
        case core::Unit::Text:
            return std::string(table.text(row, column));
        case core::Unit::Rank:
            return core::format_rank(core::RankKey::unpacked(table.integer(row, column)));
        case core::Unit::Ratio:
        case core::Unit::Number:
            return table.number(row, column);
        default:
            return table.integer(row, column);
    }
}

core::Comparison expected_of(PanelDriver& panel, std::string_view analysis) {
    const core::DiffQuery query{core::find_analysis(analysis), {}, panel.session.filter()};
    auto compared =
        core::compare_runs(query, {panel.session.run(Side::Baseline).get(), panel.session.run(Side::Candidate).get()},
                           *panel.session.alignment(), 1, {});
    REQUIRE(compared);
    return std::move(compared->comparison);
}

// Checks every cell of every row of both sides, with change and ratio.
void check_same(const json& shown, const core::Comparison& expected) {
    REQUIRE(shown["rows"].size() == expected.table.rows());
    CHECK(shown["notes"] == expected.notes);
    for (std::size_t row = 0; row < expected.table.rows(); ++row)
        for (std::size_t c = 0; c < expected.table.columns().size(); ++c) {
            CAPTURE(expected.table.columns()[c].name);
            CHECK(shown["rows"][row][described(expected.table.columns()[c])] == described(expected.table, row, c));
        }
}

core::Filter filter_of(std::string_view text) { return *core::parse_filter(text); }
std::string filter_of(const PanelDriver& panel) { return core::format_filter(panel.session.filter()); }

const ImVec2 kSize{1'000, 500};

struct Compared : PanelDriver {
    explicit Compared(std::string_view panel, const Spec& baseline = {},
                      const Spec& candidate = {.gemm = 1'500, .own = "added_kernel"}, ImVec2 size = kSize)
        : PanelDriver(panel, run_with(baseline), size, run_with(candidate)) {}
    json comparison() const { return shown()["comparison"]; }
    json row(std::string_view key, std::string_view value) const {
        const json all = comparison();
        for (const json& each : all["rows"])
            if (each.at(std::string(key)).get<std::string>() == value) return each;
        FAIL("no such row: ", value);
        return {};
    }
};

}  // namespace

TEST_CASE("the shown comparison equals core's before and after a change of the filter") {
    Compared panel("analysis");
    CHECK(panel.shown()["fresh"] == true);
    check_same(panel.comparison(), expected_of(panel, "overlap"));
    for (const char* filter : {"rank:1", "step:11", "class:compute", "-name:gemm", ""}) {
        CAPTURE(filter);
        panel.session.set_filter(filter_of(filter));
        panel.wait_idle();
        CHECK(panel.shown()["fresh"] == true);
        check_same(panel.comparison(), expected_of(panel, "overlap"));
    }
}

TEST_CASE("kernels rank by rank equal core's comparison, largest change first") {
    Compared panel("kernels");
    panel.click("Per rank");
    check_same(panel.comparison(), expected_of(panel, "kernels"));
    CHECK(panel.comparison()["sorted_by"] == "total.change");
    CHECK(panel.comparison()["descending"] == true);
}

TEST_CASE("kernels of all ranks are summed before they are compared") {
    Compared panel("kernels");
    const json gemm = panel.row("kernel", "gemm");
    CHECK(gemm["count.baseline"] == 4);
    CHECK(gemm["total.baseline_ns"] == 2 * (1'000 + 1'100));
    CHECK(gemm["total.candidate_ns"] == 2 * (1'500 + 1'600));
    CHECK(gemm["total.change_ns"] == 2'000);
    CHECK(gemm["total.ratio"] == doctest::Approx(6'200.0 / 4'200));
    CHECK(panel.row("kernel", "relu")["total.change_ns"] == 0);
    panel.click("By count");
    CHECK(panel.comparison()["lead"] == "count");
    CHECK(panel.comparison()["sorted_by"] == "count.change");
}

TEST_CASE("comparing a run with itself shows no changes") {
    const core::RunPtr run = run_with({});
    for (const std::string_view id : {"kernels", "analysis"}) {
        CAPTURE(id);
        PanelDriver panel(id, run, kSize, run_with({}));
        const json shown = panel.shown()["comparison"];
        REQUIRE(shown["rows"].size() > 0);
        CHECK(shown["only_baseline"] == 0);
        CHECK(shown["only_candidate"] == 0);
        for (const json& row : shown["rows"])
            for (const auto& [name, value] : row.items())
                if (name.find(".change") != std::string::npos) CHECK(value == 0);
    }
}

TEST_CASE("rows of one run only are marked and sorted by value; the other side is absent") {
    Compared panel("kernels", {.own = "gone"}, {.own = "come"});
    const json shown = panel.comparison();
    CHECK(shown["only_baseline"] == 1);
    CHECK(shown["only_candidate"] == 1);
    const json gone = panel.row("kernel", "gone");
    CHECK(gone["presence"] == "removed");
    CHECK(gone["total.baseline_ns"] == 4 * 4'000);
    for (const char* absent : {"total.candidate_ns", "total.change_ns", "total.ratio", "count.candidate"})
        CHECK(gone[absent].is_null());
    const json come = panel.row("kernel", "come");
    CHECK(come["presence"] == "added");
    CHECK(come["total.baseline_ns"].is_null());
    CHECK(come["total.candidate_ns"] == 4 * 4'000);
    CHECK(shown["rows"][0]["presence"] != "both");
    CHECK(shown["rows"][1]["presence"] != "both");
    panel.click("sort:total.change");
    CHECK(panel.comparison()["rows"][0]["presence"] == "both");
    panel.click("sort:total.candidate");
    CHECK(panel.comparison()["rows"].back()["kernel"] == "gone");
}

TEST_CASE("runs of different length are compared by averages, with a note") {
    Compared panel("kernels", {.steps = 2}, {.steps = 4});
    const json gemm = panel.row("kernel", "gemm");
    CHECK(gemm["total.change_ns"] == 0);
    CHECK(gemm["count.baseline"] == doctest::Approx(2));
    const json notes = panel.comparison()["notes"];
    REQUIRE(notes.size() > 0);
    CHECK(notes[0] == "averages per step: 2 in the baseline, 4 in the candidate");
    panel.session.set_filter(filter_of("step:10"));
    panel.wait_idle();
    CHECK(panel.row("kernel", "gemm")["count.baseline"] == 2);
}

TEST_CASE("runs with different numbers of ranks are compared by averages per rank, with a note") {
    Compared ranks("kernels", {.ranks = {0, 1}}, {.ranks = {0, 1, 2}});
    CHECK(ranks.comparison()["notes"][0] == "averages per rank: 2 in the baseline, 3 in the candidate");
}

TEST_CASE("as many columns as fit are shown; a click on a title opens a measure, a toggle opens all") {
    const json first = [] { return Compared("kernels", {}, {}, {640, 400}).comparison()["columns"]; }();
    CHECK(std::ranges::find(first, json("total.ratio")) != first.end());
    CHECK(std::ranges::find(first, json("mean.ratio")) == first.end());
    Compared wide("kernels", {}, {}, {1'400, 400});
    const json columns = wide.comparison()["columns"];
    CHECK(columns.size() > first.size());
    CHECK(std::ranges::find(columns, json("count.change")) != columns.end());
    CHECK(std::ranges::find(columns, json("count.baseline")) == columns.end());
    wide.click("group:Count");
    const json open = wide.comparison()["columns"];
    CHECK(std::ranges::find(open, json("count.baseline")) != open.end());
    wide.click("All measures");
    CHECK(wide.comparison()["columns"].size() == 2 + 4 * 8);
}

TEST_CASE("rows are searched by name") {
    Compared panel("kernels");
    CHECK(panel.comparison()["rows_found"] == 4);
    panel.click("search");
    ImGui::GetIO().AddInputCharactersUTF8("GEMM");
    panel.wait_idle();
    CHECK(panel.comparison()["rows_found"] == 1);
    CHECK(panel.comparison()["rows"][0]["kernel"] == "gemm");
}

TEST_CASE("normalised names that differ only in numbers share a row") {
    Compared panel("kernels", {.own = "sgemm_128x64"}, {.own = "sgemm_64x32"});
    CHECK(panel.comparison()["only_baseline"] == 1);
    panel.click("Normalised names");
    const json shown = panel.comparison();
    CHECK(shown["names"] == "normalised");
    CHECK(shown["only_baseline"] == 0);
    CHECK(panel.row("kernel", "sgemm_NxN")["total.change_ns"] == 0);
    for (std::size_t i = 0; i < shown["rows"].size(); ++i)
        if (shown["rows"][i]["kernel"] == "gemm") panel.click("row:" + std::to_string(i));
    CHECK(filter_of(panel) == "name:gemm");
}

TEST_CASE("a row that stands for several names filters by all of them") {
    Compared panel("kernels", {.own = "sgemm_128x64"}, {.own = "sgemm_64x32"});
    panel.click("Normalised names");
    const json rows = panel.comparison()["rows"];
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows[i]["kernel"] == "sgemm_NxN") panel.click("row:" + std::to_string(i));
    CHECK(filter_of(panel) == "name:/^(sgemm_128x64|sgemm_64x32)$/");
    const json kept = panel.comparison();
    REQUIRE(kept["rows"].size() == rows.size());
    REQUIRE(kept["marked"].size() == 1);
    CHECK(kept["rows"][kept["marked"][0].get<std::size_t>()]["kernel"] == "sgemm_NxN");
    panel.click("row:" + std::to_string(kept["marked"][0].get<std::size_t>()));
    CHECK(panel.session.filter().empty());
}

TEST_CASE("a click on a row filters both runs, a second click removes the filter") {
    Compared panel("analysis");
    const std::string rank = panel.comparison()["rows"][0]["rank"];
    panel.click("row:0");
    CHECK(filter_of(panel) == "rank:" + rank);
    CHECK(panel.comparison()["rows"].size() == 2);
    CHECK(panel.comparison()["marked"] == json::array({0}));
    panel.click("row:0");
    CHECK(panel.session.filter().empty());
}

TEST_CASE("ranks paired by order filter by the baseline's numbers, a rank without a partner by its own") {
    Compared panel("analysis", {.ranks = {0, 1}}, {.ranks = {4, 5, 6}});
    json rows = panel.comparison()["rows"];
    REQUIRE(rows.size() == 3);
    std::size_t lone = 0;
    while (rows[lone]["presence"] == "both") ++lone;
    CHECK(rows[lone]["rank"] == "6");
    panel.click("row:" + std::to_string(lone));
    CHECK(filter_of(panel) == "rank:6");
    CHECK(panel.session.filter(Side::Candidate).accepts_rank({6, 0}));
    CHECK_FALSE(panel.session.filter(Side::Candidate).accepts_rank({4, 0}));
    rows = panel.comparison()["rows"];
    REQUIRE(rows.size() == 3);
    CHECK(panel.comparison()["marked"] == json::array({lone}));
    CHECK(rows[lone]["presence"] == "added");
    panel.click("row:" + std::to_string(lone));
    CHECK(panel.session.filter().empty());
    rows = panel.comparison()["rows"];
    const std::size_t paired = lone == 0 ? 1 : 0;
    panel.click("row:" + std::to_string(paired));
    CHECK(filter_of(panel) == "rank:" + rows[paired]["rank"].get<std::string>());
    CHECK(panel.shown()["refusal"] == "");
    CHECK(panel.session.filter(Side::Candidate).accepts_rank({rows[paired]["rank"] == "0" ? 4 : 5, 0}));
}

TEST_CASE("a double click on a kernel moves both timelines to its first event after the aligned moment") {
    Compared panel("kernels");
    const json rows = panel.comparison()["rows"];
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i]["kernel"] != "gemm") continue;
        panel.double_click("row:" + std::to_string(i));
        break;
    }
    for (const Side side : core::kSides) {
        const auto* select = panel.last<ui::SelectEvent>(side);
        REQUIRE(select);
        const core::RankTrace& trace = panel.session.run(side)->rank(select->event.slot).trace();
        CHECK(trace.name_text(select->event.event) == "gemm");
        CHECK(select->event.slot == 0);
        const auto* range = panel.last<ui::ShowRange>(side);
        REQUIRE(range);
        const core::RunRange event = panel.session.run(side)->rank(0).range_of(select->event.event);
        CHECK(range->range.begin < event.begin);
        CHECK(range->range.end > event.end);
        CHECK(event.begin - panel.session.alignment()->anchor[side] == core::Duration{110});
    }
    const auto* here = panel.last<ui::ShowRange>();
    const auto* there = panel.last<ui::ShowRange>(Side::Candidate);
    CHECK(panel.session.alignment()->across(Side::Baseline, here->range.begin) == there->range.begin);
}

TEST_CASE("a click on a class's swatch or name filters by the class") {
    Compared panel("kernels");
    panel.click("legend:communication");
    CHECK(filter_of(panel) == "class:communication");
    panel.click("legend:communication");
    CHECK(panel.session.filter().empty());
    panel.click("swatch:0");
    CHECK(filter_of(panel) == "class:compute");
}

TEST_CASE("a click on a class swatch in one run's kernels filters by the class") {
    PanelDriver single("kernels", run_with({}));
    single.click("swatch:0");
    CHECK(filter_of(single).starts_with("class:"));
}

TEST_CASE("other tables of an analysis are joined like the main one, each with its own measures") {
    Compared panel("analysis", {}, {.gemm = 1'500, .own = "added_kernel"}, {1'000, 900});
    panel.click("analysis");
    panel.click("critical-path");
    const json main = panel.comparison();
    panel.click("table");
    REQUIRE(panel.find("table:names"));
    CHECK_FALSE(panel.find("table:path"));  // has single events
    panel.click("table:names");
    CHECK(panel.shown()["fresh"] == true);
    const core::Analysis* analysis = core::find_analysis("critical-path");
    core::DiffQuery query{analysis, *core::make_params(*analysis, {}), panel.session.filter()};
    query.table = "names";
    const auto expected =
        core::compare_runs(query, {panel.session.run(Side::Baseline).get(), panel.session.run(Side::Candidate).get()},
                           *panel.session.alignment(), 1, {});
    REQUIRE(expected);
    check_same(panel.comparison(), expected->comparison);
    panel.click("table");
    panel.click("table:main");
    CHECK(panel.comparison()["rows"] == main["rows"]);
}
