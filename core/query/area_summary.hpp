#pragma once
// What an area of time holds, over all ranks or some of their rows, as far as the filter lets it through: how many
// events, which classes were busy, the totals of each name. O(events in the area); for the pool.

#include "core/query/name_totals.hpp"
#include "core/query/selection.hpp"
#include "core/query/track_rows.hpp"

namespace core {

struct AreaQuery {
    RunPtr run;
    RunRange range;
    Filter filter;
    std::vector<SelectionPtr> selections;  // by slot, of this filter; one that is null is built when it is needed
    std::vector<TrackRows> rows = {};      // none: everything
};

struct AreaSummary {
    std::size_t events = 0;             // that overlap the area, on CPU and GPU
    std::size_t gpu_events = 0;
    // Of the GPU, the sum over the ranks that have a stream in the area; of some streams alone what those did.
    ClassTimes times;
    // As far as they lie in the area, longest in all first.
    std::vector<NameTotals> names;
    std::vector<RankTotals> ranks;      // those with any event, by slot
    std::string error;                  // why it could not be made; then there is nothing else
    // At most three: GPU events, without any CPU events.
    std::vector<NameTotals> longest() const;
};

Result<AreaSummary> summarize_area(const AreaQuery&, const JobContext&);

// The whole durations of the events in the area that have the name, on the GPU or not. Fails as summarize_area.
Result<std::vector<Duration>> collect_durations(const AreaQuery&, std::string_view name, bool on_gpu,
                                                const JobContext&);

}  // namespace core
