#include "ui/charts/waterfall.hpp"

#include "core/base/format.hpp"
#include "core/base/short_name.hpp"
#include "core/diff/statistics/statistics_text.hpp"
#include "ui/charts/compared_lines.hpp"
#include "ui/charts/dot_strips.hpp"
#include "ui/model/charts/chart_table.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/widgets/chart_export.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr float kWaterfallAxis = 20;  // sizes at scale 1
constexpr float kLeastPitch = 12;
constexpr float kComfortablePitch = 16;  // smaller rows get small letters
constexpr float kCut = 14;   // distance of the cut from the left end of a total

struct WaterfallPlot {
    float left, width;
    double least, per_ns;
    float x(std::int64_t ns) const {
        return left + static_cast<float>((static_cast<double>(ns) - least) * per_ns) * width;
    }
};

std::string signed_duration(std::int64_t ns, bool exact) {
    const core::Duration duration{ns};
    return (ns > 0 ? "+" : "") + (exact ? core::format_duration_exact(duration) : core::format_duration(duration));
}

TextStyle label_style(float pitch) { return pitch < px(kComfortablePitch) ? small_style() : ui_style(); }

std::string value_of(const WaterfallBar& bar) {
    if (bar.kind == WaterfallBar::Kind::Whole) return core::format_duration(core::Duration{bar.to_ns});
    return bar.change() == 0 ? "0" : signed_duration(bar.change(), false);
}

std::string label_of(const WaterfallModel& model, const WaterfallBar& bar) {
    const bool is_kernel =
        bar.kind == WaterfallBar::Kind::Part && model.change.parts[bar.part].part == core::StepPart::Kernel;
    return is_kernel ? core::short_name(bar.title).normal : bar.title;
}

ImU32 color_of(const WaterfallModel& model, const WaterfallBar& bar) {
    if (bar.kind == WaterfallBar::Kind::Whole)
        return color::of_side(&bar == &model.bars.front() ? core::Side::Baseline : core::Side::Candidate);
    switch (model.change.parts[bar.part].part) {
        case core::StepPart::ExposedCommunication:
            return color::palette().communication;
        case core::StepPart::ExposedMemory:
            return color::palette().memory;
        case core::StepPart::Idle:
        case core::StepPart::NotRecorded:
            return color::palette().unclassed;
        default:
            return color::palette().compute;
    }
}

Compared compared(const core::PartChange& part) {
    return Compared::between(static_cast<double>(part.ns.baseline), static_cast<double>(part.ns.candidate));
}

void show_names(const core::PartChange& part) {
    constexpr std::size_t kMostNames = 4;
    for (const core::Side side : core::kSides) {
        const std::vector<std::string>& names = part.kernels[side];
        for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i)
            text(fit_text(small_style(), names[i], px(560)), color::of_side(side));
        if (names.size() > kMostNames)
            muted_text("and " + std::to_string(names.size() - kMostNames) + " more of the " +
                       std::string(name_of(side)));
        if (part.kernels.baseline == part.kernels.candidate) return;
    }
}

void show_tooltip(const WaterfallModel& model, std::size_t index, ChartNotes notes) {
    const WaterfallBar& bar = model.bars[index];
    const bool whole = bar.kind == WaterfallBar::Kind::Whole;
    notes.lists = notes.lists && !whole && has_events(model.change.parts[bar.part].part);
    const std::string head = !whole ? label_of(model, bar) : model.change.of_steps ? "Mean step" : "Mean window";
    ImGui::BeginTooltip();
    heading(head);
    core::BySide<std::int64_t> ns = model.change.mean;
    if (!whole) ns = model.change.parts[bar.part].ns;
    tooltip_line("Baseline", core::format_duration_exact(core::Duration{ns.baseline}), color::palette().baseline);
    tooltip_line("Candidate", core::format_duration_exact(core::Duration{ns.candidate}), color::palette().candidate);
    tooltip_line("Change", signed_duration(ns.candidate - ns.baseline, true));
    if (bar.only) muted_text(words_of(core::lone_verdict(*bar.only)));
    if (const core::Tested* const tested = model.find_tests(bar)) tooltip_lines_of(*tested);
    if (whole && model.step) {
        tooltip_lines_of(*model.step);
        muted_text("A dot per step; the line is the mean.");
    }
    if (!whole && !bar.title.empty()) show_names(model.change.parts[bar.part]);
    draw_notes(&notes, index, head);
    ImGui::EndTooltip();
}

