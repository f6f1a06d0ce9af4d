#pragma once
// Tables of a page: at most kMostReportRows rows; numbers right-aligned and rounded as everywhere,
// exact on hover and for sorting; a column's meaning is its title's tooltip. Event columns are
// dropped: event numbers mean nothing on paper. Internal to core/export.

#include "core/diff/join/compare_tables.hpp"
#include "core/export/report/svg_chart.hpp"

#include <string>

namespace core {

inline constexpr std::size_t kMostReportRows = 30;

// All rows in order, or those with the largest lead measure, with a count of the rest below.
std::string table_to_html(const Analysis&, const Table&, const ShortName&);
// The keys, the complete lead measure, and the change of every other measure with both values on
// hover.
std::string comparison_to_html(const Analysis&, const Comparison&, const ShortName&);

}  // namespace core
