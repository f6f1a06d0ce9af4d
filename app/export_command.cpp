#include "app/open_run.hpp"
#include "app/options.hpp"
#include "core/base/format.hpp"
#include "core/base/nearest.hpp"
#include "core/export/chrome/chrome_trace.hpp"
#include "core/export/text_table.hpp"

#include <algorithm>
#include <array>
#include <thread>

namespace app {
namespace {

constexpr Option kExportOptions[] = {
    {"--to", "chrome", "what to write: traces for Perfetto and chrome://tracing"},
    {"--out", "OUT", "the output: a file for one rank (gzip if it ends in .gz), a folder for several", "-o"},
    {"--gzip", "", "compress the files in a folder"},
    {"--quiet", "", "no progress and no diagnostics on standard error, no summary"},
};

constexpr std::array<std::string_view, 1> kTargets = {"chrome"};

struct ExportTask {
    std::vector<std::string> paths;
    core::Filter filter;
    std::filesystem::path out;
    bool gzip = false;
    bool quiet = false;
    Loading loading;
};

core::Result<bool> check_target(const Options& options) {
    if (!options.has("--to")) return core::bad_input("needs --to chrome");
    const std::string target = options.last("--to");
    if (std::ranges::find(kTargets, target) != kTargets.end()) return true;
    const std::string unknown = "--to: '" + target + "' is not chrome";
    if (target == "csv" || target == "json")
        return core::bad_input(unknown + "; lockstep analyze ID PATH --format " + target + " writes a table");
    return core::bad_input(unknown + core::nearest_hint(target, kTargets));
}

core::Result<ExportTask> read_export(const Options& options) {
    if (core::Result<bool> target = check_target(options); !target) return std::move(target).error();
    if (options.words().empty()) return core::bad_input("needs the PATH of a run");
    if (options.last("--out").empty())
        return core::bad_input("needs -o OUT: a file for one rank, a folder for several");
    core::Result<core::Filter> filter = read_filter(options);
    if (!filter) return std::move(filter).error();
    const core::Result<Loading> loading = read_loading(options);
    if (!loading) return loading.error();
    return ExportTask{.paths = options.words(),
                      .filter = *std::move(filter),
                      .out = options.last("--out"),
                      .gzip = options.has("--gzip"),
                      .quiet = options.has("--quiet"),
                      .loading = *loading};
}

std::string format_summaries(std::span<const core::ChromeSummary> summaries) {
    constexpr auto kRight = true;
    const core::TextColumn columns[] = {{"file", false}, {"events", kRight}, {"added", kRight}, {"size", kRight}};
    std::vector<std::vector<std::string>> rows;
    for (const core::ChromeSummary& summary : summaries) {
        rows.push_back({summary.file.path.string(), core::format_count(static_cast<std::int64_t>(summary.events)),
                        core::format_count(static_cast<std::int64_t>(summary.added)),
                        core::format_bytes(static_cast<std::int64_t>(summary.bytes))});
    }
    return core::layout_text_table(columns, rows, terminal_columns());
}

int export_run(const ExportTask& task) {
    const Interrupt interrupt;
    const core::Result<core::RunPtr> run = open_run(task.paths, task.loading, task.quiet, interrupt.token());
    if (!run) return report_failure(run.error());
    if (!task.quiet) report_diagnostics((*run)->all_diagnostics());
    const core::Result<std::vector<core::ChromeFile>> files =
        core::plan_chrome_files(**run, task.filter, task.out, task.gzip);
    if (!files) return report_failure(files.error());
    const unsigned threads =
        task.loading.threads ? task.loading.threads : std::max(1u, std::thread::hardware_concurrency());
    core::Progress progress;
    const core::Result<std::vector<core::ChromeSummary>> summaries = [&] {
        const ProgressLine line(!task.quiet, [&] {
            return "writing: " + std::to_string(progress.done.load()) + " of " + std::to_string(progress.total.load()) +
                   " ranks";
        });
        return core::write_chrome_traces(**run, task.filter, *files, threads,
                                         {.stop = interrupt.token(), .progress = &progress});
    }();
    if (!summaries) return report_failure(summaries.error());
    return status_of(task.quiet ? kDone : print_text(format_summaries(*summaries)), {run->get()});
}

}  // namespace

int run_export(Arguments args) {
    const std::vector<Option> known = join_options({kExportOptions, filter_options(), loading_options()});
    return run_command("export", known, args, read_export, export_run);
}

}  // namespace app
