#include "ui/charts/stacked_bars.hpp"

#include "core/charts/axis.hpp"
#include "ui/charts/compared_lines.hpp"
#include "ui/model/charts/chart_table.hpp"
#include "ui/model/charts/compared.hpp"
#include "ui/model/charts/thin_out.hpp"
#include "ui/style/hatch.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/widgets/chart_export.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr float kBarAxis = 20;  // height at scale 1
constexpr float kNarrow = 440;  // width at scale 1
constexpr std::size_t kMeasuredRows = 512;  // rows out of view are not all measured

constexpr float kFadedBar = 0.3f;  // opacity of a faded bar

double clean(double value) { return std::isfinite(value) ? value : 0; }

struct BarLayout {
    float label_width;
    float value_width;
    float plot_width;
    float bar;    // height of one bar
    float pitch;
    bool narrow;
};

// Rows shrink a little before the list scrolls.
float pitch_for(const StackedBars& chart, float height) {
    const auto rows = static_cast<float>(std::max<std::size_t>(1, chart.rows.size()));
    return std::clamp(std::floor((height - px(kBarAxis)) / rows), px(chart.paired() ? 22 : 17),
                      px(chart.paired() ? 40 : 26));
}

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

BarLayout lay_out(const StackedBars& chart, ImVec2 size, bool scrolls) {
    BarLayout layout{};
    layout.narrow = size.x < px(kNarrow);
    float label = 0;
    float value = 0;
    visit_sample(chart.rows.size(), kMeasuredRows, [&](std::size_t i) {
        label = std::max(label, text_width(ui_style(), chart.rows[i].label));
        const std::string text =
            chart.paired() ? change_text(chart, i, layout.narrow) : value_text(chart, chart.rows[i]);
        value = std::max(value, text_width(mono_style(), text));
    });
    layout.label_width = std::min(label, size.x * 0.4f) + px(10);
    layout.value_width = value + px(10) + (scrolls ? px(12) : 0);
    layout.plot_width = std::max(px(40), size.x - layout.label_width - layout.value_width);
    layout.pitch = pitch_for(chart, size.y);
    if (chart.paired())
        layout.bar = std::floor((layout.pitch - px(4)) / 2);
    else
        layout.bar = layout.pitch - px(layout.pitch >= px(20) ? 6 : 4);
    return layout;
}

bool has_room_for_labels(const core::Axis& axis, float plot_width) {
    float widest = 0;
    for (std::size_t i = 0; i < axis.ticks(); ++i)
        widest = std::max(widest, text_width(mono_style(), axis.label(axis.tick(i))));
    return (widest + px(8)) * static_cast<float>(axis.ticks() - 1) <= plot_width;
}

void draw_grid(ImDrawList* list, const BarLayout& layout, const core::Axis& axis, ImVec2 top_left, float height) {
    for (std::size_t i = 0; i < axis.ticks(); ++i) {
        const float x = std::floor(top_left.x + layout.label_width +
                                   static_cast<float>(axis.share(axis.tick(i))) * layout.plot_width);
        const bool zero = axis.least < 0 && axis.label(axis.tick(i)) == "0";
        draw_rect(list, {x, top_left.y}, {x + 1, top_left.y + height},
                  zero ? color::palette().faint : color::palette().grid);
    }
}

