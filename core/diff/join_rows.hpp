#pragma once
// Which rows of two tables of one analysis have equal keys. Ranks and steps are equal by the alignment;
// kernels and operators by their full or normalised names; absent keys are equal. O(rows).

#include "core/analysis/table.hpp"
#include "core/diff/compare_tables.hpp"

#include <string>
#include <vector>

namespace core {

struct JoinedRows {
    std::vector<BySide<std::vector<std::size_t>>> rows;  // of each row to come, those behind it; never both empty
    std::vector<std::size_t> disjoint_keys;              // columns in which no value is on both sides
};

std::vector<std::size_t> key_columns(const Table&);
// Key columns whose texts NameMatching is about.
bool is_name(const Column&);
// Exact: at most one row of each side in a row to come. Normalised: all of equal names.
JoinedRows join_rows(const BySide<const Table*>& tables, const RunAlignment&, NameMatching);

}  // namespace core
