#include "ui/charts/stacked_bars.hpp"

#include "ui/charts/compared_lines.hpp"
#include "ui/charts/draw_shapes.hpp"
#include "ui/model/charts/chart_table.hpp"
#include "ui/model/charts/compared.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/widgets/chart_export.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr float kNarrow = 440;  // width at scale 1

constexpr float kFadedBar = 0.3f;  // opacity of a faded bar

double clean(double value) { return std::isfinite(value) ? value : 0; }

std::string value_text(const StackedBars& chart, const BarRow& row) {
    return row.absent || row.missing ? std::string(kAbsentText) : core::format_value(row.total(), chart.unit);
}

std::optional<double> known_total(const BarRow& row) {
    return row.absent || row.missing ? std::nullopt : std::optional(row.total());
}

// Narrow charts show the absolute change only in the tooltip.
std::string change_text(const StackedBars& chart, std::size_t index, bool narrow) {
    const Compared total = Compared::between(known_total(chart.rows[index]), known_total(chart.candidates[index]));
    if (!total.change) return {};
    std::string ratio = format_ratio_change(total);
    if (narrow && !ratio.empty()) return ratio;
    return format_change(total, chart.unit) + (ratio.empty() || *total.change == 0 ? "" : "  " + ratio);
}

// The layout's view of a chart of this width.
core::Bars bars_of(const StackedBars& chart, float width) {
    return {.parts = chart.parts.size(),
            .rows = chart.rows,
            .candidates = chart.candidates,
            .unit = chart.unit,
            .share = chart.share,
            .number = [&chart, narrow = width < px(kNarrow)](std::size_t row) {
                return chart.paired() ? change_text(chart, row, narrow) : value_text(chart, chart.rows[row]);
            }};
}

void show_pair(const StackedBars& chart, const BarRow& baseline, const BarRow& candidate) {
    const auto known = [&](const BarRow& row, double value) {
        return row.absent || row.missing ? std::nullopt : std::optional(clean(value));
    };
    compared_tooltip_head();
    for (std::size_t p = 0; p < chart.parts.size(); ++p)
        compared_tooltip_line(
            chart.parts[p].name,
            Compared::between(known(baseline, baseline.values[p]), known(candidate, candidate.values[p])), chart.unit,
            chart.parts[p].color);
    if (chart.parts.size() > 1)
        compared_tooltip_line("Together", Compared::between(known_total(baseline), known_total(candidate)), chart.unit);
    for (const core::Side side : core::kSides)
        if ((side == core::Side::Baseline ? baseline : candidate).missing) muted_text(only_in(other_side(side)));
}

void show_tooltip(const StackedBars& chart, std::size_t index, std::optional<std::size_t> part) {
    const BarRow& row = chart.rows[index];
    if (!chart.paired() && row.absent) return;
    if (chart.parts.size() == 1) part = 0;
    ImGui::BeginTooltip();
    heading(row.label);
    if (chart.paired()) {
        show_pair(chart, row, chart.candidates[index]);
        draw_notes(chart.notes, part, row.label);
        ImGui::EndTooltip();
        return;
    }
    const double total = row.total();
    for (std::size_t p = 0; p < chart.parts.size(); ++p) {
        const bool shared = total > 0 && row.below() == 0 && chart.parts.size() > 1;
        tooltip_line(chart.parts[p].name, core::format_value(row.values[p], chart.unit), chart.parts[p].color,
                     shared ? core::format_value(clean(row.values[p]) / total, core::Unit::Ratio) : std::string());
    }
    if (chart.parts.size() > 1) tooltip_line("Together", core::format_value(total, chart.unit));
    draw_notes(chart.notes, part, row.label);
    ImGui::EndTooltip();
}

// The part under the pointer; a row reacts over its full height.
const core::ChartShape* find_pointed_part(const core::Bars& bars, const core::BarLayout& layout,
                                          std::span<const core::ChartShape> shapes, core::ChartPoint row) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const float top = layout.bars(bars, row).min.y;
    const bool second = bars.paired() && mouse.y >= top + layout.bar;
    return core::find_part(shapes, {mouse.x, second ? top + layout.bar + 1 : top});
}

ImU32 color_of_part(const StackedBars& chart, const core::ChartShape& part, const core::ChartShape* pointed) {
    const BarRow& row = (part.side == core::Side::Candidate ? chart.candidates : chart.rows)[part.item];
    ImU32 fill = chart.parts[part.part].color;
    const bool dimmed = chart.highlighted ? *chart.highlighted != part.part : chart.parts[part.part].off;
    if (row.faded || dimmed) fill = color::mix(color::palette().panel, fill, kFadedBar);
    if (pointed && pointed->part == part.part && pointed->side == part.side)
        fill = color::mix(fill, color::palette().text, 0.18f);
    return fill;
}

ImU32 color_of_shape(const StackedBars& chart, const core::ChartShape& shape, bool hovered,
                     const core::ChartShape* pointed) {
    const bool faded = chart.rows[shape.item].faded;
    switch (shape.role) {
        case core::ChartRole::Part:
            return color_of_part(chart, shape, pointed);
        case core::ChartRole::Share:
            return color::text_on(color_of_part(chart, shape, pointed));
        case core::ChartRole::Label:
            return hovered ? color::palette().text : faded ? color::palette().faint : color::palette().muted;
        case core::ChartRole::Value:
            return faded ? color::palette().faint : color::palette().muted;
        default:
            return color::palette().faint;
    }
}

