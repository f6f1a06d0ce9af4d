// Every registered panel on every kind of run.

#include "core/query/filter_text.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/ui/driver/headless.hpp"
#include "ui/style/items.hpp"

#include <doctest/doctest.h>

#include <set>
#include <thread>

namespace {

using core::testing::run_of;
using core::testing::TraceFixture;

constexpr int kFrames = 50;

core::RunPtr one_event() { return run_of({TraceFixture().cpu(10, 5, "aten::mm").build()}); }

core::RunPtr cpu_only() {
    TraceFixture fixture;
    for (int i = 0; i < 20; ++i) fixture.cpu(100 * i, 60, "aten::mm").cpu(100 * i + 10, 20, "aten::empty");
    return run_of({fixture.build()});
}

core::RankTracePtr gpu_rank(int rank) {
    TraceFixture fixture;
    for (int step = 0; step < 3; ++step) {
        const std::int64_t at = 10'000 * step;
        fixture.step(at, 9'000, step).cpu(at + 10, 400, "aten::mm").launch(at + 20, 30, step * 10 + 1);
        fixture.kernel(at + 100, 2'000 + 300 * rank, "sgemm_128x64_nn", 7, step * 10 + 1);
        fixture.kernel(at + 1'500, 3'000, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                       20);
        fixture.kernel(at + 6'000, 500, "Memcpy HtoD (Pageable -> Device)", 7, -1, "gpu_memcpy");
    }
    return fixture.rank(rank).build();
}

core::RunPtr eight_ranks() {
    std::vector<core::RankTracePtr> traces;
    for (int rank = 0; rank < 8; ++rank) traces.push_back(gpu_rank(rank));
    return run_of(traces);
}

struct Shown {
    core::Session session{2};
    ui::DocumentStore store;
    ui::Ephemera ephemera;
    ui::testing::Headless gui;

    int vertices = 0;
    void draw(ui::Panel& panel, ImVec2 size) {
        for (int frame = 0; frame < kFrames; ++frame) vertices = gui.draw(panel, session, store, ephemera, size);
        for (int frame = 0; frame < 20'000 && (session.results().running() > 0 || panel.busy()); ++frame) {
            vertices = gui.draw(panel, session, store, ephemera, size);
            std::this_thread::yield();
        }
        vertices = gui.draw(panel, session, store, ephemera, size);
    }
};

void draw_every_panel(const core::RunPtr& run, bool select) {
    for (const ui::PanelType& type : ui::all_panels()) {
        CAPTURE(type.id);
        Shown shown;
        if (run) shown.session.set_run(run);
        shown.store.record(shown.session);
        if (run) ui::testing::show_run(shown.store, shown.session);
        if (select)
            ui::testing::change_view(shown.store, shown.session, core::Side::Baseline, [](ui::View& view) {
                view.selected = {0, core::EventId{0}};
            });
        const std::unique_ptr<ui::Panel> panel = type.make();
        for (const ImVec2 size : {ImVec2{820, 240}, ImVec2{300, 120}, ImVec2{1900, 900}}) shown.draw(*panel, size);
        CHECK(shown.vertices > 0);
        CHECK_FALSE(panel->busy());
        CHECK(shown.session.results().running() == 0);
    }
}

}  // namespace

TEST_CASE("panel ids are unique, and each drawer has panels") {
    std::set<std::string_view> ids;
    for (const ui::PanelType& type : ui::all_panels()) ids.insert(type.id);
    CHECK(ids.size() == ui::all_panels().size());
    REQUIRE(ui::find_panel(ui::UiChoices{}.left_tab));
    REQUIRE(ui::find_panel(ui::UiChoices{}.right_tab));
    CHECK(ui::find_panel(ui::UiChoices{}.left_tab)->drawer == ui::Drawer::Left);
    CHECK(ui::find_panel(ui::UiChoices{}.right_tab)->drawer == ui::Drawer::Right);
    CHECK_FALSE(ui::find_panel("no such panel"));
}

TEST_CASE("every panel draws without a run") { draw_every_panel(nullptr, false); }
TEST_CASE("every panel draws a run of one event") { draw_every_panel(one_event(), true); }
TEST_CASE("every panel draws a run without a GPU") { draw_every_panel(cpu_only(), true); }
TEST_CASE("every panel draws eight ranks") { draw_every_panel(eight_ranks(), true); }

TEST_CASE("panels of GPU time say whether the run has none or the filter excludes it") {
    ui::items().enabled = true;
    for (const std::string_view id : {"breakdown", "kernels", "kernel-durations"}) {
        CAPTURE(id);
        for (const bool has_gpu : {false, true}) {
            Shown shown;
            shown.session.set_run(has_gpu ? eight_ranks() : cpu_only());
            shown.store.record(shown.session);
            ui::testing::show_run(shown.store, shown.session);
            shown.session.set_filter(*core::parse_filter("stream:99"));
            const auto panel = ui::find_panel(id)->make();
            shown.draw(*panel, {900, 300});
            ui::items().begin_frame();
            CHECK((ui::items().find("empty:No GPU events") != nullptr) == !has_gpu);
            CHECK((ui::items().find("empty:No GPU event passes the filter") != nullptr) == has_gpu);
        }
    }
    ui::items().enabled = false;
}

TEST_CASE("the breakdown follows the visible window") {
    Shown shown;
    shown.session.set_run(eight_ranks());
    shown.store.record(shown.session);
    ui::testing::show_run(shown.store, shown.session);
    shown.store.apply(ui::FollowVisible{true}, {.session = shown.session});
    ui::items().enabled = true;
    const auto panel = ui::find_panel("breakdown")->make();
    shown.draw(*panel, {900, 300});
    ui::items().begin_frame();
    CHECK(ui::items().find("bar:rank 7"));
    CHECK(shown.session.results().running() == 0);   // no answer was requested
    ui::items().enabled = false;
}

TEST_CASE("the breakdown follows the filter if it does not follow the view") {
    Shown shown;
    shown.session.set_run(eight_ranks());
    ui::items().enabled = true;
    const auto panel = ui::find_panel("breakdown")->make();
    shown.draw(*panel, {900, 300});
    shown.session.set_filter(core::Filter{{{false, core::RankTerm{{{2, 2}}}}}});
    shown.draw(*panel, {900, 300});
    ui::items().begin_frame();
    ui::items().begin_frame();
    shown.draw(*panel, {900, 300});
    ui::items().begin_frame();
    CHECK(ui::items().find("bar:rank 2"));
    ui::items().enabled = false;
}
