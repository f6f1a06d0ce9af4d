#include "app/command_run.hpp"
#include "app/options.hpp"
#include "app/resolve_baseline.hpp"
#include "core/base/format.hpp"
#include "core/diff/series/run_series.hpp"
#include "core/diff/statistics/statistics_text.hpp"
#include "core/export/csv.hpp"
#include "core/export/json.hpp"
#include "core/export/text_table.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace app {
namespace {

constexpr Option kTrendOptions[] = {
    {"--warmup", "N|auto", "leading steps of each run to leave out; auto: until steps are steady (1)"},
    {"--fail-if-latest", "", "exit with 3 if the latest run is slower than its level explains"},
};
constexpr std::int64_t kMostTrendWarmUp = 1'000'000'000;

struct TrendTask {
    std::vector<std::string> paths;
    core::Filter filter;
    std::int64_t warmup = 1;
    bool fail_if_latest = false;
    Output output;
    Loading loading;
};

core::Result<TrendTask> read_trend_task(const Options& options) {
    if (options.words().empty()) return core::bad_input("needs the paths of runs");
    if (options.words().size() > core::stats::kLongestSeries)
        return core::bad_input("takes at most " + std::to_string(core::stats::kLongestSeries) + " runs");
    TrendTask task;
    for (const std::string& word : options.words()) {
        core::Result<std::string> path = resolve_baseline(word);
        if (!path) return std::move(path).error();
        task.paths.push_back(*std::move(path));
    }
    core::Result<core::Filter> filter = read_filter(options);
    if (!filter) return std::move(filter).error();
    task.filter = *std::move(filter);
    task.warmup = core::kAutoWarmUp;
    if (options.last("--warmup") != "auto") {
        const core::Result<std::int64_t> warmup = options.integer("--warmup", 1, 0, kMostTrendWarmUp);
        if (!warmup) return warmup.error();
        task.warmup = *warmup;
    }
    task.fail_if_latest = options.has("--fail-if-latest");
    core::Result<Output> output = read_output(options, "trend");
    if (!output) return std::move(output).error();
    task.output = *std::move(output);
    const core::Result<Loading> loading = read_loading(options, true);
    if (!loading) return loading.error();
    task.loading = *loading;
    return task;
}

// One row per run. Level, change and p are only in rows where a level begins.
core::Table to_table(const core::RunSeries& series) {
    using core::Facet, core::Role, core::Unit;
    core::Table table({{"run", Unit::Text, Role::Key, Facet::None, "its name"},
                       {"steps", Unit::Count, Role::Measure, Facet::None, "steps that count"},
                       {"step", Unit::Ns, Role::Measure, Facet::None, "median of its steps on the slowest rank"},
                       {"level", Unit::Ns, Role::Measure, Facet::None, "mean of the level that begins with the run"},
                       {"change", Unit::Ns, Role::Measure, Facet::None, "from the level before"},
                       {"p", Unit::Number, Role::Measure, Facet::None, "Welch's, of both parts"}});
    std::size_t place = 0, next = 0;  // among runs with values, among points
    for (const core::SeriesRun& run : series.runs) {
        core::Cell level, change, p;
        if (run.ns && next < series.points.size() && series.points[next].index == place) {
            level = std::llround(series.points[next].after);
            change = std::llround(series.points[next].after - series.points[next].before);
            p = series.points[next].p;
            ++next;
        }
        place += run.ns ? 1 : 0;
        table.add_row({std::string_view(run.name), static_cast<std::int64_t>(run.steps),
                       run.ns ? core::Cell{static_cast<std::int64_t>(std::llround(*run.ns))} : core::Cell{}, level,
                       change, p});
    }
    return table;
}

std::string to_trend_json(const core::RunSeries& series, const std::string& command) {
    core::SmallJson json = core::json_header({.command = command, .sources = {}});
    json["runs"] = core::SmallJson::array();
    for (const core::SeriesRun& run : series.runs)
        json["runs"].push_back({{"run", run.name},
                                {"start", run.start_ns},
                                {"steps", run.steps},
                                {"step", run.ns ? core::SmallJson(*run.ns) : core::SmallJson()}});
    json["change_points"] = core::SmallJson::array();
    for (const core::stats::ChangePoint& point : series.points)
        json["change_points"].push_back({{"index", series.with_values[point.index]},
                                         {"change", point.change},
                                         {"q", point.q},
                                         {"p", point.p},
                                         {"before", point.before},
                                         {"after", point.after}});
    json["latest"] = nullptr;
    if (series.latest)
        json["latest"] = {{"level", series.latest->level},
                          {"expected", {series.latest->expected.low, series.latest->expected.high}},
                          {"n", series.latest->n},
                          {"outside", series.latest->is_outside}};
    json["sentence"] = core::describe_latest(series);
    json["notes"] = core::SmallJson::array();
    return "{" + core::json_members(json) + ",\n " + core::json_table(to_table(series)) + "}\n";
}

std::string format_series(const TrendTask& task, const core::RunSeries& series) {
    if (task.output.format == Format::Json) return to_trend_json(series, task.output.command);
    const core::Table table = to_table(series);
    if (task.output.format == Format::Csv) return core::to_csv(table, task.output.cells);
    const std::string points = series.with_values.size() < core::stats::kLeastSeries
                                   ? "fewer than 6 runs with steps: no change points"
                                   : core::format_plural(series.points.size(), "change point", "change points");
    return core::describe_latest(series) + "\n" + core::to_text_table(table, {}) + points + "\n";
}

int trend(const TrendTask& task) {
    const Interrupt interrupt;
    const Target target = target_of(task.output, task.paths);
    if (!check_target(target)) return kFailed;
    std::vector<core::SeriesRun> runs;
    int status = kDone;
    for (const std::string& path : task.paths) {  // one run in memory at a time
        const core::Result<core::RunPtr> run = open_run({&path, 1}, task.loading, task.output.quiet, interrupt.token());
        if (!run) return report_failure(run.error());
        runs.push_back(core::measure_run(**run, task.filter, task.warmup));
        if (const auto present = check_present({&*run}); !present) return report_failure(present.error());
        status = status == kDone ? status_of(kDone, {run->get()}) : status;
    }
    const core::RunSeries series = core::analyse_series(std::move(runs));
    const int written = write_output(format_series(task, series), target);
    if (written != kDone) return written;
    // A faster run is outside its level's interval, too, but isn't a failure.
    const bool is_slower =
        series.latest && series.latest->is_outside && *series.runs[series.with_values.back()].ns > series.latest->level;
    if (task.fail_if_latest && is_slower) {
        say("--fail-if-latest: " + core::describe_latest(series));
        return kConditionHolds;
    }
    return status;
}

}  // namespace

int run_trend(Arguments args) {
    const std::vector<Option> known =
        join_options({kTrendOptions, filter_options(), output_options(), loading_options()});
    return run_command("trend", known, args, read_trend_task, trend);
}

}  // namespace app
