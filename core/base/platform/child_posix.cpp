#include "core/base/platform/child.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif
#ifndef __linux__
extern char** environ;  // NOLINT: declared by the program, says POSIX
#endif

namespace core {
namespace {

struct Pipe {
    int read = -1;
    int write = -1;
    Pipe() {
        std::array<int, 2> ends{};
#ifdef __linux__
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
#else  // another thread that starts a process at this moment leaves it the ends
        if (::pipe(ends.data()) != 0) return;
        for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
#endif
        read = ends[0];
        write = ends[1];
    }
    ~Pipe() {
        shut(read);
        shut(write);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    static void shut(int& end) {
        if (end >= 0) ::close(end);
        end = -1;
    }
};

// Reads what there is. False at the end of the stream.
bool drain(Pipe& pipe, std::string& text, std::size_t most) {
    std::array<char, 65536> block{};
    const ssize_t count = ::read(pipe.read, block.data(), block.size());
    if (count < 0) return errno == EINTR || errno == EAGAIN;
    if (count == 0) return false;
    text.append(block.data(), std::min(static_cast<std::size_t>(count), most + 1 - std::min(text.size(), most + 1)));
    return true;
}

// Empty if the system does not say.
std::string path_of_self() {
#ifdef __linux__
    return "/proc/self/exe";
#elif defined(__APPLE__)
    std::array<char, 4096> path{};
    std::uint32_t size = path.size();
    return ::_NSGetExecutablePath(path.data(), &size) == 0 ? path.data() : "";
#else
    return "";
#endif
}

pid_t spawn_self(std::vector<std::string> words, const Pipe& out, const Pipe& err) {
    const std::string program = path_of_self();
    if (program.empty()) return -1;
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, out.write, 1);
    ::posix_spawn_file_actions_adddup2(&actions, err.write, 2);
    pid_t child = -1;
    const int failed = ::posix_spawn(&child, program.c_str(), &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    return failed == 0 ? child : -1;
}

}  // namespace

std::optional<ChildEnd> run_self_as_child(const std::string& program_name, const std::vector<std::string>& words,
                                          const ChildLimits& limits, const std::stop_token& stop) {
    std::vector<std::string> all = words;
    all.insert(all.begin(), program_name);
    Pipe out, err;
    const pid_t child = out.read < 0 || err.read < 0 ? -1 : spawn_self(std::move(all), out, err);
    if (child < 0) return std::nullopt;
    Pipe::shut(out.write);
    Pipe::shut(err.write);
    ChildEnd end;
    bool asked = false;
    bool out_open = true, err_open = true;
    while (out_open || err_open) {
        if (!asked && (stop.stop_requested() || end.output.size() > limits.output_bytes)) {
            ::kill(child, SIGTERM);
            asked = true;
        }
        std::array<pollfd, 2> ends{pollfd{.fd = out_open ? out.read : -1, .events = POLLIN, .revents = 0},
                                   pollfd{.fd = err_open ? err.read : -1, .events = POLLIN, .revents = 0}};
        constexpr int kLookEveryMs = 50;
        if (::poll(ends.data(), ends.size(), kLookEveryMs) <= 0) continue;
        if (ends[0].revents != 0) out_open = drain(out, end.output, limits.output_bytes);
        if (ends[1].revents != 0) err_open = drain(err, end.errors, limits.error_bytes);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (WIFEXITED(status)) end.status = WEXITSTATUS(status);
    return end;
}

}  // namespace core
