#include "app/console.hpp"
#include "app/options.hpp"
#include "app/subcommands.hpp"
#include "core/base/nearest.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

namespace app {
namespace {

constexpr Command kCommands[] = {
    {"info", "PATH...", "ranks, devices, steps, events, versions, and what the trace doctor found", run_info},
    {"analyses", "[ID]", "every analysis; with ID its definition, parameters and columns", run_analyses},
    {"analyze", "ID PATH...", "runs one analysis and prints its table", run_analyze},
    {"diff", "BASELINE CANDIDATE", "runs one analysis on two runs and prints what changed", run_diff},
    {"trend", "RUN...", "the step over many runs: where its level changes, and whether the latest run fits", run_trend},
    {"fleet", "DIR...", "one row per run: step, waiting, utilisation, the rank waited for, what to do first",
     run_fleet},
    {"baseline", "tag NAME RUN", "names a run for lockstep diff @NAME; also: remove NAME, list", run_baseline},
    {"sql", "PATH... QUERY", "runs a SQL query over the events, collectives, steps and analyses of a run", run_sql},
    {"index", "PATH... [-o DIR]", "writes the index files, from which a run opens quickly, even without its traces",
     run_index},
    {"shot", "[PATH...] -o OUT.png", "renders the window off screen", run_shot},
    {"web", "[PATH...]", "the window in a browser: prints its address", run_web},
    {"report", "[PATH...] -o OUT.html", "writes one self-contained page: findings, charts, tables, definitions",
     run_report},
    {"export", "PATH... --to chrome|perfetto|sqlite -o OUT",
     "writes traces or a database for other tools, with Lockstep's findings", run_export},
    {"merge", "SESSION SESSION... -o OUT", "merges marks, notes and bookmarks of several session files of one run",
     run_merge},
    {"serve", "--stdio PATH",
     "sends a run's summary and index files through a pipe; 'lockstep HOST:/path' starts it on HOST", run_serve},
    {"mcp", "[ROOT...]", "answers programs over the Model Context Protocol about runs below these folders", run_mcp},
    {"sample", "DIR", "writes a synthetic multi-rank run", run_sample},
};

int print_help() {
    std::string text =
        "lockstep [PATH...]      opens the window: a folder or file is one run, several files are one run\n"
        "lockstep HOST:/path     the same for a run with a summary on another machine, over ssh\n"
        "lockstep COMMAND ...    without a display:\n\n";
    for (const Command& command : kCommands) {
        const std::string left = "  " + std::string(command.name) + " " + std::string(command.usage);
        text += left + std::string(left.size() < 30 ? 30 - left.size() : 1, ' ') + std::string(command.summary) + "\n";
    }
    text +=
        "\nlockstep COMMAND --help describes a command; lockstep --version prints the version.\n"
        "Exit status: 0 done, 1 failed, 2 usage error, 3 a --fail-if holds, 4 undecided and --fail-if-undecided,\n"
        "5 done but part of the run could not be read (--strict: 1, no result), 130 interrupted by Ctrl-C.\n";
    return print_text(text);
}

// True if a first word that isn't a command may be a path.
bool may_be_path(std::string_view word) {
    std::error_code ignored;
    return word.find_first_of("/.") != std::string_view::npos || std::filesystem::exists(word, ignored);
}

int refuse_command(std::string_view word) {
    std::vector<std::string_view> names;
    for (const Command& command : kCommands) names.push_back(command.name);
    return refuse_usage(
        "", "'" + std::string(word) + "' is neither a command nor a file" + core::nearest_hint(word, names));
}

int dispatch(Arguments args) {
    if (args.empty()) return run_window(args);
    const std::string_view first = args[0];
    if (first == "--help" || first == "-h" || first == "help") {
        return print_help();
    }
    if (first == "--version") {
        return print_text("lockstep " LOCKSTEP_VERSION " (" + std::string(kBuildText) + ")\n");
    }
    if (const Command* const command = find_command(first)) return command->run(args.subspan(1));
    if (!first.starts_with('-') && !may_be_path(first)) return refuse_command(first);
    return run_window(args);
}

}  // namespace

std::span<const Command> all_commands() { return kCommands; }

}  // namespace app

int main(int argc, char** argv) {
    const std::vector<std::string_view> args(argv + std::min(argc, 1), argv + argc);
    try {
        return app::dispatch(args);
    } catch (const std::exception& error) {
        app::say(error.what());
        return app::kFailed;
    }
}
