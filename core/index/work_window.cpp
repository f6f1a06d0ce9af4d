#include "core/index/work_window.hpp"

#include <algorithm>
#include <optional>

namespace core {
namespace {

std::optional<RankRange> find_work(const RankTrace& trace, const Lane& lane) {
    if (trace.tracks[lane.track].kind == TrackKind::Instants) return std::nullopt;
    const auto takes_time = [&](std::size_t i) { return trace.duration[i] > Duration{0}; };
    std::size_t first = index_of(lane.first);
    std::size_t last = index_of(lane.last);
    while (first < last && !takes_time(first)) ++first;
    while (first < last && !takes_time(last - 1)) --last;
    if (first == last) return std::nullopt;
    return RankRange{trace.start[first], trace.end(static_cast<EventId>(last - 1))};
}

}  // namespace

RunRange find_work_window(const Run& run) {
    std::optional<RunRange> window;
    for (const RankSlot& rank : run.ranks()) {
        for (const Lane& lane : rank.trace().lanes) {
            const std::optional<RankRange> work = find_work(rank.trace(), lane);
            if (!work) continue;
            const RunRange own = rank.clock.to_run(*work);
            window = window ? RunRange{std::min(window->begin, own.begin), std::max(window->end, own.end)} : own;
        }
    }
    return window.value_or(run.window());
}

}  // namespace core
