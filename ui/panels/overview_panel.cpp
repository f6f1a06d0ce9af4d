// Answers the first four questions about a run without a click.

#include "ui/charts/strip_plot.hpp"
#include "ui/model/charts/axis.hpp"
#include "ui/model/derived.hpp"
#include "ui/model/filter_clicks.hpp"
#include "ui/model/panels/overview_model.hpp"
#include "ui/model/weak_key.hpp"
#include "ui/panels/overview_both.hpp"
#include "ui/panels/panels.hpp"
#include "ui/panels/step_map.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/ask.hpp"
#include "ui/table/explain.hpp"
#include "ui/table/row_clicks.hpp"
#include "ui/widgets/status.hpp"

#include "core/base/format.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace ui {
namespace {

constexpr float kLabelWidth = 164;  // at scale 1

struct OverviewKey {
    WeakKey<core::Run> run;
    core::AnswerPtr breakdown;
    core::AnswerPtr steps;
    core::AnswerPtr stragglers;
    bool operator==(const OverviewKey&) const = default;
};

struct Line {
    std::string_view item = {};         // item name for scripts; empty: not clickable
    std::string_view label;
    std::string value;
    std::string note = {};              // muted text after the value, if there is room
    std::string_view hint = {};         // effect of a click
    ImU32 swatch = 0;
};

std::string duration_text(double ns) { return format_value(ns, core::Unit::Ns); }
std::string counted(std::size_t count, std::string_view one, std::string_view many) {
    return core::format_count(count).append(" ").append(count == 1 ? one : many);
}

ImU32 color_of_part(std::string_view part) {
    if (part == "compute") return color::palette().compute;
    if (part == "exposed_communication") return color::palette().communication;
    return part == "exposed_memory" ? color::palette().memory : color::palette().idle;
}

void draw_label(const Line& line) {
    float room = px(kLabelWidth - 8);
    if (line.swatch != 0) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float top = at.y + std::max(0.0f, (ImGui::GetTextLineHeight() - px(9)) / 2);
        draw_rect(ImGui::GetWindowDrawList(), {at.x, top}, {at.x + px(9), top + px(9)}, line.swatch, px(2));
        ImGui::SetCursorPosX(ImGui::GetCursorPosX() + px(15));
        room -= px(15);
    }
    muted_text(fit_text(ui_style(), line.label, room));
}

// Draws a line; true if it was clicked.
bool draw_line(const Line& line) {
    ImGui::PushID(line.label.data(), line.label.data() + line.label.size());
    const ImVec2 start = ImGui::GetCursorPos();
    bool clicked = false;
    if (!line.item.empty()) {
        clicked = selectable(("##" + std::string(line.item)).c_str(), false);
        tooltip(line.hint);
        ImGui::SetCursorPos(start);
    }
    draw_label(line);
    ImGui::SameLine(start.x + px(kLabelWidth), 0);
    const float room = ImGui::GetContentRegionAvail().x;
    text(fit_text(ui_style(), line.value, room));
    const float left = room - text_width(ui_style(), line.value) - px(10);
    if (!line.note.empty() && left > px(40)) {
        ImGui::SameLine(0, px(10));
        const std::string note = fit_text(ui_style(), line.note, left);
        muted_text(note);
        if (note != line.note) tooltip(line.note);
    }
    ImGui::PopID();
    return clicked;
}

class OverviewPanel final : public Panel {
public:
    void draw(Frame& frame) override;
    bool busy() const override { return (has_map_ && map_.busy()) || (shows_both_ ? both_.busy() : !model_.fresh()); }
    void describe(nlohmann::json& shown) const override;

private:
    void describe_run(nlohmann::json& shown) const;
    void draw_facts(const OverviewModel& model);
    void draw_step_time(Frame& frame, const StepTimes& steps);
    void draw_strip(Frame& frame, std::string_view label, const Spread& spread, const StepTimes& steps);
    void draw_worst_rank(Frame& frame, const WorstRank& worst);
    void draw_worst_step(Frame& frame, const StepTimes& steps);
    void draw_parts(Frame& frame, const OverviewModel& model);
    void draw_rest(Frame& frame, const OverviewModel& model);
    void choose_step(Frame& frame, const StepTime& step);

    Derived<OverviewKey, OverviewModel> model_;
    std::shared_ptr<const OverviewModel> shown_;
    OverviewBoth both_;
    StepMap map_{"overview/map"};
    bool has_map_ = false;
    bool shows_both_ = false;
    bool fresh_ = false;
};

void OverviewPanel::draw_facts(const OverviewModel& model) {
    std::string facts = describe_ranks(model) + "  \xC2\xB7  " + describe_steps(model.steps);
    facts += "  \xC2\xB7  " + core::format_duration(model.window.length());
    const FontScope font(heading_style());
    fitted_text(facts);
}

void OverviewPanel::choose_step(Frame& frame, const StepTime& step) {
    const Click click = click_kind();
    frame.intents.push_back(SetFilter{with_step(frame.session.filter(), step.step, click)});
    frame.intents.push_back(ShowRange{step.range});
}

