// lockstep report: one page of HTML that needs nothing beside it, of one run or of the comparison of two.

#include "app/open_run.hpp"
#include "app/run_facts.hpp"
#include "app/view_run.hpp"
#include "core/analysis/event_counts.hpp"
#include "core/diff/compare_runs.hpp"
#include "core/export/html_report.hpp"
#include "core/query/filter_text.hpp"
#include "ui/timeline/short_name.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <thread>

namespace app {
namespace {

constexpr ViewSize kReportPicture{1600, 900};
constexpr std::size_t kMostKernelsOfChange = 10;
constexpr std::array<std::string_view, 11> kUsualParts = {
    "findings",    "temporal-breakdown", "steps",          "overlap",         "kernels",      "kernel-imbalance",
    "device-idle", "operators",          "launch-summary", "memory-timeline", "critical-path"};

constexpr Option kReportOptions[] = {
    {"--out", "FILE", "the page to write; - for standard output", "-o"},
    {"--analysis", "ID",
     "what is in it, in this order; may be repeated, or several with commas\n"
     "                                (the usual ones); lockstep analyses lists them"},
    {"--baseline", "PATH", "the run to compare with; the same as the first of two paths; again: more of its files"},
    {"--candidate", "PATH", "the run that is compared; the same as the second of two paths; again: more of its files"},
    {"--no-picture", "", "without the picture of the window, for which the traces are read once more"},
    {"--quiet", "", "no progress and no diagnostics on standard error"},
};

struct ReportTask {
    ViewOptions view;
    std::filesystem::path file;
    std::vector<const core::Analysis*> analyses;
    bool is_usual = false;  // nobody asked for them: what has no rows is left out
    bool with_picture = true;
    bool quiet = false;
    bool compares() const { return !view.candidate.empty(); }
};

std::vector<std::string> asked_ids(const Options& options) {
    std::vector<std::string> ids;
    for (const std::string& given : options.all("--analysis")) {
        std::string_view rest = given;
        for (;;) {
            const std::size_t comma = std::min(rest.find(','), rest.size());
            if (std::ranges::find(ids, rest.substr(0, comma)) == ids.end()) ids.emplace_back(rest.substr(0, comma));
            if (comma == rest.size()) break;
            rest.remove_prefix(comma + 1);
        }
    }
    return ids;
}

core::Result<bool> read_analyses(const Options& options, ReportTask& task) {
    for (const std::string& id : asked_ids(options)) {
        const core::Result<const core::Analysis*> analysis = read_analysis(id);
        if (!analysis) return analysis.error();
        if (task.compares() && !(*analysis)->comparable) return core::refuse_incomparable(**analysis);
        task.analyses.push_back(*analysis);
    }
    task.is_usual = task.analyses.empty();
    for (const std::string_view id : kUsualParts) {
        const core::Analysis* const analysis = core::find_analysis(id);
        const bool fits = !task.compares() || (analysis && analysis->comparable && id != "findings");
        if (task.is_usual && analysis && fits) task.analyses.push_back(analysis);
    }
    return true;
}

core::Result<ReportTask> read_report_task(const Options& options) {
    ReportTask task;
    task.file = options.last("--out");
    if (task.file.empty()) return core::bad_input("needs -o OUT.html, or -o - for standard output");
    core::Result<ViewOptions> view = read_view_options(options);
    if (!view) return std::move(view).error();
    task.view = std::move(view).value();
    if (task.view.paths.empty()) return core::bad_input("needs the PATH of a run");
    if (core::Result<bool> read = read_analyses(options, task); !read) return std::move(read).error();
    task.with_picture = !options.has("--no-picture");
    task.quiet = options.has("--quiet");
    return task;
}

std::vector<core::ReportFact> facts_from(const FactRows& rows) {
    std::vector<core::ReportFact> facts;
    for (const std::vector<std::string>& row : rows) facts.push_back({row[0], row[1]});
    return facts;
}

struct ReportRuns {
    core::BySide<core::RunPtr> owned;
    core::BySide<const core::Run*> runs;
    core::BySide<core::Filter> filters;
    core::RunAlignment alignment;
    unsigned threads = 1;
    std::stop_token stop;
    core::JobContext context() const { return {stop, nullptr}; }
};

core::Result<bool> check_ranks(const ReportTask& task, const ReportRuns& opened, core::Side side) {
    const core::Run& run = *opened.runs[side];
    const auto passes = [&](const core::RankSlot& rank) { return opened.filters[side].accepts_rank(rank.key); };
    if (std::ranges::any_of(run.ranks(), passes)) return true;
    const std::filesystem::path& path = side == core::Side::Baseline ? task.view.paths[0] : task.view.candidate[0];
    return core::Error{core::ErrorCode::NotFound, path.string() + ": the filter takes none of its ranks"};
}

core::Result<ReportRuns> open_report_runs(const ReportTask& task, const std::stop_token& stop) {
    ReportRuns opened;
    opened.stop = stop;
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    opened.threads = task.view.loading.threads ? task.view.loading.threads : cores;
    const auto names = std::make_shared<core::SessionNames>();
    for (const core::Side side : core::kSides) {
        const auto& paths = side == core::Side::Baseline ? task.view.paths : task.view.candidate;
        if (paths.empty()) continue;
        const std::vector<std::string> words(paths.begin(), paths.end());
        core::Result<core::RunPtr> run = open_run(words, task.view.loading, task.quiet, stop, names);
        if (!run) return std::move(run).error();
        if (!task.quiet) report_diagnostics((*run)->all_diagnostics());
        opened.owned[side] = *std::move(run);
        opened.runs[side] = opened.owned[side].get();
        opened.filters[side] = task.view.filter;
    }
    if (task.compares()) {
        opened.alignment = core::align_runs(*opened.runs.baseline, *opened.runs.candidate);
        for (const core::Side side : core::kSides)
            opened.filters[side] = opened.alignment.filter_for(side, task.view.filter);
    }
    for (const core::Side side : core::kSides) {
        if (!opened.runs[side]) continue;
        if (core::Result<bool> takes = check_ranks(task, opened, side); !takes) return std::move(takes).error();
    }
    return opened;
}

// When the run began, if its times count from 1970, as those of clocks on the wall do.
std::string format_begin(const core::Run& run) {
    using std::chrono::floor;
    constexpr std::chrono::sys_days kEarliest = std::chrono::year{2010} / 1 / 1;
    constexpr std::chrono::sys_days kLatest = std::chrono::year{2100} / 1 / 1;
    const std::chrono::sys_time<core::Duration> begin{run.origin().time_since_epoch()};
    if (run.event_count() == 0 || begin < kEarliest || begin >= kLatest) return {};
    const auto day = floor<std::chrono::days>(begin);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{floor<std::chrono::seconds>(begin - day)};
    char text[96];
    std::snprintf(text, sizeof text, "%04d-%02u-%02u %02d:%02d:%02d UTC", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                  static_cast<int>(time.seconds().count()));
    return text;
}

core::Result<core::ReportRun> describe_run(const core::Run& run, const ReportRuns& opened) {
    core::Result<core::DoctorReport> doctor = core::examine_run(run, opened.threads, opened.context());
    if (!doctor) return std::move(doctor).error();
    core::ReportRun report;
    report.run = &run;
    report.doctor = *doctor;
    const RunFacts facts = collect_facts(run, *std::move(doctor));
    report.facts = facts_from(summary_rows(facts));
    if (const std::string begin = format_begin(run); !begin.empty()) report.facts.push_back({"recorded", begin});
    report.environment = facts_from(environment_rows(facts));
    return report;
}

core::Result<core::ReportPart> ask_part(const ReportTask& task, const ReportRuns& opened,
                                        const core::Analysis& analysis) {
    core::ReportPart part{&analysis, std::nullopt, std::nullopt, {}};
    const core::Result<core::Params> params = core::make_params(analysis, {});
    if (!params) return params.error();
    core::Error error;
    if (task.compares()) {
        core::Result<core::RunComparison> compared = core::compare_runs(
            {&analysis, *params, task.view.filter}, opened.runs, opened.alignment, opened.threads, opened.context());
        if (!compared)
            error = compared.error();
        else
            part.comparison = *std::move(compared);
    } else {
        core::Result<core::Answer> answer = core::run_analysis(analysis, *opened.runs.baseline, opened.filters.baseline,
                                                               *params, opened.threads, opened.context());
        if (!answer)
            error = answer.error();
        else
            part.answer = *std::move(answer);
    }
    if (!part.answer && !part.comparison && error.code == core::ErrorCode::Cancelled) return error;
    part.failure = error.message;
    return part;
}

bool has_numbers(const core::Table& table) {
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
        if (table.columns()[c].role != core::Role::Measure) continue;
        for (std::size_t row = 0; row < table.rows(); ++row)
            if (!table.absent(row, c)) return true;
    }
    return false;
}

bool has_numbers(const core::ReportPart& part) {
    if (part.answer) return has_numbers(part.answer->main());
    return !part.comparison || has_numbers(part.comparison->comparison.table);
}

// Of steps where both runs have any, else of windows; an error in words where a side has neither.
core::Result<core::StepChange> ask_change(const ReportRuns& opened) {
    const bool of_steps = core::both_have_steps(opened.runs, opened.filters);
    const core::Result<core::BySide<core::Answer>> answers =
        core::ask_both_runs(*core::find_analysis("step-parts"), core::step_parts_params(of_steps), opened.filters,
                            opened.runs, opened.threads, opened.context());
    if (!answers) return answers.error();
    core::StepChangeOptions options;
    options.kernels = kMostKernelsOfChange;
    return core::build_step_change(options, {&answers->baseline, &answers->candidate}, of_steps, opened.runs,
                                   opened.filters, opened.alignment);
}

// Of a run that has GPU events, and a filter that leaves none.
core::Result<bool> takes_nothing(const ReportRuns& opened) {
    const core::Result<core::Answer> counted = core::run_analysis(
        core::event_counting(), *opened.runs.baseline, opened.filters.baseline, {}, opened.threads, opened.context());
    if (!counted) return counted.error();
    const core::EventCounts counts = core::counts_of(*counted);
    return counts.gpu > 0 && counts.gpu_passed == 0;
}

core::Result<core::HtmlReport> gather(const ReportTask& task, const ReportRuns& opened) {
    core::HtmlReport report;
    report.filter = core::format_filter(task.view.filter);
    report.short_name = [](std::string_view name) { return ui::short_name(name).normal; };
    for (const core::Side side : core::kSides) {
        if (!opened.runs[side]) continue;
        core::Result<core::ReportRun> run = describe_run(*opened.runs[side], opened);
        if (!run) return std::move(run).error();
        report.runs[side] = *std::move(run);
    }
    if (task.compares()) {
        core::Result<core::StepChange> change = ask_change(opened);
        if (!change && change.error().code == core::ErrorCode::Cancelled) return std::move(change).error();
        if (change)
            report.change = *std::move(change);
        else
            report.no_change = change.error().message;
    } else {
        const core::Result<bool> nothing = takes_nothing(opened);
        if (!nothing) return nothing.error();
        report.takes_nothing = *nothing;
    }
    for (const core::Analysis* const analysis : task.analyses) {
        core::Result<core::ReportPart> part = ask_part(task, opened, *analysis);
        if (!part) return std::move(part).error();
        if (task.is_usual && !has_numbers(*part) && analysis->id != "findings")
            report.without_rows.emplace_back(analysis->title);
        else
            report.parts.push_back(*std::move(part));
    }
    return report;
}

core::Result<std::string> take_picture(const ReportTask& task, const std::stop_token& stop) {
    const core::Result<std::unique_ptr<ui::Driver>> driver = view_run(task.view, kReportPicture, stop);
    if (!driver) return driver.error();
    return ui::encode_png((*driver)->picture());
}

// A page without a picture is still a page.
core::Result<bool> add_picture(const ReportTask& task, const std::stop_token& stop, core::HtmlReport& report) {
    if (!task.with_picture) return true;
    core::Result<std::string> picture = take_picture(task, stop);
    if (picture) {
        report.picture = *std::move(picture);
        return true;
    }
    if (picture.error().code == core::ErrorCode::Cancelled) return picture.error();
    report.picture_missing = picture.error().message;
    if (!task.quiet) std::fprintf(stderr, "lockstep: no picture of the window: %s\n", picture.error().message.c_str());
    return true;
}

int write_report(const ReportTask& task) {
    const Interrupt interrupt;
    const core::Result<ReportRuns> opened = open_report_runs(task, interrupt.token());
    if (!opened) return report_failure(opened.error());
    core::Result<core::HtmlReport> report = gather(task, *opened);
    if (!report) return report_failure(report.error());
    const core::Result<bool> pictured = add_picture(task, interrupt.token(), *report);
    if (!pictured) return report_failure(pictured.error());
    return write_output(core::to_html(*report), task.file);
}

}  // namespace

int run_report(Arguments args) {
    const std::vector<Option> known = join_options({kReportOptions, filter_options(), loading_options()});
    return run_command("report", known, args, read_report_task, write_report);
}

}  // namespace app
