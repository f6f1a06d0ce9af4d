#include "app/command_run.hpp"
#include "app/options.hpp"
#include "core/base/format.hpp"
#include "core/base/small_file.hpp"
#include "core/export/csv.hpp"
#include "core/export/text_table.hpp"
#include "core/query/filter_text.hpp"
#include "core/sql/sql_text.hpp"

#include <algorithm>
#include <charconv>
#include <thread>

namespace app {
namespace {

constexpr Option kSqlOptions[] = {
    {"--timeout", "30s", "stop the query after this time (never)"},
    {"--memory", "1G", "memory for sorting and grouping, K, M or G (1G)"},
    {"--tables", "", "list the tables and their columns; takes no run"},
};
constexpr std::uint64_t kMostQueryBytes = std::uint64_t{1} << 20;
constexpr std::int64_t kMostSeconds = 1'000'000;

struct SqlTask {
    bool lists_tables = false;
    std::vector<std::string> paths;
    std::string query;
    core::Filter filter;
    core::SqlLimits limits;
    Output output;
    Loading loading;
};

core::Result<std::chrono::milliseconds> read_timeout(const Options& options) {
    if (!options.has("--timeout")) return std::chrono::milliseconds{0};
    const core::Result<core::Duration> time = core::parse_duration(options.last("--timeout"));
    if (!time) return core::Error(time.error()).within("--timeout");
    const auto rounded = std::chrono::ceil<std::chrono::milliseconds>(*time);
    if (rounded.count() < 1 || rounded > std::chrono::seconds{kMostSeconds})
        return core::bad_input("--timeout: '" + options.last("--timeout") +
                               "' is not a time such as 500ms, 30s or 5min");
    return rounded;
}

core::Result<std::string> read_query(const std::string& word) {
    if (word != "-") return word;
    return core::read_small_file("-", kMostQueryBytes, core::StandardInput::Allow);
}

core::Result<SqlTask> read_sql(const Options& options) {
    SqlTask task;
    core::Result<Output> output = read_output(options, "sql");
    if (!output) return std::move(output).error();
    task.output = *output;
    task.lists_tables = options.has("--tables");
    if (task.lists_tables) return task;
    const std::vector<std::string>& words = options.words();
    if (words.empty()) return core::bad_input("needs the PATH of a run");
    if (words.size() < 2)
        return core::bad_input("needs a QUERY after the run, such as 'select * from ranks'; -: from standard input");
    core::Result<core::Filter> filter = read_filter(options);
    if (!filter) return std::move(filter).error();
    const core::Result<std::chrono::milliseconds> time = read_timeout(options);
    if (!time) return time.error();
    const core::Result<std::uint64_t> memory = read_memory(options, "1G");
    if (!memory) return memory.error();
    const core::Result<Loading> loading = read_loading(options, true);
    if (!loading) return loading.error();
    core::Result<std::string> query = read_query(words.back());
    if (!query) return std::move(query).error();
    if (const core::Result<bool> fine = core::check_sql(*query); !fine) return fine.error();
    task.paths.assign(words.begin(), words.end() - 1);
    task.query = *std::move(query);
    task.filter = *std::move(filter);
    task.limits.time = *time;
    task.limits.memory_bytes = *memory;
    task.loading = *loading;
    return task;
}

std::string format_sql(const SqlTask& task, const core::Run& run, const core::SqlAnswer& answer,
                       const core::JsonOrigin& origin) {
    if (task.output.format == Format::Csv) return core::to_csv(answer.table, task.output.cells);
    if (task.output.format == Format::Json) return core::sql_to_json(run, task.filter, task.query, answer, origin);
    core::TextTableOptions layout;
    if (task.output.file.empty()) layout.most_columns = terminal_columns();
    return core::to_text_table(answer.table, layout) + core::format_plural(answer.table.rows(), "row", "rows") + "\n";
}

int list_tables(const SqlTask& task) {
    const Target target = target_of(task.output, {});
    const std::size_t columns = task.output.file.empty() ? terminal_columns() : 0;
    return check_target(target) ? write_output(core::list_sql_tables(columns), target) : kFailed;
}

int query_run(const SqlTask& task) {
    if (task.lists_tables) return list_tables(task);
    const Interrupt interrupt;
    const Target target = target_of(task.output, task.paths);
    if (!check_target(target)) return kFailed;
    const core::Result<core::RunPtr> run = open_run(task.paths, task.loading, task.output.quiet, interrupt.token());
    if (!run) return report_failure(run.error());
    if (!task.output.quiet) report_diagnostics((*run)->all_diagnostics());
    core::SqlOptions options;
    options.limits = task.limits;
    options.threads = task.loading.threads ? task.loading.threads : std::max(1u, std::thread::hardware_concurrency());
    options.with_units = task.output.format == Format::Json;
    const core::Result<core::SqlAnswer> answer =
        core::run_sql(**run, task.filter, task.query, options, {interrupt.token(), nullptr});
    if (!answer) return report_failure(answer.error());
    const core::Result<core::JsonOrigin> origin =
        describe_origin(task.output, options.threads, {{.run = run->get()}}, interrupt.token());
    if (!origin) return report_failure(origin.error());
    const std::string text = format_sql(task, **run, *answer, *origin);
    if (const auto present = check_present({&*run}); !present) return report_failure(present.error());
    return status_of(write_output(text, target), {run->get()});
}

}  // namespace

int run_sql(Arguments args) {
    const std::vector<Option> known =
        join_options({kSqlOptions, filter_options(), output_options(), loading_options(), clock_options()});
    return run_command("sql", known, args, read_sql, query_run);
}

}  // namespace app
