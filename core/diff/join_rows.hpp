#pragma once
// Which rows of two tables of one analysis have equal keys. Ranks and steps are equal by the alignment;
// kernels, operators and annotations by their names as the pairing takes them; absent keys are equal. O(rows).

#include "core/analysis/engine/table.hpp"
#include "core/diff/compare_tables.hpp"

#include <string>
#include <vector>

namespace core {

struct JoinedRows {
    std::vector<BySide<std::vector<std::size_t>>> rows;  // of each row to come, those behind it; never both empty
    std::vector<std::size_t> disjoint_keys;              // columns in which no value is on both sides
};

std::vector<std::size_t> key_columns(const Table&);
// Key columns whose texts a pairing is about.
bool is_name(const Column&);
// Exact names: at most one row of each side in a row to come. Names paired by hand or by a rule: all that are one.
JoinedRows join_rows(const BySide<const Table*>& tables, const RunAlignment&, const NamePairing&);

}  // namespace core
