#pragma once
// Gathers what a report says of a run or of two: facts, doctor, the change, analyses. Takes as long as they take: for a
// worker, or a program that waits.

#include "core/diff/compare_runs.hpp"
#include "core/export/html_report.hpp"

namespace core {

struct ReportQuery {
    BySide<RunPtr> runs;  // no candidate: of one run
    Filter filter;  // as it was said, in the baseline's numbers
    RunAlignment alignment;  // of two
    std::vector<const Analysis*> analyses;
    bool is_usual = false;  // nobody chose them: those without rows are left out
    ShortName short_name;  // of kernels
    unsigned threads = 1;

    bool compares() const { return runs.candidate != nullptr; }
    Filter filter_of(Side side) const { return compares() ? alignment.filter_for(side, filter) : filter; }
};

std::vector<const Analysis*> usual_report_parts(bool compares);
// The report points to the query's runs. Errors: cancelled, parameters that do not fit. An analysis that fails is a part
// that says so.
Result<HtmlReport> gather_report(const ReportQuery&, const JobContext&);

}  // namespace core
