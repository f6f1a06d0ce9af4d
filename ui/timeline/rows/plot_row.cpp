#include "ui/timeline/rows/plot_row.hpp"

#include "ui/style/text.hpp"
#include "ui/timeline/model/clock_lines.hpp"
#include "ui/timeline/parts/tree_row.hpp"

#include <algorithm>

namespace ui {
namespace {

constexpr float kFadedPlot = 0.75f;  // share of the background in plots of ranks that the filter excludes
constexpr float kFadedBand = 0.3f;  // of the band that says that nothing is wrong
constexpr float kPlotArea = 0.78f;   // opacity of the area below the line

ImU32 color_of_band(ClockBand band) {
    const color::Palette& palette = color::palette();
    switch (band) {
        case ClockBand::Heat:
            return palette.error;
        case ClockBand::Power:
            return palette.warning;
        case ClockBand::Set:
            return palette.accent;
        case ClockBand::Other:
            return palette.mark;
        case ClockBand::Idle:
            return palette.faint;
        default:
            return color::mix(palette.better, palette.background, 1 - kFadedBand);
    }
}

// Draws the values of top and bottom next to the plot. Returns the width.
float draw_plot_scale(const TreeRow& r) {
    const std::vector<CounterView> lines = r.row.kind->collect_lines(*r.f.run, r.row);
    if (!lines.front().words.empty()) {
        const std::string gravest = format_value(lines.front(), lines.front().pyramid->whole().most);
        draw_text_right(r.list, small_style(), {r.right(), r.top + (r.row.height - small_style().size_px) / 2},
                        color::palette().faint, gravest);
        return text_width(small_style(), gravest) + px(8);
    }
    const CounterScale scale = choose_scale(lines);
    const std::string high = format_value(lines.front(), scale.top);
    const std::string low = format_value(lines.front(), scale.bottom);
    draw_text_right(r.list, small_style(), {r.right(), r.top + px(1)}, color::palette().faint, high);
    draw_text_right(r.list, small_style(), {r.right(), r.top + r.row.height - small_style().size_px - px(3)},
                    color::palette().faint, low);
    return std::max(text_width(small_style(), high), text_width(small_style(), low)) + px(8);
}

}  // namespace

RowInset PlotRow::inset(const LayoutRow& row) const { return {px(3), row.height - px(3)}; }

void PlotRow::collect(const RowCollect& c) const {
    const RowInset at = inset(c.row);
    const auto height = static_cast<std::int32_t>(at.bottom - at.top);
    const std::vector<CounterView> lines = lines_in(*c.query.run, c.row, c.query.view);
    const CounterScale scale = choose_scale(lines);
    const auto width = static_cast<std::size_t>(std::max(0.0f, c.query.view.width_px));
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const ImU32 full = color::of_series(tint(c.row) + i);
        const ImU32 line = c.look().rejected ? color::mix(full, color::palette().background, kFadedPlot) : full;
        c.pixels.values.assign(width, {});
        collect_counter(lines[i], c.rank(), c.query.view, c.pixels.values);
        for (std::size_t band = 0; band < lines[i].words.size(); ++band) {
            plot_band(c.pixels.values, static_cast<double>(band), height, c.pixels.plot);
            const ImU32 shade = color_of_band(static_cast<ClockBand>(band));
            c.pixels.plot_colors.resize(
                c.pixels.plot.size(),
                c.look().rejected ? color::mix(shade, color::palette().background, kFadedPlot) : shade);
        }
        if (!lines[i].words.empty()) continue;
        if (lines.size() == 1) plot_area(c.pixels.values, scale, height, c.pixels.plot);
        c.pixels.plot_colors.resize(c.pixels.plot.size(), color::mix(line, color::palette().background, kPlotArea));
        plot_steps(c.pixels.values, scale, height, std::max(1, static_cast<std::int32_t>(px(1))), c.pixels.plot);
        c.pixels.plot_colors.resize(c.pixels.plot.size(), line);
    }
}

void PlotRow::draw_in_tree(TreeRow& r) const {
    const std::string label = format_label(*r.f.run, r.row);
    r.draw_triangle();
    r.draw_unique_events();
    r.draw_label(label, small_style(), r.text_color(), r.right() - draw_plot_scale(r));
    r.handle_clicks(label);
}

void PlotRow::draw_tooltip(const TimelineFrame& f, const LayoutRow& row) const { draw_counter_tooltip(f, row); }

}  // namespace ui
