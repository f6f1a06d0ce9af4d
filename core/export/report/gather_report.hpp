#pragma once
// Gathers the contents of a report on one or two runs: facts, doctor, change, analyses. Slow: run
// on a worker, or in a command that may block.

#include "core/diff/join/compare_runs.hpp"
#include "core/export/report/html_report.hpp"

namespace core {

struct ReportQuery {
    BySide<RunPtr> runs;  // no candidate: one run
    Filter filter;  // in the baseline's numbers
    RunAlignment alignment;  // two runs only
    std::vector<const Analysis*> analyses;
    bool is_usual = false;  // a default choice: analyses without rows are dropped
    StatisticsOptions statistics;  // of a comparison
    ShortName short_name;  // shortens kernel names
    unsigned threads = 1;

    bool compares() const { return runs.candidate != nullptr; }
    Filter filter_of(Side side) const { return compares() ? alignment.filter_for(side, filter) : filter; }
};

std::vector<const Analysis*> usual_report_parts(bool compares);
// The report refers to the query's runs. Errors: cancelled, invalid parameters. A failed analysis
// becomes a part with its error.
Result<HtmlReport> gather_report(const ReportQuery&, const JobContext&);

}  // namespace core
