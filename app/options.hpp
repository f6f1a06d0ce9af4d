#pragma once
// Command line options: a table of them in, words out. `--name value`, `--name=value`, `-o value`, flags,
// and `--` before paths that begin with a dash. What is unknown is refused with the nearest that exists.
// The help of a command is printed from the same table.

#include "app/commands.hpp"
#include "app/console.hpp"
#include "core/analysis/engine/analysis.hpp"
#include "core/base/result.hpp"
#include "core/ingest/load/load_run.hpp"
#include "core/query/filter.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace app {

struct Option {
    std::string_view name;        // "--ranks"
    std::string_view value;       // what the value is called in the help; empty: a flag
    std::string_view help;
    std::string_view letter = {}; // "-o"
};

class Options {
public:
    bool has(std::string_view name) const { return !all(name).empty(); }
    std::vector<std::string> all(std::string_view name) const;                       // in the order given
    std::string last(std::string_view name, std::string_view otherwise = {}) const;  // the one that counts
    const std::vector<std::string>& words() const { return words_; }                 // what is no option
    // A whole number in [least, most]; `otherwise` when the option was not given.
    core::Result<std::int64_t> integer(std::string_view name, std::int64_t otherwise, std::int64_t least,
                                       std::int64_t most) const;

private:
    friend core::Result<Options> parse_options(std::span<const Option>, Arguments);
    std::vector<std::pair<std::string_view, std::string>> given_;
    std::vector<std::string> words_;
};

// --help is understood by every command: has("--help").
core::Result<Options> parse_options(std::span<const Option> known, Arguments args);

// Options that several commands take. read_filter makes one Filter of the filter options, in this order.
std::span<const Option> filter_options();   // --ranks --steps --streams --classes --name --time --filter
std::span<const Option> output_options();   // --format -o/--out --quiet
std::span<const Option> loading_options();  // --jobs --no-cache
std::span<const Option> param_options();    // --param
std::vector<Option> join_options(std::initializer_list<std::span<const Option>> parts);
core::Result<core::Filter> read_filter(const Options&);

enum class Format { Table, Csv, Json };
struct Output {
    Format format = Format::Table;
    std::filesystem::path file;  // empty: standard output
    bool quiet = false;
};
core::Result<Output> read_output(const Options&);
struct Loading {
    unsigned threads = 0;  // 0: all cores
    core::IndexFiles index_files = core::IndexFiles::Use;
};
// --jobs and --no-cache; LOCKSTEP_NO_CACHE in the environment is as good as the latter.
core::Result<Loading> read_loading(const Options&);
// By id; an unknown one is refused with the nearest.
core::Result<const core::Analysis*> read_analysis(std::string_view id);
core::Result<core::Params> read_params(const core::Analysis&, const Options&);  // of --param

std::string format_help(const Command&, std::span<const Option>);
// Prints `lockstep COMMAND: message` and where help is; returns kWrongUsage.
int refuse_usage(std::string_view command, std::string_view message);

// What a command does with its arguments: its help if that is asked for, else `run` what `read` makes of the options,
// or words on what is wrong with them. read: Result<Task>(const Options&), run: int(const Task&).
template <class Read, class Run>
int run_command(std::string_view name, std::span<const Option> known, Arguments args, Read read, Run run) {
    const core::Result<Options> options = parse_options(known, args);
    if (!options) return refuse_usage(name, options.error().message);
    if (options->has("--help")) return write_output(format_help(*find_command(name), known), {});
    const auto task = read(*options);
    return task ? run(*task) : refuse_usage(name, task.error().message);
}

}  // namespace app
