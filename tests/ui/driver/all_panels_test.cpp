// Every registered panel in the whole window, on every kind of run, for fifty frames each.

#include "tests/core/trace_fixture.hpp"
#include "tests/ui/driver/sample_window.hpp"

using core::testing::run_of;
using core::testing::TraceFixture;
using nlohmann::json;
using ui::testing::did;
using ui::testing::DrivenWindow;
using ui::testing::sample_folder;

namespace {

constexpr int kFrames = 50;

core::RunPtr one_event() { return run_of({TraceFixture().cpu(10, 5, "aten::mm").build()}); }

core::RunPtr cpu_only() {
    TraceFixture fixture;
    for (int i = 0; i < 20; ++i) fixture.cpu(100 * i, 60, "aten::mm").cpu(100 * i + 10, 20, "aten::empty");
    return run_of({fixture.build()});
}

void show_every_panel(DrivenWindow& window, const char* run_name) {
    for (const ui::PanelType& type : ui::all_panels()) {
        CAPTURE(type.id);
        window.driver->window().post(ui::ShowPanel{std::string(type.id)});
        window.driver->frames(kFrames);
        const json state = window.at("");
        CHECK(state["tabs"][type.drawer == ui::Drawer::Left ? "left" : "right"] == type.id);
        CHECK(state["drawer"]["open"] == true);
        if (run_name) {
            CHECK(state["run"]["name"] == run_name);
            CHECK(state["panels"].contains(type.id));
        } else {
            CHECK(state["panels"].empty());
        }
        CHECK(window.driver->session().results().running() == 0);
    }
}

}  // namespace

TEST_CASE_FIXTURE(DrivenWindow, "every panel is shown without a run") { show_every_panel(*this, nullptr); }

TEST_CASE_FIXTURE(DrivenWindow, "every panel is shown on a run of one event") {
    driver->session().set_run(one_event());
    show_every_panel(*this, "fixture");
    did(driver->click(ui::NamedEvent{"aten::mm"}));
    CHECK(at("/selected/duration_ns") == 5);
    show_every_panel(*this, "fixture");
}

TEST_CASE_FIXTURE(DrivenWindow, "every panel is shown on a run without a GPU") {
    driver->session().set_run(cpu_only());
    show_every_panel(*this, "fixture");
    did(driver->click(ui::NamedEvent{"aten::mm", "0", 19}));
    CHECK(at("/selected/start_ns") == 1900);
    show_every_panel(*this, "fixture");
}

TEST_CASE_FIXTURE(DrivenWindow, "every panel is shown on eight ranks, selected, filtered and small") {
    open(sample_folder());
    show_every_panel(*this, "sample");
    did(driver->click(ui::NamedEvent{"ncclDevKernel_AllReduce", "7"}));
    show_every_panel(*this, "sample");
    driver->window().post(ui::SetFilter{core::Filter{{{false, core::RankTerm{{{99, 99}}}}}}});
    show_every_panel(*this, "sample");
    did(driver->resize(400, 300));
    show_every_panel(*this, "sample");
}
