#include "core/export/report/gather_report.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "core/analysis/engine/event_counts.hpp"
#include "core/analysis/run/run_analysis.hpp"
#include "core/diff/join/row_samples.hpp"
#include "core/diff/operators/op_by_op.hpp"
#include "core/export/report/report_timeline.hpp"
#include "core/export/report/run_facts.hpp"
#include "core/index/summary_rank.hpp"
#include "core/query/filter_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace core {
namespace {

constexpr std::size_t kMostKernelsOfChange = 10;
constexpr std::array<std::string_view, 14> kUsualParts = {
    "what-to-do", "verdict",        "health",          "findings",         "temporal-breakdown",
    "steps",      "overlap",        "kernels",         "kernel-imbalance", "device-idle",
    "operators",  "launch-summary", "memory-timeline", "critical-path"};

BySide<const Run*> runs_of(const ReportQuery& query) { return {query.runs.baseline.get(), query.runs.candidate.get()}; }

BySide<Filter> filters_of(const ReportQuery& query) {
    return {query.filter_of(Side::Baseline), query.filter_of(Side::Candidate)};
}

std::vector<ReportFact> facts_from(const FactRows& rows) {
    std::vector<ReportFact> facts;
    for (const std::vector<std::string>& row : rows) facts.push_back({row[0], row[1]});
    return facts;
}

// The begin of the run, if its times are wall-clock times since 1970.
std::string format_begin(const Run& run) {
    using std::chrono::floor;
    constexpr std::chrono::sys_days kEarliest = std::chrono::year{2010} / 1 / 1;
    constexpr std::chrono::sys_days kLatest = std::chrono::year{2100} / 1 / 1;
    const std::chrono::sys_time<Duration> begin{run.origin().time_since_epoch()};
    if (run.event_count() == 0 || begin < kEarliest || begin >= kLatest) return {};
    const auto day = floor<std::chrono::days>(begin);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{floor<std::chrono::seconds>(begin - day)};
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), time.hours().count(),
                       time.minutes().count(), time.seconds().count());
}

Result<ReportRun> describe_run(Side side, const ReportQuery& query, const JobContext& context) {
    const Run& run = *query.runs[side];
    Result<DoctorReport> doctor = examine_run(run, query.threads, context);
    if (!doctor) return std::move(doctor).error();
    ReportRun report;
    report.run = &run;
    report.doctor = *doctor;
    const RunFacts facts = collect_facts(run, *std::move(doctor));
    report.losses = facts.losses;
    report.facts = facts_from(summary_rows(facts));
    if (const std::string begin = format_begin(run); !begin.empty()) report.facts.push_back({"recorded", begin});
    report.environment = facts_from(environment_rows(facts));
    Result<std::string> timeline = timeline_to_json(run, query.filter_of(side), query.short_name, {}, context);
    if (!timeline) return std::move(timeline).error();
    report.timeline = *std::move(timeline);
    return report;
}

Result<ReportPart> ask_part(const ReportQuery& query, const JobContext& context, const Analysis& analysis) {
    ReportPart part{.analysis = &analysis, .answer = std::nullopt, .comparison = std::nullopt, .failure = {}};
    const Result<Params> params = make_params(analysis, {});
    if (!params) return params.error();
    Error error;
    if (query.compares()) {
        Result<RunComparison> compared =
            compare_runs({.analysis = &analysis, .params = *params, .filter = query.filter}, runs_of(query),
                         query.alignment, query.threads, context);
        if (!compared)
            error = compared.error();
        else
            part.comparison = *std::move(compared);
        if (part.comparison && !sampled_measure(analysis).empty()) {
            const StatisticsOptions options = query.statistics.between(query.alignment.compares);
            Result<RunStatistics> tests =
                compare_statistics({.analysis = &analysis, .params = *params, .filter = query.filter}, *part.comparison,
                                   sample_runs(runs_of(query), filters_of(query), options), options, context);
            if (!tests) return std::move(tests).error();
            part.tests = std::move(tests->rows);
        }
    } else {
        Result<Answer> answer = run_analysis(analysis, *query.runs.baseline, query.filter_of(Side::Baseline), *params,
                                             query.threads, context);
        if (!answer)
            error = answer.error();
        else
            part.answer = *std::move(answer);
    }
    if (!part.answer && !part.comparison && error.code == ErrorCode::Cancelled) return error;
    part.failure = error.message;
    return part;
}

