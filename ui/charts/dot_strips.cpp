#include "ui/charts/dot_strips.hpp"

#include "core/base/format.hpp"
#include "core/diff/statistics/statistics_text.hpp"
#include "ui/model/charts/chart_table.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/widgets/chart_export.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr std::size_t kMostDots = 512;  // of a side: more are thinned out

struct DotScale {
    double low = 0, high = 0;
    float left = 0, width = 0;
    float x(double value) const {
        const double share = high > low ? (value - low) / (high - low) : 0.5;
        return std::floor(left + static_cast<float>(std::clamp(share, 0.0, 1.0)) * width);
    }
};

DotScale scale_of(const core::Tested& tested, float left, float width) {
    DotScale scale{.low = 0, .high = 0, .left = left, .width = width};
    bool any = false;
    for (const core::Side side : core::kSides) {
        for (const double value : tested.values[side]) {
            scale.low = any ? std::min(scale.low, value) : value;
            scale.high = any ? std::max(scale.high, value) : value;
            any = true;
        }
    }
    return scale;
}

double mean_of(const core::Tested& tested, core::Side side) {
    return side == core::Side::Baseline ? tested.samples.baseline.mean : tested.samples.candidate.mean;
}

void draw_side(ImDrawList* list, const core::Tested& tested, core::Side side, const DotScale& scale, float middle,
               float radius, ImU32 ink) {
    const std::vector<double>& values = tested.values[side];
    const std::size_t every = values.size() / kMostDots + 1;
    for (std::size_t i = 0; i < values.size(); i += every) {
        const float x = scale.x(values[i]);
        draw_rect(list, {x - radius, middle - radius}, {x + radius, middle + radius}, color::with_alpha(ink, 150),
                  radius);
    }
    if (values.empty()) return;
    const float x = scale.x(mean_of(tested, side));
    draw_rect(list, {x - 0.5f, middle - radius * 2}, {x + 1, middle + radius * 2}, ink);
}

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

// Where the candidate's mean lies, seen from the baseline's.
void draw_interval(ImDrawList* list, const core::Tested& tested, const DotScale& scale, float middle) {
    if (!tested.samples.welch) return;
    const double from = tested.samples.baseline.mean;
    const float low = scale.x(from + tested.samples.welch->interval.low);
    const float high = scale.x(from + tested.samples.welch->interval.high);
    draw_rect(list, {low, middle - px(4)}, {std::max(high, low + 1), middle + px(4)},
              color::with_alpha(color::of_side(core::Side::Candidate), 50), px(2));
}

}  // namespace

void draw_small_dot_strips(ImDrawList* list, const core::Tested& tested, ImVec2 at, ImVec2 size, bool faint) {
    const float radius = px(1.5f);
    const DotScale scale = scale_of(tested, at.x + radius, size.x - 2 * radius - px(2));
    for (const core::Side side : core::kSides) {
        const float middle = at.y + std::floor(size.y * (side == core::Side::Baseline ? 0.28f : 0.72f));
        draw_side(list, tested, side, scale, middle, radius, ink_of(side, faint));
    }
}

float dot_strips_height() { return px(34); }

void tooltip_lines_of(const core::Tested& tested) {
    for (const auto& [name, value] : core::explain_tested(tested)) tooltip_line(name, value);
}

void draw_dot_strips(const char* id, const core::Tested& tested, ImVec2 size) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    invisible_button(id, {std::max(size.x, px(60)), dot_strips_height()});
    record_item(id);
    const bool hovered = ImGui::IsItemHovered();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float label =
        std::max(text_width(small_style(), "Candidate"), text_width(small_style(), "Baseline")) + px(10);
    const DotScale scale = scale_of(tested, at.x + label + px(4), std::max(px(20), size.x - label - px(12)));
    for (const core::Side side : core::kSides) {
        const float top = at.y + (side == core::Side::Baseline ? 0 : px(16));
        const float middle = top + px(8);
        draw_text(list, small_style(), {at.x, top + px(1)}, color::of_side(side),
                  side == core::Side::Baseline ? "Baseline" : "Candidate");
        draw_rect(list, {scale.left, middle}, {scale.left + scale.width, middle + 1}, color::palette().line);
        if (side == core::Side::Candidate) draw_interval(list, tested, scale, middle);
        draw_side(list, tested, side, scale, middle, px(3), color::of_side(side));
    }
    chart_export().offer_chart(id, at, {at.x + size.x, at.y + dot_strips_height()}, [&] {
        return ChartSheet{.title = "Values of both runs",
                          .table = [numbers = table_of_dots(tested)] { return numbers.table(); }};
    });
    if (!hovered) return;
    ImGui::BeginTooltip();
    heading("A dot per value, a line per mean");
    tooltip_lines_of(tested);
    muted_text("The band is where the candidate's mean lies with 95 % confidence, seen from the baseline's.");
    ImGui::EndTooltip();
}

}  // namespace ui
