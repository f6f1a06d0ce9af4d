// The panel Modules and its model.

#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/engine/call_tree.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/ui/panels/panel_driver.hpp"
#include "ui/model/panels/modules_model.hpp"

namespace {

using core::testing::run_of;
using core::testing::TraceFixture;
using ui::ModulesModel;
using ui::testing::PanelDriver;

// A model of four layers, of which the last takes twice as long, and a kernel outside of it.
core::RunPtr layered(std::int64_t time = 10'000) {
    TraceFixture fixture;
    fixture.event(0, 100'000, "nn.Module: Model_0", "python_function", {});
    for (int layer = 0; layer < 4; ++layer) {
        const std::int64_t begin = 10'000 + layer * 20'000;
        fixture.event(begin, 15'000, "nn.Module: Layer_" + std::to_string(layer), "python_function", {});
        fixture.launch(begin + 1'000, 100, layer + 1)
            .kernel(200'000 + layer * 50'000, layer == 3 ? 2 * time : time, "gemm", 7, layer + 1);
    }
    fixture.launch(150'000, 100, 9).kernel(500'000, 5'000, "elementwise", 7, 9);
    return run_of({fixture.build()});
}

}  // namespace

TEST_CASE("a module's name is a class and a number") {
    CHECK(ui::split_module_name("Layer_12") == std::pair<std::string, std::int64_t>{"Layer", 12});
    CHECK(ui::split_module_name("My_Layer_0") == std::pair<std::string, std::int64_t>{"My_Layer", 0});
    CHECK(ui::split_module_name("forward") == std::pair<std::string, std::int64_t>{"forward", -1});
    CHECK(ui::split_module_name("a_b") == std::pair<std::string, std::int64_t>{"a_b", -1});
}

TEST_CASE("the tree has the modules' times, siblings by number, and time outside any module") {
    PanelDriver panel("modules", layered(), {900, 400});
    const nlohmann::json shown = panel.shown();
    CHECK(shown["baseline"]["modules"] == 5);
    CHECK(shown["baseline"]["gpu_time_ns"] == 55'000);
    CHECK(shown["baseline"]["unattributed_ns"] == 5'000);
    CHECK(shown["baseline"]["layers"]["class"] == "Layer");
    CHECK(shown["baseline"]["layers"]["count"] == 4);
}

TEST_CASE("rows of two ranks add up, and numbers sort as numbers") {
    core::Table table(core::find_analysis("modules")->columns());
    const auto add = [&](std::int64_t rank, std::string_view path, std::int64_t time, std::int64_t self) {
        std::vector<core::Cell> cells(table.columns().size());
        cells[0] = core::RankKey{static_cast<std::int32_t>(rank), 0}.packed();
        cells[1] = path;
        cells[table.find_column("kernel_time")] = time;
        cells[table.find_column("self_kernel_time")] = self;
        table.add_row(cells);
    };
    for (const std::int64_t rank : {0, 1}) {
        add(rank, "Model_0", 30, 0);
        add(rank, "Model_0/Layer_10", 10, 10);
        add(rank, "Model_0/Layer_2", 20, 20);
        add(rank, core::kUnattributed, 5, 5);
    }
    const ModulesModel model = ModulesModel::of(table);
    CHECK(model.ranks == 2);
    CHECK(model.nodes[0].time == 70);
    CHECK(model.unattributed == 10);
    REQUIRE(model.find("Model_0/Layer_2"));
    CHECK(model.find("Model_0/Layer_2")->time == 40);
    CHECK(model.find("Model_0/Layer_2")->begin == 0);
    CHECK(model.find("Model_0/Layer_10")->begin == 40);
    CHECK_FALSE(model.find_layers(0));  // two are no layers
}

TEST_CASE("a click fills the chart with a module, another goes back") {
    PanelDriver panel("modules", layered(), {900, 400});
    panel.click("module:Model_0/Layer_3");
    CHECK(panel.shown()["focus"] == "Model_0/Layer_3");
    panel.click("module:Model_0/Layer_3");
    CHECK(panel.shown()["focus"] == "Model_0");
}

TEST_CASE("two runs have a chart each") {
    PanelDriver panel("modules", layered(), {900, 500}, layered(5'000));
    CHECK(panel.find("module:Model_0/Layer_1") != nullptr);
    CHECK(panel.find("candidate-module:Model_0/Layer_1") != nullptr);
    CHECK(panel.shown()["candidate"]["gpu_time_ns"] == 30'000);
}

TEST_CASE("traces without modules say how to record them") {
    PanelDriver panel("modules", run_of({TraceFixture().kernel(0, 100, "gemm").build()}), {900, 400});
    CHECK(panel.shown()["baseline"]["modules"] == 0);
}
