#include "core/analysis/engine/explain_waiting.hpp"

#include "core/collectives/matched_run.hpp"

#include <algorithm>

namespace core {
namespace {

// For a run whose collectives are matched; never matches anything, as a frame may ask.
bool has_joined_collectives(const Run& run) {
    const MatchedRunPtr matches = run.derived().find<MatchedRun>();
    return matches && std::ranges::any_of(matches->collectives, [](const Collective& c) { return c.count > 1; });
}

}  // namespace

std::string explain_no_waiting(const Run& run, const Filter& filter) {
    if (run.event_count() == 0) return "The traces have no events.";
    if (!has_gpu_events(run)) return "Only the CPU was recorded: collectives show as GPU kernels.";
    const auto members = std::ranges::count_if(
        run.ranks(), [](const RankSlot& rank) { return !rank.index->members().events().empty(); });
    if (members == 0) return "The traces have no communication kernels.";
    if (run.ranks().size() == 1) return "One rank is open: waiting shows between ranks. Open the folder of all ranks.";
    if (members == 1) return "Only one rank has communication kernels: nobody to compare it with.";
    if (!filter.empty()) return "No collective passes the filter that two ranks can be compared in.";
    if (has_joined_collectives(run))
        return "No collective counts: records of members are missing, or what they state differs. Analyses, Matching "
               "of "
               "collectives, says which.";
    return "No collective has members on two ranks here. Analyses, Matching of collectives, says what was found.";
}

std::string explain_no_sizes(const Run& run, const Filter& filter) {
    if (!has_joined_collectives(run)) return explain_no_waiting(run, filter);
    return "No collective of known size that everyone waits in passes: sizes come from the kernels' or operators' "
           "arguments.";
}

}  // namespace core
