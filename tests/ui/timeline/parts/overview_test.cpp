// The strip of the whole run: its scale and contents.

#include "ui/timeline/parts/overview.hpp"

#include "core/query/filter_text.hpp"
#include "tests/core/trace_fixture.hpp"
#include "tests/ui/timeline/parts/timeline_bench.hpp"

#include <doctest/doctest.h>

using core::testing::run_of;
using core::testing::TraceFixture;
using ui::testing::Bench;

namespace {

core::RunPtr two_ranks(bool gemms_only) {
    std::vector<core::RankTracePtr> traces;
    for (int rank = 0; rank < 2; ++rank) {
        TraceFixture trace;
        trace.rank(rank).kernel(0, 1, "gemm_edge").kernel(9'999, 1, "gemm_edge");
        for (int i = 0; i < 20; ++i) {
            trace.kernel(100 + i * 400 + rank * 10, 150, "gemm");
            if (!gemms_only) trace.kernel(150 + i * 400, 200, "ncclDevKernel_AllReduce", 20);
            if (!gemms_only) trace.kernel(260 + i * 400, 60, "relu");
        }
        traces.push_back(trace.build());
    }
    return run_of(traces);
}

}  // namespace

TEST_CASE("while the timeline shows the whole run, the strip above has its scale; else it marks what is shown") {
    Bench bench(two_ranks(false));
    bench.change_view([&](ui::View& view) {
        view.whole = view.time;
        view.fitted = true;
    });
    bench.frames(2);
    nlohmann::json shown = bench.described();
    const double width = bench.view().time.width_px;
    CHECK(shown["overview"]["px_per_ns"] == bench.view().time.px_per_ns);
    CHECK(shown["overview"]["marked_px"] == nlohmann::json{0.0, width});
    const double px_per_ns = shown["overview"]["px_per_ns"];
    const core::RunTime begin = bench.view().time.t0;
    bench.change_view([&](ui::View& view) { view.time.fit({core::run_time(2'000), core::run_time(4'500)}, 0); });
    bench.frames(2);
    shown = bench.described();
    CHECK(shown["overview"]["px_per_ns"] == px_per_ns);
    CHECK(shown["overview"]["marked_px"][0].get<double>() ==
          doctest::Approx(static_cast<double>((core::run_time(2'000) - begin).count()) * px_per_ns).epsilon(0.02));
    CHECK(shown["overview"]["marked_px"][1].get<double>() ==
          doctest::Approx(static_cast<double>((core::run_time(4'500) - begin).count()) * px_per_ns).epsilon(0.02));
}

TEST_CASE("the strip of a run longer than what the timeline calls whole shows all of it") {
    ui::View view;
    view.time.width_px = 100;
    view.time.fit({core::run_time(0), core::run_time(1'000)});
    view.whole = view.time;
    view.fitted = true;
    const core::RunRange bounds{core::run_time(0), core::run_time(5'000)};
    const ui::TimeView strip = ui::find_overview_view(view, bounds, 200);
    CHECK(strip.to_px(view.whole.range().begin) == doctest::Approx(0).epsilon(0.01));
    CHECK(strip.to_px(bounds.end) == doctest::Approx(200));
    view.fitted = false;
    CHECK(ui::find_overview_view(view, bounds, 200).to_px(bounds.begin) == doctest::Approx(0));
}

TEST_CASE("highlights are the strip of a run that has nothing but the events that pass") {
    const core::RunPtr run = two_ranks(false);
    const core::RunPtr only = two_ranks(true);
    ui::TimeView whole;
    whole.width_px = 300;
    whole.fit(run->window(), 0);
    ui::OverviewRanks ranks;
    ranks.some = ranks.highlights = true;
    for (std::uint32_t slot = 0; slot < 2; ++slot)
        ranks.chosen.push_back(
            {slot, core::Selection::build(*run, slot, core::parse_filter("name:gemm").value(), {}).value()});
    std::vector<std::uint32_t> highlights(300);
    ui::collect_overview(*run, ranks, ui::ShownWork::Chosen, nullptr, whole, highlights);
    std::vector<std::uint32_t> expected(300);
    ui::collect_overview(*only, {}, ui::ShownWork::All, nullptr, whole, expected);
    CHECK(highlights == expected);
    // A rank with an unknown selection has no highlights.
    ranks.chosen.front().selection = nullptr;
    ui::collect_overview(*run, ranks, ui::ShownWork::Chosen, nullptr, whole, highlights);
    CHECK(highlights != expected);
}