void draw_row(ImDrawList* list, const StackedBars& chart, const core::Bars& bars, const core::BarLayout& layout,
              std::size_t index, ImVec2 at, bool hovered, core::ChartShapes& shapes, BarHit& hit) {
    shapes.clear();
    core::add_bar_row(bars, layout, index, to_chart(at), window_metrics(), shapes);
    const core::ChartShape* const pointed =
        hovered ? find_pointed_part(bars, layout, shapes.all(), to_chart(at)) : nullptr;
    draw_shapes(list, shapes.all(),
                [&](const core::ChartShape& shape) { return color_of_shape(chart, shape, hovered, pointed); });
    const core::ChartBox box = layout.bars(bars, to_chart(at));
    record_rect("##bar:" + chart.rows[index].label, to_imgui(box.min), to_imgui(box.max), hovered);
    if (!hovered) return;
    hit.row = index;
    hit.part = pointed ? std::optional(pointed->part) : std::nullopt;
    hit.listed = ImGui::IsMouseReleased(ImGuiMouseButton_Right);
}

ImU32 color_of_bar_axis(const core::ChartShape& shape) {
    return shape.role == core::ChartRole::Grid ? color::palette().grid : color::palette().faint;
}

// Numbers of one part, or sums of all parts; not a number for rows without a value.
std::vector<double> numbers_of(std::span<const BarRow> rows, std::optional<std::size_t> part) {
    std::vector<double> numbers;
    for (const BarRow& row : rows)
        numbers.push_back(row.absent || row.missing ? std::nan("") : part ? clean(row.values[*part]) : row.total());
    return numbers;
}

ChartTable table_of(const StackedBars& chart) {
    ChartTable table;
    std::vector<std::string> names;
    for (const BarRow& row : chart.rows) names.push_back(row.whole.empty() ? row.label : row.whole);
    table.add_texts("name", std::move(names));
    const auto add = [&](std::string_view title, std::optional<std::size_t> part) {
        if (chart.paired())
            table.add_pair(title, chart.unit, {numbers_of(chart.rows, part), numbers_of(chart.candidates, part)});
        else
            table.add_numbers(title, chart.unit, numbers_of(chart.rows, part));
    };
    for (std::size_t p = 0; p < chart.parts.size(); ++p) {
        const BarPart& part = chart.parts[p];
        add(part.whole.empty() ? part.name : part.whole, p);
    }
    if (chart.parts.size() > 1) add("together", std::nullopt);
    return table;
}

}  // namespace

BarHit draw_stacked_bars(const char* id, const StackedBars& chart, ImVec2 size) {
    BarHit hit;
    const core::Bars bars = bars_of(chart, size.x);
    const float axis_height = px(core::kBarAxisHeight);
    const float pitch = core::find_bar_pitch(bars, size.y, window_metrics());
    const float needed = pitch * static_cast<float>(chart.rows.size());
    const float list_height = std::min(needed, std::max(px(22), size.y - axis_height));
    const bool scrolls = needed > list_height + 1;
    const core::BarLayout layout = core::lay_out_bars(bars, size.x, pitch, scrolls ? px(12) : 0, window_metrics());
    const ImVec2 corner = ImGui::GetCursorScreenPos();

    ImGui::BeginGroup();
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    ImGui::BeginChild(id, {size.x, list_height}, false,
                      scrolls ? 0 : ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const core::HorizontalAxis axis = layout.on_axis(corner.x + layout.label_width);
    core::ChartShapes shapes;
    core::add_vertical_grid(axis, corner.y, corner.y + list_height, shapes);
    draw_shapes(list, shapes.all(), color_of_bar_axis);
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(chart.rows.size()), layout.pitch);
    while (clipper.Step()) {
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
            ImGui::PushID(i);
            const ImVec2 at = ImGui::GetCursorScreenPos();
            hit.clicked |= invisible_button("row", {layout.width, layout.pitch});
            const bool hovered = ImGui::IsItemHovered();
            draw_row(list, chart, bars, layout, static_cast<std::size_t>(i), at, hovered, shapes, hit);
            ImGui::PopID();
        }
    }
    clipper.End();
    ImGui::EndChild();
    shapes.clear();
    core::add_ticks_below(axis, corner.y + list_height, window_metrics(), shapes);
    draw_shapes(ImGui::GetWindowDrawList(), shapes.all(), color_of_bar_axis);
    ImGui::Dummy({size.x, axis_height});
    record_item("##axis");
    const bool on_axis = ImGui::IsItemHovered();
    ImGui::PopStyleVar(2);
    ImGui::EndGroup();
    if (on_axis) draw_notes_tooltip(chart.notes, 0, chart.parts.size());
    if (hit.row) show_tooltip(chart, *hit.row, hit.part);
    chart_export().offer_chart(id, corner, {corner.x + size.x, corner.y + list_height + axis_height}, [&] {
        return ChartSheet{.legend = chart.parts, .paired = chart.paired(), .table = [numbers = table_of(chart)] {
                              return numbers.table();
                          }};
    });
    return hit;
}

}  // namespace ui
