#pragma once
// A table of an analysis with its ranks added up, so that runs of other numbers of ranks line up.

#include "core/analysis/engine/table.hpp"

namespace core {

// Without the rank among its keys: rows that are then equal are one, in order of first appearance. Measures that
// do not add up (means, extremes, shares) and infos are left out. What is absent in every rank stays absent.
// O(rows log rows).
Table add_up_ranks(const Table&);

}  // namespace core
