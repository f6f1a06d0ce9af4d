#pragma once
// Finds rows with equal keys in two tables of one analysis. Ranks and steps match by the alignment;
// kernels, operators and annotations by the name pairing; absent keys are equal. O(rows).

#include "core/analysis/engine/table.hpp"
#include "core/diff/join/compare_tables.hpp"

#include <string>
#include <vector>

namespace core {

struct JoinedRows {
    std::vector<BySide<std::vector<std::size_t>>> rows;  // by result row: its source rows; never both empty
    std::vector<std::size_t> disjoint_keys;              // columns without a common value
};

std::vector<std::size_t> key_columns(const Table&);
// True for key columns whose texts are paired as names.
bool is_name(const Column&);
// Exact names: at most one source row per side. Names paired manually or by a rule: all rows of the
// group.
JoinedRows join_rows(const BySide<const Table*>& tables, const RunAlignment&, const NamePairing&);

}  // namespace core
