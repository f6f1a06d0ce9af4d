// Time per rank by kernel class, and classes that ran together: of the whole run, of the selection (filter and dragged
// area), or of the visible range. With two runs, bars next to each other and the changes.

#include "core/index/summary_rank.hpp"
#include "ui/charts/stacked_bars.hpp"
#include "ui/model/deferred.hpp"
#include "ui/model/filter_clicks.hpp"
#include "ui/model/panel.hpp"
#include "ui/model/panels/breakdown_model.hpp"
#include "ui/model/panels/scope_text.hpp"
#include "ui/model/weak_key.hpp"
#include "ui/panels/breakdown_parts.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/ask.hpp"
#include "ui/table/dimmed_classes.hpp"
#include "ui/widgets/status.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace ui {
namespace {

constexpr float kLeastForList = 640;   // width at scale 1 for a list next to the bars
constexpr float kListWidth = 316;
constexpr float kListWidthOfTwo = 404;

enum Scope : int { kRun, kSelection, kVisible };
constexpr std::array<std::string_view, 3> kScopeNames{"run", "selection", "visible"};

constexpr std::array kPartClasses{core::set_of(core::KernelClass::Compute),
                                  core::set_of(core::KernelClass::Communication),
                                  core::set_of(core::KernelClass::Memory)};

// Legend entries: marks parts that the filter excludes, with the effect of a click.
std::vector<BarPart> legend_parts(const core::Filter& filter, core::ClassSet dimmed) {
    std::vector<BarPart> parts(breakdown_parts().begin(), breakdown_parts().end());
    for (std::size_t part = 0; part < kPartClasses.size(); ++part) {
        parts[part].off = (dimmed & kPartClasses[part]) == kPartClasses[part];
        parts[part].hint = describe_class_click(filter, kPartClasses[part]);
    }
    parts.back().off = dimmed != 0;  // idle time has no class
    return parts;
}

bool any_known(const BreakdownModel& model) {
    return std::ranges::any_of(model.ranks, [](const PairedRank& rank) { return rank.window.known(); });
}

std::vector<BarRow> rows_of(const BreakdownModel& model, core::Side side) {
    std::vector<BarRow> rows;
    for (const ListedRank& listed : model.listed) {
        const PairedRank& rank = model.ranks[listed.rank];
        BarRow row{.label = listed.label,
                   .values = {},
                   .absent = !rank.window.of_side(side),
                   .faded = !counts(rank),
                   .missing = !rank.keys[side]};
        for (const Compared& part : rank.parts) row.values.push_back(part.of_side(side).value_or(0));
        rows.push_back(std::move(row));
    }
    return rows;
}

const core::Table* table_of(const core::AnswerPtr& answer) { return answer ? &answer->main() : nullptr; }

class BreakdownPanel final : public Panel {
public:
    void draw(Frame& frame) override;
    bool busy() const override { return !fresh_ || clicks_.busy() || classes_.busy(); }
    void describe(nlohmann::json& shown) const override;

private:
    using Windows = core::BySide<std::optional<core::RunRange>>;
    // Members of an absent side are empty.
    struct WindowsKey {
        core::BySide<WeakKey<core::Run>> runs;
        core::BySide<core::Filter> filters;
        core::BySide<RunBreakdown> breakdowns;
        BreakdownOf of = BreakdownOf::Mean;
        bool operator==(const WindowsKey&) const = default;
    };
    struct AnswersKey {
        core::BySide<WeakKey<core::Run>> runs;
        core::BySide<core::Filter> filters;
        core::BySide<core::AnswerPtr> breakdowns;
        core::BySide<core::AnswerPtr> types;
        BreakdownOf of = BreakdownOf::Mean;
        bool operator==(const AnswersKey&) const = default;
    };
    void choose_windows(Frame& frame);
    std::string find_scope(Frame& frame);
    bool has_rows(const Frame& own) const;
    void draw_controls(Frame& frame);
    void draw_legends(Frame& frame);
    void draw_windows(Frame& frame);
    void draw_answers(Frame& frame);
    void draw_model(Frame& frame);
    void open_menu(Frame& frame, const BarHit& hit);
    bool shows_filtered(const Frame& frame) const { return scope_ != kRun || frame.session.filter().empty(); }
    nlohmann::json describe_value(const Compared&) const;

