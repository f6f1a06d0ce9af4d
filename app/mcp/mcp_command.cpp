#include "app/console.hpp"
#include "app/mcp/tools.hpp"
#include "core/base/platform/terminal.hpp"

#include <filesystem>
#include <iostream>
#include <system_error>

namespace app {
namespace {

namespace fs = std::filesystem;

struct Task {
    std::vector<fs::path> roots;
    Loading loading;
    std::vector<std::string> words;  // the options as words that are valid in any folder
};

std::vector<Option> known_options() { return join_options({loading_options(), clock_options()}); }

std::vector<std::string> collect_lasting_words(const Options& options) {
    constexpr std::string_view kFile = "--links=";
    std::vector<std::string> words = collect_words(options, known_options());
    for (std::string& word : words) {
        std::error_code error;
        if (!word.starts_with(kFile)) continue;
        if (const fs::path file = fs::absolute(word.substr(kFile.size()), error); !error)
            word = std::string(kFile) + file.string();
    }
    return words;
}

core::Result<Task> read_task(const Options& options) {
    core::Result<Loading> loading = read_loading(options, true);
    if (!loading) return std::move(loading).error();
    Task task{.roots = {options.words().begin(), options.words().end()},
              .loading = *std::move(loading),
              .words = collect_lasting_words(options)};
    if (task.roots.empty()) task.roots.emplace_back(".");
    for (const fs::path& root : task.roots) {
        std::error_code error;
        if (!fs::exists(root, error)) return core::bad_input(root.string() + " does not exist");
    }
    return task;
}

int serve(const Task& task) {
    const Interrupt interrupt;
    const mcp::Tools tools(task.roots, task.loading, task.words);
    mcp::serve(std::cin, std::cout, tools.all(), mcp::instructions(), interrupt.token(), core::is_output_read);
    return kDone;
}

}  // namespace

int run_mcp(Arguments args) { return run_command("mcp", known_options(), args, read_task, serve); }

}  // namespace app
