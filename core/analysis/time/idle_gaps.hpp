#pragma once
// Times in which none of some GPU events runs, and why: the ground of `idle-breakdown` and `device-idle`.

#include "core/analysis/engine/analysis.hpp"
#include "core/analysis/rounding.hpp"

#include <array>
#include <vector>

namespace core {

enum class GapCause : std::uint8_t { HostWait, KernelWait, Other };
inline constexpr std::size_t kGapCauses = 3;
std::string_view name_of(GapCause);  // "host_wait", "kernel_wait", "other"

struct Gap {
    RankRange whole;    // from the latest end so far, or the window's begin, to the next start, or the window's end
    RankRange visible;  // cut to the time range; never empty
    EventId next;       // the event that ends it; kNoEvent at the end of the window
    GapCause cause;
};

// events: by start, all inside the window. short_gap: shorter ones that the host did not cause are kernel_wait.
std::vector<Gap> collect_gaps(const RankView&, std::span<const EventId> events, RankRange window, Duration short_gap);

struct TrackGaps {
    std::uint32_t track;
    std::size_t events;  // of the track that pass the filter; without any there are no gaps
    std::vector<Gap> gaps;
};
// Those of every track with GPU events, by track, each in the window that the filter's steps and streams set. Fails
// when cancelled.
Result<std::vector<TrackGaps>> collect_track_gaps(const RankView&, Duration short_gap, const JobContext&);

// Gaps of one cause.
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
