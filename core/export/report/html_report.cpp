#include "core/export/report/html_report.hpp"

#include "core/analysis/findings/finding_words.hpp"
#include "core/base/format.hpp"
#include "core/charts/axis.hpp"
#include "core/diff/operators/op_by_op.hpp"
#include "core/export/analysis_text.hpp"
#include "core/export/report/html_style.hpp"
#include "core/export/report/html_table.hpp"
#include "core/export/report/html_text.hpp"
#include "core/export/report/html_verdict.hpp"
#include "core/export/report/report_charts.hpp"
#include "core/export/report/report_timeline.hpp"
#include "core/index/rank_count.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace core {
namespace {

// Forbids every request to other hosts, which no text of a trace can bypass.
constexpr std::string_view kPolicy =
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src "
    "'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\"/>\n";
constexpr std::size_t kMostFactLetters = 400;
constexpr std::size_t kMostLabelLetters = 80;
constexpr std::size_t kMostFacts = 60;
constexpr std::size_t kMostDoctorFindings = 40;
constexpr std::size_t kMostLosses = 20;

std::string paragraph(std::string_view text, std::string_view css = {}) {
    return "<p" + (css.empty() ? std::string() : " class=\"" + std::string(css) + "\"") + ">" + html_text(text) +
           "</p>\n";
}

std::string name_of_side(Side side) { return side == Side::Baseline ? "Baseline" : "Candidate"; }

// --- the head

std::string title_of_report(const HtmlReport& report) {
    const std::string& baseline = report.runs.baseline.run->name();
    if (!report.compares()) return baseline;
    return baseline + " \xE2\x86\x92 " + report.runs.candidate.run->name();
}

std::string tile(std::string_view value, std::string_view what, std::string_view exact = {}) {
    return "<div class=\"tile\"" + (exact.empty() ? std::string() : " title=\"" + html_text(exact) + "\"") + "><b>" +
           html_text(value) + "</b><span>" + html_text(what) + "</span></div>\n";
}

const ReportPart* find_part(const HtmlReport& report, std::string_view id) {
    const auto it = std::ranges::find(report.parts, id, [](const ReportPart& part) { return part.analysis->id; });
    return it == report.parts.end() ? nullptr : &*it;
}

std::string step_tile(const HtmlReport& report) {
    const ReportPart* const part = find_part(report, "steps");
    if (!part || !part->answer) return {};
    const Table& table = part->answer->main();
    const std::size_t duration = table.find_column("duration");
    std::int64_t sum = 0, count = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.absent(row, duration)) continue;
        sum += table.integer(row, duration);
        ++count;
    }
    if (count == 0) return {};
    const Duration mean{sum / count};
    return tile(format_duration(mean), "mean step", format_duration_exact(mean));
}

// Sums over the ranks whose parts are known: those that lost launches have a window only.
std::string breakdown_tiles(const HtmlReport& report) {
    const ReportPart* const part = find_part(report, "temporal-breakdown");
    if (!part || !part->answer) return {};
    const Table& table = part->answer->main();
    const std::size_t idle = table.find_column("idle");
    const auto sum_of = [&](std::string_view name) {
        double sum = 0;
        const std::size_t column = table.find_column(name);
        for (std::size_t row = 0; row < table.rows(); ++row)
            sum += table.absent(row, column) || table.absent(row, idle) ? 0 : table.number(row, column);
        return sum;
    };
    const double window = sum_of("window");
    if (window <= 0) return {};
    std::string out;
    for (const std::string_view name : {"compute", "exposed_communication", "idle"})
        out += tile(format_ratio(sum_of(name) / window), spoken_name(name));
    return out;
}

std::string tiles_of_run(const HtmlReport& report) {
    const Run& run = *report.runs.baseline.run;
    const RankCount count = count_ranks(run);
    const std::string ranks =
        count.captures == count.ranks
            ? (count.ranks == 1 ? "rank" : "ranks")
            : format_rank_count(count).substr(format_count(std::uint64_t{count.ranks}).size() + 1);
    return tile(format_count(std::uint64_t{count.ranks}), ranks) +
           tile(format_count(static_cast<std::uint64_t>(run.event_count())), "events") +
           tile(format_duration(run.window().length()), "first event to last end",
                format_duration_exact(run.window().length())) +
           step_tile(report) + breakdown_tiles(report);
}

