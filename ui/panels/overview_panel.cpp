// First questions about a run, or about two, answered without a click.

#include "core/analysis/catalogue/registry.hpp"
#include "core/charts/axis.hpp"
#include "ui/charts/logged_plot.hpp"
#include "ui/charts/strip_plot.hpp"
#include "ui/model/deferred.hpp"
#include "ui/model/filter_clicks.hpp"
#include "ui/model/panel.hpp"
#include "ui/model/panels/scope_text.hpp"
#include "ui/model/weak_key.hpp"
#include "ui/panels/breakdown_parts.hpp"
#include "ui/panels/efficiency/health_lights.hpp"
#include "ui/panels/overview_lines.hpp"
#include "ui/panels/step_map.hpp"
#include "ui/style/hatch.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/style/wrap.hpp"
#include "ui/table/ask.hpp"
#include "ui/table/explainer.hpp"
#include "ui/table/row_clicks.hpp"
#include "ui/widgets/status.hpp"

#include "core/base/format.hpp"
#include "core/diff/statistics/statistics_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

namespace ui {
namespace {

// One side's run and answers; empty for an absent side.
struct OverviewKey {
    WeakKey<core::Run> run;
    core::Filter filter;
    core::AnswerPtr breakdown;
    core::AnswerPtr steps;
    core::AnswerPtr stragglers;
    core::AnswerPtr findings;
    core::StatisticsOptions statistics;  // of two runs
    bool operator==(const OverviewKey&) const = default;
};

const core::Table* main_table(const core::AnswerPtr& answer) { return answer ? &answer->main() : nullptr; }
std::string duration_text(double ns) { return core::format_value(ns, core::Unit::Ns); }

ImU32 color_of_part(std::string_view part) {
    if (part == "compute") return color::palette().compute;
    if (part == "exposed_communication") return color::palette().communication;
    return part == "exposed_memory" ? color::palette().memory : color::palette().idle;
}

const StepTime& worst_step(const StepTimes& steps) { return steps.slowest[steps.over_steps.at_greatest]; }

// Removes terms that choose events: they don't change shares of time. Ranks, steps, streams and time remain.
core::Filter without_choices(core::Filter filter) {
    std::erase_if(filter.terms, [](const core::FilterTerm& term) {
        return !core::chooses_work(term) && !std::holds_alternative<core::RankTerm>(term.what) &&
               !std::holds_alternative<core::CaptureTerm>(term.what) &&
               !std::holds_alternative<core::TimeTerm>(term.what);
    });
    return filter;
}

class OverviewPanel final : public Panel {
public:
    void draw(Frame& frame) override;
    bool busy() const override {
        return (has_map_ && map_.busy()) || model_.busy() || health_.baseline.busy() ||
               (shown_ && shown_->change && health_.candidate.busy());
    }
    void describe(nlohmann::json& shown) const override;

private:
    void ask_model(Frame& frame);  // sets shown_, fresh_, progress_ and errors_
    void draw_run(Frame& frame);
    void draw_both(Frame& frame);
    // One run.
    void draw_facts();
    void draw_step_time(Frame& frame, const StepTimes& steps);
    void draw_strip(Frame& frame, std::string_view label, bool of_ranks);
    void draw_worst_rank(Frame& frame, const WorstRank& worst);
    void draw_worst_step(Frame& frame, const StepTimes& steps);
    void draw_parts(Frame& frame);
    void draw_training_log();
    void draw_rest(Frame& frame);
    void draw_bound(Frame& frame);
    void draw_health(Frame& frame);
    // Two runs.
    void draw_verdict();
    void draw_numbers();
    void draw_strips(Frame& frame, bool of_ranks);
    void draw_worst_of_both(Frame& frame);
    void draw_logs_of_both();
    void draw_environments();
    void draw_health_of_both(Frame& frame);
    // Either.
    void draw_plot(Frame& frame, core::Side side, bool of_ranks, double low, double high, ImVec2 size);
    void draw_map(Frame& frame, ImVec2 spacing, float width);
    std::string find_scope(Frame& frame);
    void draw_errors();
    void choose_rank(Frame& frame, core::Side side, core::RankKey key);
    void choose_step(Frame& frame, core::Side side, const StepTime& step);
    void describe_run(nlohmann::json& shown) const;
    void describe_both(nlohmann::json& shown) const;
    const RunOverview& run(core::Side side = core::Side::Baseline) const { return *shown_->sides[side]; }

