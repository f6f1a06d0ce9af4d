#pragma once
// Rewrites a query that sums durations by name, class, rank and the like, so that it reads the totals instead of every
// event: 16 million rows become some thousands. Only the plainest shape is rewritten, one whose meaning cannot change:
// SELECT … FROM events, kernels or operators, WHERE and GROUP BY over columns of the totals, aggregates of dur or
// count(*).

#include <optional>
#include <string>
#include <string_view>

namespace core {

// Absent: the query has another shape. The result has the same columns under other names, and the same rows.
std::optional<std::string> query_of_totals(std::string_view query);

}  // namespace core
