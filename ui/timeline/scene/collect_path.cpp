#include "ui/timeline/scene/collect_path.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

void add_to_row(std::vector<core::RankRange>& ranges, core::RankRange range) {
    if (!ranges.empty() && ranges.back().end == range.begin)
        ranges.back().end = range.end;
    else
        ranges.push_back(range);
}

class PathSpanWalk {
public:
    PathSpanWalk(std::span<const core::RankRange> ranges, const core::RankSlot& rank, const TimeView& view)
        : ranges_(ranges), rank_(rank), view_(view), width_(static_cast<std::int32_t>(view.width_px)) {}

    void collect(std::vector<PixelSpan>& out) const {
        const std::size_t before = out.size();
        for (std::size_t next = first_from(0, 0, &PixelSpan::x1); next < ranges_.size();) {
            PixelSpan span = span_of(next);
            if (span.x0 >= width_) return;
            // Everything that begins within or next to the span belongs to it; only the last of these can extend beyond
            // it.
            const std::size_t beyond = first_from(next + 1, span.x1, &PixelSpan::x0);
            span.x1 = std::max(span.x1, span_of(beyond - 1).x1);
            span = {std::max(span.x0, 0), std::min(span.x1, width_)};
            if (out.size() > before && span.x0 <= out.back().x1)
                out.back().x1 = std::max(out.back().x1, span.x1);
            else if (span.x0 < span.x1)
                out.push_back(span);
            next = beyond;
        }
    }

private:
    PixelSpan span_of(std::size_t i) const {
        const PixelSpan span = pixel_span(view_, rank_, ranges_[i]);
        return {span.x0, std::max(span.x0 + 1, span.x1)};
    }
    // The first from `low` on whose edge is right of x. Searches outwards, so near ones are found sooner.
    std::size_t first_from(std::size_t low, std::int32_t x, std::int32_t PixelSpan::*edge) const {
        std::size_t stride = 1;
        while (low + stride < ranges_.size() && span_of(low + stride).*edge <= x) {
            low += stride;
            stride *= 2;
        }
        std::size_t high = std::min(low + stride, ranges_.size());
        while (low < high) {
            const std::size_t middle = (low + high) / 2;
            if (span_of(middle).*edge <= x)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    std::span<const core::RankRange> ranges_;
    const core::RankSlot& rank_;
    const TimeView& view_;
    std::int32_t width_;
};

}  // namespace

PathLayout lay_path(const CriticalPath& path, std::span<const std::uint32_t> row_of_lane) {
    PathLayout layout;
    if (!path.rank || row_of_lane.empty()) return layout;
    layout.rows.resize(std::size_t{std::ranges::max(row_of_lane)} + 1);
    const core::RankTrace& trace = path.rank->trace();
    for (std::size_t i = 0; i < path.stretches.size(); ++i) {
        const PathStretch& stretch = path.stretches[i];
        const std::uint32_t row = row_of_lane[stretch.lane];
        add_to_row(stretch.waits ? layout.rows[row].waits : layout.rows[row].work, stretch.range);
        if (i == 0) continue;
        const PathStretch& before = path.stretches[i - 1];
        if (row_of_lane[before.lane] == row || before.range.end != stretch.range.begin) continue;
        const bool same_track = trace.lanes[before.lane].track == trace.lanes[stretch.lane].track;
        (same_track ? layout.stairs : layout.arrows).push_back({stretch.range.begin, row_of_lane[before.lane], row});
    }
    return layout;
}

void collect_path_spans(std::span<const core::RankRange> ranges, const core::RankSlot& rank, const TimeView& view,
                        std::vector<PixelSpan>& out) {
    if (!ranges.empty()) PathSpanWalk(ranges, rank, view).collect(out);
}

void collect_path_arrows(std::span<const PathTurn> turns, const core::RankSlot& rank, const TimeView& view,
                         double spacing, std::vector<PathArrow>& out) {
    const std::int64_t size = std::max<std::int64_t>(1, std::llround(view.ns_per_px() * std::max(spacing, 1.0)));
    const auto at = [&](const PathTurn& turn) { return core::ns_of(rank.to_run(turn.at)); };
    const auto first_from = [&](auto low, std::int64_t t) {
        return std::partition_point(low, turns.end(), [&](const PathTurn& turn) { return at(turn) < t; });
    };
    const auto begin_of = [&](std::int64_t t) { return t - ((t % size) + size) % size; };
    const auto width = static_cast<std::int32_t>(view.width_px);
    auto next = first_from(turns.begin(), begin_of(core::ns_of(view.to_time(0))));
    while (next != turns.end()) {
        const std::int32_t x = pixel_span(view, rank, {next->at, next->at}).x0;
        if (x >= width) return;
        if (x >= 0) out.push_back({.x = x, .from = next->from, .to = next->to});
        next = first_from(next + 1, begin_of(at(*next)) + size);
    }
}

std::size_t count_stretches(std::span<const PathStretch> stretches, const core::RankSlot& rank, const TimeView& view) {
    const core::RankRange shown = rank.to_rank(view.range());
    const auto first = std::ranges::partition_point(
        stretches, [&](const PathStretch& stretch) { return stretch.range.end <= shown.begin; });
    const auto last = std::ranges::partition_point(
        stretches, [&](const PathStretch& stretch) { return stretch.range.begin < shown.end; });
    return static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, last - first));
}

}  // namespace ui
