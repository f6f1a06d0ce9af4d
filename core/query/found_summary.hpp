#pragma once
// Totals of what a search found, by name and by rank. O(found + names); for the pool.

#include "core/query/find_events.hpp"
#include "core/query/name_totals.hpp"

namespace core {

struct FoundSummary {
    std::vector<NameTotals> names;  // longest in all first; lengths are what the time filter leaves of each event
    std::vector<RankTotals> ranks;  // those with any, by slot
};

Result<FoundSummary> summarize_found(const FoundEvents&, const JobContext&);

}  // namespace core
