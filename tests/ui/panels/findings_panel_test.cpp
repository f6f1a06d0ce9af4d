// Cards of findings compared with the analysis, and where their clicks lead.

#include "tests/core/analysis/efficiency/efficiency_fixture.hpp"
#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/ui/panels/panel_driver.hpp"

namespace {

using core::testing::run_of;
using core::testing::TraceFixture;
using ui::testing::PanelDriver;

core::RankTracePtr pausing_rank(int rank, std::int64_t gap) {
    TraceFixture fixture;
    fixture.rank(rank);
    return fixture.kernel(0, 100'000, "a").kernel(100'000 + gap, 100'000, "b").build();
}

}  // namespace

TEST_CASE("a card says what the analysis says, once per kind, with its ranks from the worst on") {
    const core::RunPtr run = run_of({pausing_rank(0, 100'000), pausing_rank(1, 300'000)});
    const PanelDriver panel("findings", run);
    const nlohmann::json shown = panel.shown();
    const core::Answer answer = core::testing::answer_of(*run, "findings");
    const core::Table& kinds = *answer.find("kinds");
    REQUIRE(shown["cards"].size() == kinds.rows());
    REQUIRE(kinds.rows() == 1);
    CHECK(shown["cards"][0]["sentence"] == std::string(kinds.text(0, kinds.find_column("sentence"))));
    CHECK(shown["cards"][0]["headline"] == "Both GPUs idle, such as rank 1's");
    CHECK(shown["cards"][0]["ranks"][0]["rank"] == "1");
    CHECK(shown["cards"][0]["ranks"][0]["gain_ns"] == 300'000);
    CHECK(shown["cards"][0]["ranks"][1]["rank"] == "0");
}

TEST_CASE("a click on a card shows the gap itself with room on both sides") {
    const core::RunPtr run = run_of({pausing_rank(0, 0), pausing_rank(1, 300'000)});
    PanelDriver panel("findings", run);
    panel.click("card:idle");
    const ui::ShowRange* const range = panel.last<ui::ShowRange>();
    REQUIRE(range);
    CHECK(range->range.begin - run->origin() == core::Duration{-50'000});
    CHECK(range->range.end - run->origin() == core::Duration{550'000});
    const ui::SelectEvent* const select = panel.last<ui::SelectEvent>();
    REQUIRE(select);
    CHECK(select->event.slot == 1);
}

TEST_CASE("a gap that the host caused selects the host's call, and the card leads to the analyses of it") {
    TraceFixture fixture;
    fixture.kernel(0, 100'000, "a").cpu(100'000, 300'000, "save_checkpoint").launch(399'000, 500, 1);
    PanelDriver panel("findings", run_of({fixture.kernel(400'000, 100'000, "b", 7, 1).build()}));
    panel.click("card:idle");
    const core::Run& run = *panel.session.run();
    const ui::SelectEvent* const select = panel.last<ui::SelectEvent>();
    REQUIRE(select);
    CHECK(run.rank(0).trace().name_text(select->event.event) == "save_checkpoint");
    REQUIRE(panel.last<ui::Say>());
    CHECK(panel.last<ui::Say>()->words == "Rank 0: GPU idle for 300 \xC2\xB5s while the host is in save_checkpoint");
    CHECK(panel.shown()["cards"][0]["links"] == nlohmann::json::array({"device-idle", "idle-gaps"}));
    panel.click("card:idle/link:device-idle");
    REQUIRE(panel.last<ui::ShowAnalysis>());
    CHECK(panel.last<ui::ShowAnalysis>()->id == "device-idle");
    CHECK_FALSE(panel.find("card:idle/compare"));  // one rank has no peers
}

TEST_CASE("the places of a finding are its worst gap on each rank, and lead to it") {
    const core::RunPtr run = run_of({pausing_rank(0, 100'000), pausing_rank(1, 300'000)});
    PanelDriver panel("findings", run);
    const nlohmann::json places = panel.shown()["cards"][0]["places"];
    REQUIRE(places.size() == 2);
    CHECK(places[0]["length_ns"].get<int>() + places[1]["length_ns"].get<int>() == 400'000);
    CHECK_FALSE(panel.find("card:idle/bars"));  // two ranks have buttons
    panel.click("card:idle/places");  // in the middle of the run
    REQUIRE(panel.last<ui::ShowRange>());
    CHECK(panel.last<ui::SelectEvent>()->event.slot == 1);
    CHECK(panel.last<ui::ShowRange>()->range.length() == core::Duration{600'000});
}

TEST_CASE("of more ranks than have buttons, each has a bar that leads to its evidence") {
    std::vector<core::RankTracePtr> traces;
    for (int rank = 0; rank < 12; ++rank) traces.push_back(pausing_rank(rank, 100'000 + 10'000 * rank));
    PanelDriver panel("findings", run_of(traces));
    REQUIRE(panel.find("card:idle/bars"));
    panel.click("card:idle/bar:3");
    REQUIRE(panel.last<ui::SelectEvent>());
    CHECK(panel.last<ui::SelectEvent>()->event.slot == 3);
    CHECK(panel.last<ui::ShowRange>()->range.length() == core::Duration{260'000});
    panel.click("card:idle/bar:11");
    CHECK(panel.last<ui::SelectEvent>()->event.slot == 11);
}

TEST_CASE("a card of a risk has no cost, nor have its ranks") {
    constexpr std::int64_t kGiB = std::int64_t{1} << 30;
    std::vector<core::RankTracePtr> traces;
    for (int rank = 0; rank < 12; ++rank) {
        core::testing::OperatorFixture full;
        full.device("a GPU", 100 * kGiB).rank(rank).kernel(0, 1'000, "copy");
        full.event(500, 0, "[memory]", "cpu_instant_event", {}).phase(core::Phase::Instant);
        full.arg(core::Arg::Bytes, 512).arg(core::Arg::DeviceType, 1).arg(core::Arg::Device, 0);
        full.arg(core::Arg::TotalAllocated, 88 * kGiB).arg(core::Arg::TotalReserved, 92 * kGiB);
        traces.push_back(full.build());
    }
    PanelDriver panel("findings", run_of(traces));
    const nlohmann::json shown = panel.shown();
    REQUIRE(shown["cards"].size() == 1);
    CHECK(shown["cards"][0]["finding"] == "near-limit");
    CHECK(shown["cards"][0]["cost"] == "");
    CHECK(shown["cards"][0]["ranks"][0]["gain_ns"].is_null());
    panel.click("card:near-limit");
    REQUIRE(panel.last<ui::SelectEvent>());
}

TEST_CASE("a healthy run says that nothing stands out") {
    const PanelDriver panel("findings", run_of({pausing_rank(0, 0), pausing_rank(1, 0)}));
    CHECK(panel.shown()["cards"].empty());
}

TEST_CASE("a run without findings says what was looked for") {
    const PanelDriver panel("findings", run_of({pausing_rank(0, 0)}));
    CHECK(panel.shown()["why_empty"] == "No rule of findings applies. Breakdown shows where the time went.");
}

TEST_CASE("a run without GPU events says that it has none, not that nothing stands out") {
    const PanelDriver panel("findings", run_of({TraceFixture().cpu(0, 100, "aten::mm").build()}));
    const std::string why = panel.shown()["why_empty"].get<std::string>();
    CHECK(why.starts_with("The traces have no GPU events. "));
    CHECK(why.find("ProfilerActivity.CUDA") != std::string::npos);  // of PyTorch's profiler
}
