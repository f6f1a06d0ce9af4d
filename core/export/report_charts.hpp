#pragma once
// Which chart an answer or a comparison has on a page. Internal to core/export.

#include "core/export/html_report.hpp"

#include <string>

namespace core {

// Lines where the answer has series, a heat map where its rows are ranks and steps, else the chart of the analysis's
// row; empty if it has none.
std::string chart_of_part(const ReportPart&, const HtmlReport&);
// What of the step became longer and what shorter.
std::string chart_of_change(const StepChange&, const ShortName&);

}  // namespace core
