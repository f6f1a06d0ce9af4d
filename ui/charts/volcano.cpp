#include "ui/charts/volcano.hpp"

#include "core/stats/judgement.hpp"
#include "ui/model/charts/chart_table.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/widgets/chart_export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ui {
namespace {

constexpr float kVolcanoAxis = 20;  // sizes at scale 1
constexpr float kLeastRadius = 2.5f, kMostRadius = 16;
constexpr std::size_t kMostNamed = 8;  // rows whose names are written

struct VolcanoLayout {
    ImVec2 min, max;
    double most_x = 0.4, most_y = 2;
    ImVec2 at(const VolcanoPoint& p) const {
        const double x = 0.5 + 0.5 * p.log2_ratio / most_x, y = p.log10_q / most_y;
        return {min.x + static_cast<float>(x) * (max.x - min.x), max.y - static_cast<float>(y) * (max.y - min.y)};
    }
};

VolcanoLayout lay_out(const Volcano& plot, ImVec2 at, ImVec2 size) {
    VolcanoLayout layout{.min = {at.x + px(44), at.y + px(18)},
                         .max = {at.x + size.x - px(10), at.y + size.y - px(kVolcanoAxis)}};
    for (const VolcanoPoint& p : plot.points) {
        layout.most_x = std::max(layout.most_x, std::abs(p.log2_ratio) * 1.1);
        layout.most_y = std::max(layout.most_y, p.log10_q * 1.08);
    }
    return layout;
}

// Changes at which the axis may have a line.
constexpr std::array<double, 15> kRatios = {0.0625, 0.125, 0.25, 0.5, 0.667, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 4, 8, 16};

std::string ratio_text(double ratio) {
    if (ratio == 1) return "same";
    if (ratio >= 2) return fmt::format("{:g}x", ratio);
    return fmt::format("{:+.0f} %", (ratio - 1) * 100);
}

void draw_axes(ImDrawList* list, const VolcanoLayout& layout) {
    float free = layout.min.x - px(20);  // where the next label may begin
    for (const double ratio : kRatios) {
        const double x = std::log2(ratio);
        if (std::abs(x) > layout.most_x) continue;
        const float at = std::floor(layout.at({.log2_ratio = x}).x);
        draw_rect(list, {at, layout.min.y}, {at + 1, layout.max.y},
                  ratio == 1 ? color::palette().line : color::palette().grid);
        const std::string label = ratio_text(ratio);
        const float wide = text_width(mono_style(), label);
        if (at - wide / 2 < free) continue;
        draw_text(list, mono_style(), {at - wide / 2, layout.max.y + px(3)}, color::palette().faint, label);
        free = at + wide / 2 + px(8);
    }
    const double y_step = layout.most_y > 8 ? 4 : layout.most_y > 4 ? 2 : 1;
    for (double y = 0; y <= layout.most_y; y += y_step) {
        const float at = std::floor(layout.at({.log10_q = y}).y);
        draw_rect(list, {layout.min.x, at}, {layout.max.x, at + 1}, color::palette().grid);
        draw_text_right(list, mono_style(), {layout.min.x - px(6), at - mono_style().size_px / 2 - px(1)},
                        color::palette().faint, y == 0 ? "q 1" : fmt::format("1e-{:g}", y));
    }
    const float limit = std::floor(layout.at({.log10_q = -std::log10(core::stats::kSignificant)}).y);
    draw_rect(list, {layout.min.x, limit}, {layout.max.x, limit + 1}, color::palette().warning);
    draw_text_right(list, small_style(), {layout.max.x, limit - small_style().size_px - px(2)}, color::palette().muted,
                    "q 0.05");
    draw_text(list, small_style(), {layout.min.x, layout.min.y - px(17)}, color::palette().muted,
              "faster \xE2\x86\x90");
    draw_text_right(list, small_style(), {layout.max.x, layout.min.y - px(17)}, color::palette().muted,
                    "\xE2\x86\x92 slower");
}

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
    const VolcanoLayout layout = lay_out(plot, at, size);
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_axes(list, layout);
    double most_ns = 1;
    for (const VolcanoPoint& p : plot.points) most_ns = std::max(most_ns, p.ns);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    float nearest = 1e9f;
    std::vector<ImVec2> named;  // left ends of the names so far
    const auto is_free = [&](ImVec2 place) {
        return named.size() < kMostNamed && std::ranges::none_of(named, [&](ImVec2 taken) {
                   return std::abs(taken.y - place.y) < small_style().size_px && std::abs(taken.x - place.x) < px(150);
               });
    };
    for (const VolcanoPoint& p : plot.points) {
        if (!plot.shows(p.verdict)) continue;
        const ImVec2 middle = layout.at(p);
        const float radius = px(std::max(kLeastRadius, kMostRadius * static_cast<float>(std::sqrt(p.ns / most_ns))));
        const bool changed = is_change(p.verdict);
        draw_rect(list, {middle.x - radius, middle.y - radius}, {middle.x + radius, middle.y + radius},
                  color::with_alpha(color_of_verdict(p.verdict), changed ? 190 : 80), radius);
        record_rect("##point:" + std::to_string(p.row), {middle.x - radius, middle.y - radius},
                    {middle.x + radius, middle.y + radius}, false);
        if (changed) {
            const std::string name = fit_text(small_style(), plot.name_of(p.row), px(150));
            const float wide = text_width(small_style(), name);
            const bool fits = middle.x + radius + px(4) + wide < layout.max.x;
            ImVec2 place{fits ? middle.x + radius + px(4) : middle.x - radius - px(4) - wide,
                         middle.y - small_style().size_px / 2};
            for (int down = 0; down < 2 && !is_free(place); ++down) place.y += small_style().size_px + px(2);
            if (is_free(place)) {
                draw_text(list, small_style(), place, color::palette().text, name);
                named.push_back(place);
            }
        }
        const float away = std::hypot(mouse.x - middle.x, mouse.y - middle.y) - radius;
        if (!hovered || away > px(6) || away >= nearest) continue;
        nearest = away;
        hit.hovered = p.row;
    }
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
