// lockstep report: one self-contained HTML page about one run or a comparison of two.

#include "app/command_run.hpp"
#include "app/view_run.hpp"
#include "core/base/short_name.hpp"
#include "core/export/report/gather_report.hpp"
#include "core/ingest/load/discover.hpp"

#include <algorithm>
#include <thread>

namespace app {
namespace {

constexpr ViewSize kReportPicture{1600, 900};
constexpr Option kReportOptions[] = {
    {"--out", "FILE", "the page to write; - for standard output", "-o"},
    {"--analysis", "ID",
     "the analyses to include, in order; may be repeated, or several with commas\n"
     "                                (the usual ones); lockstep analyses lists them"},
    {"--baseline", "PATH", "the run to compare with, as the first of two paths; repeat for more of its files"},
    {"--candidate", "PATH", "the run that is compared, as the second of two paths; repeat for more of its files"},
    {"--no-picture", "", "no picture of the window, which would need a second read of the traces"},
    {"--quiet", "", "no progress and no diagnostics on standard error"},
};

struct ReportTask {
    ViewOptions view;
    std::filesystem::path file;
    std::vector<std::filesystem::path> read_files;  // besides the runs
    std::vector<const core::Analysis*> analyses;
    core::StatisticsOptions statistics;
    bool is_usual = false;  // chosen by default: analyses without rows are dropped
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
    if (task.is_usual) task.analyses = core::usual_report_parts(task.compares());
    return true;
}

core::Result<ReportTask> read_report_task(const Options& options) {
    ReportTask task;
    task.file = options.last("--out");
    if (task.file.empty()) return core::bad_input("needs -o OUT.html, or -o - for standard output");
    core::Result<ViewOptions> view = read_view_options(options);
    if (!view) return std::move(view).error();
    task.view = std::move(view).value();
    const core::Result<Loading> loading = read_loading(options, true);
    if (!loading) return loading.error();
    task.view.loading.clocks = loading->clocks;
    if (task.view.paths.empty()) return core::bad_input("needs the PATH of a run");
    if (core::Result<bool> read = read_analyses(options, task); !read) return std::move(read).error();
    const core::Result<core::StatisticsOptions> statistics = read_statistics(options);
    if (!statistics) return statistics.error();
    task.statistics = *statistics;
    task.with_picture = !options.has("--no-picture");
    task.quiet = options.has("--quiet");
    task.read_files = find_read_files(options);
    return task;
}

core::Result<bool> check_ranks(const ReportTask& task, const core::ReportQuery& query, core::Side side) {
    const core::Filter filter = query.filter_of(side);
    const auto passes = [&](const core::RankSlot& rank) { return filter.accepts_rank(rank.key); };
    if (std::ranges::any_of(query.runs[side]->ranks(), passes)) return true;
    const std::filesystem::path& path = side == core::Side::Baseline ? task.view.paths[0] : task.view.candidate[0];
    return core::Error{core::ErrorCode::NotFound, path.string() + ": no rank of this run matches the filter"};
}

core::Result<core::ReportQuery> open_report_runs(const ReportTask& task, const std::stop_token& stop) {
    core::ReportQuery query;
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    query.threads = task.view.loading.threads ? task.view.loading.threads : cores;
    query.filter = task.view.filter;
    query.analyses = task.analyses;
    query.is_usual = task.is_usual;
    query.statistics = task.statistics;
    query.short_name = [](std::string_view name) { return core::short_name(name).normal; };
    const auto names = std::make_shared<core::InternedNames>();
    for (const core::Side side : core::kSides) {
        const auto& paths = side == core::Side::Baseline ? task.view.paths : task.view.candidate;
        if (paths.empty()) continue;
        const std::vector<std::string> words(paths.begin(), paths.end());
        core::Result<core::RunPtr> run = open_run(words, task.view.loading, task.quiet, stop, names);
        if (!run) return std::move(run).error();
        if (!task.quiet) report_diagnostics((*run)->all_diagnostics());
        query.runs[side] = *std::move(run);
    }
    if (query.compares()) query.alignment = core::align_runs(*query.runs.baseline, *query.runs.candidate);
    for (const core::Side side : core::kSides) {
        if (!query.runs[side]) continue;
        if (core::Result<bool> takes = check_ranks(task, query, side); !takes) return std::move(takes).error();
    }
    return query;
}

core::Result<std::string> capture_picture(const ReportTask& task, const std::stop_token& stop) {
    const core::Result<std::unique_ptr<ui::Driver>> driver = view_run(task.view, kReportPicture, stop);
    if (!driver) return driver.error();
    return ui::encode_png((*driver)->picture());
}

// A report without a picture is still useful.
core::Result<bool> add_picture(const ReportTask& task, const std::stop_token& stop, core::HtmlReport& report) {
    if (!task.with_picture) return true;
    core::Result<std::string> picture = capture_picture(task, stop);
    if (picture) {
        report.picture = *std::move(picture);
        return true;
    }
    if (picture.error().code == core::ErrorCode::Cancelled) return picture.error();
    report.picture_missing = picture.error().message;
    if (!task.quiet) say("no picture of the window: " + picture.error().message);
    return true;
}

int write_page(const ReportTask& task) {
    const Interrupt interrupt;
    std::vector<std::filesystem::path> paths = task.view.paths;
    paths.insert(paths.end(), task.view.candidate.begin(), task.view.candidate.end());
    const Target target{
        .file = task.file, .kind = TextKind::Raw, .inputs = core::run_inputs(std::move(paths), task.read_files)};
    if (!check_target(target)) return kFailed;
    const core::Result<core::ReportQuery> query = open_report_runs(task, interrupt.token());
    if (!query) return report_failure(query.error());
    core::Result<core::HtmlReport> report = core::gather_report(*query, {.stop = interrupt.token()});
    if (!report) return report_failure(report.error());
    const core::Result<bool> pictured = add_picture(task, interrupt.token(), *report);
    if (!pictured) return report_failure(pictured.error());
    const std::string page = core::to_html(*report);
    const core::Result<bool> present = check_present({&query->runs.baseline, &query->runs.candidate});
    if (!present) return report_failure(present.error());
    const int written = write_output(page, target);
    return status_of(written, {query->runs.baseline.get(), query->runs.candidate.get()});
}

}  // namespace

int run_report(Arguments args) {
    const std::vector<Option> known =
        join_options({kReportOptions, statistics_options(), filter_options(), loading_options(), clock_options()});
    return run_command("report", known, args, read_report_task, write_page);
}

}  // namespace app
