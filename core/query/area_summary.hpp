#pragma once
// Summary of a time range over all ranks or chosen rows, under a filter: event count, busy time per
// class, totals per name. O(events in the area); run on the pool.

#include "core/query/name_totals.hpp"
#include "core/query/selection.hpp"
#include "core/query/track_rows.hpp"

namespace core {

struct AreaQuery {
    RunPtr run;
    RunRange range;
    Filter filter;
    std::vector<SelectionPtr> selections;  // by slot, for this filter; null: built on demand
    std::vector<TrackRows> rows = {};      // empty: everything
};

struct AreaSummary {
    std::size_t events = 0;             // overlapping the area, on CPU and GPU
    std::size_t gpu_events = 0;
    // GPU time, summed over the ranks with a stream in the area; with chosen streams, theirs alone.
    ClassTimes times;
    struct TimesOfRank {
        std::uint32_t slot = 0;
        ClassTimes times;
        // How much of the area is between the first start and the last end of these streams' work; 0 where launches
        // there have no GPU event.
        Duration window{};
    };
    std::vector<TimesOfRank> times_of_ranks;  // the same of each of these ranks, by slot
    // Lengths inside the area; longest total first.
    std::vector<NameTotals> names;
    std::vector<RankTotals> ranks;  // ranks with any event, by slot
    std::string error;  // reason of failure; everything else is empty then
    // At most three: GPU events or, if there are none, CPU events.
    std::vector<NameTotals> longest() const;
};

Result<AreaSummary> summarize_area(const AreaQuery&, const JobContext&);

// Uncut durations of the events in the area with this name, on the GPU or not. Fails as
// summarize_area does.
Result<std::vector<Duration>> collect_durations(const AreaQuery&, std::string_view name, bool on_gpu,
                                                const JobContext&);

}  // namespace core