void OverviewPanel::draw_strip(Frame& frame, std::string_view label, const Spread& spread, const StepTimes& steps) {
    if (spread.points.size() < 2) return;
    const bool of_ranks = &spread == &steps.over_ranks;
    const float left = ImGui::GetCursorPosX();
    muted_text(label);
    ImGui::SameLine(left + px(kLabelWidth), 0);
    const ChartNotes notes = notes_of_column(*core::find_analysis("steps"), "duration");
    const StripPlot plot{spread,
                         steps.all.least,
                         steps.all.greatest,
                         core::Unit::Ns,
                         of_ranks ? "rank" : "step",
                         of_ranks ? "Median step time" : "Longest step time",
                         &notes};
    const StripHit hit = draw_strip_plot(of_ranks ? "##over-ranks" : "##over-steps", plot,
                                         {ImGui::GetContentRegionAvail().x, ImGui::GetTextLineHeight()});
    if (!hit.clicked) return;
    if (!of_ranks) return choose_step(frame, steps.slowest[*hit.point]);
    const Click click = click_kind();
    const core::RankKey rank = core::RankKey::unpacked(spread.points[*hit.point].id);
    frame.intents.push_back(SetFilter{with_rank(frame.session.filter(), rank, click)});
}

void OverviewPanel::draw_worst_rank(Frame& frame, const WorstRank& worst) {
    Line line{"worst-rank", "Worst rank", "Rank " + core::format_rank(worst.rank)};
    if (worst.waited_ns > 0) {
        line.note = "others wait " + core::format_duration(core::Duration{worst.waited_ns});
        line.hint =
            "The other ranks together waited so long in collectives for this one, or for ranks that it made late. A "
            "click filters by the rank; the analysis stragglers tells more.";
    } else if (worst.by_step_time) {
        line.note = "step +" + core::format_ratio(worst.over);
        line.hint = "Its median step is that much longer than the median rank's. A click filters by the rank.";
    } else {
        line.note = core::format_ratio(worst.idle_share) + " idle";
        line.hint = "Steps take as long on every rank; this one idles most. A click filters by the rank.";
    }
    if (draw_line(line)) frame.intents.push_back(SetFilter{with_rank(frame.session.filter(), worst.rank)});
}

void OverviewPanel::draw_worst_step(Frame& frame, const StepTimes& steps) {
    if (steps.all.points.empty()) return;
    const StepTime& step = steps.slowest[steps.over_steps.at_greatest];
    Line line{"worst-step", "Worst step",
              "Step " + std::to_string(step.step) + ", rank " + core::format_rank(step.rank),
              duration_text(step.duration), "The longest step. A click filters by its number and shows it."};
    const double over = OverviewModel::over_median(steps.over_steps, step.duration);
    if (steps.over_steps.points.size() > 1 && over >= 0.001) line.note = "+" + core::format_ratio(over);
    if (draw_line(line)) choose_step(frame, step);
}

void OverviewPanel::draw_step_time(Frame& frame, const StepTimes& steps) {
    if (steps.all.points.empty()) return;
    std::string range;
    if (steps.all.greatest > steps.all.least)
        range = duration_text(steps.all.least) + " to " + duration_text(steps.all.greatest);
    draw_line({{}, "Step time, median", duration_text(steps.all.median), range});
    draw_strip(frame, "over ranks", steps.over_ranks, steps);
    draw_strip(frame, "over steps", steps.over_steps, steps);
}

void OverviewPanel::draw_parts(Frame& frame, const OverviewModel& model) {
    for (const TimePart& part : model.parts) {
        Line line{part.id, part.title, core::format_ratio(part.share)};
        line.swatch = color_of_part(part.id);
        line.hint = "Share of the ranks' windows. A click filters by the rank named.";
        if (model.ranks_with_parts > 1)
            line.note = (part.least_is_worst ? "least: rank " : "most: rank ") + core::format_rank(part.worst) + ", " +
                        core::format_ratio(part.worst_share);
        else
            line.item = {};
        if (draw_line(line)) frame.intents.push_back(SetFilter{with_rank(frame.session.filter(), part.worst)});
    }
}

// Diagnostics of reading, and environment.
void OverviewPanel::draw_rest(Frame& frame, const OverviewModel& model) {
    ImGui::Dummy({0, px(4)});
    if (!has_gpu_events(*frame.run()))
        draw_line({{}, "GPU", "no events", frame.run()->event_count() > 0 ? "CPU only" : ""});
    if (model.losses > 0) {
        const Line lost{"import",
                        "Reading",
                        counted(model.losses, "kind of repair or loss", "kinds of repair or loss"),
                        {},
                        "A click shows the import report."};
        if (draw_line(lost)) frame.intents.push_back(ShowPanel{"import"});
    }
    for (const EnvironmentLine& line : model.environment)
        draw_line(
            {{}, line.label, line.value, line.others > 0 ? "and " + core::format_count(line.others) + " more" : ""});
}