void draw_ticks(ImDrawList* list, const BarLayout& layout, const core::Axis& axis, ImVec2 top_left) {
    for (std::size_t i = 0; i < axis.ticks(); ++i) {
        std::string label = axis.label(axis.tick(i));
        if (i + 1 == axis.ticks() && !axis.suffix.empty()) label += " " + axis.suffix;
        const float number = text_width(mono_style(), axis.label(axis.tick(i)));
        const float width = text_width(mono_style(), label);
        const float x =
            top_left.x + layout.label_width + static_cast<float>(axis.share(axis.tick(i))) * layout.plot_width;
        const float most = top_left.x + layout.label_width + layout.plot_width + layout.value_width - width;
        const float left = i == 0 ? x : std::min(x - number / 2, most);
        draw_text(list, mono_style(), {left, top_left.y + px(3)}, color::palette().faint, label);
    }
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

struct Segment {
    float begin, end;     // pixels
};

// Places a segment after the earlier parts on its side of 0.
Segment place_segment(const BarLayout& layout, const core::Axis& axis, double value, double scale, float left,
                      double& above, double& below) {
    double& sum = value < 0 ? below : above;
    const double from = sum;
    sum += value;
    const auto x = [&](double v) {
        return std::floor(left + static_cast<float>(axis.share(v / scale * axis.most)) * layout.plot_width);
    };
    return {x(std::min(from, sum)), x(std::max(from, sum))};
}

void draw_share(ImDrawList* list, Segment segment, float y, float height, ImU32 fill, double share) {
    const std::string label = core::format_value(share, core::Unit::Ratio);
    const float width = text_width(small_style(), label);
    if (segment.end - segment.begin <= width + px(10)) return;
    draw_text(list, small_style(),
              {(segment.begin + segment.end - width) / 2, y + (height - small_style().size_px) / 2},
              color::text_on(fill), label);
}

// Draws the segments of one bar; returns the part under the pointer.
std::optional<std::size_t> draw_segments(ImDrawList* list, const StackedBars& chart, const BarRow& row,
                                         const BarLayout& layout, const core::Axis& axis, ImVec2 at, bool hovered) {
    std::optional<std::size_t> hit;
    const double scale = chart.share ? row.above() : axis.most;
    const float mouse = ImGui::GetIO().MousePos.x;
    double above = 0;
    double below = 0;
    for (std::size_t p = 0; p < chart.parts.size() && scale > 0; ++p) {
        const double value = clean(row.values[p]);
        if (value == 0) continue;
        Segment segment = place_segment(layout, axis, value, scale, at.x, above, below);
        const bool pointed = hovered && mouse >= segment.begin && mouse < std::max(segment.end, segment.begin + 1);
        segment.end = std::max(segment.begin + 1, segment.end - (p + 1 < chart.parts.size() ? 1.0f : 0.0f));
        ImU32 fill = chart.parts[p].color;
        const bool dimmed = chart.highlighted ? *chart.highlighted != p : chart.parts[p].off;
        if (row.faded || dimmed) fill = color::mix(color::palette().panel, fill, kFadedBar);
        if (pointed) fill = color::mix(fill, color::palette().text, 0.18f);
        draw_rect(list, {segment.begin, at.y}, {segment.end, at.y + layout.bar}, fill);
        if (pointed) hit = p;
        if (chart.parts.size() > 1 && row.below() == 0 && !chart.paired())
            draw_share(list, segment, at.y, layout.bar, fill, value / row.above());
    }
    return hit;
}

// Draws a note in place of a missing bar.
void draw_gap(ImDrawList* list, const BarRow& row, core::Side other, const BarLayout& layout, ImVec2 at) {
    const std::string words = row.missing ? only_in(other) : std::string(kAbsentText);
    draw_text(list, small_style(), {at.x + px(4), at.y + (layout.bar - small_style().size_px) / 2 - px(1)},
              color::palette().faint, words, layout.plot_width - px(4));
}

// Draws both bars of a row; returns the part under the pointer.
std::optional<std::size_t> draw_pair(ImDrawList* list, const StackedBars& chart, std::size_t index,
                                     const BarLayout& layout, const core::Axis& axis, ImVec2 at, bool hovered) {
    std::optional<std::size_t> hit;
    const float mouse = ImGui::GetIO().MousePos.y;
    for (const core::Side side : core::kSides) {
        const bool second = side == core::Side::Candidate;
        const BarRow& row = (second ? chart.candidates : chart.rows)[index];
        const ImVec2 bar{at.x, at.y + (second ? layout.bar + 1 : 0)};
        if (row.missing || row.absent) {
            draw_gap(list, row, second ? core::Side::Baseline : core::Side::Candidate, layout, bar);
            continue;
        }
        const bool over = hovered && (mouse >= at.y + layout.bar) == second;
        if (const auto part = draw_segments(list, chart, row, layout, axis, bar, over)) hit = part;
        if (!second) continue;
        const auto x = [&](double value) {
            return std::floor(bar.x + static_cast<float>(axis.share(value)) * layout.plot_width);
        };
        const bool whole = chart.share && row.above() > 0;
        draw_hatch(list, {whole ? bar.x : x(row.below()), bar.y},
                   {whole ? bar.x + layout.plot_width : x(row.above()), bar.y + layout.bar});
    }
    return hit;
}

void draw_row(ImDrawList* list, const StackedBars& chart, std::size_t index, const BarLayout& layout,
              const core::Axis& axis, ImVec2 at, float width, bool hovered, BarHit& hit) {
    const BarRow& row = chart.rows[index];
    const float text_y = at.y + (layout.pitch - ui_style().size_px) / 2 - px(1);
    draw_text(list, ui_style(), {at.x, text_y},
              hovered     ? color::palette().text
              : row.faded ? color::palette().faint
                          : color::palette().muted,
              row.label, layout.label_width - px(10));
    const float height = chart.paired() ? 2 * layout.bar + 1 : layout.bar;
    const ImVec2 bar{at.x + layout.label_width, at.y + std::floor((layout.pitch - height) / 2)};
    const auto part = chart.paired() ? draw_pair(list, chart, index, layout, axis, bar, hovered)
                                     : draw_segments(list, chart, row, layout, axis, bar, hovered);
    const std::string value = chart.paired() ? change_text(chart, index, layout.narrow) : value_text(chart, row);
    draw_text_right(list, mono_style(), {at.x + width, text_y},
                    row.faded ? color::palette().faint : color::palette().muted, value);
    record_rect("##bar:" + row.label, bar, {bar.x + layout.plot_width, bar.y + height}, hovered);
    if (!hovered) return;
    hit.row = index;
    hit.part = part;
    hit.listed = ImGui::IsMouseReleased(ImGuiMouseButton_Right);
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

double BarRow::above() const {
    double sum = 0;
    for (const double value : values) sum += std::max(0.0, clean(value));
    return sum;
}

double BarRow::below() const {
    double sum = 0;
    for (const double value : values) sum += std::min(0.0, clean(value));
    return sum;
}

core::Axis find_bar_axis(const StackedBars& chart, float plot_width) {
    core::Axis axis = core::make_share_axis();
    if (chart.share) {
        while (axis.step < axis.most && !has_room_for_labels(axis, plot_width)) axis.step *= 2;
        return axis;
    }
    double most = 0;
    double least = 0;
    for (const std::span<const BarRow> rows : {chart.rows, chart.candidates}) {
        for (const BarRow& row : rows) {
            most = std::max(most, row.above());
            least = std::min(least, row.below());
        }
    }
    for (int ticks = std::max(3, static_cast<int>(plot_width / px(84))); ticks > 0; --ticks) {
        axis = core::make_axis(least, most, chart.unit, ticks);
        if (has_room_for_labels(axis, plot_width)) return axis;
    }
    if (axis.least == 0) axis.step = axis.most;
    return axis;
}

BarHit draw_stacked_bars(const char* id, const StackedBars& chart, ImVec2 size) {
    BarHit hit;
    const float axis_height = px(kBarAxis);
    const float needed = pitch_for(chart, size.y) * static_cast<float>(chart.rows.size());
    const float list_height = std::min(needed, std::max(px(22), size.y - axis_height));
    const bool scrolls = needed > list_height + 1;
    const BarLayout layout = lay_out(chart, size, scrolls);
    const core::Axis axis = find_bar_axis(chart, layout.plot_width);
    const ImVec2 corner = ImGui::GetCursorScreenPos();

    ImGui::BeginGroup();
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    ImGui::BeginChild(id, {size.x, list_height}, false,
                      scrolls ? 0 : ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_grid(list, layout, axis, corner, list_height);
    const float width = size.x - (scrolls ? px(12) : 0);
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(chart.rows.size()), layout.pitch);
    while (clipper.Step()) {
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
            ImGui::PushID(i);
            const ImVec2 at = ImGui::GetCursorScreenPos();
            hit.clicked |= invisible_button("row", {width, layout.pitch});
            const bool hovered = ImGui::IsItemHovered();
            draw_row(list, chart, static_cast<std::size_t>(i), layout, axis, at, width, hovered, hit);
            ImGui::PopID();
        }
    }
    clipper.End();
    ImGui::EndChild();
    draw_ticks(ImGui::GetWindowDrawList(), layout, axis, {corner.x, corner.y + list_height});
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
