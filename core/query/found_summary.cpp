#include "core/query/found_summary.hpp"

namespace core {

Result<FoundSummary> summarize_found(const FoundEvents& found, const JobContext& job) {
    const Run& run = *found.run();
    FoundSummary summary;
    TotalsByName names(run);
    for (std::uint32_t slot = 0; slot < run.ranks().size(); ++slot) {
        const EventSet& events = found.events(slot);
        if (events.count() == 0) continue;
        names.begin_rank(slot);
        std::size_t seen = 0;
        const bool whole = events.visit_each([&](EventId event) {
            names.add(event, found.length_of({slot, event}));
            return ++seen % kEventsBetweenChecks != 0 || !job.cancelled();
        });
        if (!whole || job.cancelled()) return cancelled_error();
        summary.ranks.push_back(names.end_rank());
    }
    summary.names = names.take();
    return summary;
}

}  // namespace core
