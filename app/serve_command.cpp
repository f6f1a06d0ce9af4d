#include "app/console.hpp"
#include "app/options.hpp"
#include "app/subcommands.hpp"
#include "core/base/platform/files.hpp"
#include "core/base/platform/terminal.hpp"
#include "core/ingest/remote/server.hpp"

#include <filesystem>

namespace app {
namespace {

constexpr Option kServeOptions[] = {
    {"--stdio", "", "answer on standard input and output until the input ends; required"},
};

struct Task {
    std::filesystem::path path;
};

core::Result<Task> read_serve_task(const Options& options) {
    if (!options.has("--stdio")) return core::bad_input("needs --stdio: it serves a pipe and opens no port");
    if (options.words().size() != 1) return core::bad_input("needs the PATH of one run");
    if (core::is_input_terminal())
        return core::bad_input(
            "standard input is a terminal: 'lockstep HOST:/path' on another machine starts this by ssh");
    return Task{.path = options.words().front()};
}

// Standard output is reserved for the protocol.
int serve(const Task& task) {
    std::error_code error;
    core::OpenFile input = core::open_standard_input();
    core::OpenFile output = core::reopen_stream("/dev/stdout", error);
    if (!input || error) return report_failure({core::ErrorCode::Io, "standard input and output have to be open"});
    core::remote::Server server(task.path);
    const bool served = core::remote::serve(server, input, output);
    if (!server.hello().problem.empty()) return report_failure({core::ErrorCode::NotFound, server.hello().problem});
    return served ? kDone : report_failure({core::ErrorCode::Io, "the connection was lost"});
}

}  // namespace

int run_serve(Arguments args) { return run_command("serve", kServeOptions, args, read_serve_task, serve); }

}  // namespace app
