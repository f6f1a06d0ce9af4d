#include "app/command_run.hpp"
#include "app/options.hpp"
#include "core/base/format.hpp"
#include "core/base/nearest.hpp"
#include "core/export/chrome/chrome_trace.hpp"
#include "core/export/perfetto/perfetto_archive.hpp"
#include "core/export/text_table.hpp"
#include "core/ingest/load/discover.hpp"
#include "core/sql/export_sqlite.hpp"

#include <algorithm>
#include <array>
#include <thread>

namespace app {
namespace {

constexpr Option kExportOptions[] = {
    {"--to", "chrome|perfetto|sqlite",
     "what to write: traces for Perfetto and chrome://tracing, one archive in which Perfetto shows all ranks on one "
     "clock, "
     "or the tables of lockstep sql"},
    {"--out", "OUT",
     "the output: a file for one rank (gzip if it ends in .gz), a folder for several; perfetto, sqlite: a file", "-o"},
    {"--gzip", "", "compress the files in a folder"},
    {"--tables", "events,ranks", "sqlite: only these tables, also functions of analyses; may be repeated"},
    {"--quiet", "", "no progress and no diagnostics on standard error, no summary"},
};

enum class ExportTarget { Chrome, Perfetto, Sqlite };
constexpr std::array<std::string_view, 3> kTargets = {"chrome", "perfetto", "sqlite"};  // by ExportTarget

struct ExportTask {
    std::vector<std::string> paths;
    core::Filter filter;
    std::filesystem::path out;
    bool gzip = false;
    bool quiet = false;
    Loading loading;
    ExportTarget target = ExportTarget::Chrome;
    std::vector<std::string> tables{};
    std::vector<std::filesystem::path> read_files{};  // besides the run
};

core::Result<ExportTarget> read_target(const Options& options) {
    if (!options.has("--to")) return core::bad_input("needs --to chrome, --to perfetto or --to sqlite");
    const std::string target = options.last("--to");
    const auto known = std::ranges::find(kTargets, target);
    if (known != kTargets.end()) return static_cast<ExportTarget>(known - kTargets.begin());
    const std::string unknown = "--to: '" + target + "' is not chrome, perfetto or sqlite";
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

core::Result<bool> check_fits_target(const Options& options, ExportTarget target) {
    if (target != ExportTarget::Chrome && options.has("--gzip"))
        return core::bad_input("--gzip: only with --to chrome");
    if (target != ExportTarget::Sqlite && options.has("--tables"))
        return core::bad_input("--tables: only with --to sqlite");
    if (target == ExportTarget::Chrome && options.has("--clocks"))
        return core::bad_input("--clocks: only with --to perfetto and --to sqlite; --to chrome keeps each rank's own");
    if (core::Result<bool> known = core::check_exported_tables(read_tables(options)); !known)
        return std::move(known).error().within("--tables");
    return true;
}

core::Result<ExportTask> read_export(const Options& options) {
    const core::Result<ExportTarget> target = read_target(options);
    if (!target) return target.error();
    if (options.words().empty()) return core::bad_input("needs the PATH of a run");
    if (options.last("--out").empty())
        return core::bad_input("needs -o OUT: a file for one rank, a folder for several");
    core::Result<core::Filter> filter = read_filter(options);
    if (!filter) return std::move(filter).error();
    if (core::Result<bool> fits = check_fits_target(options, *target); !fits) return std::move(fits).error();
    const core::Result<Loading> loading = read_loading(options, *target != ExportTarget::Chrome);
    if (!loading) return loading.error();
    return ExportTask{.paths = options.words(),
                      .filter = *std::move(filter),
                      .out = options.last("--out"),
                      .gzip = options.has("--gzip"),
                      .quiet = options.has("--quiet"),
                      .loading = *loading,
                      .target = *target,
                      .tables = read_tables(options),
                      .read_files = find_read_files(options)};
}

unsigned threads_of(const ExportTask& task) {
    return task.loading.threads ? task.loading.threads : std::max(1u, std::thread::hardware_concurrency());
}

std::string count_text(std::uint64_t count) { return core::format_count(static_cast<std::int64_t>(count)); }
std::string bytes_text(std::uint64_t bytes) { return core::format_bytes(static_cast<std::int64_t>(bytes)); }

std::string format_summaries(std::span<const core::ChromeSummary> summaries) {
    constexpr auto kRight = true;
    const core::TextColumn columns[] = {{"file", false}, {"events", kRight}, {"added", kRight}, {"size", kRight}};
    std::vector<std::vector<std::string>> rows;
    for (const core::ChromeSummary& summary : summaries) {
        rows.push_back({summary.file.path.string(), count_text(summary.events), count_text(summary.added),
                        bytes_text(summary.bytes)});
    }
    return core::layout_text_table(columns, rows, terminal_columns());
}

// Table of the archived ranks. Clocks are offsets from the first rank's: the manifest adds them to a trace's times.
std::string format_archive(const core::ArchiveSummary& archive) {
    const core::TextColumn columns[] = {{"rank", false}, {"events", true}, {"added", true},
                                        {"size", true},  {"clock", true},  {"left by drift", true}};
    std::vector<std::vector<std::string>> rows;
    for (const core::ArchivedRank& rank : archive.ranks) {
        const core::Duration clock = rank.offset - archive.ranks.front().offset;
        const bool drifts = rank.left_by_drift > core::Duration{0};
        rows.push_back({rank.name, count_text(rank.events), count_text(rank.added), bytes_text(rank.bytes),
                        core::format_duration(clock), drifts ? core::format_duration(rank.left_by_drift) : ""});
    }
    return core::layout_text_table(columns, rows, terminal_columns());
}

std::string format_tables(std::span<const core::ExportedTable> tables) {
    const core::TextColumn columns[] = {{"table", false}, {"rows", true}};
    std::vector<std::vector<std::string>> rows;
    for (const core::ExportedTable& table : tables) rows.push_back({table.name, core::format_count(table.rows)});
    return core::layout_text_table(columns, rows, terminal_columns());
}

// The opened run and the options it is written with.
struct ExportSource {
    const ExportTask& task;
    const core::RunPtr& run;
    const core::InputFiles& inputs;
    std::stop_token stop;
};

int export_database(const ExportSource& from) {
    const ExportTask& task = from.task;
    core::Progress progress;
    const core::Result<std::vector<core::ExportedTable>> tables = [&] {
        const ProgressLine line(!task.quiet, [&] {
            return "writing: " + std::to_string(progress.done.load()) + " of " + std::to_string(progress.total.load()) +
                   " tables";
        });
        return core::export_sqlite(*from.run, task.filter, task.out,
                                   {.tables = task.tables, .threads = threads_of(task), .inputs = from.inputs},
                                   {from.stop, &progress});
    }();
    if (!tables) return report_failure(tables.error());
    if (const auto present = check_present({&from.run}); !present) return report_failure(present.error());
    return status_of(task.quiet ? kDone : print_text(format_tables(*tables)), {from.run.get()});
}

int export_archive(const ExportSource& from) {
    const ExportTask& task = from.task;
    core::Progress progress;
    const core::Result<core::ArchiveSummary> archive = [&] {
        const ProgressLine line(!task.quiet, [&] {
            return "writing: " + std::to_string(progress.done.load() / 2) + " of " +
                   std::to_string(progress.total.load() / 2) + " ranks";
        });
        return core::write_perfetto_archive(*from.run, task.filter, task.out, from.inputs, threads_of(task),
                                            {.stop = from.stop, .progress = &progress});
    }();
    if (!archive) return report_failure(archive.error());
    return status_of(task.quiet ? kDone : print_text(format_archive(*archive)), {from.run.get()});
}

int export_traces(const ExportSource& from) {
    const ExportTask& task = from.task;
    const core::Result<std::vector<core::ChromeFile>> files =
        core::plan_chrome_files(*from.run, task.filter, task.out, task.gzip);
    if (!files) return report_failure(files.error());
    core::Progress progress;
    const core::Result<std::vector<core::ChromeSummary>> summaries = [&] {
        const ProgressLine line(!task.quiet, [&] {
            return "writing: " + std::to_string(progress.done.load()) + " of " + std::to_string(progress.total.load()) +
                   " ranks";
        });
        return core::write_chrome_traces(*from.run, task.filter, *files, threads_of(task),
                                         {.stop = from.stop, .progress = &progress});
    }();
    if (!summaries) return report_failure(summaries.error());
    return status_of(task.quiet ? kDone : print_text(format_summaries(*summaries)), {from.run.get()});
}

int export_run(const ExportTask& task) {
    const Interrupt interrupt;
    const core::InputFiles inputs = core::run_inputs({task.paths.begin(), task.paths.end()}, task.read_files);
    const bool is_file = task.target == ExportTarget::Sqlite || task.target == ExportTarget::Perfetto;
    if (is_file && !check_target({.file = task.out, .inputs = inputs})) return kFailed;
    const core::Result<core::RunPtr> run = open_run(task.paths, task.loading, task.quiet, interrupt.token());
    if (!run) return report_failure(run.error());
    if (!task.quiet) report_diagnostics((*run)->all_diagnostics());
    const ExportSource from{.task = task, .run = *run, .inputs = inputs, .stop = interrupt.token()};
    if (task.target == ExportTarget::Sqlite) return export_database(from);
    return task.target == ExportTarget::Perfetto ? export_archive(from) : export_traces(from);
}

}  // namespace

int run_export(Arguments args) {
    const std::vector<Option> known =
        join_options({kExportOptions, filter_options(), loading_options(), clock_options()});
    return run_command("export", known, args, read_export, export_run);
}

}  // namespace app
