// Durations per rank: choice of kernels, imbalance, outlier ranks, and clicks on bars.

#include "core/query/filter_text.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/ui/panels/panel_driver.hpp"

namespace {

using core::testing::run_of;
using core::testing::TraceFixture;
using ui::testing::PanelDriver;

// gemm is even and long, relu is twice as slow on rank 4, "rare" is uneven but negligible.
core::RunPtr five_ranks() {
    std::vector<core::RankTracePtr> traces;
    for (int rank = 0; rank < 5; ++rank)
        traces.push_back(TraceFixture()
                             .kernel(0, 9'000, "gemm")
                             .kernel(10'000, 9'100, "gemm")
                             .kernel(20'000, rank == 4 ? 2'000 : 1'000, "relu")
                             .kernel(30'000, rank == 1 ? 10 : 1, "rare")
                             .rank(rank)
                             .build());
    return run_of(traces);
}

}  // namespace

TEST_CASE("durations have mean, extremes, imbalance and the outlier rank") {
    const PanelDriver panel("kernel-durations", five_ranks());
    const nlohmann::json charts = panel.shown()["charts"];
    REQUIRE(charts.size() == 3);
    CHECK(charts[0]["kernel"] == "gemm");
    CHECK(charts[0]["ranks"]["2"]["mean_ns"] == 9'050);
    CHECK(charts[0]["ranks"]["2"]["least_ns"] == 9'000);
    CHECK(charts[0]["ranks"]["2"]["greatest_ns"] == 9'100);
    CHECK(charts[1]["kernel"] == "relu");
    CHECK(charts[1]["imbalance"] == doctest::Approx(2'000 / 1'200.0 - 1));
    CHECK(charts[1]["ranks"]["4"]["stands_out"] == true);
    CHECK(charts[1]["ranks"]["3"]["stands_out"] == false);
}

TEST_CASE("on request the most uneven kernels come first, without negligible ones") {
    PanelDriver panel("kernel-durations", five_ranks());
    panel.click("Most uneven");
    const nlohmann::json charts = panel.shown()["charts"];
    REQUIRE(charts.size() == 2);
    CHECK(charts[0]["kernel"] == "relu");
    CHECK(charts[1]["kernel"] == "gemm");
}

TEST_CASE("selected kernels keep their order, and a click on a bar filters by its kernel and rank") {
    PanelDriver panel("kernel-durations", five_ranks());
    panel.choose([](ui::UiChoices& choices) { choices.chosen_kernels = {"rare", "relu"}; });
    panel.wait_idle();
    CHECK(panel.shown()["charts"][0]["kernel"] == "rare");
    CHECK(panel.shown()["charts"].size() == 2);
    panel.click("chart:1/bar:rank 4");
    CHECK(core::format_filter(panel.session.filter()) == "rank:4 name:/^relu$/");
    panel.wait_idle();
    REQUIRE(panel.shown()["charts"].size() == 1);
    CHECK(panel.shown()["charts"][0]["ranks"].size() == 5);
    CHECK(panel.shown()["charts"][0]["ranks"]["3"]["in_filter"] == false);
    panel.click("chart:0/bar:rank 4");  // the same again
    CHECK(panel.session.filter().empty());
}