    Deferred<core::BySide<OverviewKey>, OverviewModel> model_;
    std::shared_ptr<const OverviewModel> shown_;
    std::vector<std::string> errors_;
    core::BySide<ScopeText> scopes_;
    core::BySide<HealthLights> health_;
    std::string scope_words_;
    double progress_ = 0;
    StepMap map_{"overview/map"};
    bool has_map_ = false;
    bool fresh_ = false;
};

void OverviewPanel::choose_rank(Frame& frame, core::Side side, core::RankKey key) {
    const Click click = click_kind();
    if (const auto rank = find_named_rank(frame.session.alignment(), side, key))
        frame.intents.push_back(SetFilter{with_rank(frame.session.filter(), *rank, click)});
}

void OverviewPanel::choose_step(Frame& frame, core::Side side, const StepTime& step) {
    const Click click = click_kind();
    if (const auto number = find_named_step(frame.session.alignment(), side, step.step))
        frame.intents.push_back(SetFilter{with_step(frame.session.filter(), *number, click)});
    frame.of(side).intents.push_back(ShowRange{step.range});
}

// Spread of a side's step times over its ranks or its steps. A click filters by the rank or the step.
void OverviewPanel::draw_plot(Frame& frame, core::Side side, bool of_ranks, double low, double high, ImVec2 size) {
    const StepTimes& steps = run(side).steps;
    const ChartNotes notes = notes_of_column(*core::find_analysis("steps"), "duration");
    const std::string kind = of_ranks ? "rank" : "step";
    const std::string name = shown_->change ? std::string(name_of(side)) + " " + kind : kind;
    const StripPlot plot{.spread = of_ranks ? steps.over_ranks : steps.over_steps,
                         .low = low,
                         .high = high,
                         .unit = core::Unit::Ns,
                         .name = name,
                         .value_name = of_ranks ? "Median step time" : "Longest step time",
                         .notes = &notes};
    const std::string id = "##" + name_with_side(of_ranks ? "over-ranks" : "over-steps", side);
    const StripHit hit = draw_strip_plot(id.c_str(), plot, size);
    if (!hit.clicked) return;
    if (of_ranks)
        choose_rank(frame, side, core::RankKey::unpacked(plot.spread.points[*hit.point].id));
    else
        choose_step(frame, side, steps.slowest[*hit.point]);
}

void OverviewPanel::draw_map(Frame& frame, ImVec2 spacing, float width) {
    if (!has_map_) return;
    ImGui::Dummy(spacing);
    std::size_t ranks = 0;
    for (const core::Side side : sides_of(frame)) ranks = std::max(ranks, run(side).ranks.ranks);
    map_.draw(frame, {width, StepMap::height_for(ranks)});
}

// Scope of the panel: names and classes are ignored by shares, step times and waits.
std::string OverviewPanel::find_scope(Frame& frame) {
    std::string words;
    for (const core::Side side : sides_of(frame)) {
        const Frame& own = frame.of(side);
        const std::string& scope = scopes_[side].ask(own.run(), own.filter(), {.of_all_work = true});
        if (words == scope) continue;
        words += (words.empty() ? "" : "  |  ") + scope;
    }
    return words;
}

void OverviewPanel::draw_errors() {
    for (const std::string& error : errors_) text(error, color::palette().error);
}

void OverviewPanel::draw_facts() {
    const FontScope font(heading_style());
    fitted_text(describe_facts(run()) + "  \xC2\xB7  " + core::format_duration(run().window.length()));
}

void OverviewPanel::draw_strip(Frame& frame, std::string_view label, bool of_ranks) {
    const StepTimes& steps = run().steps;
    if ((of_ranks ? steps.over_ranks : steps.over_steps).points.size() < 2) return;
    const float left = ImGui::GetCursorPosX();
    muted_text(label);
    ImGui::SameLine(left + px(kOverviewLabel), 0);
    draw_plot(frame, core::Side::Baseline, of_ranks, steps.all.least, steps.all.greatest,
              {ImGui::GetContentRegionAvail().x, ImGui::GetTextLineHeight()});
}

void OverviewPanel::draw_worst_rank(Frame& frame, const WorstRank& worst) {
    OverviewLine line{.item = "worst-rank", .label = "Worst rank", .value = "Rank " + core::format_rank(worst.rank)};
    if (worst.is_late) {
        line.note = worst.waited_ns == 0 ? "holds up the run"
                                         : "others wait " + core::format_duration(core::Duration{worst.waited_ns});
        line.hint =
            "How long the other ranks together waited in collectives for this one, or for ranks that it delayed. A "
            "click filters by the rank; the analysis stragglers has details.";
    } else if (worst.by_step_time) {
        line.note = "step +" + core::format_ratio(worst.over);
        line.hint = "Its median step is that much longer than the median rank's. A click filters by the rank.";
    } else {
        line.note = core::format_ratio(worst.idle_share) + " idle";
        line.hint =
            "Steps are equally long on every rank. This rank has the most idle time. A click filters by the rank.";
    }
    if (draw_overview_line(line)) frame.intents.push_back(SetFilter{with_rank(frame.session.filter(), worst.rank)});
}

void OverviewPanel::draw_worst_step(Frame& frame, const StepTimes& steps) {
    if (steps.all.points.empty()) return;
    if (!steps.worst_stands_out)
        return static_cast<void>(draw_overview_line({.label = "Worst step", .value = "none stands out"}));
    const StepTime& step = worst_step(steps);
    OverviewLine line{.item = "worst-step",
                      .label = "Worst step",
                      .value = "Step " + std::to_string(step.step) + ", rank " + core::format_rank(step.rank),
                      .note = duration_text(step.duration),
                      .hint = "The longest step. A click filters by its number and shows it."};
    const double over = RunOverview::over_median(steps.over_steps, step.duration);
    if (steps.over_steps.points.size() > 1 && over >= 0.001) line.note = "+" + core::format_ratio(over);
    if (draw_overview_line(line)) choose_step(frame, core::Side::Baseline, step);
}

void OverviewPanel::draw_step_time(Frame& frame, const StepTimes& steps) {
    if (steps.all.points.empty()) return;
    // The median, the number of steps, the extremes, and the excluded warm-up.
    std::string of = "of " + core::format_count(steps.all.points.size());
    if (steps.all.greatest > steps.all.least)
        of += ", " + duration_text(steps.all.least) + " to " + duration_text(steps.all.greatest);
    if (!steps.warm_up.empty())
        of += "; without warm-up " + core::format_plural(steps.warm_up.size(), "step", "steps") +
              (steps.warm_up.size() == 1 ? " (" + std::to_string(steps.warm_up.front()) + ")" : "");
    draw_overview_line({.label = "Step time, median", .value = duration_text(steps.all.median), .note = of});
    draw_strip(frame, "over ranks", true);
    draw_strip(frame, "over steps", false);
}

void OverviewPanel::draw_parts(Frame& frame) {
    for (const TimePart& part : run().parts) {
        OverviewLine line{.item = part.id, .label = part.title, .value = core::format_ratio(part.share)};
        line.swatch = color_of_part(part.id);
        line.bar = part.share;
        line.one_line = true;
        line.hint = part.least_is_worst
                        ? "Share of the ranks' windows, and the rank with least of it. A click filters by that rank."
                        : "Share of the ranks' windows, and the rank with most of it. A click filters by that rank.";
        if (run().ranks_with_parts > 1)
            line.note = "rank " + core::format_rank(part.worst) + ": " + core::format_ratio(part.worst_share);
        else
            line.item = {};
        if (draw_overview_line(line)) frame.intents.push_back(SetFilter{with_rank(frame.session.filter(), part.worst)});
        if (part.waiting.value_or(0) <= 0) continue;
        const ImU32 lighter = color::mix(color::palette().panel, color_of_part(part.id), 0.6f);
        draw_overview_line({.label = "of which waiting",
                            .value = core::format_ratio(*part.waiting),
                            .note = "for a later rank",
                            .swatch = lighter,
                            .one_line = true,
                            .bar = *part.waiting});
        draw_overview_line({.label = "of which transfer",
                            .value = core::format_ratio(part.share - *part.waiting),
                            .swatch = lighter,
                            .one_line = true,
                            .bar = part.share - *part.waiting});
    }
    const std::vector<core::RankKey>& unknown = run().ranks_without_parts;
    if (unknown.empty()) return;
    const std::string ranks = unknown.size() == 1 ? "rank " + core::format_rank(unknown.front())
                                                  : core::format_count(unknown.size()) + " ranks";
    draw_overview_line(
        {.label = run().parts.empty() ? "Compute, idle" : "Left out",
         .value = run().parts.empty() ? "unknown" : ranks,
         .note = run().parts.empty() ? "launches of " + ranks + " have no GPU event" : "launches have no GPU event",
         .hint = "What the GPU did for these launches was not recorded: it was not idle. Import has "
                 "their number."});
}

// Times of the whole job, while the traces have a few steps of it.
void OverviewPanel::draw_training_log() {
    if (!run().logged) return;
    ImGui::Dummy({0, px(2)});
    draw_overview_line({.label = "Logged iterations",
                        .value = duration_text(run().logged->median),
                        .note = run().logged->describe(),
                        .hint = "The median of the training log: times that the program measured on its host, over "
                                "the whole job. The analysis training-log has the lines."});
    draw_logged_plot("##training-log", *run().logged, {ImGui::GetContentRegionAvail().x, px(56)});
}

void OverviewPanel::draw_bound(Frame& frame) {
    const HealthModel* const health = health_.baseline.shown();
    if (!health || !health->verdict) return;
    const std::string hint = health->verdict->tooltip();
    const OverviewLine line{.item = "verdict",
                            .label = "Verdict",
                            .value = health->verdict->verdict,
                            .note = health->verdict->evidence,
                            .hint = hint,
                            .one_line = true};
    if (draw_overview_line(line)) health_.baseline.go_to_verdict(frame);
}

// The worst status in words, then the lights.
void OverviewPanel::draw_health(Frame& frame) {
    const HealthModel* const health = health_.baseline.shown();
    if (!health || health->lights.empty()) return;
    const std::string summary = health->summary();
    const std::size_t worst = std::min(summary.find(", "), summary.size());
    draw_overview_line({.label = "Health",
                        .value = summary.substr(0, worst),
                        .note = worst < summary.size() ? summary.substr(worst + 2) : std::string()});
    health_.baseline.draw_lights(frame, core::Side::Baseline);
    ImGui::Dummy({0, px(2)});
}

void OverviewPanel::draw_health_of_both(Frame& frame) {
    core::BySide<std::string> verdicts, summaries;
    for (const core::Side side : core::kSides) {
        const HealthModel* const health = health_[side].shown();
        if (!health) continue;
        if (health->verdict) verdicts[side] = health->verdict->verdict;
        summaries[side] = health->summary();
    }
    if (summaries.baseline.empty() && summaries.candidate.empty()) return;
    if (const auto clicked =
            draw_overview_halves("Verdict", "verdict", verdicts, "What bounds the run. A click shows the evidence."))
        health_[*clicked].go_to_verdict(frame.of(*clicked));
    draw_overview_halves("Health", "", summaries, "");
    for (const core::Side side : core::kSides) {
        if (summaries[side].empty()) continue;
        const ImVec2 at = ImGui::GetCursorScreenPos();
        ImGui::Indent(px(8));
        health_[side].draw_lights(frame.of(side), side);
        ImGui::Unindent(px(8));
        draw_rect(ImGui::GetWindowDrawList(), {at.x, at.y + px(2)},
                  {at.x + px(2), ImGui::GetCursorScreenPos().y - px(2)}, color::of_side(side));
        ImGui::Dummy({0, px(4)});
    }
}

// Diagnostics of reading, and environment.
void OverviewPanel::draw_rest(Frame& frame) {
    ImGui::Dummy({0, px(4)});
    if (const auto& without = run().without_gpu) {
        const bool leads_on = !without->is_usual();
        std::string hint = leads_on ? "A click shows their contents." : "";
        if (!without->advice.empty()) hint += (hint.empty() ? "" : " ") + std::string(without->advice);
        const OverviewLine line{.item = leads_on ? "without-gpu" : "",
                                .label = "GPU",
                                .value = "no events",
                                .note = without->words,
                                .hint = hint};
        if (draw_overview_line(line) && leads_on) {
            if (!without->panel.empty()) frame.intents.push_back(ShowPanel{std::string(without->panel)});
            if (!without->analysis.empty()) frame.intents.push_back(ShowAnalysis{std::string(without->analysis)});
            if (!without->communication.empty())
                frame.intents.push_back(ShowCommunication{std::string(without->communication)});
        }
    }
    if (run().losses > 0) {
        const OverviewLine lost{.item = "import",
                                .label = "Reading",
                                .value = core::format_plural(run().losses, "data problem", "data problems"),
                                .hint = "A click shows the import report."};
        if (draw_overview_line(lost)) frame.intents.push_back(ShowPanel{"import"});
    }
    for (const EnvironmentLine& line : run().environment)
        draw_overview_line({.label = line.label,
                            .value = line.value,
                            .note = line.others > 0 ? "and " + core::format_count(line.others) + " more" : ""});
}

// Verdict, its basis, and notes.
void OverviewPanel::draw_verdict() {
    const OverviewChange& change = *shown_->change;
    const std::string verdict = describe_verdict(change);
    {
        const FontScope font(heading_style());
        wrapped_text(change.has_steps() ? core::describe_step_briefly(change.step) : verdict, color::palette().text);
    }
    const FontScope font(small_style());
    if (change.has_steps()) {
        wrapped_text(verdict, color::palette().muted);
        std::string notes;
        for (const std::string& note : core::note_statistics(change.step)) notes += (notes.empty() ? "" : "\n") + note;
        if (!notes.empty()) tooltip(verdict + "\n" + notes);
    }
    const std::string place = describe_change(*shown_);
    if (!place.empty()) wrapped_text(place, color::palette().muted);
    for (const std::string& note : change.notes) wrapped_text(note, color::palette().faint);
}

void OverviewPanel::draw_numbers() {
    const OverviewChange& change = *shown_->change;
    draw_overview_head({describe_facts(run(core::Side::Baseline)), describe_facts(run(core::Side::Candidate))});
    if (change.median_step.known())
        draw_overview_number("Step time, median", change.median_step, 0,
                             change.has_steps() ? "Median over the steps, each on its slowest rank, without warm-up."
                                                : "Median over all steps of all ranks.");
    if (change.whole.known())
        draw_overview_number(change.per_step ? "Average step" : "Window, all ranks", change.whole, 0,
                             change.has_steps()
                                 ? "Mean over the steps, each on its slowest rank, without warm-up, as the "
                                   "verdict and the waterfall; the parts below add up to it."
                             : change.per_step ? "Over all steps of all ranks; the parts below add up to it."
                                               : "The parts below add up to it.");
    for (std::size_t part = 0; part < change.parts.size(); ++part)
        if (change.parts[part].known())
            draw_overview_number(kBreakdownParts[part].title, change.parts[part], breakdown_parts()[part].color,
                                 explain_part(*shown_, part));
}

void OverviewPanel::draw_strips(Frame& frame, bool of_ranks) {
    const auto spread_of = [&](core::Side side) -> const Spread& {
        return of_ranks ? run(side).steps.over_ranks : run(side).steps.over_steps;
    };
    if (spread_of(core::Side::Baseline).points.size() < 2 && spread_of(core::Side::Candidate).points.size() < 2) return;
    double low = std::numeric_limits<double>::max();
    double high = 0;
    for (const core::Side side : core::kSides) {
        const Spread& all = run(side).steps.all;
        if (all.points.empty()) continue;
        low = std::min(low, all.least);
        high = std::max(high, all.greatest);
    }
    const float width = overview_list_width();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float left = overview_halves_begin();
    const float height = px(10);
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_text(list, small_style(), {at.x, at.y + px(4)}, color::palette().muted,
              of_ranks ? "Step time over ranks" : "Step time over steps", left - px(8));
    for (const core::Side side : core::kSides) {
        const float y = at.y + (side == core::Side::Candidate ? height + px(1) : 0);
        draw_rect(list, {at.x + left, y + px(1)}, {at.x + left + px(6), y + height - px(1)}, color::of_side(side));
        if (side == core::Side::Candidate)
            draw_hatch(list, {at.x + left, y + px(1)}, {at.x + left + px(6), y + height - px(1)});
        if (spread_of(side).points.empty()) {
            draw_text(list, small_style(), {at.x + left + px(12), y - px(3)}, color::palette().muted, "\xE2\x80\x93");
            continue;
        }
        ImGui::SetCursorScreenPos({at.x + left + px(10), y});
        draw_plot(frame, side, of_ranks, low, high, {width - left - px(10), height});
    }
    ImGui::SetCursorScreenPos(at);
    ImGui::Dummy({width, 2 * height + px(3)});
}

void OverviewPanel::draw_worst_of_both(Frame& frame) {
    core::BySide<std::string> ranks;
    core::BySide<std::string> steps;
    for (const core::Side side : core::kSides) {
        ranks[side] = describe_worst_rank(run(side));
        steps[side] = describe_worst_step(run(side));
    }
    if (!ranks.baseline.empty() || !ranks.candidate.empty())
        if (const auto clicked = draw_overview_halves(
                "Worst rank", "worst-rank", ranks,
                "The rank with the longest median step, or the one with the most idle time if steps are equally "
                "long everywhere. A click filters by it.");
            clicked && run(*clicked).worst_rank)
            choose_rank(frame, *clicked, run(*clicked).worst_rank->rank);
    if (steps.baseline.empty() && steps.candidate.empty()) return;
    if (const auto clicked = draw_overview_halves("Worst step", "worst-step", steps,
                                                  "The longest step. A click filters by its number and shows it."))
        choose_step(frame, *clicked, worst_step(run(*clicked).steps));
}

void OverviewPanel::draw_logs_of_both() {
    core::BySide<std::string> medians;
    for (const core::Side side : core::kSides)
        if (run(side).logged) medians[side] = duration_text(run(side).logged->median) + ", " + run(side).logged->source;
    if (medians.baseline.empty() && medians.candidate.empty()) return;
    draw_overview_halves("Logged iteration", "", medians, "");
}

void OverviewPanel::draw_environments() {
    const OverviewChange& change = *shown_->change;
    for (const PairedEnvironment& line : change.environment) draw_overview_halves(line.label, "", line.values, "");
    const FontScope font(small_style());
    if (change.environment.empty() && change.same_environment > 0)
        fitted_text("Same device and versions in both runs", color::palette().faint);
}

void OverviewPanel::draw_both(Frame& frame) {
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {px(8), 0});
    ImGui::PushStyleVar(ImGuiStyleVar_Alpha, fresh_ ? 1.0f : kStaleAlpha);
    has_map_ = shown_->change->median_step.known();
    draw_verdict();
    draw_scope(scope_words_);
    ImGui::Dummy({0, px(2)});
    draw_numbers();
    draw_worst_of_both(frame);
    draw_strips(frame, true);
    draw_strips(frame, false);
    draw_logs_of_both();
    ImGui::Dummy({0, px(4)});
    draw_health_of_both(frame);
    draw_map(frame, {0, px(4)}, overview_list_width());
    ImGui::Dummy({0, px(4)});
    draw_overview_number("Run", shown_->change->window, 0, "From the earliest event to the end of the last.");
    draw_environments();
    draw_errors();
    ImGui::PopStyleVar(2);
}

void OverviewPanel::draw_run(Frame& frame) {
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {px(8), px(4)});
    ImGui::PushStyleVar(ImGuiStyleVar_Alpha, fresh_ ? 1.0f : kStaleAlpha);
    has_map_ = run().steps.all.points.size() > 1;
    draw_facts();
    draw_scope(scope_words_);
    ImGui::Dummy({0, px(2)});
    draw_bound(frame);
    draw_parts(frame);
    ImGui::Dummy({0, px(2)});
    draw_step_time(frame, run().steps);
    if (run().worst_rank)
        draw_worst_rank(frame, *run().worst_rank);
    else if (run().ranks_with_parts > 1 && fresh_)
        draw_overview_line({.label = "Worst rank", .value = "none stands out"});
    draw_worst_step(frame, run().steps);
    ImGui::Dummy({0, px(2)});
    draw_health(frame);
    draw_training_log();
    draw_errors();
    ImGui::PopStyleVar();
    draw_map(frame, {0, px(4)}, ImGui::GetContentRegionAvail().x);
    draw_rest(frame);
    ImGui::PopStyleVar();
}

