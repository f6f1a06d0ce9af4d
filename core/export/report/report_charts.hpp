#pragma once
// Chooses the chart of an answer or comparison on a page. Internal to core/export.

#include "core/export/report/html_report.hpp"

#include <string>

namespace core {

// Lines if the answer has series, a heat map if rows are ranks and steps, else the analysis's
// chart; empty if it has none.
std::string chart_of_part(const ReportPart&, const HtmlReport&);
// The parts of the step that became longer or shorter.
std::string chart_of_change(const StepChange&, const ShortName&);

}  // namespace core