bool has_numbers(const Table& table) {
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
        if (table.columns()[c].role != Role::Measure) continue;
        for (std::size_t row = 0; row < table.rows(); ++row)
            if (!table.absent(row, c)) return true;
    }
    return false;
}

bool has_numbers(const ReportPart& part) {
    if (part.answer) return has_numbers(part.answer->main());
    return !part.comparison || has_numbers(part.comparison->comparison.table);
}

// Compares steps if both runs have any, else windows; an error if a side has neither.
Result<StepChange> ask_change(const ReportQuery& query, const JobContext& context) {
    const Result<StepPartAnswers> asked =
        ask_step_parts(runs_of(query), filters_of(query), query.statistics.warmup, query.threads, context);
    if (!asked) return asked.error();
    StepChangeOptions options;
    options.kernels = kMostKernelsOfChange;
    options.of_sample = asked->of_sample;
    return build_step_change(options, {&asked->answers.baseline, &asked->answers.candidate}, asked->of_steps,
                             runs_of(query), filters_of(query), query.alignment);
}

// The verdict on the step, and the changes of the operators.
Result<bool> ask_statistics(const ReportQuery& query, const JobContext& context, HtmlReport& report) {
    const StatisticsOptions options = query.statistics.between(query.alignment.compares);
    const SampledRuns sampled = sample_runs(runs_of(query), filters_of(query), options);
    report.step = compare_steps_of(sampled, options);
    if (const Result<bool> added = add_waiting_rank(sampled, *report.step, context); !added) return added.error();
    Result<Contributions> contributions = compare_parts(sampled, *report.step, {}, context);
    if (!contributions) return std::move(contributions).error();
    report.contributions = *std::move(contributions);
    const Result<OperatorComparison> operators =
        compare_operators(runs_of(query), query.alignment, query.filter, {}, context);
    if (!operators && operators.error().code == ErrorCode::Cancelled) return operators.error();
    if (operators)
        report.operators = to_kernel_comparison(*operators, runs_of(query), false);
    else
        report.no_operators = operators.error().message;
    return true;
}

// True if the run has GPU events and the filter excludes all of them.
Result<bool> takes_nothing(const ReportQuery& query, const JobContext& context) {
    const Result<Answer> counted = run_analysis(event_counting(), *query.runs.baseline, query.filter_of(Side::Baseline),
                                                {}, query.threads, context);
    if (!counted) return counted.error();
    const EventCounts counts = counts_of(*counted);
    return counts.gpu > 0 && counts.gpu_passed == 0;
}

}  // namespace

Result<HtmlReport> gather_report(const ReportQuery& query, const JobContext& context) {
    HtmlReport report;
    report.filter = format_filter(query.filter);
    report.short_name = query.short_name;
    for (const Side side : kSides) {
        if (!query.runs[side]) continue;
        if (is_summary(*query.runs[side])) return needs_events(*query.runs[side], "which a report is made of");
        Result<ReportRun> run = describe_run(side, query, context);
        if (!run) return std::move(run).error();
        report.runs[side] = *std::move(run);
    }
    if (query.compares()) {
        Result<StepChange> change = ask_change(query, context);
        if (!change && change.error().code == ErrorCode::Cancelled) return std::move(change).error();
        if (change)
            report.change = *std::move(change);
        else
            report.no_change = change.error().message;
        const Result<bool> tested = ask_statistics(query, context, report);
        if (!tested) return tested.error();
    } else {
        const Result<bool> nothing = takes_nothing(query, context);
        if (!nothing) return nothing.error();
        report.takes_nothing = *nothing;
    }
    for (const Analysis* const analysis : query.analyses) {
        Result<ReportPart> part = ask_part(query, context, *analysis);
        if (!part) return std::move(part).error();
        if (query.is_usual && !has_numbers(*part) && analysis->id != "findings")
            report.without_rows.emplace_back(analysis->title);
        else
            report.parts.push_back(*std::move(part));
    }
    return report;
}

std::vector<const Analysis*> usual_report_parts(bool compares) {
    std::vector<const Analysis*> parts;
    for (const std::string_view id : kUsualParts) {
        const Analysis* const analysis = find_analysis(id);
        if (analysis && (!compares || (analysis->comparable && id != "findings"))) parts.push_back(analysis);
    }
    return parts;
}

}  // namespace core
