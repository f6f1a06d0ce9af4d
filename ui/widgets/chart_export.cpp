#include "ui/widgets/chart_export.hpp"

#include "ui/style/compat.hpp"
#include "ui/style/hatch.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ui {
namespace {

constexpr float kSheetPadding = 12;  // sizes at scale 1
constexpr float kSheetTitle = 24;
constexpr float kSheetLine = 18;
constexpr float kSheetSwatch = 9;
constexpr float kSheetSide = 16;
constexpr float kSheetGap = 14;

struct SheetEntry {
    std::string_view name;
    ImU32 color;
    bool hatched;
    float swatch;
};

std::vector<SheetEntry> entries_of(const ChartSheet& sheet) {
    std::vector<SheetEntry> entries;
    if (sheet.legend.size() > 1)
        for (const BarPart& part : sheet.legend) entries.push_back({part.name, part.color, false, px(kSheetSwatch)});
    if (!sheet.paired) return entries;
    for (const core::Side side : core::kSides)
        entries.push_back({name_of(side), color::palette().muted, side == core::Side::Candidate, px(kSheetSide)});
    return entries;
}

// Wraps to the width; without a list, entries are only measured.
float draw_sheet_legend(ImDrawList* list, std::span<const SheetEntry> entries, ImVec2 at, float width) {
    float x = 0;
    float y = 0;
    for (const SheetEntry& entry : entries) {
        const float wide = entry.swatch + px(5) + text_width(small_style(), entry.name);
        if (x > 0 && x + wide > width) {
            x = 0;
            y += px(kSheetLine);
        }
        const float top = std::floor(at.y + y + (px(kSheetLine) - px(kSheetSwatch)) / 2);
        const ImVec2 min{at.x + x, top};
        const ImVec2 max{min.x + entry.swatch, top + px(kSheetSwatch)};
        if (list) {
            draw_rect(list, min, max, entry.color, entry.hatched ? 0 : px(2));
            if (entry.hatched) draw_hatch(list, min, max);
            draw_text(list, small_style(),
                      {max.x + px(5), at.y + y + (px(kSheetLine) - small_style().size_px) / 2 - px(1)},
                      color::palette().muted, entry.name);
        }
        x += wide + px(kSheetGap);
    }
    return entries.empty() ? 0 : y + px(kSheetLine) + px(6);
}

bool entry(const char* label) {
    const float width =
        std::max(ImGui::GetContentRegionAvail().x, text_width(ui_style(), "Save as a drawing (SVG)\xE2\x80\xA6"));
    return selectable(label, false, 0, {width, 0});
}

}  // namespace

ChartExport& chart_export() {
    static ChartExport one;
    return one;
}

void ChartExport::begin_frame() {
    done_tables_ = std::exchange(tables_, {});
    taken_.reset();
    // Ignores clicks into an open menu.
    if (ImGui::IsMouseReleased(ImGuiMouseButton_Right) && !ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) {
        target_.reset();
        claimed_ = true;
    }
    drawing_ = {};
    set_drawing_in_progress(wanted_ == ChartForm::Drawing ? &drawing_ : nullptr);
}

void ChartExport::set_place(std::string_view panel, std::string title, std::string runs) {
    panel_ = panel;
    title_ = std::move(title);
    topic_.clear();
    runs_ = std::move(runs);
    if (!panel_.empty() && ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows)) active_panel_ = panel_;
}

bool ChartExport::is_clicked(ImVec2 min, ImVec2 max) const {
    return ImGui::IsMouseReleased(ImGuiMouseButton_Right) && !ImGui::IsMouseDown(ImGuiMouseButton_Left) &&
           ImGui::IsMouseHoveringRect(min, max) && ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows);
}

void ChartExport::offer_chart(const char* id, ImVec2 min, ImVec2 max, const std::function<ChartSheet()>& sheet) {
    const ImGuiID own = ImGui::GetID(id);
    record_rect(std::string("##chart:") + (id + std::string_view(id).find_first_not_of('#')), min, max,
                ImGui::IsMouseHoveringRect(min, max));
    if (is_clicked(min, max)) {
        target_ = Target{.chart = own, .title = title_, .table = {}};
        claimed_ = false;
    }
    if (!wanted_ || chosen_ != own) return;
    const ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 low = list->GetClipRectMin();
    const ImVec2 high = list->GetClipRectMax();
    const ImVec2 from{std::max(min.x, low.x), std::max(min.y, low.y)};
    const ImVec2 to{std::min(max.x, high.x), std::min(max.y, high.y)};
    if (to.x > from.x && to.y > from.y) export_chart(from, to, sheet());  // empty if scrolled away since
}

void ChartExport::offer_table(const char* id, ImVec2 min, ImVec2 max, TableSource source) {
    const ImGuiID own = ImGui::GetID(id);
    if (ImGui::IsMouseHoveringRect(min, max) && ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows))
        active_id_ = own;
    if (is_clicked(min, max)) {
        target_ = Target{.chart = 0, .title = title_, .table = source};
        claimed_ = false;
    }
    tables_.push_back({.id = own, .panel = panel_, .source = std::move(source)});
}

