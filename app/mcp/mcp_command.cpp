#include "app/console.hpp"
#include "app/mcp/tools.hpp"

#include <filesystem>
#include <iostream>
#include <system_error>

namespace app {
namespace {

struct Task {
    std::vector<std::filesystem::path> roots;
    Loading loading;
};

core::Result<Task> read_task(const Options& options) {
    core::Result<Loading> loading = read_loading(options, true);
    if (!loading) return std::move(loading).error();
    Task task{.roots = {options.words().begin(), options.words().end()}, .loading = *std::move(loading)};
    if (task.roots.empty()) task.roots.emplace_back(".");
    for (const std::filesystem::path& root : task.roots) {
        std::error_code error;
        if (!std::filesystem::exists(root, error)) return core::bad_input(root.string() + " does not exist");
    }
    return task;
}

int serve(const Task& task) {
    const Interrupt interrupt;
    const mcp::Tools tools(task.roots, task.loading);
    mcp::serve(std::cin, std::cout, tools.all(), mcp::instructions(), interrupt.token());
    return kDone;
}

}  // namespace

int run_mcp(Arguments args) {
    return run_command("mcp", join_options({loading_options(), clock_options()}), args, read_task, serve);
}

}  // namespace app
