#include "ui/timeline/scene/collect_counter.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

// The first sample from `at` on that is not before t. Searches outwards, so near ones are found sooner.
std::size_t find_sample(std::span<const core::RankTime> times, std::size_t at, core::RankTime t) {
    std::size_t stride = 1;
    std::size_t low = at;
    while (low + stride < times.size() && times[low + stride] < t) {
        low += stride;
        stride *= 2;
    }
    const auto begin = times.begin() + static_cast<std::ptrdiff_t>(low);
    const auto end = times.begin() + static_cast<std::ptrdiff_t>(std::min(low + stride, times.size()));
    return static_cast<std::size_t>(std::lower_bound(begin, end, t) - times.begin());
}

// Maps a value to one of `height` rows.
class RowOf {
public:
    RowOf(const CounterScale& scale, std::int32_t height) : scale_(scale), rows_(std::max(height - 1, 0)) {}
    std::int32_t operator()(double value) const {
        const double share = (value - scale_.bottom) / (scale_.top - scale_.bottom);
        return static_cast<std::int32_t>(std::lround((1 - std::clamp(share, 0.0, 1.0)) * rows_));
    }

private:
    const CounterScale& scale_;
    double rows_;
};

void append(const PlotRect& rect, std::vector<PlotRect>& out, std::size_t first) {
    if (out.size() > first && out.back().x1 == rect.x0 && out.back().y0 == rect.y0 && out.back().y1 == rect.y1)
        out.back().x1 = rect.x1;
    else
        out.push_back(rect);
}

}  // namespace

CounterScale choose_scale(std::span<const CounterView> lines) {
    core::ValueRange all;
    all.add(0);
    for (const CounterView& line : lines) {
        all.add(line.pyramid->whole());
        all.add(line.least_top);
    }
    return {all.least, all.most > all.least ? all.most : all.least + 1};
}

void collect_counter(const CounterView& line, const core::RankSlot& rank, const TimeView& view,
                     std::span<core::ValueRange> columns) {
    core::RankTime begin = rank.to_rank(view.to_time(0));
    std::size_t next = find_sample(line.times, 0, begin);  // the first value that still holds when the column begins
    for (std::size_t x = 0; x < columns.size(); ++x) {
        const core::RankTime end = rank.to_rank(view.to_time(static_cast<double>(x + 1)));
        const std::size_t last = find_sample(line.times, next, std::max(end, begin + core::Duration{1}));
        const std::size_t held = next > 0 && begin < line.end ? next - 1 : next;
        columns[x] = line.pyramid->range(held, last);
        next = last;
        begin = end;
    }
}

std::optional<double> counter_value_at(const CounterView& line, const core::RankSlot& rank, core::RunTime time) {
    const core::RankTime t = rank.to_rank(time);
    const auto after = std::upper_bound(line.times.begin(), line.times.end(), t);
    if (after == line.times.begin() || t > line.end) return std::nullopt;
    const double value = line.values[static_cast<std::size_t>(after - line.times.begin()) - 1];
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

void plot_steps(std::span<const core::ValueRange> columns, const CounterScale& scale, std::int32_t height,
                std::int32_t thickness, std::vector<PlotRect>& out) {
    const RowOf row_of(scale, height - thickness + 1);
    const std::size_t first = out.size();
    for (std::size_t x = 0; x < columns.size(); ++x) {
        if (columns[x].empty()) continue;
        const auto left = static_cast<std::int32_t>(x);
        append({.x0 = left, .x1 = left + 1, .y0 = row_of(columns[x].most), .y1 = row_of(columns[x].least) + thickness},
               out, first);
    }
}

void plot_area(std::span<const core::ValueRange> columns, const CounterScale& scale, std::int32_t height,
               std::vector<PlotRect>& out) {
    const RowOf row_of(scale, height);
    const std::int32_t zero = row_of(0);
    const std::size_t first = out.size();
    for (std::size_t x = 0; x < columns.size(); ++x) {
        if (columns[x].empty()) continue;
        const std::int32_t top = std::min(row_of(std::max(columns[x].most, 0.0)), zero);
        const std::int32_t bottom = std::max(row_of(std::min(columns[x].least, 0.0)), zero);
        const auto left = static_cast<std::int32_t>(x);
        if (bottom > top) append({.x0 = left, .x1 = left + 1, .y0 = top, .y1 = bottom}, out, first);
    }
}

void plot_band(std::span<const core::ValueRange> columns, double value, std::int32_t height,
               std::vector<PlotRect>& out) {
    const std::size_t first = out.size();
    for (std::size_t x = 0; x < columns.size(); ++x) {
        if (columns[x].empty() || columns[x].most != value) continue;
        const auto left = static_cast<std::int32_t>(x);
        append({.x0 = left, .x1 = left + 1, .y0 = 0, .y1 = height}, out, first);
    }
}

}  // namespace ui
