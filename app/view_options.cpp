#include "app/view_options.hpp"

#include "core/collectives/choose_clocks.hpp"
#include "ui/model/panel.hpp"

#include <algorithm>
#include <charconv>

namespace app {
namespace {

constexpr float kLeastScale = 0.5f;
constexpr float kMostScale = 4;

constexpr Option kViewOptions[] = {
    {"--panel", "ID", "the panel to show: breakdown, kernels, kernel-durations, details, ..."},
    {"--goto", "PLACE",
     "the place to show once everything is read: rank=3,t=1.2345s or step=12; span=2ms sets the visible time"},
    {"--baseline", "PATH", "the run to compare with, as the first of two paths; repeat for more of its files"},
    {"--candidate", "PATH", "the run that is compared, as the second of two paths; repeat for more of its files"},
    {"--theme", "NAME", "dark, light or safe (for colour blindness)"},
    {"--scale", "FACTOR", "scale of fonts and sizes, 0.5 to 4 (the monitor's)"},
};

core::Result<float> read_scale(const Options& options) {
    const std::string text = options.last("--scale");
    if (text.empty()) return 0.0f;
    float scale = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), scale);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    if (!whole || !(scale >= kLeastScale && scale <= kMostScale))
        return core::bad_input("--scale: '" + text + "' is not a number from 0.5 to 4");
    return scale;
}

core::Result<std::string> read_panel(const Options& options) {
    std::string id = options.last("--panel");
    if (id.empty() || ui::find_panel(id)) return id;
    std::string known;
    for (const ui::PanelType& panel : ui::all_panels()) known += (known.empty() ? "" : ", ") + std::string(panel.id);
    return core::bad_input("--panel: there is no '" + id + "'; known are " + known);
}

// Exactly two paths are baseline and candidate; any other number is one run.
core::Result<bool> read_named_runs(const Options& options, ViewOptions& view) {
    const std::vector<std::string> baseline = options.all("--baseline");
    const std::vector<std::string> candidate = options.all("--candidate");
    if (!baseline.empty() && !view.paths.empty()) return core::bad_input("--baseline: a path was given as well");
    view.paths.insert(view.paths.end(), baseline.begin(), baseline.end());
    if (!candidate.empty() && view.paths.empty()) return core::bad_input("--candidate: there is no baseline");
    if (!candidate.empty()) {
        view.candidate.assign(candidate.begin(), candidate.end());
    } else if (view.paths.size() == 2 && baseline.empty()) {
        view.candidate.push_back(std::move(view.paths.back()));
        view.paths.pop_back();
    }
    return true;
}

}  // namespace

std::span<const Option> view_options() { return kViewOptions; }

core::Result<ViewOptions> read_view_options(const Options& options) {
    ViewOptions view;
    view.paths.assign(options.words().begin(), options.words().end());
    if (core::Result<bool> named = read_named_runs(options, view); !named) return std::move(named).error();
    core::Result<core::Filter> filter = read_filter(options);
    if (!filter) return std::move(filter).error();
    view.filter = std::move(filter).value();
    core::Result<std::string> panel = read_panel(options);
    if (!panel) return std::move(panel).error();
    view.panel = std::move(panel).value();
    if (options.has("--goto")) {
        if (view.paths.empty()) return core::bad_input("--goto: needs a run");
        core::Result<ui::Place> parsed = ui::parse_place(options.last("--goto"));
        if (!parsed) return std::move(parsed).error().within("--goto");
        view.place = *std::move(parsed);
    }
    if (options.has("--theme")) {
        view.theme = ui::find_theme(options.last("--theme"));
        if (!view.theme)
            return core::bad_input("--theme: there is no '" + options.last("--theme") +
                                   "'; known are dark, light, safe");
    }
    const core::Result<float> scale = read_scale(options);
    if (!scale) return scale.error();
    view.scale = *scale;
    const core::Result<Loading> loading = read_loading(options, true);
    if (!loading) return loading.error();
    view.loading = *loading;
    return view;
}

void post_runs(ui::MainWindow& main, const ViewOptions& view) {
    for (const core::Side side : core::kSides) {
        const std::vector<std::filesystem::path>& paths = side == core::Side::Baseline ? view.paths : view.candidate;
        if (paths.empty()) continue;
        main.post(ui::OpenPaths{paths, side, view.watch});
        if (view.loading.clocks != core::ClockChoice::Auto) main.post(ui::SetClocks{view.loading.clocks, side});
    }
}

}  // namespace app
