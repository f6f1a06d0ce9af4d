#pragma once
// Statistical tests of two runs on a page: the sentence of the command line, the values as dots, contributions with
// intervals, and the rows of a table with verdict, interval and q, also as a volcano chart. Internal to core/export.

#include "core/diff/step_change/contributions.hpp"
#include "core/export/report/html_text.hpp"

#include <string>

namespace core {

// Verdict on the step, with headline and contributions unless these are absent.
std::string verdict_to_html(const StepStatistics&, const Contributions&, const ShortName&);
// Counts of the verdicts, the volcano chart, and the rows: changed ones first, the rest muted. Empty if no row was
// tested.
std::string tested_rows_to_html(const Comparison&, const RowStatistics&, const ShortName&);

}  // namespace core