void draw_axis(ImDrawList* list, const WaterfallModel& model, const WaterfallPlot& plot, ImVec2 top, float height) {
    const double span = static_cast<double>(model.most_ns - model.least_ns);
    const double raw = span / std::max(2.0f, std::floor(plot.width / px(110)));
    const double magnitude = std::pow(10.0, std::floor(std::log10(std::max(raw, 1.0))));
    double step = magnitude * 10;
    for (const double factor : {5.0, 2.0, 1.0})
        if (factor * magnitude >= raw) step = factor * magnitude;
    const double first = std::ceil(static_cast<double>(model.least_ns) / step) * step;
    for (double tick = first; tick <= static_cast<double>(model.most_ns) + step / 2; tick += step) {
        const float x = std::floor(plot.x(std::llround(tick)));
        if (x > plot.left + plot.width + 1) break;
        draw_rect(list, {x, top.y}, {x + 1, top.y + height}, color::palette().grid);
        const std::string label =
            core::format_time_offset(core::Duration{std::llround(tick)}, core::Duration{std::llround(step)});
        const float wide = text_width(small_style(), label);
        const float right = plot.left + plot.width;
        draw_text(list, small_style(), {std::min(x - (tick == 0 ? 0 : wide / 2), right - wide), top.y + height + px(3)},
                  color::palette().faint, label);
    }
}

// Draws two slanted gaps: the total begins left of the plot.
void draw_cut(ImDrawList* list, ImVec2 min, ImVec2 max) {
    for (const float at : {px(kCut), px(kCut + 5)}) {
        const float x = min.x + at;
        draw_line(list, {x - px(2), max.y}, {x + px(2), min.y}, color::palette().panel, px(2));
    }
}

// Draws the 95 % interval of a part's change, from the end of the previous bar.
void draw_whisker(ImDrawList* list, const WaterfallBar& bar, const core::stats::Interval& change,
                  const WaterfallPlot& plot, float middle) {
    const auto place = [&](double ns) {
        const float x = std::floor(plot.x(bar.from_ns + std::llround(ns)));
        return std::clamp(x, plot.left, plot.left + plot.width);
    };
    const float low = place(change.low), high = place(change.high);
    const ImU32 ink = color::palette().text;
    draw_rect(list, {low, middle}, {std::max(high, low + 1), middle + 1}, ink);
    for (const float x : {low, high}) draw_rect(list, {x, middle - px(3)}, {x + 1, middle + px(3) + 1}, ink);
}

// Draws the values behind a total as dots; the end of the bar is their mean.
void draw_dots(ImDrawList* list, const WaterfallModel& model, const WaterfallBar& bar, const WaterfallPlot& plot,
               float middle, float height) {
    constexpr std::size_t kMostDotsOnBar = 512;
    const core::Side side = model.side_of(bar);
    const std::vector<double>& values = model.step->values[side];
    const float radius = std::min(px(3), std::floor(height / 4));
    const ImU32 ink = color::of_side(side);
    for (std::size_t i = 0; i < values.size(); i += values.size() / kMostDotsOnBar + 1) {
        const float x = plot.x(std::llround(values[i]));
        draw_rect(list, {x - radius, middle - radius}, {x + radius, middle + radius}, color::with_alpha(ink, 200),
                  radius);
    }
    const float mean = std::floor(plot.x(bar.to_ns));
    draw_rect(list, {mean - 1, middle - std::floor(height / 2) + 1}, {mean + 1, middle + std::floor(height / 2) - 1},
              ink);
}

void draw_bar(ImDrawList* list, const WaterfallModel& model, std::size_t i, const WaterfallPlot& plot, ImVec2 at,
              float height, float value_right, bool hovered) {
    const WaterfallBar& bar = model.bars[i];
    const bool whole = bar.kind == WaterfallBar::Kind::Whole;
    const TextStyle style = label_style(height);
    const float text_y = at.y + std::floor((height - style.size_px) / 2) - px(1);
    draw_text(list, style, {at.x, text_y}, whole || hovered ? color::palette().text : color::palette().muted,
              label_of(model, bar), plot.left - at.x - px(10));
    const float inset = px(height >= px(20) ? 3 : height >= px(kComfortablePitch) ? 2 : 1);
    const float begin = whole ? plot.left : std::floor(plot.x(std::min(bar.from_ns, bar.to_ns)));
    const float end = std::max(std::floor(plot.x(std::max(bar.from_ns, bar.to_ns))), begin + (whole ? 1.0f : px(2)));
    ImU32 fill = color_of(model, bar);
    const core::Tested* const tested = model.find_tests(bar);
    const bool quiet = tested && !tested->is_change() && !bar.only;
    if (quiet) fill = color::mix(color::palette().panel, fill, 0.4f);
    if (whole && model.step) fill = color::mix(color::palette().panel, fill, 0.3f);
    if (hovered) fill = color::mix(fill, color::palette().text, 0.18f);
    draw_rect(list, {begin, at.y + inset}, {end, at.y + height - inset}, fill, px(1));
    if (whole && model.least_ns > 0) draw_cut(list, {begin, at.y + inset}, {end, at.y + height - inset});
    if (whole && model.step) draw_dots(list, model, bar, plot, at.y + std::floor(height / 2), height);
    if (const auto change = model.find_interval(bar))
        draw_whisker(list, bar, *change, plot, at.y + std::floor(height / 2));
    if (!whole && i + 1 < model.bars.size()) {  // start of the next bar
        const float x = std::floor(plot.x(bar.to_ns));
        draw_rect(list, {x, at.y + height - inset}, {x + 1, at.y + height + inset}, color::palette().faint);
    }
    const ImU32 ink = whole   ? color::palette().text
                      : quiet ? color::palette().muted
                              : color_of_change(compared(model.change.parts[bar.part]), core::Better::Less);
    draw_text_right(list, mono_style(), {value_right, text_y}, ink, value_of(bar));
    if (bar.only) {
        const std::string_view mark = words_of(core::lone_verdict(*bar.only));
        const float wide = text_width(small_style(), mark);
        const float x = end + px(8) + wide < plot.left + plot.width ? end + px(8) : begin - px(8) - wide;
        draw_text(list, small_style(), {x, at.y + (height - small_style().size_px) / 2}, color::of_side(*bar.only),
                  mark);
    }
    record_rect("##bar:" + std::to_string(i), {at.x, at.y}, {value_right, at.y + height}, hovered);
}

