#pragma once
// Parses command-line options by a table: `--name value`, `--name=value`, `-o value`, flags, and
// `--` before paths that start with a dash. Unknown options are refused with the nearest known one.
// The same table prints a command's help.

#include "app/console.hpp"
#include "app/subcommands.hpp"
#include "core/analysis/engine/analysis.hpp"
#include "core/base/result.hpp"
#include "core/collectives/choose_clocks.hpp"
#include "core/collectives/waits.hpp"
#include "core/diff/align/step_sample.hpp"
#include "core/export/csv.hpp"
#include "core/ingest/load/load_run.hpp"
#include "core/query/filter.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace app {

struct Option {
    std::string_view name;        // "--ranks"
    std::string_view value;       // name of the value in the help; empty: a flag
    std::string_view help;
    std::string_view letter = {}; // "-o"
};

class Options {
public:
    bool has(std::string_view name) const { return !all(name).empty(); }
    std::vector<std::string> all(std::string_view name) const;                       // in the order given
    std::string last(std::string_view name, std::string_view otherwise = {}) const;  // the last one given
    const std::vector<std::string>& words() const { return words_; }  // arguments that aren't options
    const std::vector<std::string>& arguments() const { return arguments_; }  // all, as given
    // An integer in [least, most]; `otherwise` if the option is absent.
    core::Result<std::int64_t> integer(std::string_view name, std::int64_t otherwise, std::int64_t least,
                                       std::int64_t most) const;

private:
    friend core::Result<Options> parse_options(std::span<const Option>, Arguments);
    std::vector<std::pair<std::string_view, std::string>> given_;
    std::vector<std::string> words_;
    std::vector<std::string> arguments_;
};

// Parses the arguments. Every command accepts --help: has("--help").
core::Result<Options> parse_options(std::span<const Option> known, Arguments args);

// Options shared by several commands. read_filter combines the filter options in this order.
std::span<const Option> filter_options();  // --ranks --steps --streams --classes --name --time --filter
std::span<const Option> output_options();  // --format --csv -o/--out --quiet
std::span<const Option> loading_options();  // --jobs --no-cache --strict --step-marks --nsys-export --peak …
std::span<const Option> param_options();    // --param
std::span<const Option> clock_options();    // --clocks
std::span<const Option> statistics_options();  // --warmup --tolerance --noise --paired --test
// "--name=value" for each of these options that was given, to pass them on.
std::vector<std::string> collect_words(const Options&, std::span<const Option>);
std::vector<Option> join_options(std::initializer_list<std::span<const Option>> parts);
core::Result<core::Filter> read_filter(const Options&);
core::Result<core::StatisticsOptions> read_statistics(const Options&);
core::Result<std::uint64_t> read_memory(const Options&,
                                        std::string_view otherwise);  // --memory, in bytes: "512M", "2G"
// "lockstep WORDS…", each word quoted if a shell would interpret it.
std::string format_command(std::span<const std::string> words);

enum class Format { Table, Csv, Json };
struct Output {
    Format format = Format::Table;
    std::filesystem::path file;  // empty: standard output
    core::CsvCells cells = core::CsvCells::Guarded;
    bool quiet = false;
    std::string command{};  // the command line that repeats it
    std::vector<std::filesystem::path> read_files{};  // settings and lists that the command reads besides the run
};
core::Result<Output> read_output(const Options&, std::string_view command);
// Settings and lists that a command reads besides the run: an output must not replace them.
std::vector<std::filesystem::path> find_read_files(const Options&);
struct Loading {
    unsigned threads = 0;  // 0: all cores
    core::IndexFiles index_files = core::IndexFiles::Use;
    bool strict = false;
    core::ClockChoice clocks = core::ClockChoice::Recorded;  // auto for commands with --clocks
    std::string step_marks{};
    bool nsys_export = false;  // have nsys export reports first
    bool takes_summary = false;  // the command accepts a run summary instead of whole ranks
    bool writes_nothing = false;  // no index files; the window also writes no recent runs, layout or unsaved work
};
// Reads --jobs, --no-cache, --strict, --step-marks, --peak, --limit, --links and, with takes_clocks, --clocks; also
// peaks.json, limits.json and links.txt of the settings folder. The environment variable LOCKSTEP_NO_CACHE equals
// --no-cache.
core::Result<Loading> read_loading(const Options&, bool takes_clocks = false);
// Finds an analysis by id; refuses unknown ids with the nearest one.
core::Result<const core::Analysis*> read_analysis(std::string_view id);
core::Result<core::Params> read_params(const core::Analysis&, const Options&);  // values of --param

std::string format_help(const Command&, std::span<const Option>);
// Prints `lockstep COMMAND: message` and a pointer to the help; returns kWrongUsage.
int refuse_usage(std::string_view command, std::string_view message);

// Runs a command on its arguments: prints the help if requested, else parses the options with `read` and calls `run`,
// or reports the usage error. read: Result<Task>(const Options&), run: int(const Task&).
template <class Read, class Run>
int run_command(std::string_view name, std::span<const Option> known, Arguments args, Read read, Run run) {
    const core::Result<Options> options = parse_options(known, args);
    if (!options) return refuse_usage(name, options.error().message);
    if (options->has("--help")) return print_text(format_help(*find_command(name), known));
    const auto task = read(*options);
    return task ? run(*task) : refuse_usage(name, task.error().message);
}

}  // namespace app
