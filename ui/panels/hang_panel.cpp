// Ranks that a hung job waits for, from the flight-recorder dumps of the run: the first collective of each group that
// some rank did not enter, and the calls of each rank from creation to completion, pending ones hatched. A click on a
// group shows only its calls; a click on a call selects it.

#include "ui/model/deferred.hpp"
#include "ui/model/panel.hpp"
#include "ui/model/panels/hang_model.hpp"
#include "ui/model/weak_key.hpp"
#include "ui/style/hatch.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/widgets/status.hpp"

#include "core/base/format.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace ui {
namespace {

constexpr float kHangRow = 22;          // at scale 1, like all below
constexpr float kHangLabel = 48;
constexpr float kHangVerdict = 150;
constexpr float kGroupsShare = 0.4f;    // of the panel's height, at most
constexpr std::size_t kMostGroupText = 120;

constexpr ImGuiTableFlags kHangTable =
    ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_NoSavedSettings;

class HangPanel final : public Panel {
public:
    void draw(Frame& frame) override;
    bool busy() const override { return picture_.busy(); }
    void describe(nlohmann::json& shown) const override;

private:
    void draw_groups(const HangPicture& picture);
    void draw_group_row(const HangPicture& picture, std::uint32_t number);
    void draw_ranks(Frame& frame, const HangPicture& picture);
    void draw_rank(Frame& frame, const HangPicture& picture, const HangRank& rank, float width);
    void draw_bars(Frame& frame, const HangPicture& picture, const HangRank& rank, ImVec2 min, ImVec2 max);
    void show_call(const Frame& frame, const HangPicture& picture, const HangRank& rank, const HangBar& bar) const;
    std::string find_scope(std::size_t ranks) const;
    bool shows(const HangBar& bar) const { return !chosen_ || bar.group == *chosen_; }

    Deferred<WeakKey<core::Run>, HangPicture> picture_;
    std::shared_ptr<const HangPicture> shown_;
    std::optional<std::uint32_t> chosen_;  // group
    std::string scope_words_;
};

// ranks: number in the run, with or without a dump.
std::string HangPanel::find_scope(std::size_t ranks) const {
    const std::string dot = " \xC2\xB7 ";
    const std::size_t dumps = shown_->ranks.size();
    return (dumps == ranks
                ? core::format_plural(ranks, "rank", "ranks")
                : core::format_count(dumps) + " of " + core::format_plural(ranks, "rank", "ranks") + " with a dump") +
           dot +
           (chosen_ ? "group " + cut_text(shown_->groups[*chosen_].label, kMostGroupText)
                    : core::format_plural(shown_->groups.size(), "group", "groups")) +
           dot + "whole dumps, not filtered";
}

void cell_of_ranks(const std::string& ranks, ImU32 ink) {
    ImGui::TableNextColumn();
    text(cut_text(ranks, kMostGroupText), ink);
}

void HangPanel::draw_group_row(const HangPicture& picture, std::uint32_t number) {
    const HangGroup& group = picture.groups[number];
    ImGui::PushID(static_cast<int>(number));
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const std::string label = cut_text(group.label, kMostGroupText) + "##group:" + std::to_string(number);
    const bool is_chosen = chosen_ == number;
    if (selectable(label.c_str(), is_chosen, ImGuiSelectableFlags_SpanAllColumns))
        chosen_ = is_chosen ? std::nullopt : std::optional(number);
    ImGui::TableNextColumn();
    text(cut_text(group.collective, kMostGroupText), group.is_named ? color::palette().text : color::palette().muted);
    ImGui::TableNextColumn();
    text(core::format_count(static_cast<std::int64_t>(group.waiting)), color::palette().muted);
    cell_of_ranks(group.missing, color::palette().error);
    cell_of_ranks(group.behind, color::palette().error);
    cell_of_ranks(group.mismatch, color::palette().error);
    cell_of_ranks(group.no_dump, color::palette().warning);
    ImGui::PopID();
}

void HangPanel::draw_groups(const HangPicture& picture) {
    const float wanted = static_cast<float>(picture.order.size() + 1) * ImGui::GetTextLineHeightWithSpacing() + px(8);
    const float height = std::min(wanted, std::max(px(60), ImGui::GetContentRegionAvail().y * kGroupsShare));
    constexpr const char* kTitles[] = {
        "Group", "First collective not entered by all", "Waiting", "Missing", "Behind", "Differs", "No dump"};
    if (!ImGui::BeginTable("groups", std::size(kTitles), kHangTable, {0, height})) return;
    for (const char* title : kTitles) ImGui::TableSetupColumn(title);
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableNextRow();
    for (const char* title : kTitles) {
        ImGui::TableNextColumn();
        muted_text(title);
    }
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(picture.order.size()));
    while (clipper.Step())
        for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row)
            draw_group_row(picture, picture.order[static_cast<std::size_t>(row)]);
    ImGui::EndTable();
}

