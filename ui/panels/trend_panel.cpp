// The mean step of successive runs: those next to the open one, or the named baselines, with levels and change points.
// Runs are read on request, one after another; a click opens a run next to its predecessor.

#include "ui/charts/trend_plot.hpp"
#include "ui/model/panel.hpp"
#include "ui/model/panels/trend_model.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"

#include "core/base/format.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace ui {
namespace {

using core::Side;

class TrendPanel final : public Panel {
public:
    void draw(Frame& frame) override;
    bool busy() const override { return model_.busy(); }
    void describe(nlohmann::json& shown) const override;

private:
    void update(const Frame& frame);
    void draw_controls(const Frame& frame);
    void draw_sources() const;
    void draw_series(Frame& frame);
    void open_pair(Frame& frame, std::size_t place) const;

    TrendModel model_;
    int of_ = 0;
    std::vector<std::filesystem::path> listed_of_;  // paths of the open run
    std::vector<TrendLevel> levels_;
};

std::vector<std::filesystem::path> open_paths(const Frame& frame) {
    const core::RunLoad* const load = frame.session.load(Side::Baseline);
    return load ? load->paths() : std::vector<std::filesystem::path>{};
}

void TrendPanel::update(const Frame& frame) {
    const std::vector<std::filesystem::path> paths = open_paths(frame);
    const auto of = static_cast<TrendOf>(of_);
    const auto is_known = [&] {  // opening a run from the list keeps the list
        return std::ranges::any_of(model_.sources(), [&](const TrendSource& source) {
            std::error_code ignored;
            return paths.size() == 1 && std::filesystem::equivalent(source.path, paths.front(), ignored);
        });
    };
    if (!model_.is_listed() || model_.of() != of || (of == TrendOf::Neighbours && paths != listed_of_ && !is_known())) {
        model_.list(frame.session.pool(), of, paths);
    }
    listed_of_ = paths;
    const core::IndexFiles files =
        frame.session.index_files_allowed() ? frame.session.index_files() : core::IndexFiles::Ignore;
    if (model_.update(frame.session.pool(), files)) levels_ = model_.levels();
}

void TrendPanel::draw_controls(const Frame&) {
    {
        const ItemScope scope("of");
        choose("of", {"Runs next to this one", "Named baselines"}, of_);
    }
    tooltip("Name them with  lockstep baseline tag NAME RUN");
    const std::size_t all = model_.sources().size(), done = model_.measured();
    if (all == 0) return;
    same_line_for(px(180), px(16));
    if (model_.is_measuring()) {
        if (button("Stop##measure")) model_.stop();
    } else if (done < all) {
        if (button(("Read " + core::format_plural(all - done, "run", "runs") + "##measure").c_str())) model_.measure();
        tooltip(
            "Reads one run after another for the median of its steps, each on its slowest rank, without the first "
            "step and without a filter");
    }
    same_line_for(px(120), px(12));
    ImGui::AlignTextToFramePadding();
    muted_text(core::format_count(static_cast<std::uint64_t>(done)) + " of " + core::format_plural(all, "run", "runs") +
               " read");
}

// The first failed run; hovering shows all.
void TrendPanel::draw_sources() const {
    std::string all;
    std::size_t failed = 0;
    for (const TrendSource& source : model_.sources()) {
        if (source.failed.empty()) continue;
        ++failed;
        all.append(all.empty() ? "" : "\n").append(source.name).append(": ").append(source.failed);
    }
    if (failed == 0) return;
    const FontScope font(small_style());
    fitted_text(core::format_plural(failed, "run", "runs") + " could not be read: " + all, color::palette().warning);
    tooltip(all);
}

void TrendPanel::open_pair(Frame& frame, std::size_t place) const {
    const TrendSource* const run = model_.source_at(place);
    const TrendSource* const before = place > 0 ? model_.source_at(place - 1) : nullptr;
    if (!run) return;
    if (!before) {
        frame.intents.push_back(OpenPaths{{run->path}, Side::Baseline});
        return;
    }
    frame.intents.push_back(OpenPaths{{before->path}, Side::Baseline});
    frame.intents.push_back(OpenPaths{{run->path}, Side::Candidate});
}

void TrendPanel::draw_series(Frame& frame) {
    const core::RunSeries& series = model_.series();
    fitted_text(core::describe_latest(series));
    {
        const FontScope font(small_style());
        const std::size_t without = series.runs.size() - series.with_values.size();
        std::string words = series.with_values.size() < core::stats::kLeastSeries
                                ? "Fewer than 6 runs with steps: no change points"
                                : core::format_plural(series.points.size(), "change point", "change points");
        if (without > 0) words += "; " + core::format_plural(without, "run", "runs") + " without steps";
        fitted_text(words + "; median of each run's steps on the slowest rank, by start", color::palette().muted);
    }
    if (series.with_values.empty()) return empty_state("No steps", "None of these runs has step marks.");
    const TrendHit hit =
        draw_trend_plot("trend", {.series = series, .levels = levels_, .open = {}}, ImGui::GetContentRegionAvail());
    if (hit.clicked) open_pair(frame, *hit.clicked);
}

void TrendPanel::draw(Frame& frame) {
    if (!frame.run()) return empty_state("No run", "Open a folder of traces.");
    update(frame);
    draw_controls(frame);
    draw_sources();
    if (!model_.error().empty()) return empty_state("No list of runs", model_.error());
    if (model_.is_listing()) return;
    if (model_.sources().empty()) {
        if (of_ == 1) return empty_state("No named baselines", "lockstep baseline tag NAME RUN  names one.");
        return empty_state("No runs next to this one", "A run opened from several paths has no neighbours.");
    }
    if (model_.series().runs.empty())
        return empty_state(core::format_plural(model_.sources().size(), "run", "runs"),
                           "Reading takes as long as opening them.");
    draw_series(frame);
}

void TrendPanel::describe(nlohmann::json& shown) const {
    shown["of"] = of_ == 0 ? "neighbours" : "baselines";
    shown["error"] = model_.error();
    shown["sources"] = nlohmann::json::array();
    for (const TrendSource& source : model_.sources())
        shown["sources"].push_back({{"run", source.name}, {"failed", source.failed}});
    const core::RunSeries& series = model_.series();
    shown["measured"] = model_.measured();
    shown["latest"] = core::describe_latest(series);
    shown["runs"] = nlohmann::json::array();
    for (const std::size_t run : series.with_values)
        shown["runs"].push_back({{"run", series.runs[run].name}, {"step_ns", *series.runs[run].ns}});
    shown["change_points"] = nlohmann::json::array();
    for (const core::stats::ChangePoint& point : series.points)
        shown["change_points"].push_back({{"index", point.index}, {"p", point.p}});
}

}  // namespace

std::unique_ptr<Panel> make_trend_panel() { return std::make_unique<TrendPanel>(); }

}  // namespace ui
