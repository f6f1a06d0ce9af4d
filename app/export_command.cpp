#include "app/open_run.hpp"
#include "app/options.hpp"
#include "core/base/format.hpp"
#include "core/base/nearest.hpp"
#include "core/export/chrome/chrome_trace.hpp"
#include "core/export/text_table.hpp"
#include "core/ingest/load/discover.hpp"
#include "core/sql/export_sqlite.hpp"

#include <algorithm>
#include <array>
#include <thread>

namespace app {
namespace {

constexpr Option kExportOptions[] = {
    {"--to", "chrome|sqlite", "what to write: traces for Perfetto and chrome://tracing, or the tables of lockstep sql"},
    {"--out", "OUT", "the output: a file for one rank (gzip if it ends in .gz), a folder for several; sqlite: a file",
     "-o"},
    {"--gzip", "", "compress the files in a folder"},
    {"--tables", "events,ranks", "sqlite: only these tables, also functions of analyses; may be repeated"},
    {"--quiet", "", "no progress and no diagnostics on standard error, no summary"},
};

constexpr std::array<std::string_view, 2> kTargets = {"chrome", "sqlite"};

struct ExportTask {
    std::vector<std::string> paths;
    core::Filter filter;
    std::filesystem::path out;
    bool gzip = false;
    bool quiet = false;
    Loading loading;
    bool to_sqlite = false;
    std::vector<std::string> tables{};
};

core::Result<bool> check_format(const Options& options) {
    if (!options.has("--to")) return core::bad_input("needs --to chrome or --to sqlite");
    const std::string target = options.last("--to");
    if (std::ranges::find(kTargets, target) != kTargets.end()) return true;
    const std::string unknown = "--to: '" + target + "' is not chrome or sqlite";
    if (target == "csv" || target == "json")
        return core::bad_input(unknown + "; lockstep analyze ID PATH --format " + target + " writes a table");
    return core::bad_input(unknown + core::nearest_hint(target, kTargets));
}

std::vector<std::string> read_tables(const Options& options) {
    std::vector<std::string> tables;
    for (const std::string& value : options.all("--tables")) {
        for (std::size_t begin = 0; begin <= value.size();) {
            const std::size_t end = std::min(value.find(',', begin), value.size());
            tables.push_back(value.substr(begin, end - begin));
            begin = end + 1;
        }
    }
    return tables;
}

core::Result<bool> check_fits_target(const Options& options, bool to_sqlite) {
    if (to_sqlite && options.has("--gzip")) return core::bad_input("--gzip: a database is not compressed");
    if (!to_sqlite && options.has("--tables")) return core::bad_input("--tables: only with --to sqlite");
    if (!to_sqlite && options.has("--clocks")) return core::bad_input("--clocks: only with --to sqlite");
    if (core::Result<bool> known = core::check_exported_tables(read_tables(options)); !known)
        return std::move(known).error().within("--tables");
    return true;
}

core::Result<ExportTask> read_export(const Options& options) {
    if (core::Result<bool> target = check_format(options); !target) return std::move(target).error();
    if (options.words().empty()) return core::bad_input("needs the PATH of a run");
    if (options.last("--out").empty())
        return core::bad_input("needs -o OUT: a file for one rank, a folder for several");
    core::Result<core::Filter> filter = read_filter(options);
    if (!filter) return std::move(filter).error();
    const bool to_sqlite = options.last("--to") == "sqlite";
    if (core::Result<bool> fits = check_fits_target(options, to_sqlite); !fits) return std::move(fits).error();
    const core::Result<Loading> loading = read_loading(options, to_sqlite);
    if (!loading) return loading.error();
    return ExportTask{.paths = options.words(),
                      .filter = *std::move(filter),
                      .out = options.last("--out"),
                      .gzip = options.has("--gzip"),
                      .quiet = options.has("--quiet"),
                      .loading = *loading,
                      .to_sqlite = to_sqlite,
                      .tables = read_tables(options)};
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

std::string format_tables(std::span<const core::ExportedTable> tables) {
    const core::TextColumn columns[] = {{"table", false}, {"rows", true}};
    std::vector<std::vector<std::string>> rows;
    for (const core::ExportedTable& table : tables) rows.push_back({table.name, core::format_count(table.rows)});
    return core::layout_text_table(columns, rows, terminal_columns());
}

int export_database(const ExportTask& task) {
    const Interrupt interrupt;
    const core::InputFiles inputs = core::run_inputs({task.paths.begin(), task.paths.end()});
    if (!check_target({.file = task.out, .inputs = inputs})) return kFailed;
    const core::Result<core::RunPtr> run = open_run(task.paths, task.loading, task.quiet, interrupt.token());
    if (!run) return report_failure(run.error());
    if (!task.quiet) report_diagnostics((*run)->all_diagnostics());
    const unsigned threads =
        task.loading.threads ? task.loading.threads : std::max(1u, std::thread::hardware_concurrency());
    core::Progress progress;
    const core::Result<std::vector<core::ExportedTable>> tables = [&] {
        const ProgressLine line(!task.quiet, [&] {
            return "writing: " + std::to_string(progress.done.load()) + " of " + std::to_string(progress.total.load()) +
                   " tables";
        });
        return core::export_sqlite(**run, task.filter, task.out,
                                   {.tables = task.tables, .threads = threads, .inputs = inputs},
                                   {interrupt.token(), &progress});
    }();
    if (!tables) return report_failure(tables.error());
    if (const auto present = check_present({&*run}); !present) return report_failure(present.error());
    return status_of(task.quiet ? kDone : print_text(format_tables(*tables)), {run->get()});
}

int export_run(const ExportTask& task) {
    if (task.to_sqlite) return export_database(task);
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
    const std::vector<Option> known =
        join_options({kExportOptions, filter_options(), loading_options(), clock_options()});
    return run_command("export", known, args, read_export, export_run);
}

}  // namespace app
