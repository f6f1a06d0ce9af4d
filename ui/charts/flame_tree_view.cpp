#include "ui/charts/flame_tree_view.hpp"

#include "core/base/short_name.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"

#include "core/base/format.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr float kTreeRow = 20;       // sizes at scale 1
constexpr float kTreeIndent = 14;
constexpr float kTreeNumber = 74;    // width of a column of numbers
constexpr float kTreeBar = 150;
constexpr std::size_t kMostIndents = 24;

struct TreeColumns {
    float name, bar, total, share, self, calls;  // left edge of the bar, right edges of the numbers
};

TreeColumns lay_out_tree(float left, float width) {
    TreeColumns columns{};
    columns.calls = left + width;
    columns.self = columns.calls - px(kTreeNumber);
    columns.share = columns.self - px(kTreeNumber);
    columns.total = columns.share - px(kTreeNumber);
    columns.bar = columns.total - px(kTreeNumber) - px(kTreeBar);
    columns.name = columns.bar - px(12);
    return columns;
}

void draw_tree_titles(const TreeColumns& columns, FlameMeasure measure) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const auto title = [&](float right, std::string_view words) {
        draw_text_right(list, small_style(), {right, at.y}, color::palette().faint, words);
    };
    draw_text(list, small_style(), at, color::palette().faint, "Name");
    draw_text(list, small_style(), {columns.bar, at.y}, color::palette().faint, "Self in total");
    title(columns.total, measure == FlameMeasure::CpuTime ? "CPU time" : "Kernel time");
    title(columns.share, "Share");
    title(columns.self, "Self");
    title(columns.calls, measure == FlameMeasure::CpuTime ? "Calls" : "Kernels");
    ImGui::Dummy({0, px(16)});
}

void draw_tree_row(const FlameTree& tree, const FlameTreeRow& row, const TreeColumns& columns, ImVec2 at,
                   bool hovered) {
    const FlameFrame& frame = tree.graph()->frames[row.frame];
    const double whole = static_cast<double>(std::max<std::int64_t>(1, tree.graph()->frames[tree.top()].width));
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float x = at.x + px(kTreeIndent) * static_cast<float>(std::min<std::size_t>(row.depth, kMostIndents));
    const float middle = std::floor(at.y + px(kTreeRow) / 2);
    const ImU32 ink = hovered ? color::palette().text : color::palette().muted;
    if (row.has_children) {
        const float side = px(4);
        if (row.open)
            draw_triangle(list, {x, middle - side / 2}, {x + 2 * side, middle - side / 2}, {x + side, middle + side},
                          ink);
        else
            draw_triangle(list, {x + side / 2, middle - side}, {x + side / 2, middle + side}, {x + 2 * side, middle},
                          ink);
    }
    const float text_y = at.y + (px(kTreeRow) - ui_style().size_px) / 2 - px(1);
    draw_text(list, ui_style(), {x + px(14), text_y}, color::palette().text,
              core::short_name(title_of_frame(frame)).normal, columns.name - x - px(14));
    const auto part = [&](std::int64_t ns) {
        return std::floor(px(kTreeBar) * static_cast<float>(std::clamp(static_cast<double>(ns) / whole, 0.0, 1.0)));
    };
    const ImU32 bar = color::of_series(0);
    draw_rect(list, {columns.bar, at.y + px(5)}, {columns.bar + std::max(1.0f, part(frame.width)), at.y + px(15)},
              color::mix(color::palette().panel, bar, 0.45f));
    if (row.self > 0)
        draw_rect(list, {columns.bar, at.y + px(5)}, {columns.bar + std::max(1.0f, part(row.self)), at.y + px(15)},
                  bar);
    const auto number = [&](float right, const std::string& words, ImU32 color) {
        draw_text_right(list, mono_style(), {right, text_y}, color, words);
    };
    number(columns.total, core::format_duration(core::Duration{frame.width}), color::palette().text);
    number(columns.share, core::format_ratio(static_cast<double>(frame.width) / whole), color::palette().muted);
    number(columns.self, core::format_duration(core::Duration{row.self}), color::palette().text);
    const std::int64_t calls = tree.measure() == FlameMeasure::CpuTime ? frame.calls : frame.kernels;
    number(columns.calls, calls > 0 ? core::format_count(calls) : std::string(kAbsentText), color::palette().muted);
}

}  // namespace

void draw_flame_tree(FlameTree& tree, ImVec2 size) {
    ImGui::BeginChild("tree", size, false);
    const ItemScope scope("tree");
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    const TreeColumns columns = lay_out_tree(ImGui::GetCursorScreenPos().x, ImGui::GetContentRegionAvail().x - px(14));
    draw_tree_titles(columns, tree.measure());
    ImGui::BeginChild("rows", {0, 0}, false);
    std::optional<std::uint32_t> toggled;
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(tree.rows().size()), px(kTreeRow));
    while (clipper.Step()) {
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
            const FlameTreeRow& row = tree.rows()[static_cast<std::size_t>(i)];
            const ImVec2 at = ImGui::GetCursorScreenPos();
            ImGui::PushID(i);
            const std::string item = "##row:" + std::to_string(i);
            if (invisible_button(item.c_str(), {columns.calls - at.x, px(kTreeRow)}) && row.has_children)
                toggled = row.frame;
            record_item(item);
            const bool hovered = ImGui::IsItemHovered();
            if (hovered && row.has_children) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
            draw_tree_row(tree, row, columns, at, hovered);
            if (hovered) {
                const FlameFrame& frame = tree.graph()->frames[row.frame];
                show_tooltip(title_of_frame(frame) + "\ntotal " + core::format_duration(core::Duration{frame.width}) +
                             " = self " + core::format_duration(core::Duration{row.self}) + " + below " +
                             core::format_duration(core::Duration{frame.width - row.self}));
            }
            ImGui::PopID();
        }
    }
    clipper.End();
    ImGui::EndChild();
    ImGui::PopStyleVar();
    ImGui::EndChild();
    if (toggled) tree.toggle(*toggled);
}

}  // namespace ui
