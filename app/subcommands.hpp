#pragma once
// The program's commands, one row each. A command gets the words after its name and returns the
// exit status. 0: done. 1: failed (one line on stderr). 2: usage error. 3: a --fail-if holds. 4:
// undecided, with --fail-if-undecided. 5: done, but part of the run could not be read. 130:
// interrupted by Ctrl-C.

#include <span>
#include <string_view>

namespace app {

inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kWrongUsage = 2;
inline constexpr int kConditionHolds = 3;
inline constexpr int kUndecided = 4;
inline constexpr int kIncomplete = 5;
inline constexpr int kInterrupted = 130;

using Arguments = std::span<const std::string_view>;

struct Command {
    std::string_view name;
    std::string_view usage;    // arguments after the name
    std::string_view summary;
    int (*run)(Arguments);
};
std::span<const Command> all_commands();  // commands of this program
const Command* find_command(std::string_view name);

extern const char* const kBuildText;  // "commit 1a2b3c4, Release, GNU 12.2.0"; written by the build

int run_info(Arguments args);      // info_command.cpp
int run_analyses(Arguments args);  // analyses_command.cpp
int run_analyze(Arguments args);   // analyze_command.cpp
int run_diff(Arguments args);      // diff_command.cpp
int run_trend(Arguments args);     // trend_command.cpp
int run_fleet(Arguments args);     // fleet_command.cpp
int run_baseline(Arguments args);  // baseline_command.cpp
int run_index(Arguments args);     // index_command.cpp
int run_mcp(Arguments args);       // mcp/mcp_command.cpp
int run_serve(Arguments args);     // remote/serve_command.cpp
int run_merge(Arguments args);     // session/merge_command.cpp
int run_export(Arguments args);    // export_command.cpp
int run_sql(Arguments args);       // sql_command.cpp
int run_sample(Arguments args);    // sample_command.cpp
int run_shot(Arguments args);      // shot_command.cpp
int run_report(Arguments args);    // report_command.cpp
int run_web(Arguments args);       // web/web_command.cpp
int run_window(Arguments args);    // window.cpp; the default command

}  // namespace app
