#include "app/open_run.hpp"
#include "app/options.hpp"
#include "core/base/format.hpp"
#include "core/base/small_file.hpp"
#include "core/diff/compare_runs.hpp"
#include "core/diff/fail_if.hpp"
#include "core/diff/step_change.hpp"
#include "core/export/comparison.hpp"
#include "core/export/csv.hpp"
#include "core/export/text_table.hpp"

#include <algorithm>
#include <array>
#include <thread>

namespace app {
namespace {

constexpr std::string_view kUsualAnalysis = "temporal-breakdown";
constexpr std::size_t kMostRowsNamed = 5;
constexpr std::int64_t kUsualKernels = 10;
constexpr std::int64_t kMostKernels = 1'000'000'000;

constexpr Option kDiffOptions[] = {
    {"--analysis", "ID", "the analysis to compare (temporal-breakdown); lockstep analyses lists them"},
    {"--table", "NAME", "the table to compare, if the analysis has several (main); such as 'names' of critical-path"},
    {"--waterfall", "", "explain the change of the mean step by parts that add up exactly, instead of --analysis"},
    {"--top", "N", "with --waterfall: number of kernels with their own rows (10)"},
    {"--names", "exact|normalised|operator",
     "which names share a row (exact); normalised: those that differ in numbers\n"
     "                                only; operator: kernels that the same operator launched"},
    {"--pair", "'A = B'", "the baseline's name A is the candidate's B, before --names; may be repeated"},
    {"--pairs", "FILE", "pairs, one per line; - for standard input"},
    {"--fail-if", "EXPR",
     "exit with 3 if any row satisfies it: 'total.ratio > 1.05 and total.change > 1ms';\n"
     "                                for one row add: where kernel='NAME'"},
};

struct DiffTask {
    core::DiffQuery query;
    core::BySide<std::string> paths;
    std::vector<std::string> fail_ifs;  // parsed once the table's columns are known
    std::size_t most_kernels = 0;   // waterfall only
    Output output;
    Loading loading;
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
    const core::Result<const core::Analysis*> analysis = read_analysis(options.last("--analysis", kUsualAnalysis));
    if (!analysis) return analysis.error();
    if (!(*analysis)->comparable) return core::bad_input(core::refuse_incomparable(**analysis).message);
    core::Result<const core::Analysis*> with_names = core::analysis_with_names(**analysis, names);
    if (!with_names) return std::move(with_names).error().within("--names");
    return with_names;
}

// Columns belong to the compared table; those of an analysis's main table are known beforehand.
core::Result<std::vector<core::FailIf>> read_fail_ifs(std::span<const std::string> texts,
                                                      std::span<const core::Column> columns) {
    std::vector<core::FailIf> fail_ifs;
    for (const std::string& text : texts) {
        core::Result<core::FailIf> fail_if = core::parse_fail_if(text, columns);
        if (!fail_if) return std::move(fail_if).error().within("--fail-if");
        fail_ifs.push_back(*std::move(fail_if));
    }
    return fail_ifs;
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
    return core::DiffQuery{*analysis, *std::move(params), *std::move(filter),
                           *names,    *std::move(pairs),  std::move(table)};
}

core::Result<DiffTask> read_diff_task(const Options& options) {
    if (options.words().size() != 2)
        return core::bad_input("needs two paths, BASELINE and CANDIDATE, not " +
                               std::to_string(options.words().size()));
    core::Result<core::DiffQuery> query = read_query(options);
    if (!query) return std::move(query).error();
    const std::vector<std::string> fail_ifs = options.all("--fail-if");
    if (query->table.empty()) {
        const auto known = read_fail_ifs(fail_ifs, query->analysis->columns());
        if (!known) return known.error();
    }
    const core::Result<std::int64_t> top = options.integer("--top", kUsualKernels, 0, kMostKernels);
    if (!top) return top.error();
    core::Result<Output> output = read_output(options);
    if (!output) return std::move(output).error();
    const core::Result<Loading> loading = read_loading(options, true);
    if (!loading) return loading.error();
    return DiffTask{*std::move(query),  {options.words()[0], options.words()[1]},
                    fail_ifs,           static_cast<std::size_t>(*top),
                    *std::move(output), *loading};
}

core::Result<core::BySide<core::RunPtr>> open_runs(const DiffTask& task, const std::stop_token& stop) {
    const auto names = std::make_shared<core::SessionNames>();
    core::BySide<core::RunPtr> runs;
    for (const core::Side side : core::kSides) {
        core::Result<core::RunPtr> run = open_run({&task.paths[side], 1}, task.loading, task.output.quiet, stop, names);
        if (!run) return std::move(run).error();
        runs[side] = *std::move(run);
    }
    return runs;
}

void report_sides(const core::BySide<core::RunPtr>& runs) {
    core::Diagnostics both;
    for (const core::Side side : core::kSides) both.merge(runs[side]->all_diagnostics(), name_of(side));
    report_diagnostics(both);
}

std::string to_text(const DiffTask& task, const core::BySide<const core::Run*>& runs,
                    const core::Comparison& comparison) {
    const std::string head = std::string(task.query.analysis->id) + ": baseline " + runs.baseline->name() +
                             ", candidate " + runs.candidate->name() + "\n";
    const std::size_t rows = comparison.table.rows();
    return head + core::to_text(comparison, task.output.file.empty() ? terminal_columns() : 0) +
           core::format_count(static_cast<std::int64_t>(rows)) + (rows == 1 ? " row" : " rows") +
           "; every column with --format csv or json\n";
}

std::string format_result(const DiffTask& task, const core::BySide<const core::Run*>& runs,
                          const core::RunAlignment& alignment, const core::RunComparison& result) {
    switch (task.output.format) {
        case Format::Csv:
            return core::to_csv(result.comparison.table, task.output.cells);
        case Format::Json:
            return core::to_json(task.query, runs, alignment, result);
        default:
            return to_text(task, runs, result.comparison);
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

void report_holding(const core::FailIf& fail_if, const core::Comparison& comparison,
                    const std::vector<std::size_t>& rows) {
    say("--fail-if '" + fail_if.text + "' holds for " + std::to_string(rows.size()) + " of " +
        std::to_string(comparison.table.rows()) + " rows");
    for (std::size_t i = 0; i < std::min(rows.size(), kMostRowsNamed); ++i)
        say_detail(core::describe_failing_row(fail_if, comparison, rows[i]));
    if (rows.size() > kMostRowsNamed) say_detail("... and " + std::to_string(rows.size() - kMostRowsNamed) + " more");
}

core::Result<std::vector<core::FailIf>> read_fail_ifs(const DiffTask& task, const core::RunComparison& result) {
    const core::DiffQuery& query = task.query;
    const std::vector<core::Column> columns =
        query.table.empty() ? query.analysis->columns() : result.answers.baseline.find(query.table)->columns();
    return read_fail_ifs(task.fail_ifs, columns);
}

int check(const std::vector<core::FailIf>& fail_ifs, const core::Comparison& comparison) {
    int status = kDone;
    for (const core::FailIf& fail_if : fail_ifs) {
        core::Result<std::vector<std::size_t>> rows = core::find_failing_rows(fail_if, comparison);
        if (!rows) return report_failure(std::move(rows).error().within("--fail-if '" + fail_if.text + "'"));
        if (rows->empty()) continue;
        report_holding(fail_if, comparison, *rows);
        status = kConditionHolds;
    }
    return status;
}

core::Result<core::RunComparison> compare(const DiffTask& task, const core::BySide<const core::Run*>& runs,
                                          const core::RunAlignment& alignment, unsigned threads,
                                          const core::JobContext& context) {
    if (task.query.analysis == &core::waterfall())
        return core::compare_steps(task.query, task.most_kernels, runs, alignment, threads, context);
    return core::compare_runs(task.query, runs, alignment, threads, context);
}

int diff(const DiffTask& task) {
    const Interrupt interrupt;
    Target target = target_of(task.output, std::array{task.paths.baseline, task.paths.candidate});
    if (!check_target(target)) return kFailed;
    const core::Result<core::BySide<core::RunPtr>> opened = open_runs(task, interrupt.token());
    if (!opened) return report_failure(opened.error());
    if (!task.output.quiet) report_sides(*opened);
    const core::BySide<const core::Run*> runs{opened->baseline.get(), opened->candidate.get()};
    const core::RunAlignment alignment = core::align_runs(*runs.baseline, *runs.candidate);
    const unsigned threads =
        task.loading.threads ? task.loading.threads : std::max(1u, std::thread::hardware_concurrency());
    const core::Result<core::RunComparison> result =
        compare(task, runs, alignment, threads, {interrupt.token(), nullptr});
    if (!result) return report_failure(result.error());
    const core::Result<std::vector<core::FailIf>> fail_ifs = read_fail_ifs(task, *result);
    if (!fail_ifs) return report_failure(fail_ifs.error());
    const std::string text = format_result(task, runs, alignment, *result);
    const core::Result<bool> present = check_present({&opened->baseline, &opened->candidate});
    if (!present) return report_failure(present.error());
    const int written = write_output(text, target);
    report_notes(*result, task.output);
    const int checked = check(*fail_ifs, result->comparison);
    if (written != kDone || checked != kDone) return written != kDone ? written : checked;
    return status_of(kDone, {runs.baseline, runs.candidate});
}

std::vector<Option> known_options() {
    std::vector<Option> known = join_options(
        {kDiffOptions, filter_options(), param_options(), output_options(), loading_options(), clock_options()});
    for (Option& option : known) {
        if (option.name == "--time") option.help = "only this time range, from the aligned step of each run";
    }
    return known;
}

}  // namespace

int run_diff(Arguments args) { return run_command("diff", known_options(), args, read_diff_task, diff); }

}  // namespace app