void OverviewPanel::draw(Frame& frame) {
    const core::RunPtr& run = frame.run();
    shown_ = nullptr;
    has_map_ = false;
    shows_both_ = frame.candidate != nullptr;
    if (!run) return empty_state("No run", "Open a folder of traces.");
    if (shows_both_) {
        both_.draw(frame, map_);
        has_map_ = both_.has_map();
        return;
    }
    const core::Request breakdown = ask(frame, "overview", "temporal-breakdown");
    const core::Request steps = ask(frame, "overview/steps", "steps");
    const core::Request stragglers = ask(frame, "overview/stragglers", "stragglers");
    const OverviewKey key{run, breakdown.answer, steps.answer, stragglers.answer};
    shown_ = model_.ask(frame.session.pool(), key, [run, key] {
        return OverviewModel::of(*run, key.breakdown ? &key.breakdown->main() : nullptr,
                                 key.steps ? &key.steps->main() : nullptr,
                                 key.stragglers ? &key.stragglers->main() : nullptr);
    });
    fresh_ = model_.fresh() && !breakdown.pending() && !steps.pending() && !stragglers.pending();
    if (!shown_) return;
    if (!fresh_)
        progress_line((breakdown.progress + steps.progress + stragglers.progress) / 3,
                      ImGui::GetContentRegionAvail().x);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {px(8), px(4)});
    ImGui::PushStyleVar(ImGuiStyleVar_Alpha, fresh_ ? 1.0f : kStaleAlpha);
    draw_facts(*shown_);
    ImGui::Dummy({0, px(2)});
    draw_step_time(frame, shown_->steps);
    if (shown_->worst_rank) draw_worst_rank(frame, *shown_->worst_rank);
    draw_worst_step(frame, shown_->steps);
    ImGui::Dummy({0, px(2)});
    draw_parts(frame, *shown_);
    for (const core::Request* request : {&breakdown, &steps, &stragglers})
        if (!request->error.empty()) text(request->error, color::palette().error);
    ImGui::PopStyleVar();
    has_map_ = shown_->steps.all.points.size() > 1;
    if (has_map_) {
        ImGui::Dummy({0, px(4)});
        map_.draw(frame, {ImGui::GetContentRegionAvail().x, StepMap::height_for(shown_->ranks)});
    }
    draw_rest(frame, *shown_);
    ImGui::PopStyleVar();
}

void OverviewPanel::describe(nlohmann::json& shown) const {
    if (shows_both_) both_.describe(shown);
    if (shown_) describe_run(shown);
    if (has_map_) map_.describe(shown["map"]);
}

void OverviewPanel::describe_run(nlohmann::json& shown) const {
    shown["fresh"] = fresh_;
    shown["ranks"] = shown_->ranks;
    if (shown_->world_size) shown["world_size"] = *shown_->world_size;
    shown["window_ns"] = shown_->window.length().count();
    shown["losses"] = shown_->losses;
    for (const TimePart& part : shown_->parts)
        shown["parts"][std::string(part.id)] = {{"time_ns", part.time},
                                                {"share", part.share},
                                                {"worst_rank", core::format_rank(part.worst)},
                                                {"worst_rank_share", part.worst_share}};
    for (const EnvironmentLine& line : shown_->environment) shown["environment"][line.label] = line.value;
    if (const auto& worst = shown_->worst_rank)
        shown["worst_rank"] = {{"rank", core::format_rank(worst->rank)},
                               {"by", worst->by_step_time ? "step_time" : "idle"},
                               {"value", worst->by_step_time ? worst->over : worst->idle_share}};
    const StepTimes& steps = shown_->steps;
    if (steps.all.points.empty()) return;
    shown["steps"] = {{"least_per_rank", steps.least_per_rank},
                      {"most_per_rank", steps.most_per_rank},
                      {"median_ns", steps.all.median},
                      {"least_ns", steps.all.least},
                      {"greatest_ns", steps.all.greatest}};
    for (const SpreadPoint& rank : steps.over_ranks.points)
        shown["steps"]["median_ns_by_rank"][rank.label] = rank.value;
    for (const SpreadPoint& step : steps.over_steps.points)
        shown["steps"]["longest_ns_by_step"][step.label] = step.value;
    const StepTime& worst = steps.slowest[steps.over_steps.at_greatest];
    shown["worst_step"] = {
        {"step", worst.step}, {"rank", core::format_rank(worst.rank)}, {"duration_ns", worst.duration}};
}

}  // namespace

std::string describe_ranks(const OverviewModel& model) {
    const auto all = static_cast<std::size_t>(std::max(0, model.world_size.value_or(0)));
    const bool is_known = all > 0 && all >= model.ranks;  // files may state fewer ranks than there are
    if (model.ranks == 1 && all <= 1) return "1 rank";
    return core::format_count(model.ranks) + (is_known ? " of " + core::format_count(all) : "") + " ranks";
}

std::string describe_steps(const StepTimes& steps) {
    if (steps.all.points.empty()) return "no steps";
    if (steps.least_per_rank == steps.most_per_rank) return counted(steps.most_per_rank, "step", "steps");
    return core::format_count(steps.least_per_rank) + "\xE2\x80\x93" + core::format_count(steps.most_per_rank) +
           " steps";
}

std::unique_ptr<Panel> make_overview_panel() { return std::make_unique<OverviewPanel>(); }

}  // namespace ui
