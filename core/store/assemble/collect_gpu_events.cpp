#include "core/store/assemble/collect_gpu_events.hpp"

#include <algorithm>

namespace core {
namespace {

struct Entry {
    std::int64_t start_ns;
    EventId event;
};

class ByTime {
public:
    explicit ByTime(const EventColumns& columns) : columns_(columns) {}
    bool operator()(const Entry& a, const Entry& b) const {
        if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
        const std::size_t x = index_of(a.event);
        const std::size_t y = index_of(b.event);
        if (columns_.duration[x] != columns_.duration[y]) return columns_.duration[x] > columns_.duration[y];
        return columns_.order[x] < columns_.order[y];
    }

private:
    const EventColumns& columns_;
};

// Merges neighbouring pieces pairwise until one is left. `ends`: ends of the sorted pieces, the first starting
// at 0.
void merge_pieces(std::vector<Entry>& entries, std::vector<std::size_t> ends, const ByTime& comes_before) {
    std::vector<Entry> merged(ends.size() > 1 ? entries.size() : 0);
    while (ends.size() > 1) {
        std::vector<std::size_t> next_ends;
        std::size_t begin = 0;
        for (std::size_t i = 0; i < ends.size(); i += 2) {
            const std::size_t last = ends[std::min(i + 1, ends.size() - 1)];
            const auto from = [&](std::size_t at) { return entries.begin() + static_cast<std::ptrdiff_t>(at); };
            std::merge(from(begin), from(ends[i]), from(ends[i]), from(last),
                       merged.begin() + static_cast<std::ptrdiff_t>(begin), comes_before);
            next_ends.push_back(last);
            begin = last;
        }
        entries.swap(merged);
        ends = std::move(next_ends);
    }
}

}  // namespace

std::vector<EventId> collect_gpu_events(const EventColumns& columns, std::span<const LaidTrack> tracks,
                                        std::span<const Lane> lanes) {
    std::vector<Entry> entries;
    std::vector<std::size_t> ends;
    for (const Lane& lane : lanes) {
        const TrackKind kind = tracks[lane.track].kind;
        if (kind != TrackKind::Stream && kind != TrackKind::Async) continue;
        const std::size_t before = entries.size();
        for (std::size_t e = index_of(lane.first); e < index_of(lane.last); ++e) {
            const EventId event{static_cast<std::uint32_t>(e)};
            if (columns.has(event, kGpuEvent)) entries.push_back({columns.start_ns(event), event});
        }
        if (entries.size() > before) ends.push_back(entries.size());
    }
    merge_pieces(entries, std::move(ends), ByTime(columns));
    std::vector<EventId> events;
    events.reserve(entries.size());
    for (const Entry& entry : entries) events.push_back(entry.event);
    return events;
}

}  // namespace core
