#include "app/command_run.hpp"
#include "app/options.hpp"
#include "core/analysis/run/run_analysis.hpp"
#include "core/analysis/run/summary_answers.hpp"
#include "core/base/format.hpp"
#include "core/base/nearest.hpp"
#include "core/export/csv.hpp"
#include "core/export/json.hpp"
#include "core/export/text_cards.hpp"
#include "core/export/text_table.hpp"

#include <algorithm>
#include <thread>

namespace app {
namespace {

constexpr Option kAnalyzeOptions[] = {
    {"--table", "NAME",
     "only this table, if the analysis has several: main, or the name above it; csv has main if not given"},
};
constexpr std::size_t kMostSecondaryRows = 20;  // per secondary table

struct Task {
    const core::Analysis* analysis = nullptr;
    std::vector<std::string> paths;
    core::Filter filter;
    core::Params params;
    Output output;
    Loading loading;
    bool gives_limits = false;
    std::string table{};  // the only one to write; empty: all that the format holds
};

core::Result<Task> read_task(const Options& options) {
    if (options.words().empty())
        return core::Error{core::ErrorCode::BadInput, "needs the ID of an analysis (see lockstep analyses)"};
    core::Result<const core::Analysis*> analysis = read_analysis(options.words()[0]);
    if (!analysis) return std::move(analysis).error();
    if (options.words().size() < 2) return core::Error{core::ErrorCode::BadInput, "needs the PATH of a run"};
    core::Result<core::Filter> filter = read_filter(options);
    if (!filter) return std::move(filter).error();
    core::Result<core::Params> params = read_params(**analysis, options);
    if (!params) return std::move(params).error();
    core::Result<Output> output = read_output(options, "analyze");
    if (!output) return std::move(output).error();
    if (options.has("--table") && output->format == Format::Json)
        return core::bad_input("--table: --format json has every table");
    core::Result<Loading> loading = read_loading(options, true);
    if (!loading) return loading.error();
    loading->takes_summary = true;
    return Task{.analysis = *analysis,
                .paths = {options.words().begin() + 1, options.words().end()},
                .filter = *filter,
                .params = *params,
                .output = *output,
                .loading = *loading,
                .gives_limits = options.has("--limit") || options.has("--peak") || options.has("--links"),
                .table = options.last("--table", "")};
}

bool prints_cards(const core::Answer& answer, const Output& output) {
    return output.format == Format::Table && output.file.empty() && terminal_columns() > 0 &&
           std::ranges::any_of(answer.tables,
                               [](const core::NamedTable& named) { return core::reads_as_cards(named.table); });
}

// Text output: secondary tables are limited to a screenful; files get all rows. Advice is cards on a terminal.
std::string to_text(const core::Answer& answer, const Output& output) {
    core::TextTableOptions layout;
    if (output.file.empty()) layout.most_columns = terminal_columns();
    std::string text;
    bool is_cut = false;
    for (const core::NamedTable& named : answer.tables) {
        const bool is_main = &named == answer.tables.data();
        if (!is_main) text += "\n" + named.name + "\n";
        if (layout.most_columns > 0 && core::reads_as_cards(named.table)) {
            text += core::to_text_cards(named.table, terminal_style());
            continue;
        }
        layout.most_rows = is_main || !output.file.empty() ? 0 : kMostSecondaryRows;
        is_cut |= layout.most_rows > 0 && named.table.rows() > layout.most_rows;
        text += core::to_text_table(named.table, layout);
    }
    if (is_cut) text += "\nall rows: -o FILE, or --format json\n";
    const std::size_t rows = answer.main().rows();
    return text + core::format_count(static_cast<std::int64_t>(rows)) + (rows == 1 ? " row\n" : " rows\n");
}

// Makes the chosen table the answer's only one. Fails if the answer has none of that name.
core::Result<bool> select_table(core::Answer& answer, std::string_view name) {
    std::vector<std::string_view> names;
    for (const core::NamedTable& table : answer.tables) names.push_back(table.name);
    const auto chosen = name == "main" ? names.begin() : std::ranges::find(names, name);
    if (chosen == names.end()) {
        std::string known = "main";
        for (std::size_t i = 1; i < names.size(); ++i) known.append(", ").append(names[i]);
        return core::bad_input("--table: there is no table '" + std::string(name) + "' in this answer; tables are " +
                               known + core::nearest_hint(name, names));
    }
    std::swap(answer.tables.front(), answer.tables[static_cast<std::size_t>(chosen - names.begin())]);
    answer.tables.resize(1);
    return true;
}

void report_excluded(const core::Answer& answer) {
    for (const core::Excluded& excluded : answer.excluded) {
        say("left out: " + core::format_count(static_cast<std::int64_t>(excluded.count)) + " " + excluded.what);
    }
}

std::string format_answer(const Task& task, const core::Run& run, const core::Answer& answer,
                          const core::JsonOrigin& origin) {
    switch (task.output.format) {
        case Format::Csv:
            return core::to_csv(answer.main(), task.output.cells);
        case Format::Json:
            return core::to_json(*task.analysis, run, task.filter, task.params, answer, origin);
        default:
            return to_text(answer, task.output);
    }
}

bool any_rank_passes(const core::Run& run, const core::Filter& filter) {
    for (const core::RankSlot& rank : run.ranks()) {
        if (filter.accepts_rank(rank.key)) return true;
    }
    return false;
}

int analyze(const Task& task) {
    const Interrupt interrupt;
    const Target target = target_of(task.output, task.paths);
    if (!check_target(target)) return kFailed;
    const core::Result<core::RunPtr> run = open_run(task.paths, task.loading, task.output.quiet, interrupt.token());
    if (!run) return report_failure(run.error());
    if (!task.output.quiet) report_diagnostics((*run)->all_diagnostics());
    if (!any_rank_passes(**run, task.filter)) {
        return report_failure({core::ErrorCode::NotFound, task.paths[0] + ": no rank of this run matches the filter"});
    }
    const bool is_kept = core::is_summary(**run) && task.analysis->in_summary == core::InSummary::OfRun;
    if (is_kept && task.gives_limits)
        return report_failure(core::bad_input(task.paths[0] + ": --limit, --peak, --links: a run summary keeps " +
                                              std::string(task.analysis->id) + " as it was written"));
    const unsigned threads =
        task.loading.threads ? task.loading.threads : std::max(1u, std::thread::hardware_concurrency());
    core::Result<core::Answer> answer =
        core::run_analysis(*task.analysis, **run, task.filter, task.params, threads, {.stop = interrupt.token()});
    if (!answer) return report_failure(answer.error());
    if (!task.table.empty()) {
        if (const core::Result<bool> kept = select_table(*answer, task.table); !kept)
            return report_failure(kept.error());
    }
    const core::Result<core::JsonOrigin> origin =
        describe_origin(task.output, threads, {{.run = run->get()}}, interrupt.token());
    if (!origin) return report_failure(origin.error());
    const std::string text = format_answer(task, **run, *answer, *origin);
    if (const auto present = check_present({&*run}); !present) return report_failure(present.error());
    if (!task.output.quiet) {
        report_excluded(*answer);
        // Findings without a gain are rows, too.
        const bool is_told = task.analysis->input == core::Input::Outliers && answer->main().rows() > 0;
        if (!is_told && core::has_no_numbers(answer->main()))
            say("no rows: " + core::explain_no_rows(*task.analysis, **run, task.filter).sentence);
    }
    Target written = target;
    if (prints_cards(*answer, task.output)) written.kind = TextKind::Raw;  // colours; its texts are safe already
    return status_of(write_output(text, written), {run->get()});
}

}  // namespace

int run_analyze(Arguments args) {
    const std::vector<Option> known = join_options(
        {kAnalyzeOptions, filter_options(), param_options(), output_options(), loading_options(), clock_options()});
    return run_command("analyze", known, args, read_task, analyze);
}

}  // namespace app
