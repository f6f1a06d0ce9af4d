#include "ui/charts/dot_strips.hpp"

#include "core/charts/strips_layout.hpp"
#include "core/diff/statistics/statistics_text.hpp"
#include "ui/charts/draw_shapes.hpp"
#include "ui/model/charts/chart_table.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/widgets/chart_export.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

ImU32 ink_of(core::Side side, bool faint) {
    return faint ? color::mix(color::palette().panel, color::of_side(side), 0.45f) : color::of_side(side);
}

ChartTable table_of_dots(const core::Tested& tested) {
    std::vector<std::string> sides;
    std::vector<double> values;
    for (const core::Side side : core::kSides)
        for (const double value : tested.values[side]) {
            sides.emplace_back(name_of(side));
            values.push_back(value);
        }
    ChartTable table;
    table.add_texts("side", std::move(sides));
    table.add_numbers("value", core::Unit::Ns, std::move(values));
    return table;
}

ImU32 color_of_shape(const core::ChartShape& shape, bool faint) {
    const ImU32 ink = ink_of(shape.side, faint);
    switch (shape.role) {
        case core::ChartRole::Part:
            return color::with_alpha(ink, 150);
        case core::ChartRole::Interval:
            return color::with_alpha(ink, 50);
        case core::ChartRole::Grid:
            return color::palette().line;
        default:
            return ink;
    }
}

void draw_dots(ImDrawList* list, const core::ChartShapes& shapes, bool faint) {
    draw_shapes(list, shapes.all(), [faint](const core::ChartShape& shape) { return color_of_shape(shape, faint); });
}

}  // namespace

void draw_small_dot_strips(ImDrawList* list, const core::Tested& tested, ImVec2 at, ImVec2 size, bool faint) {
    const float radius = px(1.5f);
    const core::DotScale scale = core::find_dot_scale(tested, at.x + radius, size.x - 2 * radius - px(2));
    core::ChartShapes shapes;
    for (const core::Side side : core::kSides) {
        const float middle = at.y + std::floor(size.y * (side == core::Side::Baseline ? 0.28f : 0.72f));
        core::add_dots(tested, side, scale, middle, radius, shapes);
    }
    draw_dots(list, shapes, faint);
}

float dot_strips_height() { return px(core::kStripsHeight); }

void tooltip_lines_of(const core::Tested& tested) {
    for (const auto& [name, value] : core::explain_tested(tested)) tooltip_line(name, value);
}

void draw_dot_strips(const char* id, const core::Tested& tested, ImVec2 size) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    invisible_button(id, {std::max(size.x, px(60)), dot_strips_height()});
    record_item(id);
    const bool hovered = ImGui::IsItemHovered();
    core::ChartShapes shapes;
    core::add_dot_strips(tested, to_chart(at), size.x, window_metrics(), shapes);
    draw_dots(ImGui::GetWindowDrawList(), shapes, false);
    chart_export().offer_chart(id, at, {at.x + size.x, at.y + dot_strips_height()}, [&] {
        return ChartSheet{.title = "Values of both runs",
                          .table = [numbers = table_of_dots(tested)] { return numbers.table(); }};
    });
    if (!hovered) return;
    ImGui::BeginTooltip();
    heading("A dot per value, a line per mean");
    tooltip_lines_of(tested);
    muted_text("The band holds the candidate's mean with 95 % confidence, measured from the baseline's.");
    ImGui::EndTooltip();
}

}  // namespace ui