void OverviewPanel::ask_model(Frame& frame) {
    core::BySide<OverviewKey> keys;
    core::BySide<core::RunPtr> runs;
    bool pending = false;
    progress_ = 0;
    errors_.clear();
    const auto asked = [&](core::Side side, std::string_view who, std::string_view analysis) {
        // Waiting depends on all work, whatever the filter names; findings treat it the same way.
        const core::Request request = ask(frame.of(side), who, analysis, without_choices(frame.of(side).filter()));
        pending |= request.pending();
        progress_ += request.progress / static_cast<double>(4 * sides_of(frame).size());
        if (!request.error.empty()) errors_.push_back(request.error);
        return request.answer;
    };
    for (const core::Side side : sides_of(frame)) {
        runs[side] = frame.of(side).run();
        keys[side].run = runs[side];
        keys[side].filter = without_choices(frame.of(side).filter());
        if (frame.candidate) keys[side].statistics = frame.session.statistics();
        keys[side].breakdown = asked(side, "overview", "temporal-breakdown");
        keys[side].steps = asked(side, "overview/steps", "steps");
        keys[side].stragglers = asked(side, "overview/stragglers", "stragglers");
        keys[side].findings = asked(side, "overview/findings", "findings");
        health_[side].ask(frame.of(side), keys[side].filter);
    }
    shown_ = model_.ask(frame.session.pool(), keys, [keys, runs, alignment = alignment_of(frame)] {
        core::BySide<OverviewModel::Source> sources;
        for (const core::Side side : core::kSides)
            sources[side] = {.run = runs[side],
                             .filter = keys[side].filter,
                             .breakdown = main_table(keys[side].breakdown),
                             .steps = main_table(keys[side].steps),
                             .stragglers = main_table(keys[side].stragglers),
                             .findings = main_table(keys[side].findings)};
        return OverviewModel::of(sources, alignment, keys.baseline.statistics);
    });
    if (shown_ && shown_->change.has_value() != (frame.candidate != nullptr)) shown_ = nullptr;
    fresh_ = model_.fresh() && !pending;
}

