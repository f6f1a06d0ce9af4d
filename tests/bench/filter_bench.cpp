// Time from a change of the filter until every visible panel and the timeline are fresh, in the
// window's own frames. Each filter is set twice: computed, then cached (the cost of undo). --blank:
// frames are not drawn, because a software renderer competes for processors.
//   bench_filter_bench [--blank] PATH [CANDIDATE]

#include "core/query/filter_text.hpp"
#include "ui/driver/driver.hpp"
#include "ui/model/panel.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kFilters[] = {"class:compute", "-class:memory",         "name:gemm",    "rank:0-3",
                                    "dur:>20us",     "name:/^(nccl|void).*/", "step:complete"};

double ms_since(Clock::time_point began) {
    return std::chrono::duration<double, std::milli>(Clock::now() - began).count();
}

// Draws frames until nothing is computed and the window shows the result.
double settle(ui::Driver& driver, ui::Intent intent) {
    const Clock::time_point began = Clock::now();
    driver.window().post(std::move(intent));
    while (driver.frame().busy()) driver.nap();
    return ms_since(began);
}

int fail(const core::Error& error) {
    std::fprintf(stderr, "filter_bench: %s\n", error.message.c_str());
    return 1;
}

}  // namespace

int main(int count, char** arguments) {
    ui::DriverOptions options{.rasterise = true};
    if (count > 1 && std::string_view(arguments[1]) == "--blank") {
        options.rasterise = false;
        --count;
        ++arguments;
    }
    if (count < 2) return fail({core::ErrorCode::BadInput, "needs the path of a run"});
    options.width = 1920;
    options.height = 1080;
    const auto driver = ui::Driver::open(options);
    if (!driver) return fail(driver.error());
    (*driver)->window().post(ui::OpenPaths{{arguments[1]}});
    if (const auto idle = (*driver)->wait_idle(); !idle) return fail(idle.error());
    if (count > 2) (*driver)->window().post(ui::OpenPaths{{arguments[2]}, core::Side::Candidate});
    if (const auto idle = (*driver)->wait_idle(); !idle) return fail(idle.error());
    const core::RunPtr run = (*driver)->session().run();
    if (!run) return fail({core::ErrorCode::NotFound, "nothing could be opened"});
    std::printf("%zu events, %zu ranks\n", run->event_count(), run->ranks().size());
    if (const core::RunPtr& candidate = (*driver)->session().run(core::Side::Candidate))
        std::printf("against %zu events, %zu ranks\n", candidate->event_count(), candidate->ranks().size());
    double slowest = 0;
    std::printf("%-18s %-26s %10s %10s\n", "panel", "filter", "first ms", "again ms");
    for (const ui::PanelType& panel : ui::all_panels()) {
        if (panel.drawer != ui::Drawer::Left) continue;
        (*driver)->window().post(ui::ShowPanel{std::string(panel.id)});
        settle(**driver, ui::SetFilter{});
        for (const char* text : kFilters) {
            // A term without effect makes the filter new to every panel.
            const std::string own = std::string(text) + " -name:" + std::string(panel.id) + "-is-no-kernel";
            const core::Result<core::Filter> filter = core::parse_filter(own);
            if (!filter) return fail(filter.error());
            const double first = settle(**driver, ui::SetFilter{*filter});
            slowest = std::max(slowest, first);
            settle(**driver, ui::Undo{});
            const double again = settle(**driver, ui::Redo{});
            std::printf("%-18s %-26s %10.1f %10.1f\n", std::string(panel.id).c_str(), text, first, again);
        }
    }
    std::printf("slowest %.1f ms\n", slowest);
    return 0;
}