std::string tiles_of_change(const StepChange& change) {
    const std::string of = change.of_steps ? "mean step" : "mean window";
    std::string out;
    for (const Side side : kSides) {
        const Duration mean{change.mean[side]};
        out += tile(format_duration(mean), of + ", " + std::string(name_of(side)), format_duration_exact(mean));
    }
    out += tile(signed_value(static_cast<double>(change.change()), Unit::Ns), "change",
                format_duration_exact(Duration{change.change()}));
    if (change.mean.baseline > 0) {
        const double ratio = static_cast<double>(change.change()) / static_cast<double>(change.mean.baseline);
        out += tile(signed_value(ratio, Unit::Ratio), "of the baseline");
    }
    return out;
}

std::string head_of_page(const HtmlReport& report) {
    const std::string title = title_of_report(report);
    return "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
           "<meta charset=\"utf-8\"/>\n" +
           std::string(kPolicy) +
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
           "<title>" +
           html_text(title) + " - Lockstep</title>\n<style>" + std::string(kReportStyle) + std::string(kTimelineStyle) +
           "</style>\n</head>\n<body>\n" + std::string(kReportPatterns) + "<main>\n";
}

std::string picture_of(const HtmlReport& report) {
    if (report.picture.empty())
        return report.picture_missing.empty() ? "" : paragraph("No picture: " + report.picture_missing, "muted");
    return "<img class=\"picture\" alt=\"The run as the window shows it\" src=\"data:image/png;base64," +
           base64(report.picture) + "\"/>\n";
}

// Missing data comes before any number, because it qualifies all of them.
std::string losses_of(const HtmlReport& report) {
    std::string out;
    for (const Side side : kSides) {
        const Losses* const losses = report.runs[side].losses.get();
        if (!losses || losses->empty()) continue;
        const std::string head = report.compares() ? name_of_side(side) + ": " : "";
        out += "<div class=\"finding error\"><b>" + html_text(head + losses->headline()) + "</b>\n";
        for (const Loss& loss : std::span(losses->entries).first(std::min(losses->entries.size(), kMostLosses)))
            out += "<p>" + html_text(cut_in_the_middle(loss.text(), kMostFactLetters)) + "</p>\n";
        if (losses->entries.size() > kMostLosses)
            out += paragraph(counted_noun(losses->entries.size() - kMostLosses, "more", "more"), "more");
        out += "</div>\n";
    }
    return out;
}

std::string header_of(const HtmlReport& report) {
    std::string out = "<header>\n" +
                      paragraph(report.compares() ? "Comparison of two runs" : "Report of a run", "kicker") + "<h1>" +
                      html_text(title_of_report(report)) + "</h1>\n";
    out += report.filter.empty()
               ? "<p class=\"muted\">All events, without a filter.</p>\n"
               : "<p class=\"muted\">Filter of the analyses: <code>" + html_text(report.filter) +
                     "</code>. Ranks, events, the run and the trace doctor are of all that was read; findings take no "
                     "notice of names, classes and durations.</p>\n";
    out += losses_of(report);
    if (report.takes_nothing) out += paragraph("No GPU event passes the filter.");
    if (!report.compares()) out += "<div class=\"tiles\">\n" + tiles_of_run(report) + "</div>\n";
    if (report.change) out += "<div class=\"tiles\">\n" + tiles_of_change(*report.change) + "</div>\n";
    return out + "</header>\n";
}

std::string link_to(std::string_view id, std::string_view title) {
    return "<a href=\"#" + std::string(id) + "\">" + html_text(title) + "</a>\n";
}

bool has_timeline(const HtmlReport& report) {
    return !report.runs.baseline.timeline.empty() || !report.runs.candidate.timeline.empty();
}

std::string section(std::string_view id, std::string_view title, const std::string& body) {
    return "<section id=\"" + std::string(id) + "\">\n<h2>" + html_text(title) + "</h2>\n" + body + "</section>\n";
}

// --- the run

std::string facts_list(std::span<const ReportFact> facts) {
    std::string out = "<dl>\n";
    for (const ReportFact& fact : facts.first(std::min(facts.size(), kMostFacts))) {
        out += "<dt>" + html_text(cut_in_the_middle(fact.label, kMostLabelLetters)) + "</dt><dd>" +
               html_text(cut_in_the_middle(fact.text, kMostFactLetters)) + "</dd>\n";
    }
    out += "</dl>\n";
    if (facts.size() > kMostFacts)
        out += paragraph(counted_noun(facts.size() - kMostFacts, "more", "more") + "; lockstep info has all of them.",
                         "more");
    return facts.empty() ? std::string() : out;
}

std::string facts_of_run(const ReportRun& run) {
    std::string out = facts_list(run.facts);
    if (!run.environment.empty())
        out += "<details><summary>Environment</summary>\n" + facts_list(run.environment) + "</details>\n";
    return out;
}

