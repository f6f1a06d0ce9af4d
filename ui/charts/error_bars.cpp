#include "ui/charts/error_bars.hpp"

#include "ui/charts/compared_lines.hpp"
#include "ui/charts/draw_shapes.hpp"
#include "ui/model/charts/chart_table.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/widgets/chart_export.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr float kFadedWhisker = 0.3f;  // opacity of a faded bar

void show_pair(const ErrorBars& chart, const ErrorBar& baseline, const ErrorBar& candidate) {
    compared_tooltip_head();
    const auto line = [&](std::string_view name, double ErrorBar::*value, core::Unit unit) {
        const auto known = [&](const ErrorBar& bar) { return bar.missing ? std::nullopt : std::optional(bar.*value); };
        compared_tooltip_line(name, Compared::between(known(baseline), known(candidate)), unit);
    };
    line("Mean", &ErrorBar::mean, chart.unit);
    line("Min", &ErrorBar::low, chart.unit);
    line("Max", &ErrorBar::high, chart.unit);
    if (baseline.count > 0 || candidate.count > 0) line("Count", &ErrorBar::count, core::Unit::Count);
    if (baseline.missing) muted_text(only_in(core::Side::Candidate));
    if (candidate.missing) muted_text(only_in(core::Side::Baseline));
    for (const core::Side side : core::kSides)
        if ((side == core::Side::Baseline ? baseline : candidate).stands_out)
            text(std::string("Stands out from the other ranks of the ").append(name_of(side)),
                 color::palette().outlier);
}

void show_tooltip(const ErrorBars& chart, std::size_t index) {
    const ErrorBar& bar = chart.bars[index];
    ImGui::BeginTooltip();
    const std::string head = std::string(chart.label_prefix) + bar.label;
    heading(head);
    if (chart.paired()) {
        show_pair(chart, bar, chart.candidates[index]);
        draw_notes(chart.notes, 0, head);
        ImGui::EndTooltip();
        return;
    }
    tooltip_line("Mean", core::format_value(bar.mean, chart.unit));
    tooltip_line("Min", core::format_value(bar.low, chart.unit));
    tooltip_line("Max", core::format_value(bar.high, chart.unit));
    if (bar.count > 0) tooltip_line("Count", core::format_value(bar.count, core::Unit::Count));
    if (bar.stands_out) text("Slower than the other ranks", color::palette().outlier);
    draw_notes(chart.notes, 0, head);
    ImGui::EndTooltip();
}

ImU32 color_of_bar(const ErrorBars& chart, const core::ChartShape& shape, bool pointed) {
    const ErrorBar& bar = (shape.side == core::Side::Baseline ? chart.bars : chart.candidates)[shape.item];
    ImU32 fill = bar.stands_out ? color::palette().outlier : chart.color;
    if (bar.faded) fill = color::mix(color::palette().panel, fill, kFadedWhisker);
    return pointed ? color::mix(fill, color::palette().text, 0.2f) : fill;
}

ImU32 color_of_shape(const ErrorBars& chart, const core::ChartShape& shape, bool pointed) {
    switch (shape.role) {
        case core::ChartRole::Part:
            return color_of_bar(chart, shape, pointed);
        case core::ChartRole::Whisker:
            return color::with_alpha(color::palette().whisker, 210);
        case core::ChartRole::FaintWhisker:
            return color::with_alpha(color::palette().whisker, 80);
        case core::ChartRole::Label:
            return pointed ? color::palette().text : color::palette().muted;
        case core::ChartRole::Zero:
            return color::palette().base;
        case core::ChartRole::Grid:
            return color::palette().grid;
        default:
            return color::palette().faint;
    }
}

std::vector<double> numbers_of(std::span<const ErrorBar> bars, double ErrorBar::*value) {
    std::vector<double> numbers;
    for (const ErrorBar& bar : bars) numbers.push_back(bar.missing ? std::nan("") : bar.*value);
    return numbers;
}

ChartTable table_of(const ErrorBars& chart) {
    ChartTable table;
    std::vector<std::string> labels;
    for (const ErrorBar& bar : chart.bars) labels.push_back(bar.label);
    table.add_texts(chart.label_prefix == "rank " ? "rank" : "name", std::move(labels));
    const auto add = [&](std::string_view title, double ErrorBar::*value, core::Unit unit) {
        if (chart.paired())
            table.add_pair(title, unit, {numbers_of(chart.bars, value), numbers_of(chart.candidates, value)});
        else
            table.add_numbers(title, unit, numbers_of(chart.bars, value));
    };
    add("mean", &ErrorBar::mean, chart.unit);
    add("min", &ErrorBar::low, chart.unit);
    add("max", &ErrorBar::high, chart.unit);
    const auto counted = [](const ErrorBar& bar) { return bar.count > 0; };
    if (std::ranges::any_of(chart.bars, counted)) add("count", &ErrorBar::count, core::Unit::Count);
    return table;
}

}  // namespace

ErrorBarHit draw_error_bars(const char* id, const ErrorBars& chart, ImVec2 size) {
    ErrorBarHit hit;
    size = {std::max(size.x, px(60)), std::max(size.y, px(60))};
    const ImVec2 at = ImGui::GetCursorScreenPos();
    hit.clicked = invisible_button(id, size);
    record_item(id);
    const bool hovered = ImGui::IsItemHovered();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const core::Whiskers whiskers{.bars = chart.bars, .candidates = chart.candidates, .unit = chart.unit};
    const core::WhiskerLayout layout =
        core::lay_out_whiskers(whiskers, {to_chart(at), {at.x + size.x, at.y + size.y}}, window_metrics());
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (hovered) hit.bar = layout.category_at(mouse.x, chart.bars.size());
    core::ChartShapes shapes;
    core::add_whiskers(whiskers, layout, window_metrics(), shapes);
    draw_shapes(list, shapes.all(),
                [&](const core::ChartShape& shape) { return color_of_shape(chart, shape, hit.bar == shape.item); });
    for (const std::size_t i : layout.drawn) {
        const core::ChartBox box = layout.column(whiskers, i, window_metrics());
        record_rect("##bar:" + std::string(chart.label_prefix) + chart.bars[i].label, to_imgui(box.min),
                    to_imgui(box.max), hit.bar == i);
    }
    hit.listed = hit.bar && ImGui::IsMouseReleased(ImGuiMouseButton_Right);
    if (hit.bar) show_tooltip(chart, *hit.bar);
    const bool on_axis = hovered && mouse.x < layout.plot.min.x;
    record_rect("##axis", at, {layout.plot.min.x, layout.plot.max.y}, on_axis);
    if (on_axis) draw_notes_tooltip(chart.notes, 0, 1);
    chart_export().offer_chart(id, at, {at.x + size.x, at.y + size.y}, [&] {
        return ChartSheet{.paired = chart.paired(), .table = [numbers = table_of(chart)] { return numbers.table(); }};
    });
    return hit;
}

}  // namespace ui
