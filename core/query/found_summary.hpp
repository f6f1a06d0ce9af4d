#pragma once
// Totals of search results by name and by rank. O(results + names); run on the pool.

#include "core/query/find_events.hpp"
#include "core/query/name_totals.hpp"

namespace core {

struct FoundSummary {
    std::vector<NameTotals> names;  // longest total first; lengths are cut to the time filter
    std::vector<RankTotals> ranks;  // ranks with results, by slot
};

Result<FoundSummary> summarize_found(const FoundEvents&, const JobContext&);

}  // namespace core
