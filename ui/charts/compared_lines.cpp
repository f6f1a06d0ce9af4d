#include "ui/charts/compared_lines.hpp"

#include "core/charts/axis.hpp"
#include "ui/style/text.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr std::size_t kNumberColumns = 11;   // characters in one column of a tooltip

std::string value_text(const std::optional<double>& value, core::Unit unit) {
    return value ? core::format_value(*value, unit) : std::string(kAbsentText);
}

std::string in_columns(std::string_view baseline, std::string_view candidate, std::string_view change,
                       std::string_view ratio) {
    std::string line;
    for (const std::string_view part : {baseline, candidate, change, ratio}) line += padded(part, kNumberColumns);
    return line;
}

}  // namespace

ImU32 color_of_change(const Compared& value, core::Better better) {
    const int sign = noticeable_change(value);
    if (sign == 0) return color::palette().muted;
    if (better != core::Better::Less && better != core::Better::More) return color::palette().text;
    return (sign > 0) == (better == core::Better::More) ? color::palette().better : color::palette().worse;
}

void compared_tooltip_head() {
    ImGui::Dummy({0, 0});
    tooltip_line("", in_columns("baseline", "candidate", "change", ""));
}

void compared_tooltip_line(std::string_view name, const Compared& value, core::Unit unit, ImU32 swatch) {
    const std::string ratio = value.change && *value.change != 0 ? format_ratio_change(value) : std::string();
    tooltip_line(name,
                 in_columns(value_text(value.baseline, unit), value_text(value.candidate, unit),
                            format_change(value, unit), ratio),
                 swatch);
}

ComparedColumns lay_out_compared(float width) {
    const float number = px(62);
    const float words = px(60);
    const float least = px(72) + words;   // of a label and the number after it
    ComparedColumns columns{};
    columns.ratio = width;
    columns.change = width - px(62);
    if (columns.change - px(72) - number < least) {  // the change is shown once
        columns.ratio = 0;
        columns.change = width;
    }
    columns.candidate = columns.change - px(72);
    columns.baseline = columns.candidate - number;
    if (columns.baseline < least) columns.baseline = 0;
    columns.label = std::max(px(20), (columns.baseline > 0 ? columns.baseline : columns.candidate) - words);
    return columns;
}

void draw_compared_head(ImDrawList* list, ImVec2 at, const ComparedColumns& columns) {
    const auto head = [&](float right, std::string_view words, ImU32 ink) {
        draw_text_right(list, small_style(), {at.x + right, at.y}, ink, words);
    };
    if (columns.baseline > 0) head(columns.baseline, "baseline", color::palette().baseline);
    head(columns.candidate, "candidate", color::palette().candidate);
    head(columns.change, "change", color::palette().faint);
}

void draw_compared(ImDrawList* list, ImVec2 at, const ComparedColumns& columns, const Compared& value, core::Unit unit,
                   core::Better better) {
    const auto number = [&](float right, const std::string& words, ImU32 ink) {
        draw_text_right(list, mono_style(), {at.x + right, at.y}, ink, words);
    };
    if (columns.baseline > 0)
        number(columns.baseline, value_text(value.baseline, unit),
               value.baseline ? color::palette().text : color::palette().faint);
    number(columns.candidate, value_text(value.candidate, unit),
           value.candidate ? color::palette().text : color::palette().faint);
    if (value.baseline.has_value() != value.candidate.has_value()) {
        const core::Side side = value.baseline ? core::Side::Baseline : core::Side::Candidate;
        draw_text_right(list, small_style(), {at.x + std::max(columns.change, columns.ratio), at.y},
                        color::palette().muted, std::string("only ").append(name_of(side)));
        return;
    }
    const ImU32 ink = color_of_change(value, better == core::Better::ByUnit ? core::better_of(unit) : better);
    number(columns.change, format_change(value, unit), ink);
    if (columns.ratio > 0 && value.change && *value.change != 0) number(columns.ratio, format_ratio_change(value), ink);
}

}  // namespace ui
