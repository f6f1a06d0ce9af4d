#pragma once
// A report: one self-contained HTML page, formatted from gathered contents. Equal input gives equal
// bytes: no current time, no local paths except those in the facts. The page is also well-formed
// XML and of bounded size: tables of 30 rows, charts of 64 bars or 2,048 cells, lists of 60 facts.

#include "core/diff/step_change/contributions.hpp"
#include "core/diff/step_change/step_change.hpp"
#include "core/doctor/doctor.hpp"
#include "core/doctor/losses.hpp"
#include "core/export/report/svg_chart.hpp"

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
    std::shared_ptr<const Losses> losses;  // null: none
    std::string timeline;  // timeline_to_json; empty: no GPU work
};

// One analysis: an answer, a comparison, or the reason why there is none.
struct ReportPart {
    const Analysis* analysis = nullptr;
    std::optional<Answer> answer;
    std::optional<RunComparison> comparison;
    std::string failure;
    std::optional<RowStatistics> tests{};  // of its rows, if they are sampled
};

struct HtmlReport {
    BySide<ReportRun> runs;  // no candidate: a report on one run
    std::string filter;  // in the filter's text form
    std::vector<ReportPart> parts;
    std::vector<std::string> without_rows;  // titles of dropped analyses
    std::optional<StepChange> change;  // comparisons only
    std::string no_change;  // reason if there is none
    std::optional<StepStatistics> step;  // comparisons only
    Contributions contributions;         // of that step
    std::optional<Comparison> operators;  // op by op: kernels before and after; comparisons only
    std::string no_operators;             // reason if there are none
    bool takes_nothing = false;  // the run has GPU events but none passes the filter
    std::string picture;  // PNG of the window; empty: none
    std::string picture_missing;  // reason if there is none
    ShortName short_name;  // of kernels
    bool compares() const { return runs.candidate.run != nullptr; }
    bool has_operators() const { return operators || !no_operators.empty(); }
};

std::string to_html(const HtmlReport&);

}  // namespace core