    RowClicks clicks_;
    std::optional<std::size_t> highlighted_;   // part hovered in the legend
    int shown_as_ = 0;                         // 0: time, 1: share of the window
    int scope_ = kSelection;
    bool scope_chosen_ = false;  // the user chose it
    BreakdownOf of_ = BreakdownOf::Mean;       // statistic of the list next to the bars
    Windows windows_;                          // shown: for every side or for none; none: answers for the filters
    core::BySide<core::Filter> filters_;       // filter of each side's request
    core::BySide<ScopeText> scopes_;
    std::string scope_words_;
    std::vector<std::string> dimmed_;  // parts that the filter excludes
    DimmedClasses classes_;
    core::ClassSet off_ = 0;  // classes that it excludes entirely
    WindowsKey windows_key_;
    std::shared_ptr<const BreakdownModel> of_windows_;
    Deferred<AnswersKey, BreakdownModel> of_answers_;
    std::shared_ptr<const BreakdownModel> shown_;  // of the last draw
    bool fresh_ = true;
};

void BreakdownPanel::draw_controls(Frame& frame) {
    if (frame.choices().follow_visible)
        scope_ = kVisible;
    else if (scope_ == kVisible)
        scope_ = kSelection;
    // A summary only has the breakdown of the whole run.
    if (!scope_chosen_ && scope_ != kVisible) scope_ = is_summary(*frame.run()) ? kRun : kSelection;
    if (choose("scope", {"Run", "Selection", "Visible"}, scope_)) {
        scope_chosen_ = true;
        if (const bool follow = scope_ == kVisible; follow != frame.choices().follow_visible)
            frame.intents.push_back(FollowVisible{follow});
    }
    ImGui::SameLine(0, px(16));
    choose("as", {"Time", "Share"}, shown_as_);
    draw_legends(frame);
}

// Draws the legends in the line of the controls if there is room, else below.
void BreakdownPanel::draw_legends(Frame& frame) {
    const std::vector<BarPart> parts = legend_parts(frame.session.filter(), off_);
    const float sides = frame.candidate ? sides_legend_width() + px(16) : 0;
    const float legend = legend_width(parts);
    const float room = ImGui::GetContentRegionMax().x;
    ImGui::SameLine(0, px(16));
    const bool fits = ImGui::GetCursorPosX() + legend + sides <= room;
    if (frame.candidate) {
        if (ImGui::GetCursorPosX() + sides_legend_width() > room) ImGui::NewLine();
        const float left = room - sides_legend_width() - (fits ? legend + px(16) : 0);
        ImGui::SetCursorPos({std::max(ImGui::GetCursorPosX(), left), ImGui::GetCursorPosY() + px(4)});
        draw_sides_legend();
        if (fits) ImGui::SameLine(0, px(16));
    } else if (fits) {
        ImGui::SetCursorPos({room - legend, ImGui::GetCursorPosY() + px(4)});
    } else {
        ImGui::NewLine();
    }
    const ChartNotes notes = breakdown_notes(false);
    const auto clicked =
        draw_legend(parts, std::min(legend, ImGui::GetContentRegionAvail().x) + 1, &highlighted_, &notes);
    if (clicked && *clicked < kPartClasses.size())
        frame.intents.push_back(SetFilter{with_class(frame.session.filter(), kPartClasses[*clicked], click_kind())});
}

void BreakdownPanel::open_menu(Frame& frame, const BarHit& hit) {
    if (const auto rank = named_rank(frame.session.alignment(), shown_->ranks[shown_->listed[*hit.row].rank].keys))
        return clicks_.open_menu(meaning_of_breakdown(frame, *rank, hit.part, windows_));
    RowMeaning nameless;
    nameless.unlisted =
        "Cannot filter: the rank has no partner in the baseline, and filters use the baseline's numbers";
    clicks_.open_menu(nameless);
}

void BreakdownPanel::draw_model(Frame& frame) {
    if (!shown_) return;
    if (scope_ != kRun && is_summary(*frame.run()))
        return empty_state("A run summary has no breakdown of a part of its time",
                           "Choose Run, or open the traces or index files of the run.");
    if (shown_->ranks.empty() && scope_ == kSelection && windows_.baseline)
        return empty_state(fresh_ ? "No stream in the area" : "Adding up\xE2\x80\xA6",
                           fresh_ ? "Drag over a stream, or along the ruler for everything." : "");
    if (std::ranges::none_of(shown_->ranks, counts))
        return empty_state("No rank passes the filter", "Loosen the rank term, or press Ctrl+Z.");
    if (!any_known(*shown_) && shown_->compared)
        return empty_state("No GPU event is shown in either run", "Loosen the filter, or choose Run.");
    if (!any_known(*shown_))
        return scope_ == kVisible && has_gpu_events(*frame.run())
                   ? empty_state("No GPU event is in view", "Zoom out, or choose Run or Selection.")
                   : empty_gpu_state(frame);
    {
        const FontScope font(small_style());
        for (const std::string& note : shown_->notes) fitted_text(note, color::palette().faint);
    }
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const bool has_list = room.x > px(kLeastForList);
    const float list = px(shown_->compared ? kListWidthOfTwo : kListWidth);
    const float gap = px(shown_->compared ? 20 : 24);
    const std::vector<BarRow> baseline = rows_of(*shown_, core::Side::Baseline);
    const std::vector<BarRow> candidate =
        shown_->compared ? rows_of(*shown_, core::Side::Candidate) : std::vector<BarRow>{};
    const ChartNotes notes = breakdown_notes(shows_filtered(frame));
    const std::vector<BarPart> parts = legend_parts(frame.session.filter(), scope_ == kRun ? core::ClassSet{0} : off_);
    const StackedBars chart{.parts = parts,
                            .rows = baseline,
                            .unit = core::Unit::Ns,
                            .share = shown_as_ == 1,
                            .candidates = candidate,
                            .highlighted = highlighted_,
                            .notes = &notes};
    dimmed_.clear();
    for (const BarPart& part : parts)
        if (part.off) dimmed_.push_back(part.name);
    const BarHit hit = draw_stacked_bars("ranks", chart, {has_list ? room.x - list - gap : room.x, room.y});
    if (hit.listed && notes.lists) open_menu(frame, hit);
    if (hit.clicked && hit.row)
        if (const auto rank = named_rank(frame.session.alignment(), shown_->ranks[shown_->listed[*hit.row].rank].keys))
            frame.intents.push_back(SetFilter{with_rank(frame.session.filter(), *rank, click_kind())});
    if (!has_list) return;
    ImGui::SameLine(0, gap);
    draw_breakdown_times(frame, *shown_, of_, list);
}

// An area dragged in one run applies to the other at the same moments.
void BreakdownPanel::choose_windows(Frame& frame) {
    windows_ = {};
    filters_ = {};
    for (const core::Side side : sides_of(frame)) {
        const Frame& own = frame.of(side);
        if (scope_ != kRun) filters_[side] = own.filter();
        if (scope_ == kVisible) windows_[side] = own.view().time.range();
        if (scope_ == kSelection) windows_[side] = own.view().area;
    }
    for (const core::Side side : sides_of(frame)) {
        const core::Side other = other_side(side);
        const auto& known = windows_[other];
        if (windows_[side] || !known) continue;
        windows_[side] = core::RunRange{alignment_of(frame).across(other, known->begin),
                                        alignment_of(frame).across(other, known->end)};
    }
}

// True if the side's window is an area of some rows.
bool BreakdownPanel::has_rows(const Frame& own) const {
    return scope_ == kSelection && own.view().area && !own.view().area_rows.empty();
}

std::string BreakdownPanel::find_scope(Frame& frame) {
    std::string words;
    for (const core::Side side : sides_of(frame)) {
        const Frame& own = frame.of(side);
        const std::string& scope =
            scopes_[side].ask(own.run(), filters_[side],
                              {.range = windows_[side],
                               .rows = has_rows(own) ? own.view().area_rows : std::vector<core::TrackRows>{},
                               .of_all_work = true});
        if (words == scope) continue;
        words += (words.empty() ? "" : "  |  ") + scope;
    }
    return words;
}

void BreakdownPanel::draw_windows(Frame& frame) {
    WindowsKey key{.runs = {}, .filters = filters_, .breakdowns = {}, .of = of_};
    core::BySide<core::RunPtr> runs;
    double progress = 0;
    fresh_ = true;
    for (const core::Side side : sides_of(frame)) {
        Frame& own = frame.of(side);
        runs[side] = own.run();
        key.runs[side] = own.run();
        RunBreakdown& breakdown = key.breakdowns[side];
        if (has_rows(own)) {  // the timeline sums them
            const std::shared_ptr<const core::AreaSummary>& area = own.ephemeral().area_summary;
            if (area) breakdown = RunBreakdown::of_area(*own.run(), *area);
            progress += (area ? 1.0 : 0.5) / static_cast<double>(sides_of(frame).size());
            fresh_ &= area != nullptr;
            continue;
        }
        breakdown = RunBreakdown::of_window(own.run(), *windows_[side], filters_[side], frame.results);
        core::Request request{.answer = nullptr, .fresh = true, .progress = 1, .error = {}};
        if (!breakdown.complete) request = ask_for_selection(own, "breakdown", without_rank(filters_[side]));
        progress += request.progress / static_cast<double>(sides_of(frame).size());
        fresh_ &= breakdown.complete || !request.error.empty();
    }
    if (!of_windows_ || !(windows_key_ == key)) {
        of_windows_ = std::make_shared<const BreakdownModel>(BreakdownModel::of({.runs = runs,
                                                                                 .filters = key.filters,
                                                                                 .alignment = alignment_of(frame),
                                                                                 .sides = key.breakdowns,
                                                                                 .same_window = true,
                                                                                 .of = of_}));
        windows_key_ = std::move(key);
    }
    shown_ = of_windows_;
    if (!fresh_) progress_line(progress, ImGui::GetContentRegionAvail().x);
    ImGui::PushStyleVar(ImGuiStyleVar_Alpha, fresh_ ? 1.0f : kStaleAlpha);
    draw_scope(scope_words_);
    draw_model(frame);
    ImGui::PopStyleVar();
}

void BreakdownPanel::draw_answers(Frame& frame) {
    of_windows_ = nullptr;
    AnswersKey key{.runs = {}, .filters = filters_, .breakdowns = {}, .types = {}, .of = of_};
    core::BySide<core::Request> breakdowns;
    core::BySide<core::RunPtr> runs;
    bool arrived = true;
    fresh_ = true;
    for (const core::Side side : sides_of(frame)) {
        Frame& own = frame.of(side);
        runs[side] = own.run();
        key.runs[side] = own.run();
        const core::Filter filter = without_rank(filters_[side]);
        breakdowns[side] = ask(own, "breakdown", "temporal-breakdown", filter);
        const core::Request types = ask(own, "breakdown/types", "kernel-types", filter);
        key.breakdowns[side] = breakdowns[side].answer;
        key.types[side] = types.answer;
        arrived &= breakdowns[side].answer != nullptr;
        fresh_ &= !breakdowns[side].pending() && !types.pending();
    }
    if (arrived)
        shown_ = of_answers_.ask(frame.session.pool(), key, [key, runs, alignment = alignment_of(frame)] {
            BreakdownModel::Input input{.runs = runs,
                                        .filters = key.filters,
                                        .alignment = alignment,
                                        .sides = {},
                                        .same_window = false,
                                        .of = key.of};
            for (const core::Side side : core::kSides)
                if (runs[side])
                    input.sides[side] = RunBreakdown::of_answers(key.breakdowns[side]->main(),
                                                                 table_of(key.types[side]), key.filters[side]);
            return BreakdownModel::of(input);
        });
    if (shown_ && shown_->compared != (frame.candidate != nullptr)) shown_ = nullptr;
    fresh_ &= of_answers_.fresh();
    for (const core::Side side : sides_of(frame)) breakdowns[side].scope = scope_words_;  // including rank terms
    if (!begin_answer(breakdowns, sides_of(frame), "breakdown", fresh_)) return;
    draw_model(frame);
    end_answer();
}

void BreakdownPanel::draw(Frame& frame) {
    shown_ = nullptr;
    if (!frame.run()) return empty_state("No run", "Open a folder of traces.");
    off_ = classes_.ask(frame, "breakdown/classes");
    draw_controls(frame);
    clicks_.poll_search(frame);
    clicks_.draw_menu(frame);
    choose_windows(frame);
    scope_words_ = find_scope(frame);
    if (windows_.baseline)
        draw_windows(frame);
    else
        draw_answers(frame);
}

// A number of one run, or both runs' numbers with the change.
nlohmann::json BreakdownPanel::describe_value(const Compared& value) const {
    return shown_->compared ? describe_compared(value) : nlohmann::json(*value.baseline);
}

void BreakdownPanel::describe(nlohmann::json& shown) const {
    shown["fresh"] = fresh_;
    shown["scope"] = kScopeNames[static_cast<std::size_t>(scope_)];
    shown["as"] = shown_as_ == 1 ? "share" : "time";
    shown["of"] = scope_words_;
    shown["dimmed"] = dimmed_;
    if (!shown_) return;
    shown["list_of"] = of_ == BreakdownOf::Mean ? "mean" : "slowest";
    for (const core::Side side : core::kSides)
        if (shown_->slowest[side])
            shown["slowest"][std::string(name_of(side))] = core::format_rank(*shown_->slowest[side]);
    for (const PairedRank& rank : shown_->ranks) {
        nlohmann::json& row = shown["ranks"][rank.label()];
        row["in_filter"] = counts(rank);
        for (const core::Side side : core::kSides)
            if (shown_->compared && rank.keys[side])
                row[std::string(name_of(side)) + "_rank"] = core::format_rank(*rank.keys[side]);
        if (!shown_->compared && !rank.window.known()) continue;
        row["window_ns"] = describe_value(rank.window);
        for (std::size_t part = 0; part < rank.parts.size(); ++part)
            row[std::string(kBreakdownParts[part].column) + "_ns"] = describe_value(rank.parts[part]);
    }
    const auto describe = [this](const PairedTime& time) {
        return nlohmann::json{{"time_ns", describe_value(time.time)}, {"share", describe_value(time.share)}};
    };
    for (const PairedTime& set : shown_->sets) shown["classes"][set.name] = describe(set);
    if (!shown_->compared) return;
    shown["notes"] = shown_->notes;
    for (const PairedTime& part : shown_->parts) shown["parts"][part.name] = describe(part);
}

}  // namespace

std::unique_ptr<Panel> make_breakdown_panel() { return std::make_unique<BreakdownPanel>(); }

}  // namespace ui
