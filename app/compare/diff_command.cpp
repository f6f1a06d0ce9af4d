#include "app/command_run.hpp"
#include "app/compare/diff_configurations.hpp"
#include "app/compare/gates.hpp"
#include "app/options.hpp"
#include "app/resolve_baseline.hpp"
#include "core/base/format.hpp"
#include "core/base/small_file.hpp"
#include "core/base/terminal_text.hpp"
#include "core/diff/align/run_parts.hpp"
#include "core/diff/join/compare_runs.hpp"
#include "core/diff/operators/op_by_op.hpp"
#include "core/diff/statistics/statistics_text.hpp"
#include "core/diff/step_change/step_change.hpp"
#include "core/export/comparison.hpp"
#include "core/export/contributions_text.hpp"
#include "core/export/csv.hpp"
#include "core/export/text_table.hpp"

#include <algorithm>
#include <thread>

namespace app {
namespace {

constexpr std::string_view kUsualAnalysis = "temporal-breakdown";
constexpr std::int64_t kUsualKernels = 10;
constexpr std::int64_t kMostKernels = 1'000'000'000;

constexpr Option kDiffOptions[] = {
    {"--analysis", "ID",
     "the analysis to compare (temporal-breakdown); lockstep analyses lists them; also op-by-op: the\n"
     "                                operators of a step of both runs, aligned"},
    {"--table", "NAME", "the table to compare, if the analysis has several (main); such as 'names' of critical-path"},
    {"--waterfall", "", "explain the change of the mean step by parts that add up exactly, instead of --analysis"},
    {"--top", "N", "with --waterfall: number of kernels with their own rows (10)"},
    {"--names", "exact|normalised|operator",
     "which names share a row (exact); normalised: those that differ in numbers\n"
     "                                only; operator: kernels that the same operator launched"},
    {"--pair", "'A = B'", "the baseline's name A is the candidate's B, before --names; may be repeated"},
    {"--pairs", "FILE", "pairs, one per line; - for standard input"},
    {"--baseline", "PATH",
     "with --candidate, instead of two paths: repeat for more runs of the baseline, each one value"},
    {"--candidate", "PATH", "likewise; best interleaved, on the same nodes, of the same steps"},
    {"--config", "NAME=PATH",
     "with --baseline, instead of --candidate: a configuration; repeat it for others, and for more runs of\n"
     "                                one name. Each is compared with the baseline, the step only, by Holm's p"},
    {"--baseline-also", "PATH",
     "another run of the baseline's program: how much such runs differ raises --noise; may be repeated"},
    {"--a", "PART",
     "with one path: compares parts of that run; this one is the baseline: rank:3, rank:0-3, step:12,\n"
     "                                capture:a, or median: of the other ranks or steps"},
    {"--b", "PART", "likewise the candidate"},
};

struct DiffTask {
    core::DiffQuery query;
    core::StatisticsOptions statistics;
    core::BySide<std::vector<std::string>> paths;  // several: repeated runs of the side
    NamedPaths configurations;                     // instead of a candidate
    std::vector<std::string> baseline_also;        // repeated runs, for the noise
    Gates gates;
    std::optional<core::BySide<std::string>> parts;  // both sides are parts of one run
    std::size_t most_kernels = 0;   // waterfall only
    Output output;
    Loading loading;
    std::vector<std::string> all_paths() const {
        std::vector<std::string> all = paths.baseline;
        all.insert(all.end(), paths.candidate.begin(), paths.candidate.end());
        for (const auto& [name, runs] : configurations) all.insert(all.end(), runs.begin(), runs.end());
        all.insert(all.end(), baseline_also.begin(), baseline_also.end());
        return all;
    }
};

core::Result<core::NameMatching> read_names(const Options& options) {
    const std::string names = options.last("--names", "exact");
    const auto it = std::ranges::find(core::kNameMatchings, names, [](core::NameMatching m) { return name_of(m); });
    if (it != core::kNameMatchings.end()) return *it;
    return core::bad_input("--names: '" + names + "' is not exact, normalised or operator");
}

core::Result<std::vector<core::NamePair>> read_pair_file(const std::string& path) {
    const core::Result<std::string> text =
        core::read_small_file(path, core::kMostSmallFileBytes, core::StandardInput::Allow);
    if (!text) return text.error();
    core::Result<std::vector<core::NamePair>> pairs = core::parse_name_pairs(*text);
    if (!pairs) return std::move(pairs).error().within(path);
    return pairs;
}

core::Result<std::vector<core::NamePair>> read_pairs(const Options& options) {
    std::vector<core::NamePair> all;
    for (const std::string& text : options.all("--pair")) {
        core::Result<core::NamePair> pair = core::parse_name_pair(text);
        if (!pair) return std::move(pair).error().within("--pair");
        all.push_back(*std::move(pair));
    }
    for (const std::string& path : options.all("--pairs")) {
        core::Result<std::vector<core::NamePair>> pairs = read_pair_file(path);
        if (!pairs) return std::move(pairs).error().within("--pairs");
        all.insert(all.end(), pairs->begin(), pairs->end());
    }
    return all;
}

core::Result<const core::Analysis*> read_compared(const Options& options, core::NameMatching names) {
    if (options.has("--waterfall")) {
        if (options.has("--analysis"))
            return core::bad_input("--waterfall is an analysis of its own: leave out --analysis");
        return &core::waterfall();
    }
    if (options.has("--top")) return core::bad_input("--top is for --waterfall");
    const std::string id = options.last("--analysis", kUsualAnalysis);
    if (id == core::op_by_op().id) return &core::op_by_op();
    const core::Result<const core::Analysis*> analysis = read_analysis(id);
    if (!analysis) return analysis.error();
    if (!(*analysis)->comparable) return core::bad_input(core::refuse_incomparable(**analysis).message);
    core::Result<const core::Analysis*> with_names = core::analysis_with_names(**analysis, names);
    if (!with_names) return std::move(with_names).error().within("--names");
    return with_names;
}

core::Result<core::DiffQuery> read_query(const Options& options) {
    const core::Result<core::NameMatching> names = read_names(options);
    if (!names) return names.error();
    core::Result<std::vector<core::NamePair>> pairs = read_pairs(options);
    if (!pairs) return std::move(pairs).error();
    const core::Result<const core::Analysis*> analysis = read_compared(options, *names);
    if (!analysis) return analysis.error();
    core::Result<core::Filter> filter = read_filter(options);
    if (!filter) return std::move(filter).error();
    core::Result<core::Params> params = read_params(**analysis, options);
    if (!params) return std::move(params).error();
    std::string table = options.last("--table", "");
    if (!table.empty() && options.has("--waterfall"))
        return core::bad_input("--waterfall has one table: leave out --table");
    if (table == "main") table.clear();
    return core::DiffQuery{.analysis = *analysis,
                           .params = *std::move(params),
                           .filter = *std::move(filter),
                           .names = *names,
                           .pairs = *std::move(pairs),
                           .table = std::move(table)};
}

core::Result<core::BySide<std::vector<std::string>>> read_paths(const Options& options) {
    core::BySide<std::vector<std::string>> paths{options.all("--baseline"), options.all("--candidate")};
    if (options.has("--a") || options.has("--b")) {
        if (!options.has("--a") || !options.has("--b"))
            return core::bad_input(options.has("--a") ? "--a needs a --b" : "--b needs an --a");
        if (options.words().size() != 1 || !paths.baseline.empty() || !paths.candidate.empty())
            return core::bad_input("--a and --b are parts of one run: give one path");
        paths = {{options.words()[0]}, {options.words()[0]}};
    } else if (options.has("--config")) {
        if (paths.baseline.empty() || !paths.candidate.empty() || !options.words().empty())
            return core::bad_input("--config needs a --baseline, and no other path");
    } else if (paths.baseline.empty() && paths.candidate.empty()) {
        if (options.words().size() != 2)
            return core::bad_input("needs two paths, BASELINE and CANDIDATE, not " +
                                   std::to_string(options.words().size()));
        paths = {{options.words()[0]}, {options.words()[1]}};
    } else if (!options.words().empty()) {
        return core::bad_input("with --baseline and --candidate every path needs one of them: " + options.words()[0]);
    } else if (paths.baseline.empty() || paths.candidate.empty()) {
        return core::bad_input(paths.baseline.empty() ? "--candidate needs a --baseline"
                                                      : "--baseline needs a --candidate");
    }
    for (const core::Side side : core::kSides) {
        for (std::string& path : paths[side]) {
            core::Result<std::string> named = resolve_baseline(path);
            if (!named) return std::move(named).error();
            path = *std::move(named);
        }
    }
    return paths;
}

// Refuses options that --config cannot take: it compares the step only.
core::Result<bool> check_configurations(const Options& options) {
    if (!options.has("--config")) return true;
    for (const std::string_view option : {"--analysis", "--table", "--waterfall", "--names", "--pair", "--pairs"})
        if (options.has(option))
            return core::bad_input("--config compares the step only: leave out " + std::string(option));
    return true;
}

core::Result<std::vector<std::string>> read_baseline_also(const Options& options) {
    std::vector<std::string> paths;
    for (const std::string& word : options.all("--baseline-also")) {
        core::Result<std::string> path = resolve_baseline(word);
        if (!path) return std::move(path).error().within("--baseline-also");
        paths.push_back(*std::move(path));
    }
    if (!paths.empty() && options.has("--a")) return core::bad_input("--baseline-also is for two runs");
    return paths;
}

core::Result<DiffTask> read_diff_task(const Options& options) {
    core::Result<core::BySide<std::vector<std::string>>> paths = read_paths(options);
    if (!paths) return std::move(paths).error();
    const core::Result<bool> fits = check_configurations(options);
    if (!fits) return fits.error();
    core::Result<NamedPaths> configurations = read_configurations(options);
    if (!configurations) return std::move(configurations).error();
    core::Result<std::vector<std::string>> also = read_baseline_also(options);
    if (!also) return std::move(also).error();
    core::Result<core::DiffQuery> query = read_query(options);
    if (!query) return std::move(query).error();
    Gates gates = read_gates(options);
    if (!configurations->empty()) {
        const auto known = parse_gates(gates, {});
        if (!known) return known.error();
    } else if (query->table.empty()) {  // the columns of another table are known once it is made
        const auto known = parse_gates(gates, query->analysis->columns());
        if (!known) return known.error();
    }
    const core::Result<std::int64_t> top = options.integer("--top", kUsualKernels, 0, kMostKernels);
    if (!top) return top.error();
    core::Result<Output> output = read_output(options, "diff");
    if (!output) return std::move(output).error();
    const core::Result<Loading> loading = read_loading(options, true);
    if (!loading) return loading.error();
    const core::Result<core::StatisticsOptions> statistics = read_statistics(options);
    if (!statistics) return statistics.error();
    return DiffTask{.query = *std::move(query),
                    .statistics = *statistics,
                    .paths = *std::move(paths),
                    .configurations = *std::move(configurations),
                    .baseline_also = *std::move(also),
                    .gates = std::move(gates),
                    .parts = options.has("--a")
                                 ? std::optional(core::BySide<std::string>{options.last("--a"), options.last("--b")})
                                 : std::nullopt,
                    .most_kernels = static_cast<std::size_t>(*top),
                    .output = *std::move(output),
                    .loading = *loading};
}

using RunsOfSides = core::BySide<std::vector<core::RunPtr>>;

core::Result<RunsOfSides> open_runs(const DiffTask& task, const std::stop_token& stop) {
    const auto names = std::make_shared<core::InternedNames>();
    RunsOfSides runs;
    for (const core::Side side : core::kSides) {
        if (task.parts && side == core::Side::Candidate) {
            runs.candidate = runs.baseline;
            continue;
        }
        for (const std::string& path : task.paths[side]) {
            core::Result<core::RunPtr> run = open_run({&path, 1}, task.loading, task.output.quiet, stop, names);
            if (!run) return std::move(run).error();
            runs[side].push_back(*std::move(run));
        }
    }
    return runs;
}

bool has_repetitions(const RunsOfSides& runs) { return runs.baseline.size() > 1 || runs.candidate.size() > 1; }

// Samples of both sides. With one run a side, its steps are the values; else every run, and every capture of a folder
// that holds several, is one value.
core::SampledRuns sample_all(const DiffTask& task, const RunsOfSides& runs, const core::BySide<core::Filter>& filters) {
    if (!has_repetitions(runs))
        return core::sample_runs({runs.baseline.front().get(), runs.candidate.front().get()}, filters, task.statistics);
    core::SampledRuns sampled;
    for (const core::Side side : core::kSides) {
        for (const core::RunPtr& run : runs[side]) {
            const core::RunAlignment alignment = core::align_runs(*runs.baseline.front(), *run);
            const core::Filter filter = alignment.filter_for(
                run == runs.baseline.front() ? core::Side::Baseline : core::Side::Candidate, task.query.filter);
            for (core::SampledRun& capture : core::sample_captures(*run, filter, task.statistics))
                sampled[side].push_back(std::move(capture));
        }
    }
    return sampled;
}

// The captures of a run, each as the baseline sees it: the filter names the baseline's ranks.
core::Result<std::vector<core::SampledRun>> sample_path(const DiffTask& task, const core::Run& baseline,
                                                        const std::string& path, std::vector<core::RunPtr>& kept,
                                                        const std::stop_token& stop) {
    core::Result<core::RunPtr> run = open_run({&path, 1}, task.loading, task.output.quiet, stop);
    if (!run) return std::move(run).error();
    kept.push_back(*run);
    const core::RunAlignment alignment = core::align_runs(baseline, **run);
    return core::sample_captures(**run, alignment.filter_for(core::Side::Candidate, task.query.filter),
                                 task.statistics);
}

// With --baseline-also: the noise is at least what these runs and the baseline show.
core::Result<core::StatisticsOptions> add_noise(const DiffTask& task, const core::Run& baseline,
                                                std::vector<core::SampledRun> runs, const std::stop_token& stop) {
    core::StatisticsOptions statistics = task.statistics;
    if (task.baseline_also.empty()) return statistics;
    std::vector<core::RunPtr> kept;
    for (const std::string& path : task.baseline_also) {
        core::Result<std::vector<core::SampledRun>> more = sample_path(task, baseline, path, kept, stop);
        if (!more) return std::move(more).error();
        runs.insert(runs.end(), more->begin(), more->end());
    }
    const std::optional<double> noise = core::measure_noise(runs);
    if (!noise) return core::bad_input("--baseline-also: fewer than two runs with steps");
    statistics.noise = std::max(*noise, statistics.noise.value_or(0));
    return statistics;
}

// Compares every configuration with the baseline.
int compare_all_configurations(const DiffTask& task, const Target& target, const std::stop_token& stop) {
    std::vector<core::RunPtr> kept;
    std::vector<core::SampledRun> baseline;
    for (const std::string& path : task.paths.baseline) {
        core::Result<core::RunPtr> run = open_run({&path, 1}, task.loading, task.output.quiet, stop);
        if (!run) return report_failure(run.error());
        kept.push_back(*run);
        const core::Filter filter =
            core::align_runs(*kept.front(), **run)
                .filter_for(kept.size() == 1 ? core::Side::Baseline : core::Side::Candidate, task.query.filter);
        for (core::SampledRun& one : core::sample_captures(**run, filter, task.statistics))
            baseline.push_back(std::move(one));
    }
    const core::RunPtr first = kept.front();
    std::vector<core::Configuration> configurations;
    for (const auto& [name, paths] : task.configurations) {
        core::Configuration& one = configurations.emplace_back(core::Configuration{name, {}});
        for (const std::string& path : paths) {
            core::Result<std::vector<core::SampledRun>> runs = sample_path(task, *first, path, kept, stop);
            if (!runs) return report_failure(runs.error());
            one.runs.insert(one.runs.end(), runs->begin(), runs->end());
        }
    }
    const core::Result<core::StatisticsOptions> statistics = add_noise(task, *first, baseline, stop);
    if (!statistics) return report_failure(statistics.error());
    const core::ComparedConfigurations compared = core::compare_configurations(baseline, configurations, *statistics);
    for (const core::RunPtr& run : kept)
        if (const auto present = check_present({&run}); !present) return report_failure(present.error());
    const int written = write_output(format_configurations(compared, first->name(), task.output), target);
    const int checked = check_configuration_gates(task.gates, compared, first->name(), target.inputs);
    if (written != kDone || checked != kDone) return written != kDone ? written : checked;
    int status = kDone;
    for (const core::RunPtr& run : kept) status = status == kDone ? status_of(kDone, {run.get()}) : status;
    return status;
}

void report_sides(const core::BySide<core::RunPtr>& runs) {
    core::Diagnostics both;
    for (const core::Side side : core::kSides) both.merge(runs[side]->all_diagnostics(), name_of(side));
    report_diagnostics(both);
}

std::string to_text(const DiffTask& task, const core::BySide<const core::Run*>& runs,
                    const core::Comparison& comparison, const core::RunStatistics& statistics,
                    const core::Contributions* contributions) {
    const std::string headline =
        contributions ? core::terminal_text(core::describe_contributions(*contributions, statistics.step)) + "\n"
                      : std::string();
    const std::size_t width = task.output.file.empty() ? terminal_columns() : 0;
    std::string permuted;
    for (const std::string& line : core::describe_permutations(statistics.step)) permuted += line + "\n";
    const std::string head = core::describe_step(statistics.step) + "\n" + permuted + headline +
                             std::string(task.query.analysis->id) + ": baseline " +
                             core::terminal_text(runs.baseline->name()) + ", candidate " +
                             core::terminal_text(runs.candidate->name()) + "\n";
    const std::size_t rows = comparison.table.rows();
    const std::string family = core::describe_rows(statistics.rows, "rows");
    std::string notes;
    for (const std::string& note : core::note_statistics(statistics.step)) notes += "note: " + note + "\n";
    if (statistics.step.of_runs)
        notes += "note: the table is of the first run of each side; verdicts and intervals are of all runs\n";
    if (contributions) notes += core::to_text(*contributions, statistics.step, task.most_kernels, width);
    return head + core::to_text(comparison, width, &statistics.rows) + notes +
           (family.empty() ? "" : family + " (q < 0.05)\n") + core::format_count(static_cast<std::int64_t>(rows)) +
           (rows == 1 ? " row" : " rows") + "; every column with --format csv or json\n";
}

std::string format_result(const DiffTask& task, const core::BySide<const core::Run*>& runs,
                          const core::RunAlignment& alignment, const core::RunComparison& result,
                          const core::RunStatistics& statistics, const core::Contributions* contributions,
                          const core::JsonOrigin& origin) {
    switch (task.output.format) {
        case Format::Csv:
            return core::to_csv(result.comparison.table, task.output.cells);
        case Format::Json:
            return core::to_json(task.query, runs, alignment, result, &statistics, contributions, origin);
        default:
            return to_text(task, runs, result.comparison, statistics, contributions);
    }
}

// Prints notes, which CSV cannot hold.
void report_notes(const core::RunComparison& result, const Output& output) {
    if (output.quiet) return;
    for (const core::Side side : core::kSides) {
        for (const core::Excluded& excluded : result.answers[side].excluded) {
            say(std::string(name_of(side)) +
                ": left out: " + core::format_count(static_cast<std::int64_t>(excluded.count)) + " " + excluded.what);
        }
    }
    if (output.format != Format::Csv) return;
    for (const std::string& note : result.comparison.notes) say("note: " + note);
}

core::Result<std::vector<core::FailIf>> parse_gates_for(const DiffTask& task, const core::RunComparison& result) {
    const core::DiffQuery& query = task.query;
    const std::vector<core::Column> columns =
        query.table.empty() ? query.analysis->columns() : result.answers.baseline.find(query.table)->columns();
    return parse_gates(task.gates, columns);
}

core::Result<core::RunComparison> compare(const DiffTask& task, const core::BySide<const core::Run*>& runs,
                                          const core::RunAlignment& alignment, unsigned threads,
                                          const core::JobContext& context) {
    if (task.query.analysis == &core::waterfall())
        return core::compare_steps(task.query, task.most_kernels, runs, alignment, task.statistics.warmup, threads,
                                   context);
    if (task.query.analysis == &core::op_by_op()) return core::compare_op_by_op(task.query, runs, alignment, context);
    return core::compare_runs(task.query, runs, alignment, threads, context);
}

// "rank 6 against rank 3 (median)", the line above a table; empty for two runs and for formats without a place for it.
std::string name_parts(const core::BySide<core::RunPart>& parts, const Output& output) {
    if (parts.candidate.title.empty() || output.format == Format::Csv || output.format == Format::Json) return {};
    return parts.candidate.title + " against " + parts.baseline.title + "\n";
}

int diff(const DiffTask& given) {
    const Interrupt interrupt;
    Target target = target_of(given.output, given.all_paths());
    if (!check_target(target)) return kFailed;
    if (!given.configurations.empty()) return compare_all_configurations(given, target, interrupt.token());
    DiffTask task = given;
    const core::Result<RunsOfSides> all = open_runs(task, interrupt.token());
    if (!all) return report_failure(all.error());
    const core::BySide<core::RunPtr> first{all->baseline.front(), all->candidate.front()};
    const core::BySide<core::RunPtr>* const opened = &first;
    if (!task.output.quiet) report_sides(*opened);
    const core::BySide<const core::Run*> runs{opened->baseline.get(), opened->candidate.get()};
    core::BySide<core::RunPart> parts;
    if (task.parts) {
        core::Result<core::BySide<core::RunPart>> read =
            core::read_parts(*runs.baseline, task.query.filter, *task.parts);
        if (!read) return report_failure(std::move(read).error());
        parts = *std::move(read);
    }
    const core::RunAlignment alignment =
        task.parts ? core::align_parts(*runs.baseline, parts) : core::align_runs(*runs.baseline, *runs.candidate);
    task.statistics.compares = alignment.compares;
    const unsigned threads =
        task.loading.threads ? task.loading.threads : std::max(1u, std::thread::hardware_concurrency());
    const core::JobContext context{.stop = interrupt.token()};
    const core::Result<core::RunComparison> result = compare(task, runs, alignment, threads, context);
    if (!result) return report_failure(result.error());
    const core::BySide<core::Filter> filters{alignment.filter_for(core::Side::Baseline, task.query.filter),
                                             alignment.filter_for(core::Side::Candidate, task.query.filter)};
    const core::SampledRuns sampled = sample_all(task, *all, filters);
    const core::Result<core::StatisticsOptions> with_noise =
        add_noise(task, *runs.baseline, sampled.baseline, interrupt.token());
    if (!with_noise) return report_failure(with_noise.error());
    task.statistics = *with_noise;
    core::Result<core::RunStatistics> statistics =
        core::compare_statistics(task.query, *result, sampled, task.statistics, context);
    if (!statistics) return report_failure(statistics.error());
    if (const auto added = core::add_waiting_rank(sampled, statistics->step, context); !added)
        return report_failure(added.error());
    core::Result<core::Contributions> contributions = core::Contributions{};
    const bool is_waterfall = task.query.analysis == &core::waterfall();
    if (is_waterfall)
        contributions = core::compare_parts(sampled, statistics->step, {task.query.names, task.query.pairs}, context);
    if (!contributions) return report_failure(contributions.error());
    const core::Result<std::vector<core::FailIf>> conditions = parse_gates_for(task, *result);
    if (!conditions) return report_failure(conditions.error());
    const core::Result<core::JsonOrigin> origin = describe_origin(
        task.output, threads,
        {{.run = runs.baseline, .side = "baseline"}, {.run = runs.candidate, .side = "candidate"}}, interrupt.token());
    if (!origin) return report_failure(origin.error());
    const std::string text =
        name_parts(parts, task.output) +
        format_result(task, runs, alignment, *result, *statistics, is_waterfall ? &*contributions : nullptr, *origin);
    const core::Result<bool> present = check_present({&opened->baseline, &opened->candidate});
    if (!present) return report_failure(present.error());
    const int written = write_output(text, target);
    report_notes(*result, task.output);
    const int checked = check_gates(task.gates, *conditions, result->comparison, *statistics,
                                    {.baseline = runs.baseline->name(),
                                     .candidate = runs.candidate->name(),
                                     .sentence = core::describe_step(statistics->step),
                                     .notes = core::note_statistics(statistics->step),
                                     .gates = {}},
                                    target.inputs);
    if (written != kDone || checked != kDone) return written != kDone ? written : checked;
    return status_of(kDone, {runs.baseline, runs.candidate});
}

std::vector<Option> known_options() {
    std::vector<Option> known = join_options({kDiffOptions, statistics_options(), gate_options(), filter_options(),
                                              param_options(), output_options(), loading_options(), clock_options()});
    for (Option& option : known) {
        if (option.name == "--time") option.help = "only this time range, from the aligned step of each run";
    }
    return known;
}

}  // namespace

int run_diff(Arguments args) { return run_command("diff", known_options(), args, read_diff_task, diff); }

}  // namespace app
