// Time per rank by kernel class, and classes that ran together: of the whole run, of the
// selection (filter and dragged area), or of the visible range.

#include "ui/charts/stacked_bars.hpp"
#include "ui/model/charts/axis.hpp"
#include "ui/model/filter_clicks.hpp"
#include "ui/model/panels/breakdown_model.hpp"
#include "ui/panels/breakdown_both.hpp"
#include "ui/panels/panels.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/ask.hpp"
#include "ui/widgets/status.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace ui {
namespace {

enum Scope : int { kRun, kSelection, kVisible };
constexpr std::array<std::string_view, 3> kScopeNames{"run", "selection", "visible"};

constexpr std::array kPartClasses{core::set_of(core::KernelClass::Compute),
                                  core::set_of(core::KernelClass::Communication),
                                  core::set_of(core::KernelClass::Memory)};

// Legend entries: parts excluded by the filter, and the effect of a click.
std::vector<BarPart> legend_parts(const core::Filter& filter) {
    std::vector<BarPart> parts(breakdown_parts().begin(), breakdown_parts().end());
    for (std::size_t part = 0; part < kPartClasses.size(); ++part) {
        parts[part].off = leaves_out_class(filter, kPartClasses[part]);
        parts[part].hint = describe_class_click(filter, kPartClasses[part]);
    }
    return parts;
}

std::vector<BarRow> rows_of(const BreakdownModel& model) {
    std::vector<BarRow> rows;
    for (const RankTimes& rank : model.ranks)
        rows.push_back({"rank " + core::format_rank(rank.key),
                        {rank.compute, rank.exposed_communication, rank.exposed_memory, rank.idle},
                        rank.absent,
                        rank.left_out});
    return rows;
}

class BreakdownPanel final : public Panel {
public:
    void draw(Frame& frame) override;
    bool busy() const override { return !fresh_ || (shows_both_ ? both_.busy() : clicks_.busy()); }
    void describe(nlohmann::json& shown) const override;

private:
    void draw_controls(Frame& frame);
    void draw_window(Frame& frame, core::RunRange window);
    void draw_answers(Frame& frame, const core::Filter& filter);
    void draw_model(Frame& frame);
    const BreakdownModel& model() const;
    void draw_sets(Frame& frame, float width);
    bool draw_set(const SetTime& set, float width);
    void draw_legends(Frame& frame);
    bool shows_filtered(const Frame& frame) const { return scope_ != kRun || frame.session.filter().empty(); }
    BreakdownChoice choice_of_both(Frame& frame) const;

