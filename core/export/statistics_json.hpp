#pragma once
// Statistics of a comparison in the stable JSON form; see docs/statistics.md. Unknown values are null.

#include "core/diff/step_change/contributions.hpp"
#include "core/export/json.hpp"

namespace core {

// {"n": [5, 5], "mean": [...], "change": ..., "se": ..., "t": ..., "df": ..., "p": ..., "ci": [...], ...}
SmallJson json_tested(const Tested&);
// {"step": ..., "sentence": ..., "rows": [one per row of the table, or null]}
// Also "contributions" if the waterfall has any.
SmallJson json_statistics(const RunStatistics&, const Contributions* = nullptr);

}  // namespace core
