// lockstep-mpi: some commands of `lockstep`, run by all processes that mpirun starts. Only process 0 prints.

#include "app/console.hpp"
#include "app/mpi/mpi_channel.hpp"
#include "app/mpi/team_helpers.hpp"
#include "app/options.hpp"
#include "app/subcommands.hpp"
#include "core/analysis/run/run_analysis.hpp"
#include "core/base/nearest.hpp"
#include "core/base/platform/processes.hpp"
#include "core/base/platform/signals.hpp"
#include "core/base/platform/terminal.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace app {
namespace {

constexpr Command kCommands[] = {
    {"index", "PATH... [-o DIR]", "writes the index files, each file by whichever process is free", run_index},
    {"analyze", "ID PATH...", "runs one analysis and prints its table", run_analyze},
    {"diff", "BASELINE CANDIDATE", "runs one analysis on two runs and prints what changed", run_diff},
    {"report", "[PATH...] -o OUT.html", "writes one self-contained page: findings, charts, tables, definitions",
     run_report},
};

int print_help() {
    std::string text = "mpirun -n N lockstep-mpi COMMAND ...    commands of lockstep, by N processes together:\n\n";
    for (const Command& command : kCommands) {
        const std::string left = "  " + std::string(command.name) + " " + std::string(command.usage);
        text += left + std::string(left.size() < 30 ? 30 - left.size() : 1, ' ') + std::string(command.summary) + "\n";
    }
    return print_text(text + "\nOptions, output and exit status are those of lockstep COMMAND.\n");
}

// Gives each process its share of the machine's cores unless mpirun has bound it.
void use_share_of_cores() {
    MPI_Comm machine = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    int place = 0, processes = 1;
    MPI_Comm_rank(machine, &place);
    MPI_Comm_size(machine, &processes);
    MPI_Comm_free(&machine);
    core::keep_to_share_of_cores(place, processes);
}

int run(const Command& command, Arguments args, TeamHelpers& helpers) {
    set_helpers(&helpers);
    core::set_partials_source(&helpers);
    const int status = command.run(args);
    // A process that serves others ends its own command with kInterrupted once there is nothing more to do.
    const bool serves = command.run != run_index && !helpers.team().is_first();
    if (status == kInterrupted && !serves) {  // others may be gone, so there is nobody to finalize with
        std::fflush(nullptr);
        std::_Exit(kInterrupted);
    }
    if (command.run != run_index) helpers.end();
    return status;
}

int dispatch(Arguments args, core::Team& team) {
    const std::string_view first = args.empty() ? "--help" : args[0];
    if (first == "--help" || first == "-h" || first == "help") return print_help();
    if (first == "--version")
        return print_text("lockstep-mpi " LOCKSTEP_VERSION " (" + std::string(kBuildText) + ")\n");
    const Command* const command = find_command(first);
    if (!command) {
        std::vector<std::string_view> names;
        for (const Command& known : kCommands) names.push_back(known.name);
        say("lockstep-mpi has no command '" + std::string(first) + "'" + core::nearest_hint(first, names));
        return kWrongUsage;
    }
    TeamHelpers helpers(team);
    return run(*command, args.subspan(1), helpers);
}

// All processes must run the same build: messages have no version.
bool is_same_program(core::Team& team) {
    const std::string own = std::string(LOCKSTEP_VERSION) + " " + kBuildText;
    const core::Result<std::string> first = team.broadcast(own, {});
    if (first && *first == own) return true;
    say("process " + std::to_string(team.index()) + " is another build of lockstep-mpi than process 0");
    return false;
}

int work(Arguments args) {
    MpiChannel channel;
    core::Team team(channel);
    if (!is_same_program(team)) MPI_Abort(MPI_COMM_WORLD, kFailed);
    // Only process 0 prints. Faults outside a command still reach the terminal.
    std::optional<core::SilencedOutput> silence;
    if (!team.is_first()) silence.emplace();
    try {
        const int status = dispatch(args, team);
        return team.is_first() ? status : kDone;
    } catch (const std::exception& error) {
        if (silence) silence->restore_errors();
        say("process " + std::to_string(team.index()) + ": " + error.what());
        MPI_Abort(MPI_COMM_WORLD, kFailed);
        return kFailed;
    }
}

}  // namespace

std::span<const Command> all_commands() { return kCommands; }

}  // namespace app

int main(int argc, char** argv) {
    // Blocks the signals that the main thread handles as stop requests, so MPI's own threads inherit the mask.
    int threads = MPI_THREAD_SINGLE;
    {
        const core::StopSignals held;
        MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &threads);
    }
    if (threads < MPI_THREAD_SERIALIZED) {
        app::say("this MPI cannot be used by a program with threads");
        MPI_Abort(MPI_COMM_WORLD, app::kFailed);
    }
    app::use_share_of_cores();
    const std::vector<std::string_view> args(argv + std::min(argc, 1), argv + argc);
    const int status = app::work(args);
    MPI_Finalize();
    return status;
}