void OverviewPanel::draw(Frame& frame) {
    shown_ = nullptr;
    has_map_ = false;
    if (!frame.run()) return empty_state("No run", "Open a folder of traces.");
    ask_model(frame);
    scope_words_ = find_scope(frame);
    if (!shown_) return;
    if (!fresh_) progress_line(progress_, ImGui::GetContentRegionAvail().x);
    if (shown_->change)
        draw_both(frame);
    else
        draw_run(frame);
}

nlohmann::json describe_worst(const StepTimes& steps) {
    const StepTime& worst = worst_step(steps);
    return {{"step", worst.step}, {"rank", core::format_rank(worst.rank)}, {"duration_ns", worst.duration}};
}

void OverviewPanel::describe(nlohmann::json& shown) const {
    if (!shown_) return;
    shown["fresh"] = fresh_;
    shown["of"] = scope_words_;
    if (shown_->change)
        describe_both(shown);
    else
        describe_run(shown);
    if (has_map_) map_.describe(shown["map"]);
    health_.baseline.describe(shown);
    if (shown_->change) health_.candidate.describe(shown["candidate"]);
}

void OverviewPanel::describe_both(nlohmann::json& shown) const {
    const OverviewChange& change = *shown_->change;
    shown["verdict"] = describe_verdict(change);
    shown["where"] = describe_change(*shown_);
    shown["notes"] = change.notes;
    shown["window_ns"] = describe_compared(change.window);
    shown["median_step_ns"] = describe_compared(change.median_step);
    shown["per_step"] = change.per_step;
    shown["whole_ns"] = describe_compared(change.whole);
    for (std::size_t part = 0; part < change.parts.size(); ++part)
        shown["parts"][std::string(kBreakdownParts[part].column)] = describe_compared(change.parts[part]);
    for (const core::Side side : core::kSides) {
        nlohmann::json& own = shown[std::string(name_of(side))];
        own["facts"] = describe_facts(run(side));
        own["ranks"] = run(side).ranks.ranks;
        if (run(side).worst_rank) own["worst_rank"] = core::format_rank(run(side).worst_rank->rank);
        if (!run(side).steps.all.points.empty()) own["worst_step"] = describe_worst(run(side).steps);
    }
    for (const PairedEnvironment& line : change.environment)
        shown["environment"][line.label] = {{"baseline", line.values.baseline}, {"candidate", line.values.candidate}};
}

