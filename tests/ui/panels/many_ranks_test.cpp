// Cost of panels and the timeline with very many ranks: drawing and recording a frame follows the window's pixels, not
// the number of ranks.

#include "core/index/run.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/ui/driver/sample_window.hpp"
#include "tests/ui/panels/panel_driver.hpp"

#include <map>

namespace {

constexpr std::size_t kMany = 1'500;
constexpr std::size_t kManyMore = 6'000;

// Ranks that share one trace, so that creating them is cheap.
core::RunPtr run_of_many(std::size_t ranks) {
    core::testing::TraceFixture fixture;
    fixture.step(0, 1'000, 1).step(1'000, 1'000, 2);
    for (int k = 0; k < 4; ++k) {
        fixture.cpu(500 * k, 90, "aten::mm").launch(500 * k + 10, 5, k + 1);
        fixture.kernel(500 * k + 40, 300 + k, k % 2 == 0 ? "gemm" : "ncclDevKernel_AllReduce", 7, k + 1);
    }
    const auto index = std::make_shared<const core::RankIndex>(fixture.build(), core::ClassRules::standard());
    core::RunParts parts;
    parts.name = "many";
    parts.names = std::make_shared<core::InternedNames>();
    const auto names = parts.names->build_table(index->trace().names);
    for (std::size_t rank = 0; rank < ranks; ++rank)
        parts.ranks.push_back({{static_cast<std::int32_t>(rank), 0}, {}, index, {}, names});
    return std::make_shared<const core::Run>(std::move(parts));
}

struct Work {
    std::size_t vertices = 0;
    std::size_t items = 0;
};

Work work_of_panel(std::string_view id, const core::RunPtr& run) {
    ui::testing::PanelDriver driver(id, run);
    driver.frame();
    Work work{static_cast<std::size_t>(ImGui::GetDrawData()->TotalVtxCount), 0};
    ui::items().begin_frame();
    work.items = ui::items().items().size();
    return work;
}

}  // namespace

TEST_CASE("no panel draws or records more in a frame because a run has more ranks than there are pixels") {
    const core::RunPtr many = run_of_many(kMany), more = run_of_many(kManyMore);
    for (const ui::PanelType& panel : ui::all_panels()) {
        const Work before = work_of_panel(panel.id, many), after = work_of_panel(panel.id, more);
        INFO(panel.id << ": " << before.vertices << " and " << after.vertices << " vertices, " << before.items
                      << " and " << after.items << " items");
        CHECK(before.vertices > 0);
        CHECK(after.vertices <= before.vertices + before.vertices / 5 + 400);
        CHECK(after.items <= before.items + before.items / 5 + 40);
    }
}

TEST_CASE("rows out of view cost the timeline nothing: as many lanes, rectangles and items for any number of ranks") {
    auto opened = ui::Driver::open({});
    REQUIRE(opened);
    ui::Driver& driver = **opened;
    std::map<std::size_t, std::size_t> items, lanes;
    for (const std::size_t ranks : {kMany, kManyMore}) {
        driver.session().set_run(run_of_many(ranks));
        ui::testing::did(driver.wait_idle());
        nlohmann::json state = driver.state(true);
        std::size_t rows = 0;
        for (const nlohmann::json& item : state["items"])
            rows += item["path"].get<std::string>().starts_with("timeline/row:") ? 1 : 0;
        items[ranks] = rows;
        lanes[ranks] = driver.window().timeline().stats().lanes;
    }
    CHECK(lanes[kMany] > 10);
    CHECK(items[kMany] > 10);
    CHECK(lanes[kManyMore] <= lanes[kMany] + 2);
    CHECK(items[kManyMore] <= items[kMany] + 2);
}
