// The table of kernels: contents, sorting, search and clicks on rows.

#include "core/query/filter_text.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/ui/panels/panel_driver.hpp"

namespace {

using core::testing::run_of;
using core::testing::TraceFixture;
using ui::testing::PanelDriver;

// gemm takes longest, relu is most frequent.
core::RunPtr gemm_and_relu() {
    std::vector<core::RankTracePtr> traces;
    for (int rank = 0; rank < 2; ++rank) {
        TraceFixture fixture;
        fixture.kernel(0, 1'000 + rank, "gemm").kernel(3'000, 500, "gemm");
        for (int i = 0; i < 5; ++i) fixture.kernel(10'000 + 100 * i, 10, "relu");
        traces.push_back(fixture.rank(rank).build());
    }
    return run_of(traces);
}

}  // namespace

TEST_CASE("kernels are merged over ranks, longest total first, or most frequent first") {
    PanelDriver panel("kernels", gemm_and_relu());
    nlohmann::json table = panel.shown()["table"];
    CHECK(panel.shown()["fresh"] == true);
    REQUIRE(table["rows"].size() == 2);
    CHECK(table["rows"][0]["kernel"] == "gemm");
    CHECK(table["rows"][0]["count"] == 4);
    CHECK(table["rows"][0]["total_ns"] == 3'001);
    CHECK(table["rows"][0]["mean_ns"] == 750);
    panel.click("By count");
    table = panel.shown()["table"];
    CHECK(table["sorted_by"] == "count");
    CHECK(table["rows"][0]["kernel"] == "relu");
    CHECK(table["rows"][0]["count_share"] == doctest::Approx(10.0 / 14));
    panel.click("Per rank");
    table = panel.shown()["table"];
    REQUIRE(table["rows"].size() == 4);
    CHECK(table["rows"][0]["rank"] == "0");
    CHECK(table["rows"][0]["count"] == 5);
}

TEST_CASE("a click on a header sorts, a second one reverses the order") {
    PanelDriver panel("kernels", gemm_and_relu());
    panel.click("sort:min");
    CHECK(panel.shown()["table"]["sorted_by"] == "min");
    CHECK(panel.shown()["table"]["rows"][0]["kernel"] == "gemm");
    panel.click("sort:min");
    CHECK(panel.shown()["table"]["descending"] == false);
    CHECK(panel.shown()["table"]["rows"][0]["kernel"] == "relu");
}

TEST_CASE("a click on a kernel filters by its name, Ctrl+click selects it for the durations") {
    PanelDriver panel("kernels", gemm_and_relu());
    panel.click("row:0");
    CHECK(core::format_filter(panel.session.filter()) == "name:gemm");
    CHECK(panel.shown()["table"]["rows"].size() == 2);  // the table keeps its rows
    CHECK(panel.shown()["table"]["marked"] == nlohmann::json::array({0}));
    panel.click("row:1");
    CHECK(core::format_filter(panel.session.filter()) == "name:relu");
    CHECK(panel.shown()["table"]["marked"] == nlohmann::json::array({1}));
    panel.click("row:1");
    CHECK(panel.session.filter().empty());
    CHECK_FALSE(panel.shown()["table"].contains("marked"));
    panel.click("row:0", true);
    panel.click("row:1", true);
    CHECK(panel.choices().chosen_kernels == std::vector<std::string>{"gemm", "relu"});
    CHECK(panel.session.filter().empty());
    panel.click("row:1", true);
    CHECK(panel.choices().chosen_kernels == std::vector<std::string>{"gemm"});
}

TEST_CASE("a double click on a kernel shows its longest event") {
    PanelDriver panel("kernels", gemm_and_relu());
    panel.double_click("row:0");
    const auto* select = panel.last<ui::SelectEvent>();
    REQUIRE(select);
    CHECK(select->show);
    CHECK(select->event.slot == 1);
    const core::RankTrace& trace = panel.session.run()->rank(1).trace();
    CHECK(trace.duration[core::index_of(select->event.event)].count() == 1'001);
}
