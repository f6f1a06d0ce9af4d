#pragma once
// Totals by name and by rank as tables, which can be sorted, searched and drawn like those of
// analyses.

#include "core/analysis/engine/table.hpp"
#include "core/query/name_totals.hpp"

namespace core {

// name, on (keys; "GPU" or "CPU"), count, total, mean, min, max, share of all totals, number of
// ranks.
std::vector<Column> columns_of_names();
Table tabulate_names(const Run&, std::span<const NameTotals>);
// rank (key), count, total, mean, min, max, share, names.
std::vector<Column> columns_of_ranks();
Table tabulate_ranks(const Run&, std::span<const RankTotals>);

}  // namespace core