// "Steps: Change, Step time"
std::string ChartExport::title_of(const ChartSheet& sheet) const {
    std::string title = title_;
    for (const std::string* part : {&topic_, &sheet.title})
        if (!part->empty()) title += (title.size() == title_.size() ? ": " : ", ") + *part;
    return title;
}

// Draws padding, title and legend around the chart, over everything else.
void ChartExport::export_chart(ImVec2 min, ImVec2 max, const ChartSheet& sheet) {
    taken_ = ExportedChart{.form = *wanted_, .min = min, .max = max, .svg = {}, .table = {}};
    if (*wanted_ == ChartForm::Table) {
        taken_->table = sheet.table;
        return;
    }
    const std::vector<SheetEntry> entries = entries_of(sheet);
    const float padding = px(kSheetPadding);
    const float legend = draw_sheet_legend(nullptr, entries, {}, max.x - min.x);
    const ImVec2 top{min.x - padding, std::max(0.0f, min.y - padding - px(kSheetTitle) - legend)};
    const ImVec2 end{max.x + padding, max.y + padding};
    drawing_.keep_within(min, max);
    ImDrawList* list = ImGui::GetForegroundDrawList();
    draw_rect(list, top, {end.x, min.y}, color::palette().panel);
    draw_rect(list, {top.x, max.y}, end, color::palette().panel);
    draw_rect(list, {top.x, min.y}, {min.x, max.y}, color::palette().panel);
    draw_rect(list, {max.x, min.y}, {end.x, max.y}, color::palette().panel);
    const std::string title = title_of(sheet);
    const float y = top.y + padding - px(3);
    draw_text(list, heading_style(), {min.x, y}, color::palette().text, title, max.x - min.x);
    const float wide = text_width(heading_style(), title) + px(10);
    if (wide + px(60) < max.x - min.x)
        draw_text(list, small_style(), {min.x + wide, y + px(1)}, color::palette().muted, runs_, max.x - min.x - wide);
    draw_sheet_legend(list, entries, {min.x, top.y + padding + px(kSheetTitle) - px(6)}, max.x - min.x);
    taken_->min = {std::max(0.0f, top.x), top.y};
    taken_->max = end;
    if (*wanted_ == ChartForm::Drawing)
        taken_->svg = drawing_.to_svg(taken_->min, taken_->max, runs_.empty() ? title : title + ", " + runs_,
                                      color::palette().panel);
    set_drawing_in_progress(nullptr);
}

bool ChartExport::claim() {
    if (!target_ || claimed_) {
        target_.reset();
        return false;
    }
    return claimed_ = true;
}

void ChartExport::draw_entries(Frame& frame) {
    if (!target_) return;
    if (ImGui::GetCursorPosY() > ImGui::GetCursorStartPos().y) ImGui::Separator();
    const auto take = [&](Intent intent) {
        chosen_ = target_->chart;
        chosen_title_ = target_->title;
        frame.intents.push_back(std::move(intent));
        ImGui::CloseCurrentPopup();
    };
    if (target_->chart == 0) {
        if (entry("Copy the table##copy-table")) take(CopyTable{target_->table});
        return;
    }
    if (entry("Save as a picture (PNG)\xE2\x80\xA6##save-picture")) take(AskToSave{SaveKind::ChartPicture});
    if (entry("Save as a drawing (SVG)\xE2\x80\xA6##save-drawing")) take(AskToSave{SaveKind::ChartDrawing});
    if (entry("Copy as a table##copy-chart")) take(CopyChart{});
}

void ChartExport::draw_menu(Frame& frame) {
    if (target_ && !std::exchange(claimed_, true)) ImGui::OpenPopup("take-out");
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(8), px(8)});
    ImGui::PushStyleColor(ImGuiCol_PopupBg, color::palette().raised);
    const bool was_open = std::exchange(menu_open_, ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
    if (was_open && !menu_open_) target_.reset();  // releases the table as well
    const bool shown = ImGui::BeginPopup("take-out");
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    if (!shown) return;
    const ItemScope scope("row-menu");
    close_on_escape();
    draw_entries(frame);
    ImGui::EndPopup();
}

void ChartExport::want(ChartForm form) { wanted_ = form; }

std::optional<ExportedChart> ChartExport::take() {
    set_drawing_in_progress(nullptr);
    wanted_.reset();
    return std::exchange(taken_, std::nullopt);
}

std::optional<TableSource> ChartExport::active_table() const {
    const std::vector<ShownTable>& shown = tables_.empty() ? done_tables_ : tables_;
    const auto score = [&](const ShownTable& table) {
        return (table.panel == active_panel_ ? 2 : 0) + (table.id == active_id_ ? 1 : 0);
    };
    const auto best = std::ranges::max_element(shown, {}, score);
    if (best == shown.end() || (!active_panel_.empty() && best->panel != active_panel_)) return std::nullopt;
    return best->source;
}

}  // namespace ui
