// Exports counters and series of the visible range as pictures, drawings and tables.
#include "ui/model/charts/chart_table.hpp"
#include "ui/style/drawing.hpp"
#include "ui/timeline/model/ruler.hpp"
#include "ui/timeline/parts/timeline_parts.hpp"
#include "ui/timeline/scene/scene.hpp"
#include "ui/widgets/chart_export.hpp"

#include "core/base/format.hpp"

#include <algorithm>

namespace ui {
namespace {

// The visible points and the one before them, whose value holds at the left edge. Times are relative to the timeline's
// zero.
ChartTable collect_points(const TimelineFrame& f, const LayoutRow& row) {
    const core::RankSlot& rank = f.run->rank(row.slot);
    const core::RunRange view = f.view.time.range();
    std::vector<std::string> series;
    std::vector<double> at, values;
    const std::vector<CounterView> lines = row.kind->collect_lines(*f.run, row);
    for (const CounterView& line : lines) {
        const auto after = [&](core::RunTime t) {
            return static_cast<std::size_t>(
                std::ranges::upper_bound(line.times, t, {}, [&](core::RankTime of) { return rank.to_run(of); }) -
                line.times.begin());
        };
        const std::size_t first = after(view.begin);
        const std::size_t last = after(view.end);
        const bool goes_on = first > 0 && rank.to_rank(view.begin) < line.end;
        for (std::size_t i = first - (goes_on ? 1 : 0); i < last; ++i) {
            series.emplace_back(line.series);
            at.push_back(static_cast<double>((rank.to_run(line.times[i]) - f.zero()).count()));
            values.push_back(line.values[i]);
        }
    }
    ChartTable table;
    table.add_texts("series", std::move(series));
    table.add_numbers("at", core::Unit::Ns, std::move(at));
    table.add_numbers("value", lines.front().unit.value_or(core::Unit::Number), std::move(values));
    return table;
}

// "rank 3, stream 7 queue, scale 0 to 12, 2.100 ms to 3.300 ms": value scale, then time range.
std::string title_of_plot(const TimelineFrame& f, const LayoutRow& row, std::span<const CounterView> lines) {
    const core::RunRange view = f.view.time.range();
    const core::Duration step = choose_tick_step(f.view.time.px_per_ns, 1);
    std::string title = "rank " + core::format_rank(f.run->rank(row.slot).key);
    const CounterScale scale = choose_scale(lines);
    title += ", " + std::string(lines.front().name) + ", scale " + format_value(lines.front(), scale.bottom) + " to " +
             format_value(lines.front(), scale.top);
    return title + ", " + core::format_time_offset(view.begin - f.zero(), step) + " to " +
           core::format_time_offset(view.end - f.zero(), step);
}

void offer_plot(const TimelineFrame& f, const LayoutRow& row) {
    const RowInset inset = bar_inset(row);
    const float top = f.row_top(row);
    std::vector<BarPart> legend;
    const std::vector<CounterView> lines = row.kind->collect_lines(*f.run, row);
    if (lines.empty()) return;
    const std::string id =
        "plot:rank " + core::format_rank(f.run->rank(row.slot).key) + ", " + std::string(lines.front().name);
    chart_export().offer_chart(id.c_str(), {f.plot.min.x, top + inset.top}, {f.plot.max.x, top + inset.bottom},
                               [&]() -> ChartSheet {
                                   const std::size_t tint = row.line ? row.line->tint() : 0;
                                   for (std::size_t i = 0; i < lines.size(); ++i)
                                       legend.push_back({std::string(lines[i].series), color::of_series(tint + i)});
                                   return {.title = title_of_plot(f, row, lines),
                                           .legend = legend,
                                           .paired = false,
                                           .table = [points = collect_points(f, row)] { return points.table(); }};
                               });
}

}  // namespace

void offer_plots(const TimelineFrame& f, const Scene& scene) {
    chart_export().set_place({}, "Timeline", f.run->name());
    ImDrawList* list = ImGui::GetWindowDrawList();
    ImGui::PushClipRect({f.plot.min.x, f.uncovered_top()}, f.plot.max, true);  // also limits the mouse
    for (std::size_t i = f.first_row; i < f.last_row; ++i) {
        const LayoutRow& row = f.layout.rows()[i];
        if (!row.kind->is_plot()) continue;
        if (drawing_in_progress()) scene.draw_plot(list, f.plot.min, row, i);
        offer_plot(f, row);
    }
    ImGui::PopClipRect();
}

}  // namespace ui