template <class Body>
std::string for_each_side(const HtmlReport& report, const Body& body) {
    if (!report.compares()) return body(report.runs.baseline);
    std::string out = "<div class=\"two\">\n";
    for (const Side side : kSides)
        out += "<div><h3>" + name_of_side(side) + "</h3>\n" + body(report.runs[side]) + "</div>\n";
    return out + "</div>\n";
}

// --- findings

std::string finding_block(std::string_view level, const std::string& head, std::string_view aside,
                          std::span<const ReportFact> lines) {
    std::string out = "<div class=\"finding " + std::string(level) + "\"><b>" + html_text(head) +
                      "</b><span class=\"level\">" + html_text(aside) + "</span>\n";
    for (const ReportFact& line : lines) {
        if (line.text.empty()) continue;
        const std::string label =
            line.label.empty() ? "" : "<span class=\"muted\">" + html_text(line.label) + "</span> ";
        out += "<p>" + label + html_text(cut_in_the_middle(line.text, 2 * kMostFactLetters)) + "</p>\n";
    }
    return out + "</div>\n";
}

std::string doctor_of_run(const ReportRun& run) {
    const std::vector<DoctorFinding>& findings = run.doctor.findings;
    std::string out = paragraph((findings.empty() ? "All is well: " : "") + run.doctor.rank_stats.text());
    for (std::size_t i = 0; i < std::min(findings.size(), kMostDoctorFindings); ++i) {
        const DoctorFinding& finding = findings[i];
        const ReportFact lines[] = {{"", finding.text},
                                    {"Example:", finding.example.text},
                                    {"Means:", std::string(finding.rule->means)},
                                    {"Remedy:", std::string(finding.what_to_do())}};
        const std::string ranks = cut_in_the_middle(format_ranks(finding.ranks), kMostLabelLetters);
        out += finding_block(name_of(finding.severity), spoken_name(finding.rule->id),
                             std::string(name_of(finding.severity)) + (ranks.empty() ? "" : ", " + ranks), lines);
    }
    if (findings.size() > kMostDoctorFindings)
        out += paragraph(counted_noun(findings.size() - kMostDoctorFindings, "more finding", "more findings"), "more");
    return out;
}

// The words of the window's cards.
std::string performance_findings(const Answer& findings, const Answer* what_to_do) {
    std::string out;
    for (const FindingWords& words : word_findings(findings, what_to_do)) {
        const std::string advice = words.advice + (words.links.empty() ? "" : " " + format_links(words.links));
        std::vector<ReportFact> lines;
        if (!words.evidence.empty()) lines.push_back({"", words.evidence});
        const std::string& gain = words.saves.empty() ? words.cost : words.saves;
        lines.push_back({"To gain:", gain.empty() ? "no time" : gain});
        lines.push_back({"Try:", advice});
        if (!words.explains.empty()) lines.push_back({"Explains:", words.explains});
        out += finding_block(words.severity, words.headline, words.severity, lines);
    }
    return out.empty() ? paragraph("Nothing that is known to cost time was found.", "muted") : out;
}

// --- analyses

std::string excluded_of(const Answer& answer, std::string_view side) {
    std::string out;
    for (const Excluded& excluded : answer.excluded) {
        out += paragraph("Left out" + std::string(side) + ": " + format_count(excluded.count) + " " + excluded.what,
                         "more");
    }
    return out;
}

std::string definition_of(const Analysis& analysis) {
    return "<details><summary>What this says, exactly</summary>\n<pre>" + html_text(format_analysis(analysis)) +
           "</pre></details>\n";
}

std::string tables_of(const ReportPart& part, const HtmlReport& report) {
    if (part.comparison) {
        const std::string tests = part.tests
                                      ? tested_rows_to_html(part.comparison->comparison, *part.tests, report.short_name)
                                      : std::string();
        return tests + comparison_to_html(*part.analysis, part.comparison->comparison, report.short_name) +
               excluded_of(part.comparison->answers.baseline, " of the baseline") +
               excluded_of(part.comparison->answers.candidate, " of the candidate");
    }
    const std::string table = table_to_html(*part.analysis, part.answer->main(), report.short_name);
    if (part.analysis->id != "findings") return table + excluded_of(*part.answer, "");
    const auto deeds =
        std::ranges::find(report.parts, "what-to-do", [](const ReportPart& one) { return one.analysis->id; });
    const bool has_deeds = deeds != report.parts.end() && deeds->failure.empty() && deeds->answer;
    return performance_findings(*part.answer, has_deeds ? &*deeds->answer : nullptr) +
           "<details><summary>On every rank</summary>\n" + table + "</details>\n";
}

