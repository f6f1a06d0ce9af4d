#pragma once
// Tables of a page: at most kMostReportRows rows, numbers right-aligned and rounded as everywhere, exact on hover and
// for sorting; what a column means on its title. Events have no column: their numbers mean nothing on paper.
// Internal to core/export.

#include "core/diff/compare_tables.hpp"
#include "core/export/svg_chart.hpp"

#include <string>

namespace core {

inline constexpr std::size_t kMostReportRows = 30;

// All rows in their order, or those with most of the analysis's lead measure; below it how many more there are.
std::string table_to_html(const Analysis&, const Table&, const ShortName&);
// The keys, all of the lead measure, and of every other its change, with the values of both sides on hover.
std::string comparison_to_html(const Analysis&, const Comparison&, const ShortName&);

}  // namespace core
