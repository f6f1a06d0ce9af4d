#pragma once
// A report: one page of HTML that needs nothing beside it. What there is to say is gathered before (app/report_command);
// here it becomes text. Equal input gives equal bytes: no time of now, no paths of this machine but those in the facts.
// The page is well-formed XML too, and of bounded size: tables of 30 rows, charts of 64 bars, lists of 60 facts.

#include "core/diff/step_change.hpp"
#include "core/doctor/doctor.hpp"
#include "core/export/svg_chart.hpp"

#include <optional>
#include <string>
#include <vector>

namespace core {

struct ReportFact {
    std::string label;
    std::string text;
};

struct ReportRun {
    const Run* run = nullptr;
    std::vector<ReportFact> facts;  // in order
    std::vector<ReportFact> environment;  // versions, devices, ...
    DoctorReport doctor;
};

// One analysis: an answer, or a comparison of two, or in words why there is none.
struct ReportPart {
    const Analysis* analysis = nullptr;
    std::optional<Answer> answer;
    std::optional<RunComparison> comparison;
    std::string failure;
};

struct HtmlReport {
    BySide<ReportRun> runs;  // no run as the candidate: the report is of one
    std::string filter;  // in the filter's text form
    std::vector<ReportPart> parts;
    std::vector<std::string> without_rows;  // titles of analyses that were left out for that
    std::optional<StepChange> change;  // of a comparison
    std::string no_change;  // why there is none, in words
    bool takes_nothing = false;  // no GPU event passes the filter, of a run that has some
    std::string picture;  // PNG, of the window; empty: none
    std::string picture_missing;  // then why, in words
    ShortName short_name;  // of kernels
    bool compares() const { return runs.candidate.run != nullptr; }
};

std::string to_html(const HtmlReport&);

}  // namespace core
