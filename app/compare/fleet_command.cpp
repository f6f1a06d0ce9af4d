// lockstep fleet: one row for each of many runs, one run in memory at a time.

#include "app/command_run.hpp"
#include "app/options.hpp"
#include "core/base/format.hpp"
#include "core/diff/series/fleet.hpp"
#include "core/export/csv.hpp"
#include "core/export/json.hpp"
#include "core/export/report/html_fleet.hpp"
#include "core/export/text_table.hpp"
#include "core/ingest/load/discover.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <thread>

namespace app {
namespace {

constexpr Option kFleetOptions[] = {
    {"--html", "", "write one self-contained page instead of a table"},
    {"--warmup", "N", "leading steps of each run to leave out (1)"},
};
constexpr std::int64_t kMostFleetWarmUp = 1'000'000'000;

struct FleetTask {
    std::vector<std::string> paths;
    core::Filter filter;
    std::int64_t warmup = 1;
    bool html = false;
    Output output;
    Loading loading;
};

core::Result<FleetTask> read_fleet_task(const Options& options) {
    if (options.words().empty()) return core::bad_input("needs a DIR with runs, or the paths of runs");
    FleetTask task;
    task.paths = options.words();
    core::Result<core::Filter> filter = read_filter(options);
    if (!filter) return std::move(filter).error();
    task.filter = *std::move(filter);
    const core::Result<std::int64_t> warmup = options.integer("--warmup", 1, 0, kMostFleetWarmUp);
    if (!warmup) return warmup.error();
    task.warmup = *warmup;
    task.html = options.has("--html");
    core::Result<Output> output = read_output(options, "fleet");
    if (!output) return std::move(output).error();
    task.output = *std::move(output);
    const core::Result<Loading> loading = read_loading(options, true);
    if (!loading) return loading.error();
    task.loading = *loading;
    return task;
}

// Expands the given paths into runs: a file or a folder that holds traces is one run; any other folder contributes each
// folder with traces below it.
core::Result<std::vector<std::string>> find_runs(std::span<const std::string> given) {
    std::vector<std::string> runs;
    for (const std::string& path : given) {
        const std::filesystem::path one[] = {path};
        const core::Result<core::Discovery> found = core::discover_files(one);
        if (!found) return found.error();
        std::set<std::string> folders;
        for (const core::FoundFile& file : found->files) {
            const std::filesystem::path inside = file.inside.parent_path();
            std::string run = file.named || inside.empty() ? path : (one[0] / *inside.begin()).string();
            folders.insert(std::move(run));
        }
        const bool is_one = folders.contains(path) || folders.empty();
        if (is_one)
            runs.push_back(path);
        else
            runs.insert(runs.end(), folders.begin(), folders.end());
    }
    return runs;
}

std::string format_fleet(const FleetTask& task, const core::Table& table) {
    if (task.html) return core::fleet_to_html(table);
    if (task.output.format == Format::Csv) return core::to_csv(table, task.output.cells);
    if (task.output.format == Format::Json) {
        core::SmallJson first = core::json_header({.command = task.output.command, .sources = {}});
        first["notes"] = core::SmallJson::array();
        return "{" + core::json_members(first) + ",\n" + core::json_table(table) + "}\n";
    }
    core::TextTableOptions layout;
    if (task.output.file.empty()) layout.most_columns = terminal_columns();
    return core::to_text_table(table, layout) + core::format_count(static_cast<std::int64_t>(table.rows())) +
           (table.rows() == 1 ? " run\n" : " runs\n");
}

int measure_fleet(const FleetTask& task) {
    const Interrupt interrupt;
    const Target target = target_of(task.output, task.paths);
    if (!check_target(target)) return kFailed;
    const core::Result<std::vector<std::string>> paths = find_runs(task.paths);
    if (!paths) return report_failure(paths.error());
    const unsigned threads =
        task.loading.threads ? task.loading.threads : std::max(1u, std::thread::hardware_concurrency());
    std::vector<core::FleetRun> rows;
    int status = kDone;
    for (const std::string& path : *paths) {
        const core::Result<core::RunPtr> run = open_run({&path, 1}, task.loading, task.output.quiet, interrupt.token());
        core::Result<core::FleetRun> row =
            run ? core::measure_fleet_run(**run, task.filter, task.warmup, threads, {.stop = interrupt.token()})
                : core::Result<core::FleetRun>(run.error());
        if (!row && row.error().code == core::ErrorCode::Cancelled) return report_failure(row.error());
        if (!row) {
            say(path + ": " + row.error().message);
            core::FleetRun failed;
            failed.name = std::filesystem::path(path).filename().string();
            failed.failed = row.error().message;
            rows.push_back(std::move(failed));
            status = kIncomplete;
            continue;
        }
        if (is_incomplete(**run)) status = kIncomplete;
        rows.push_back(*std::move(row));
    }
    const int written = write_output(format_fleet(task, core::fleet_table(std::move(rows))), target);
    return written == kDone ? status : written;
}

}  // namespace

int run_fleet(Arguments args) {
    const std::vector<Option> known =
        join_options({kFleetOptions, filter_options(), output_options(), loading_options(), clock_options()});
    return run_command("fleet", known, args, read_fleet_task, measure_fleet);
}

}  // namespace app
