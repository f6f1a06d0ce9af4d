#pragma once
// Gaps between GPU events and their causes; the basis of `idle-breakdown` and `device-idle`.

#include "core/analysis/engine/analysis.hpp"
#include "core/analysis/engine/rounding.hpp"

#include <array>
#include <vector>

namespace core {

enum class GapCause : std::uint8_t { HostWait, GraphGap, KernelWait, Other, NotRecorded };
inline constexpr std::size_t kGapCauses = 5;
std::string_view name_of(GapCause);  // "host_wait", "graph_gap", "kernel_wait", "other", "not_recorded"

struct Gap {
    RankRange whole;    // from the latest end so far (or window begin) to the next start (or window end)
    RankRange visible;  // cut to the time range; never empty
    EventId previous;   // event whose end begins the gap; kNoEvent at the begin of the window
    EventId next;       // event that ends the gap; kNoEvent at the end of the window
    GapCause cause;
};

inline constexpr std::int64_t kLongestCutoff = 3'600'000'000'000;  // one hour
inline constexpr Param kShortGapParam = {"short_gap", "shorter gaps are kernel_wait, unless the host launched too late",
                                         Unit::Ns,    30'000,
                                         0,           kLongestCutoff};

// events: by start, all inside the window. short_gap: gaps shorter than this that the host didn't
// cause are kernel_wait.
std::vector<Gap> collect_gaps(const RankView&, std::span<const EventId> events, RankRange window, Duration short_gap);

// Gaps in which no stream of the rank runs an event that passes the filter's step and stream terms; none without GPU
// work. They add up to the rank's idle time.
std::vector<Gap> collect_device_gaps(const RankView&, Duration short_gap);

// Activity of the launching thread for most of a gap; "(launch unknown)" where that is not in the trace.
std::string_view find_host_activity(const RankTrace&, const Gap&);

struct TrackGaps {
    std::uint32_t track;
    std::size_t events;  // GPU events of the track in the filter's steps
    std::vector<Gap> gaps;
};
// Gaps of every track with GPU events, each in the window set by the filter's steps and streams.
// Fails if cancelled.
Result<std::vector<TrackGaps>> collect_track_gaps(const RankView&, Duration short_gap, const JobContext&);

// Totals of the gaps with one cause.
struct GapSums {
    Wide time = 0;
    std::vector<std::int64_t> lengths;
    void add(const Gap& gap) {
        time += gap.visible.length().count();
        lengths.push_back(gap.visible.length().count());
    }
};
using GapsByCause = std::array<GapSums, kGapCauses>;
Wide total_time(const GapsByCause&);

}  // namespace core