std::string section_of(const ReportPart& part, const HtmlReport& report) {
    const Analysis& analysis = *part.analysis;
    std::string body = paragraph(analysis.summary, "muted");
    if (!part.failure.empty())
        body += paragraph("Failed: " + part.failure);
    else
        body += (analysis.id == "findings" ? "" : chart_of_part(part, report)) + tables_of(part, report);
    return section(analysis.id, analysis.title, body + definition_of(analysis));
}

std::string section_of_verdict(const HtmlReport& report) {
    return section("verdict", "Verdict",
                   paragraph("Whether the step changed, by how much, and how sure that is.", "muted") +
                       verdict_to_html(*report.step, report.contributions, report.short_name));
}

std::string section_of_operators(const HtmlReport& report) {
    std::string body = paragraph(op_by_op().summary, "muted");
    body += report.operators ? comparison_to_html(op_by_op(), *report.operators, report.short_name)
                             : paragraph(report.no_operators);
    return section(op_by_op().id, op_by_op().title, body + definition_of(op_by_op()));
}

std::string section_of_timeline(const HtmlReport& report) {
    std::string body = paragraph(
        "Each rank: what its GPU did, as a strip of computing, exposed communication and exposed copies, and its "
        "longest "
        "events below. Steps of the first rank are lines.",
        "muted");
    for (const Side side : kSides)
        body += timeline_to_html(report.runs[side].timeline, report.compares() ? name_of_side(side) : std::string());
    return section("timeline", "Timeline", body);
}

std::string section_of_change(const HtmlReport& report) {
    const StepChange& change = *report.change;
    std::string body = paragraph(waterfall().summary, "muted") + chart_of_change(change, report.short_name) +
                       comparison_to_html(waterfall(), to_comparison(change), report.short_name);
    return section("change", "What changed", body + definition_of(waterfall()));
}

struct PageSection {
    std::string_view id;  // empty: nothing leads to it
    std::string_view title;
    std::string html;
};

bool is_said_first(const ReportPart& part) { return part.analysis->id == "verdict" || part.analysis->id == "findings"; }

// Conclusions first, then where they are seen; how the files were read comes last, unless it could mislead.
std::vector<PageSection> order_sections(const HtmlReport& report) {
    std::vector<PageSection> sections;
    const auto add_parts = [&](bool first) {
        for (const ReportPart& part : report.parts)
            if (is_said_first(part) == first)
                sections.push_back({part.analysis->id, part.analysis->title, section_of(part, report)});
    };
    const bool all_is_well =
        std::ranges::all_of(kSides, [&](Side side) { return report.runs[side].doctor.findings.empty(); });
    const auto add_doctor = [&] {
        const std::string body =
            paragraph("Parts of the traces that could mislead.", "muted") + for_each_side(report, doctor_of_run);
        sections.push_back({"doctor", "Trace doctor", section("doctor", "Trace doctor", body)});
    };
    if (report.step) sections.push_back({"verdict", "Verdict", section_of_verdict(report)});
    add_parts(true);
    if (!all_is_well) add_doctor();
    sections.push_back({"", "", picture_of(report)});
    if (has_timeline(report)) sections.push_back({"timeline", "Timeline", section_of_timeline(report)});
    if (report.change)
        sections.push_back({"change", "What changed", section_of_change(report)});
    else if (!report.no_change.empty())
        sections.push_back({"change", "What changed", section("change", "What changed", paragraph(report.no_change))});
    add_parts(false);
    if (report.has_operators()) sections.push_back({op_by_op().id, op_by_op().title, section_of_operators(report)});
    const std::string_view run = report.compares() ? "Runs" : "Run";
    sections.push_back({"run", run, section("run", run, for_each_side(report, facts_of_run))});
    if (all_is_well) add_doctor();
    return sections;
}

}  // namespace

std::string to_html(const HtmlReport& report) {
    const std::vector<PageSection> sections = order_sections(report);
    std::string out = head_of_page(report) + header_of(report) + "<nav>\n";
    for (const PageSection& section : sections)
        if (!section.id.empty()) out += link_to(section.id, section.title);
    out += "</nav>\n";
    for (const PageSection& section : sections) out += section.html;
    std::string empty;
    for (const std::string& title : report.without_rows) empty += (empty.empty() ? "" : ", ") + title;
    if (!empty.empty()) out += paragraph("No rows: " + empty + ".", "more");
    out += "<footer>Lockstep " + html_text(LOCKSTEP_VERSION) +
           ". Every row of a table, and any other filter: <code>lockstep " +
           (report.compares() ? "diff BASELINE CANDIDATE --analysis ID" : "analyze ID PATH") + "</code>.</footer>\n";
    return out + "</main>\n<script>" + std::string(kReportScript) +
           (has_timeline(report) ? std::string(kTimelineScript) : std::string()) + "</script>\n</body>\n</html>\n";
}

}  // namespace core