    BreakdownBoth both_;
    RowClicks clicks_;
    std::optional<core::RunRange> window_;     // window shown; none: the filter's
    bool shows_both_ = false;
    std::optional<std::size_t> highlighted_;   // part hovered in the legend
    int shown_as_ = 0;  // 0: time, 1: share of the window
    int scope_ = kSelection;
    // What answers were made into, until there are others.
    struct Made {
        core::AnswerPtr breakdown, types;
        core::Filter filter;
        BreakdownModel model;
        std::vector<BarRow> rows;
    };
    std::shared_ptr<const Made> made_;   // of the answers shown last
    std::shared_ptr<const Made> shown_;  // by the last draw
    bool fresh_ = true;
};

const BreakdownModel& BreakdownPanel::model() const {
    static const BreakdownModel kNone;
    return shown_ ? shown_->model : kNone;
}

void BreakdownPanel::draw_controls(Frame& frame) {
    if (frame.choices().follow_visible)
        scope_ = kVisible;
    else if (scope_ == kVisible)
        scope_ = kSelection;
    if (choose("scope", {"Run", "Selection", "Visible"}, scope_))
        if (const bool follow = scope_ == kVisible; follow != frame.choices().follow_visible)
            frame.intents.push_back(FollowVisible{follow});
    ImGui::SameLine(0, px(16));
    choose("as", {"Time", "Share"}, shown_as_);
    draw_legends(frame);
}

// On the line of the controls if there is room, else below.
void BreakdownPanel::draw_legends(Frame& frame) {
    const std::vector<BarPart> parts = legend_parts(frame.session.filter());
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

// Draws a row of the list of sets; true if it was clicked.
bool BreakdownPanel::draw_set(const SetTime& set, float width) {
    const float pitch = px(22);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const std::string name(core::name_of_set(set.set));
    ImGui::PushID(static_cast<int>(set.set));
    const bool clicked = invisible_button("set", {width, pitch}) && set.set != 0;
    record_item("##set:" + name);
    const bool hovered = ImGui::IsItemHovered() && set.set != 0;
    ImGui::PopID();
    if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float side = px(9);
    const float text_y = at.y + (pitch - ui_style().size_px) / 2 - px(1);
    draw_rect(list, {at.x, at.y + px(6)}, {at.x + side, at.y + px(6) + side}, color::of_set(set.set), px(2));
    const float value = px(74);
    draw_text(list, ui_style(), {at.x + px(16), text_y}, hovered ? color::palette().text : color::palette().muted, name,
              width - px(16) - value - px(64));
    draw_text_right(list, mono_style(), {at.x + width - value, text_y}, color::palette().text,
                    format_value(set.share, core::Unit::Ratio));
    draw_text_right(list, mono_style(), {at.x + width, text_y}, color::palette().muted,
                    format_value(set.time, core::Unit::Ns));
    return clicked;
}

// Time per exact set of classes, over all ranks in the filter.
void BreakdownPanel::draw_sets(Frame& frame, float width) {
    ImGui::BeginChild("sets", {width, 0}, false);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    {
        const FontScope font(small_style());
        text("Active together, ranks of the filter", color::palette().faint);
    }
    ImGui::Dummy({0, px(4)});
    for (const SetTime& set : model().sets)
        if (draw_set(set, width - px(12)))
            frame.intents.push_back(SetFilter{with_class(frame.session.filter(), set.set, click_kind())});
    ImGui::PopStyleVar();
    ImGui::EndChild();
}

void BreakdownPanel::draw_model(Frame& frame) {
    const auto counted = [](const RankTimes& rank) { return !rank.left_out; };
    if (std::ranges::none_of(model().ranks, counted))
        return empty_state("No rank passes the filter", "Loosen the rank term, or press Ctrl+Z.");
    if (std::ranges::all_of(model().ranks, &RankTimes::absent))
        return scope_ == kVisible && has_gpu_events(*frame.run())
                   ? empty_state("No GPU event is in view", "Zoom out, or choose Run or Selection.")
                   : empty_gpu_state(frame);
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float sets = room.x > px(640) ? px(316) : 0;
    const ChartNotes notes = breakdown_notes(shows_filtered(frame));
    const StackedBars chart{breakdown_parts(), shown_->rows, core::Unit::Ns, shown_as_ == 1, {}, highlighted_, &notes};
    const BarHit hit = draw_stacked_bars("ranks", chart, {sets > 0 ? room.x - sets - px(24) : room.x, room.y});
    if (hit.listed && notes.lists) {
        core::BySide<std::optional<core::RunRange>> windows;
        windows[frame.side] = window_;
        clicks_.open_menu(meaning_of_breakdown(frame, model().ranks[*hit.row].key, hit.part, windows));
    }
    if (hit.clicked && hit.row)
        frame.intents.push_back(
            SetFilter{with_rank(frame.session.filter(), model().ranks[*hit.row].key, click_kind())});
    if (sets == 0) return;
    ImGui::SameLine(0, px(24));
    draw_sets(frame, sets);
}

void BreakdownPanel::draw_window(Frame& frame, core::RunRange window) {
    const core::Filter& filter = frame.filter();
    window_ = window;
    Made made;
    made.model = BreakdownModel::of_window(frame.run(), window, filter, frame.results);
    made.rows = rows_of(made.model);
    shown_ = std::make_shared<const Made>(std::move(made));
    fresh_ = model().complete;
    if (model().complete) return draw_model(frame);
    // Asking for the breakdown also builds the selections that the window needs.
    core::Request request = ask(frame, "breakdown", "temporal-breakdown", without_rank(filter));
    if (begin_answer(request, "breakdown", false)) {
        draw_model(frame);
        end_answer();
    }
    if (!request.error.empty()) fresh_ = true;
}

void BreakdownPanel::draw_answers(Frame& frame, const core::Filter& filter) {
    const core::Request breakdown = ask(frame, "breakdown", "temporal-breakdown", without_rank(filter));
    const core::Request types = ask(frame, "breakdown/types", "kernel-types", without_rank(filter));
    fresh_ = !breakdown.pending() && !types.pending();
    if (!begin_answer(breakdown, "breakdown", types.fresh || !types.error.empty())) return;
    if (!made_ || made_->breakdown != breakdown.answer || made_->types != types.answer || made_->filter != filter) {
        Made made{breakdown.answer, types.answer, filter, {}, {}};
        made.model = BreakdownModel::of_answers(breakdown.answer->main(),
                                                types.answer ? &types.answer->main() : nullptr, filter);
        made.rows = rows_of(made.model);
        made_ = std::make_shared<const Made>(std::move(made));
    }
    shown_ = made_;
    draw_model(frame);
    end_answer();
}

// An area dragged in one run applies to the other at the same moments.
BreakdownChoice BreakdownPanel::choice_of_both(Frame& frame) const {
    BreakdownChoice choice{shown_as_ == 1, highlighted_, {}, {}, shows_filtered(frame)};
    for (const core::Side side : core::kSides) {
        if (scope_ != kRun) choice.filters[side] = frame.of(side).filter();
        if (scope_ == kVisible) choice.windows[side] = frame.of(side).view().time.range();
        if (scope_ == kSelection) choice.windows[side] = frame.of(side).view().area;
    }
    for (const core::Side side : core::kSides) {
        const core::Side other = other_side(side);
        const auto& known = choice.windows[other];
        if (choice.windows[side] || !known) continue;
        const core::RunAlignment& alignment = *frame.session.alignment();
        choice.windows[side] =
            core::RunRange{alignment.across(other, known->begin), alignment.across(other, known->end)};
    }
    return choice;
}

void BreakdownPanel::draw(Frame& frame) {
    shown_ = nullptr;
    window_.reset();
    shows_both_ = frame.candidate != nullptr;
    if (!frame.run()) return empty_state("No run", "Open a folder of traces.");
    draw_controls(frame);
    if (!shows_both_) clicks_.poll_search(frame);
    if (!shows_both_) clicks_.draw_menu(frame);
    if (shows_both_) {
        both_.draw(frame, choice_of_both(frame));
        fresh_ = both_.fresh();
        return;
    }
    if (scope_ == kVisible) return draw_window(frame, frame.view().time.range());
    if (scope_ == kSelection && frame.view().area) return draw_window(frame, *frame.view().area);
    draw_answers(frame, scope_ == kRun ? core::Filter{} : frame.filter());
}

void BreakdownPanel::describe(nlohmann::json& shown) const {
    shown["fresh"] = fresh_;
    shown["scope"] = kScopeNames[static_cast<std::size_t>(scope_)];
    shown["as"] = shown_as_ == 1 ? "share" : "time";
    if (shows_both_) return both_.describe(shown);
    for (const RankTimes& rank : model().ranks) {
        nlohmann::json& row = shown["ranks"][core::format_rank(rank.key)];
        row["in_filter"] = !rank.left_out;
        if (rank.absent) continue;
        row["window_ns"] = rank.window();
        row["compute_ns"] = rank.compute;
        row["exposed_communication_ns"] = rank.exposed_communication;
        row["exposed_memory_ns"] = rank.exposed_memory;
        row["idle_ns"] = rank.idle;
    }
    for (const SetTime& set : model().sets)
        shown["classes"][std::string(core::name_of_set(set.set))] = {{"time_ns", set.time}, {"share", set.share}};
}

}  // namespace

std::span<const BarPart> breakdown_parts() {
    static std::vector<BarPart> parts{{std::string(kBreakdownParts[0].title), 0, true},
                                      {std::string(kBreakdownParts[1].title), 0, true},
                                      {std::string(kBreakdownParts[2].title), 0, true},
                                      {std::string(kBreakdownParts[3].title), 0}};
    // from the current theme
    const std::array colors{color::palette().compute, color::palette().communication, color::palette().memory,
                            color::palette().idle};
    for (std::size_t i = 0; i < colors.size(); ++i) parts[i].color = colors[i];
    return parts;
}

std::unique_ptr<Panel> make_breakdown_panel() { return std::make_unique<BreakdownPanel>(); }

}  // namespace ui