void HangPanel::show_call(const Frame& frame, const HangPicture& picture, const HangRank& rank,
                          const HangBar& bar) const {
    const core::RankTrace& trace = frame.run()->rank(rank.slot).trace();
    const auto number = trace.integer(core::Arg::Seq, bar.event);
    std::string lines = cut_text(trace.name_text(bar.event), kMostGroupText) +
                        (number ? " " + core::format_count(*number) : "") + "\nrank " + core::format_rank(rank.key) +
                        ", " + cut_text(picture.groups[bar.group].label, kMostGroupText) + "\ncreated at " +
                        core::format_time_offset(bar.begin - frame.run()->origin(), core::Duration{1000});
    lines += bar.pending ? "\npending when the dump was written"
                         : "\ncompleted after " + core::format_duration(bar.end - bar.begin);
    show_tooltip(lines);
}

void HangPanel::draw_bars(Frame& frame, const HangPicture& picture, const HangRank& rank, ImVec2 min, ImVec2 max) {
    ImDrawList* const list = ImGui::GetWindowDrawList();
    const double span = std::max(1.0, static_cast<double>(picture.range.length().count()));
    const auto x_of = [&](core::RunTime t) {
        return min.x +
               (max.x - min.x) * static_cast<float>(static_cast<double>((t - picture.range.begin).count()) / span);
    };
    const float lane = (max.y - min.y) / static_cast<float>(rank.lanes);
    std::vector<float> drawn_to(rank.lanes, min.x - 1);
    const HangBar* pointed = nullptr;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const bool hovered = ImGui::IsItemHovered();
    for (const HangBar& bar : rank.bars) {
        if (!shows(bar)) continue;
        const float left = x_of(bar.begin);
        const float right = std::max(left + px(1), x_of(bar.end));
        if (right <= drawn_to[bar.lane]) continue;  // hidden below the previous one's pixel
        drawn_to[bar.lane] = right;
        const float top = min.y + lane * static_cast<float>(bar.lane);
        const ImVec2 low{left, top}, high{right, std::max(top + 1, top + lane - (lane > px(3) ? 1.0f : 0.0f))};
        draw_rect(list, low, high, color::of_series(bar.group));
        if (bar.pending) draw_hatch(list, low, high);
        if (hovered && mouse.x >= low.x && mouse.x < high.x && mouse.y >= top && mouse.y < top + lane) pointed = &bar;
    }
    if (!pointed) return;
    show_call(frame, picture, rank, *pointed);
    if (ImGui::IsItemClicked()) frame.intents.push_back(SelectEvent{{rank.slot, pointed->event}, true});
}

