// Closed runs are freed, whatever showed them: the window holds no run that the session doesn't.

#include "core/query/filter_text.hpp"
#include "tests/ui/driver/comparing_window.hpp"
#include "ui/widgets/chart_export.hpp"

using ui::testing::ComparingWindow;
using ui::testing::did;
using ui::testing::kBaseline;
using ui::testing::kCandidate;
using ui::testing::pair;

namespace {

struct WeakRun {
    explicit WeakRun(const core::RunPtr& of) : run(of), rank(of->rank(0).index) {}
    bool gone() const { return run.expired() && rank.expired(); }
    std::weak_ptr<const core::Run> run;
    std::weak_ptr<const core::RankIndex> rank;
};

// Uses every panel, search, area, path, series lanes and a selection.
struct UsedWindow : ComparingWindow {
    UsedWindow() : ComparingWindow(pair().baseline, pair().candidate) {
        did(driver->resize(1600, 1000));
        post(ui::ShowPath{true});
        post(ui::ShowSeries{true});
        did(driver->click("candidate-timeline/row:rank 0"));
        did(driver->key("/"));
        driver->frames(3);
        driver->type("gemm");
        did(driver->wait_idle());
        did(driver->drag("candidate-timeline/plot@0.3,0.9", "candidate-timeline/plot@0.6,0.9"));
        did(driver->wait_idle());
        for (const ui::PanelType& type : ui::all_panels()) post(ui::ShowPanel{std::string(type.id)});
        post(ui::ShowPanel{"kernels"});
        did(driver->right_click("kernels/row:0"));
        did(driver->click("row-menu/show"));
        did(driver->wait_idle());
        did(driver->hover("candidate-timeline/plot@0.5,0.5"));
        did(driver->key("n"));
        did(driver->wait_idle());
        post(ui::SwapRuns{});
        post(ui::Undo{});
    }
    WeakRun weak(core::Side side) { return WeakRun(driver->session().run(side)); }
    // Opens enough runs that undo cannot restore the first two; the cache checks for closed runs every 32 frames.
    void open_others() {
        for (int i = 0; i < 6; ++i) open(pair().baseline);
        driver->frames(40);
    }
};

}  // namespace

TEST_CASE_FIXTURE(UsedWindow, "a run that is closed is free although panels that are not shown were about it") {
    const WeakRun candidate = weak(kCandidate);
    const WeakRun baseline = weak(kBaseline);
    post(ui::CloseRun{kCandidate});
    CHECK_FALSE(candidate.gone());  // undo restores it
    open_others();
    CHECK(candidate.run.expired());
    CHECK(candidate.rank.expired());
    CHECK(baseline.gone());
}

TEST_CASE("a table whose menu was closed is free when another takes its place") {
    ComparingWindow window(pair().baseline, pair().candidate);
    window.post(ui::ShowPanel{"kernels"});
    did(window.driver->hover("kernels/row:0"));
    window.driver->frames(2);
    const std::weak_ptr<const core::Table> table = ui::chart_export().active_table()->table;
    did(window.driver->right_click("kernels/row:0"));
    window.driver->frames(2);
    REQUIRE(ui::items().find("row-menu/copy-table"));
    did(window.driver->key("esc"));
    window.post(ui::SetFilter{*core::parse_filter("rank:1")});
    window.driver->frames(2);
    CHECK(table.expired());
}
