#include "ui/ask.hpp"
#include "ui/charts/axis.hpp"
#include "ui/charts/stacked_bars.hpp"
#include "ui/panels/panels.hpp"
#include "ui/view_models/breakdown_model.hpp"
#include "ui/widgets/items.hpp"
#include "ui/widgets/status.hpp"
#include "ui/widgets/text.hpp"

#include <algorithm>

namespace ui {
namespace {

std::span<const BarPart> parts() {
    static const std::vector<BarPart> kParts{{"Compute", color::kCompute},
                                             {"Exposed communication", color::kCommunication},
                                             {"Exposed memory", color::kMemory},
                                             {"Idle", color::kIdle}};
    return kParts;
}

std::vector<BarRow> rows_of(const BreakdownModel& model) {
    std::vector<BarRow> rows;
    for (const RankTimes& rank : model.ranks)
        rows.push_back({"Rank " + core::format_rank(rank.key),
                        {rank.compute, rank.exposed_communication, rank.exposed_memory, rank.idle},
                        rank.absent});
    return rows;
}

core::Filter only_rank(core::Filter filter, core::RankKey key) {
    std::erase_if(filter.terms, [](const core::FilterTerm& term) {
        return !term.negated && std::holds_alternative<core::RankTerm>(term.what);
    });
    filter.terms.push_back({false, core::RankTerm{{{key.number, key.number}}}});
    return filter;
}

class BreakdownPanel final : public Panel {
public:
    void draw(Frame& frame) override;

private:
    void draw_controls(Frame& frame);
    void draw_model(Frame& frame, const BreakdownModel& model);
    void draw_sets(const BreakdownModel& model, float width);
    int shown_as_ = 0;  // 0: time, 1: share of the window
};

void BreakdownPanel::draw_controls(Frame& frame) {
    choose("as", {"Time", "Share"}, shown_as_);
    ImGui::SameLine(0, px(16));
    bool follow = frame.state.follow_visible;
    if (checkbox("Follow the view##follow", &follow)) frame.intents.push_back(FollowVisible{follow});
    tooltip("The breakdown of what the timeline shows, instead of the whole filter.");
    const float legend = legend_width(parts());
    const float room = ImGui::GetContentRegionMax().x;
    ImGui::SameLine(0, px(16));
    if (ImGui::GetCursorPosX() + legend > room)
        ImGui::NewLine();
    else
        ImGui::SetCursorPos({room - legend, ImGui::GetCursorPosY() + px(4)});
    draw_legend(parts(), std::min(legend, ImGui::GetContentRegionAvail().x) + 1);
}

// Time per exact set of classes, over all ranks shown.
void BreakdownPanel::draw_sets(const BreakdownModel& model, float width) {
    ImGui::BeginChild("sets", {width, 0}, false);
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float pitch = px(22);
    draw_text(list, small_style(), {corner.x, corner.y + px(2)}, color::kFaint, "Active together, all ranks");
    float y = corner.y + pitch;
    for (const SetTime& set : model.sets) {
        const float text_y = y + (pitch - ui_style().size_px) / 2 - px(1);
        const float side = px(9);
        list->AddRectFilled({corner.x, y + px(6)}, {corner.x + side, y + px(6) + side}, color::of_set(set.set), px(2));
        const std::string share = format_value(set.share, core::Unit::Ratio);
        const float value = px(68);
        draw_text(list, ui_style(), {corner.x + px(16), text_y}, color::kMuted, core::name_of_set(set.set),
                  width - px(16) - value - px(56) - px(8));
        draw_text_right(list, mono_style(), {corner.x + width - value, text_y}, color::kText, share);
        draw_text_right(list, mono_style(), {corner.x + width, text_y}, color::kMuted,
                        format_value(set.time, core::Unit::Ns));
        y += pitch;
    }
    ImGui::Dummy({width, y - corner.y});
    ImGui::EndChild();
}

void BreakdownPanel::draw_model(Frame& frame, const BreakdownModel& model) {
    if (model.ranks.empty()) return empty_state("No rank passes the filter", "Loosen the rank term, or press Ctrl+Z.");
    if (std::ranges::all_of(model.ranks, &RankTimes::absent))
        return frame.state.follow_visible
                   ? empty_state("No GPU event is in view", "Zoom out, or turn off Follow the view.")
                   : empty_state("No GPU event passes the filter",
                                 "A trace without a GPU, or a filter that leaves nothing.");
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float sets = room.x > px(640) ? px(316) : 0;
    const std::vector<BarRow> rows = rows_of(model);
    const StackedBars chart{parts(), rows, core::Unit::Ns, shown_as_ == 1};
    const float chart_width = sets > 0 ? room.x - sets - px(24) : room.x;
    const BarHit hit = draw_stacked_bars("ranks", chart, {chart_width, room.y});
    if (hit.clicked && hit.row)
        frame.intents.push_back(SetFilter{only_rank(frame.session.filter(), model.ranks[*hit.row].key)});
    if (sets == 0) return;
    ImGui::SameLine(0, px(24));
    draw_sets(model, sets);
}

void BreakdownPanel::draw(Frame& frame) {
    draw_controls(frame);
    if (frame.state.follow_visible)
        return draw_model(frame, BreakdownModel::of_window(frame.session.run(), frame.state.time.range(),
                                                           frame.session.filter(), frame.results));
    const core::Request breakdown = ask(frame, "breakdown", "temporal-breakdown");
    const core::Request types = ask(frame, "breakdown/types", "kernel-types");
    if (!begin_answer(breakdown, "breakdown")) return;
    draw_model(frame,
               BreakdownModel::of_answers(breakdown.answer->main(), types.answer ? &types.answer->main() : nullptr));
    end_answer();
}

}  // namespace

std::unique_ptr<Panel> make_breakdown_panel() { return std::make_unique<BreakdownPanel>(); }

}  // namespace ui