// Totals have a row too: the step before the first part and after the last.
ChartTable table_of(const WaterfallModel& model) {
    std::vector<std::string> names;
    core::BySide<std::vector<double>> ns;
    for (const WaterfallBar& bar : model.bars) {
        if (bar.kind == WaterfallBar::Kind::Whole && &bar != &model.bars.front()) continue;
        const bool whole = bar.kind == WaterfallBar::Kind::Whole;
        names.push_back(whole ? (model.change.of_steps ? "Mean step" : "Mean window") : bar.title);
        for (const core::Side side : core::kSides)
            ns[side].push_back(
                static_cast<double>(whole ? model.change.mean[side] : model.change.parts[bar.part].ns[side]));
    }
    ChartTable table;
    table.add_texts("name", std::move(names));
    table.add_pair("", core::Unit::Ns, ns);
    return table;
}

}  // namespace

WaterfallHit draw_waterfall(const char* id, const WaterfallModel& model, const ChartNotes& notes, ImVec2 size) {
    WaterfallHit hit;
    float label = 0;
    float value = 0;
    const float rows = static_cast<float>(model.bars.size());
    const float pitch = std::clamp(std::floor((size.y - px(kWaterfallAxis)) / rows), px(kLeastPitch), px(26));
    for (const WaterfallBar& bar : model.bars) {
        label = std::max(label, text_width(label_style(pitch), label_of(model, bar)));
        value = std::max(value, text_width(mono_style(), value_of(bar)));
    }
    const float list_height = std::min(pitch * rows, std::max(px(40), size.y - px(kWaterfallAxis)));
    const bool scrolls = pitch * rows > list_height + 1;
    const float width = size.x - (scrolls ? px(12) : 0);
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float left = corner.x + std::min(label, size.x * 0.38f) + px(12);
    const float right = corner.x + width - value - px(12);
    const double span = std::max(1.0, static_cast<double>(model.most_ns - model.least_ns));
    const WaterfallPlot plot{.left = left,
                             .width = std::max(px(40), right - left),
                             .least = static_cast<double>(model.least_ns),
                             .per_ns = 1 / span};

    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    draw_axis(ImGui::GetWindowDrawList(), model, plot, corner, list_height);
    ImGui::BeginChild(id, {size.x, list_height}, false,
                      scrolls ? 0 : ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    for (std::size_t i = 0; i < model.bars.size(); ++i) {
        ImGui::PushID(static_cast<int>(i));
        const ImVec2 at = ImGui::GetCursorScreenPos();
        if (invisible_button("bar", {width, pitch}))
            (ImGui::GetIO().MouseClickedLastCount[0] > 1 ? hit.activated : hit.clicked) = i;
        const bool hovered = ImGui::IsItemHovered();
        if (hovered) hit.hovered = i;
        draw_bar(ImGui::GetWindowDrawList(), model, i, plot, at, pitch, corner.x + width, hovered);
        ImGui::PopID();
    }
    ImGui::EndChild();
    ImGui::Dummy({size.x, px(kWaterfallAxis)});
    ImGui::PopStyleVar(2);
    if (hit.hovered) show_tooltip(model, *hit.hovered, notes);
    chart_export().offer_chart(id, corner, {corner.x + size.x, corner.y + list_height + px(kWaterfallAxis)}, [&] {
        return ChartSheet{.table = [numbers = table_of(model)] { return numbers.table(); }};
    });
    return hit;
}

}  // namespace ui
