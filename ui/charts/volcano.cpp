#include "ui/charts/volcano.hpp"

#include "ui/charts/draw_shapes.hpp"
#include "ui/model/charts/chart_table.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/widgets/chart_export.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

ChartTable table_of(const Volcano& plot) {
    std::vector<std::string> names, verdicts;
    std::vector<double> ratios, qs, times;
    for (const VolcanoPoint& p : plot.points) {
        names.push_back(plot.name_of(p.row));
        verdicts.emplace_back(words_of(p.verdict));
        ratios.push_back(std::exp2(p.log2_ratio));
        qs.push_back(p.is_certain ? 0 : std::pow(10, -p.log10_q));
        times.push_back(p.ns);
    }
    ChartTable table;
    table.add_texts("name", std::move(names));
    table.add_texts("verdict", std::move(verdicts));
    table.add_numbers("ratio", core::Unit::Number, std::move(ratios));
    table.add_numbers("q", core::Unit::Number, std::move(qs));
    table.add_numbers("time", core::Unit::Ns, std::move(times));
    return table;
}

bool is_change(RowVerdict verdict) { return verdict == RowVerdict::Regressed || verdict == RowVerdict::Improved; }

ImU32 color_of_shape(const Volcano& plot, const core::ChartShape& shape) {
    switch (shape.role) {
        case core::ChartRole::Part: {
            const RowVerdict verdict = plot.points[shape.item].verdict;
            return color::with_alpha(color_of_verdict(verdict), is_change(verdict) ? 190 : 80);
        }
        case core::ChartRole::Label:
            return color::palette().text;
        case core::ChartRole::Hint:
            return color::palette().muted;
        case core::ChartRole::Limit:
            return color::palette().warning;
        case core::ChartRole::Zero:
            return color::palette().line;
        case core::ChartRole::Grid:
            return color::palette().grid;
        default:
            return color::palette().faint;
    }
}

// The row whose point is nearest to the pointer, if it is near.
std::optional<std::size_t> find_nearest_row(const Volcano& plot, std::span<const core::ChartShape> shapes) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    float nearest = 1e9f;
    std::optional<std::size_t> row;
    for (const core::ChartShape& shape : shapes) {
        if (shape.role != core::ChartRole::Part) continue;
        const float away =
            std::hypot(mouse.x - (shape.a.x + shape.b.x) / 2, mouse.y - (shape.a.y + shape.b.y) / 2) - shape.rounding;
        if (away > px(6) || away >= nearest) continue;
        nearest = away;
        row = plot.points[shape.item].row;
    }
    return row;
}

}  // namespace

ImU32 color_of_verdict(RowVerdict verdict) {
    switch (verdict) {
        case RowVerdict::Regressed:
            return color::palette().worse;
        case RowVerdict::Improved:
            return color::palette().better;
        case RowVerdict::Added:
            return color::of_side(core::Side::Candidate);
        case RowVerdict::Removed:
            return color::of_side(core::Side::Baseline);
        default:
            return color::palette().muted;
    }
}

VolcanoHit draw_volcano(const char* id, const Volcano& plot, ImVec2 size) {
    VolcanoHit hit;
    size = {std::max(size.x, px(160)), std::max(size.y, px(90))};
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const bool pressed = invisible_button(id, size);
    record_item(id);
    const bool hovered = ImGui::IsItemHovered();
    core::ChartShapes shapes;
    core::add_volcano({.points = plot.points, .shows = plot.shows, .name_of = plot.name_of},
                      {to_chart(at), {at.x + size.x, at.y + size.y}}, window_metrics(), shapes);
    draw_shapes(ImGui::GetWindowDrawList(), shapes.all(),
                [&](const core::ChartShape& shape) { return color_of_shape(plot, shape); });
    if (hovered) hit.hovered = find_nearest_row(plot, shapes.all());
    for (const core::ChartShape& shape : shapes.all())
        if (shape.role == core::ChartRole::Part)
            record_rect("##point:" + std::to_string(plot.points[shape.item].row), to_imgui(shape.a), to_imgui(shape.b),
                        false);
    chart_export().offer_chart(id, at, {at.x + size.x, at.y + size.y}, [&] {
        return ChartSheet{.title = "Change and q", .table = [numbers = table_of(plot)] { return numbers.table(); }};
    });
    if (!hit.hovered) return hit;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (pressed) (ImGui::GetIO().MouseClickedLastCount[0] > 1 ? hit.activated : hit.clicked) = *hit.hovered;
    plot.explain(*hit.hovered);
    return hit;
}

}  // namespace ui
