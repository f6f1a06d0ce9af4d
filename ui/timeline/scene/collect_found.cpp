#include "ui/timeline/scene/collect_found.hpp"

#include <algorithm>

namespace ui {
namespace {

class FoundWalk {
public:
    FoundWalk(const core::RankSlot& rank, std::size_t lane, const core::EventSet& found, const TimeView& view)
        : rank_(rank),
          trace_(rank.trace()),
          lane_(trace_.lanes[lane]),
          found_(found),
          view_(view),
          width_(static_cast<std::int32_t>(view.width_px)) {}

    void collect(std::vector<PixelSpan>& out) {
        const std::size_t end = found_.count_before(lane_.last);
        std::size_t next = found_.count_before(first_ending_after(rank_.to_rank(view_.to_time(-1))));
        while (next < end) {
            PixelSpan span = span_of(next);
            if (span.x0 >= width_) return;
            // Everything that begins within the stretch belongs to it; only the last of these can extend beyond it.
            const core::RankTime past =
                rank_.to_rank(view_.to_time(static_cast<double>(span.x1) + 0.5)) + core::Duration{1};
            const std::size_t first_beyond = found_.count_before(first_starting_from(past, found_.nth(next)));
            if (first_beyond > next + 1) span.x1 = std::max(span.x1, span_of(first_beyond - 1).x1);
            next = std::max(first_beyond, next + 1);
            span = {std::max(span.x0, 0), std::min(span.x1, width_)};
            if (!out.empty() && span.x0 <= out.back().x1)
                out.back().x1 = std::max(out.back().x1, span.x1);
            else if (span.x0 < span.x1)
                out.push_back(span);
        }
    }

private:
    // Ends one pixel before the event's end if there is room, like its bar.
    PixelSpan span_of(std::size_t k) const {
        const PixelSpan span = pixel_span(view_, rank_, trace_.range(found_.nth(k)));
        return {span.x0, std::max(span.x0 + kFoundPx, span.x1 - 1)};
    }
    core::EventId first_ending_after(core::RankTime t) const {
        std::size_t low = core::index_of(lane_.first);
        std::size_t high = core::index_of(lane_.last);
        while (low < high) {
            const std::size_t middle = (low + high) / 2;
            if (trace_.end(static_cast<core::EventId>(middle)) < t)
                low = middle + 1;
            else
                high = middle;
        }
        return static_cast<core::EventId>(low);
    }
    // First event after `from` that starts at or after t. Searches outwards, so near ones are found sooner.
    core::EventId first_starting_from(core::RankTime t, core::EventId from) const {
        const auto last = trace_.start.begin() + static_cast<std::ptrdiff_t>(core::index_of(lane_.last));
        auto low = trace_.start.begin() + static_cast<std::ptrdiff_t>(core::index_of(from)) + 1;
        std::ptrdiff_t stride = 1;
        while (stride < last - low && low[stride] < t) {
            low += stride;
            stride *= 2;
        }
        const auto high = stride < last - low ? low + stride : last;
        return static_cast<core::EventId>(std::lower_bound(low, high, t) - trace_.start.begin());
    }

    const core::RankSlot& rank_;
    const core::RankTrace& trace_;
    const core::Lane& lane_;
    const core::EventSet& found_;
    const TimeView& view_;
    const std::int32_t width_;
};

}  // namespace

void collect_found(const core::RankSlot& rank, std::size_t lane, const core::EventSet& found, const TimeView& view,
                   std::vector<PixelSpan>& out) {
    if (found.count() > 0) FoundWalk(rank, lane, found, view).collect(out);
}

void collect_found_on_gpu(const core::RankSlot& rank, const core::EventSet& found, const TimeView& view,
                          std::vector<PixelSpan>& out) {
    if (found.count() == 0) return;
    const core::RankTrace& trace = rank.trace();
    std::vector<PixelSpan> spans;
    std::vector<PixelSpan> of_lane;
    for (const core::Track& track : trace.tracks) {
        if (track.kind != core::TrackKind::Stream) continue;
        for (std::size_t lane = track.first_lane; lane < track.first_lane + track.lane_count; ++lane) {
            if (found.count_before(trace.lanes[lane].first) == found.count_before(trace.lanes[lane].last)) continue;
            of_lane.clear();
            FoundWalk(rank, lane, found, view).collect(of_lane);
            spans.insert(spans.end(), of_lane.begin(), of_lane.end());
        }
    }
    std::ranges::sort(spans, {}, &PixelSpan::x0);
    for (const PixelSpan& span : spans) {
        if (!out.empty() && span.x0 <= out.back().x1)
            out.back().x1 = std::max(out.back().x1, span.x1);
        else
            out.push_back(span);
    }
}

}  // namespace ui