void OverviewPanel::describe_run(nlohmann::json& shown) const {
    shown["ranks"] = run().ranks.ranks;
    if (run().world_size) shown["world_size"] = *run().world_size;
    shown["window_ns"] = run().window.length().count();
    shown["losses"] = run().losses;
    for (const TimePart& part : run().parts)
        shown["parts"][std::string(part.id)] = {{"time_ns", part.time},
                                                {"share", part.share},
                                                {"worst_rank", core::format_rank(part.worst)},
                                                {"worst_rank_share", part.worst_share}};
    for (const TimePart& part : run().parts)
        if (part.waiting) shown["parts"][std::string(part.id)]["waiting"] = *part.waiting;
    for (const EnvironmentLine& line : run().environment) shown["environment"][line.label] = line.value;
    if (const auto& without = run().without_gpu) {
        shown["without_gpu"] = without->words;
        shown["gpu_advice"] = without->advice;
    }
    if (const auto& logged = run().logged)
        shown["training_log"] = {{"source", logged->source},
                                 {"lines", logged->lines.size()},
                                 {"median_ns", logged->median},
                                 {"words", logged->describe()}};
    if (const auto& worst = run().worst_rank)
        shown["worst_rank"] = {{"rank", core::format_rank(worst->rank)},
                               {"by", worst->by_step_time ? "step_time" : "idle"},
                               {"value", worst->by_step_time ? worst->over : worst->idle_share}};
    const StepTimes& steps = run().steps;
    if (steps.all.points.empty()) return;
    shown["steps"] = {{"least_per_rank", steps.least_per_rank},
                      {"most_per_rank", steps.most_per_rank},
                      {"median_ns", steps.all.median},
                      {"least_ns", steps.all.least},
                      {"greatest_ns", steps.all.greatest},
                      {"count", steps.all.points.size()},
                      {"warm_up", steps.warm_up}};
    for (const SpreadPoint& rank : steps.over_ranks.points)
        shown["steps"]["median_ns_by_rank"][rank.label] = rank.value;
    for (const SpreadPoint& step : steps.over_steps.points)
        shown["steps"]["longest_ns_by_step"][step.label] = step.value;
    shown["worst_step"] = describe_worst(steps);
}

}  // namespace

std::unique_ptr<Panel> make_overview_panel() { return std::make_unique<OverviewPanel>(); }

}  // namespace ui
