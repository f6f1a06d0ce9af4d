#include "app/console.hpp"
#include "app/view_options.hpp"
#include "app/web/access_token.hpp"
#include "app/web/web_server.hpp"
#include "app/web/web_window.hpp"
#include "core/base/platform/processes.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>

namespace app {
namespace {

constexpr Option kWebOptions[] = {
    {"--port", "N", "the port of this machine to listen at (a free one)"},
    {"--listen", "ADDRESS", "listen at this address instead of 127.0.0.1; what is sent there is not encrypted"},
    {"--socket", "PATH", "listen at a Unix socket that only you can open, for ssh -L 8000:PATH HOST"},
    {"--host", "NAME", "also answer under this name, that of a proxy; repeat for more"},
    {"--idle", "MINUTES", "end after so many minutes without a page (480; 0: never)"},
    {"--memory", "SIZE", "limit in bytes of index files read for the visible ranks of a run summary (2G)"},
    {"--watch", "", "follow PATH: files appear as a job finishes them; incomplete ones are skipped"},
};

std::vector<Option> known_options() {
    return join_options({filter_options(), view_options(), loading_options(), clock_options(), kWebOptions});
}

struct Task {
    web::WebOptions window;
    web::ServerOptions server;
};

core::Result<bool> read_server(const Options& options, web::ServerOptions& server) {
    const core::Result<std::int64_t> port = options.integer("--port", 0, 0, std::numeric_limits<std::uint16_t>::max());
    if (!port) return port.error();
    server.port = static_cast<std::uint16_t>(*port);
    server.address = options.last("--listen", server.address);
    if (options.has("--socket")) {
        if (options.has("--port") || options.has("--listen"))
            return core::bad_input("--socket: goes without --port and --listen");
        std::error_code error;
        server.socket = std::filesystem::absolute(options.last("--socket"), error);
        if (std::filesystem::exists(std::filesystem::symlink_status(server.socket, error)))
            return core::bad_input("--socket: " + server.socket.string() + " exists already");
    }
    for (const std::string& name : options.all("--host")) {
        std::string lower = web::host_name(name);
        if (lower.empty()) return core::bad_input("--host: '" + name + "' is not the name of a machine");
        server.names.push_back(std::move(lower));
    }
    return true;
}

core::Result<Task> read_web_task(const Options& options) {
    core::Result<ViewOptions> view = read_view_options(options);
    if (!view) return std::move(view).error();
    view->watch = options.has("--watch");
    if (view->watch && (view->paths.size() != 1 || !view->candidate.empty()))
        return core::bad_input("--watch: needs one folder of this machine");
    const core::Result<std::uint64_t> memory = read_memory(options, "2G");
    if (!memory) return memory.error();
    view->page_budget = *memory;
    const core::Result<std::int64_t> idle = options.integer("--idle", 480, 0, 1'000'000);
    if (!idle) return idle.error();
    Task task{.window = {.view = *std::move(view), .idle = std::chrono::minutes(*idle)}, .server = {}};
    if (core::Result<bool> read = read_server(options, task.server); !read) return std::move(read).error();
    return task;
}

std::string machine_name() {
    const std::string name = core::host_name();
    return name.empty() ? "HOST" : name;
}

bool is_loopback(const std::string& address) { return address == "::1" || address.starts_with("127."); }

// The address with the token goes to standard output, advice to standard error.
void announce(const web::ServerOptions& options, const web::WebServer& server) {
    const std::string port = std::to_string(server.port());
    if (!options.socket.empty()) {
        print_text("http://127.0.0.1:8000/#" + options.token + "\n");
        say("this address works once the socket is forwarded: ssh -L 8000:" + options.socket.string() + " " +
            machine_name());
    } else {
        const bool six = options.address.find(':') != std::string::npos;
        print_text("http://" + (six ? "[" + options.address + "]" : options.address) + ":" + port + "/#" +
                   options.token + "\n");
        if (is_loopback(options.address))
            say("open it in a browser; from another machine after: ssh -L " + port + ":127.0.0.1:" + port + " " +
                machine_name());
        else
            say("--listen " + options.address +
                ": every machine that reaches this one can connect, and nothing is encrypted: who reads along has the "
                "token and sees the traces. ssh -L is safer.");
    }
    std::fflush(stdout);
}

int run_server(const Task& task) {
    const Interrupt interrupt;
    web::ServerOptions options = task.server;
    core::Result<std::string> token = web::make_token();
    if (!token) return report_failure(token.error());
    options.token = *std::move(token);
    ui::WakeSignal wake;
    web::PageLink link([&wake] { wake.raise(); });
    core::Result<std::unique_ptr<web::WebServer>> server = web::WebServer::start(options, link);
    if (!server) return report_failure(server.error());
    announce(options, **server);
    web::WebWindow window(task.window, link, wake);
    window.run(interrupt.token());
    return kDone;
}

}  // namespace

int run_web(Arguments args) { return run_command("web", known_options(), args, read_web_task, run_server); }

}  // namespace app