void HangPanel::draw_rank(Frame& frame, const HangPicture& picture, const HangRank& rank, float width) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float height = px(kHangRow);
    const std::string label = core::format_rank(rank.key);
    ImGui::PushID(static_cast<int>(rank.slot));
    invisible_button("##calls", {width, height});
    record_item("rank:" + label);
    ImGui::PopID();
    ImDrawList* const list = ImGui::GetWindowDrawList();
    const bool is_named = !rank.verdict.empty();
    const float text_y = at.y + (height - ui_style().size_px) / 2;
    draw_text(list, ui_style(), {at.x + px(4), text_y}, is_named ? color::palette().error : color::palette().text,
              label, px(kHangLabel));
    const float right = at.x + width - px(kHangVerdict);
    if (is_named)
        draw_text(list, small_style(), {right + px(6), text_y}, color::palette().error, rank.verdict,
                  px(kHangVerdict) - px(10));
    draw_bars(frame, picture, rank, {at.x + px(kHangLabel), at.y + px(2)}, {right, at.y + height - px(2)});
    draw_line(list, {at.x, at.y + height}, {at.x + width, at.y + height}, color::palette().grid);
}

void HangPanel::draw_ranks(Frame& frame, const HangPicture& picture) {
    muted_text(chosen_ ? "Calls of " + cut_text(picture.groups[*chosen_].label, kMostGroupText) + " over " +
                             core::format_duration(picture.range.length()) + "; hatched: pending"
                       : "Calls of all groups over " + core::format_duration(picture.range.length()) +
                             "; hatched: pending");
    ImGui::BeginChild("ranks", {0, 0}, false);
    const ItemScope scope("ranks");
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    const float width = std::max(px(kHangLabel + kHangVerdict + 20), ImGui::GetContentRegionAvail().x);
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(picture.ranks.size()), px(kHangRow));
    while (clipper.Step())
        for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row)
            draw_rank(frame, picture, picture.ranks[static_cast<std::size_t>(row)], width);
    ImGui::PopStyleVar();
    ImGui::EndChild();
}

void HangPanel::draw(Frame& frame) {
    const core::RunPtr& run = frame.run();
    if (!run) {
        shown_.reset();
        return empty_state("No run", "Open a folder of traces.");
    }
    const auto picture =
        picture_.ask(frame.session.pool(), WeakKey<core::Run>(run), [run] { return build_hang_picture(*run); });
    if (picture != shown_) chosen_.reset();
    shown_ = picture;
    if (!picture || !picture_.fresh()) return muted_text("Reading the dumps\xE2\x80\xA6");
    if (picture->ranks.empty())
        return empty_state("No flight-recorder dumps",
                           "Open the folder of the dumps that PyTorch writes at a time-out, alone or with the traces.");
    if (picture->order.empty()) muted_text("No collective is pending in any dump.");
    const ItemScope scope("hang");
    scope_words_ = find_scope(run->ranks().size());
    draw_scope(scope_words_);
    if (!picture->order.empty()) draw_groups(*picture);
    draw_ranks(frame, *picture);
}

void HangPanel::describe(nlohmann::json& shown) const {
    shown["fresh"] = !busy();
    shown["ranks"] = nlohmann::json::array();
    shown["groups"] = nlohmann::json::array();
    if (!shown_) return;
    shown["of"] = scope_words_;
    for (const HangRank& rank : shown_->ranks) {
        const auto pending =
            std::ranges::count_if(rank.bars, [&](const HangBar& bar) { return bar.pending && shows(bar); });
        const auto calls = std::ranges::count_if(rank.bars, [&](const HangBar& bar) { return shows(bar); });
        shown["ranks"].push_back(
            {{"rank", core::format_rank(rank.key)}, {"verdict", rank.verdict}, {"calls", calls}, {"pending", pending}});
    }
    for (const std::uint32_t number : shown_->order) {
        const HangGroup& group = shown_->groups[number];
        shown["groups"].push_back({{"group", group.label},
                                   {"collective", group.collective},
                                   {"waiting", group.waiting},
                                   {"missing", group.missing},
                                   {"behind", group.behind},
                                   {"mismatch", group.mismatch},
                                   {"no_dump", group.no_dump}});
    }
}

}  // namespace

std::unique_ptr<Panel> make_hang_panel() { return std::make_unique<HangPanel>(); }

}  // namespace ui
