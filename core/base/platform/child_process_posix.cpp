#include "core/base/platform/child_process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <thread>
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

namespace {

// Signals as a program expects them: none blocked, and those that this one ignores or waits for as they are by default.
void reset_signals(posix_spawnattr_t& attributes) {
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigemptyset(&all);
    for (const int number : {SIGPIPE, SIGINT, SIGTERM}) ::sigaddset(&all, number);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

int spawn_program(pid_t& child, std::vector<std::string>& words, const Pipe& in, const Pipe& out, const Pipe& err) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, in.read, 0);
    ::posix_spawn_file_actions_adddup2(&actions, out.write, 1);
    ::posix_spawn_file_actions_adddup2(&actions, err.write, 2);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    reset_signals(attributes);
    const int failed = ::posix_spawnp(&child, arguments.front(), &actions, &attributes, arguments.data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    return failed;
}

void make_nonblocking(int descriptor) { ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK); }

int poll_milliseconds(std::chrono::milliseconds wait) {
    return static_cast<int>(std::clamp<std::int64_t>(wait.count(), 0, 60'000));
}

bool may_come_later() { return errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK; }

}  // namespace

std::unique_ptr<ChildProgram> ChildProgram::start(std::vector<std::string> words, std::error_code& error) {
    error = std::make_error_code(std::errc::invalid_argument);
    if (words.empty() || words.front().empty()) return nullptr;
    ::signal(SIGPIPE, SIG_IGN);
    Pipe in, out, err;
    pid_t child = -1;
    const bool has_pipes = in.read >= 0 && out.read >= 0 && err.read >= 0;
    const int failed = has_pipes ? spawn_program(child, words, in, out, err) : errno;
    error = {failed, std::system_category()};
    if (failed != 0) return nullptr;
    std::unique_ptr<ChildProgram> started(new ChildProgram);
    started->process_ = child;
    started->input_ = std::exchange(in.write, -1);
    started->output_ = std::exchange(out.read, -1);
    started->error_output_ = std::exchange(err.read, -1);
    for (const int end : {started->input_, started->output_, started->error_output_}) make_nonblocking(end);
    return started;
}

ChildProgram::~ChildProgram() {
    constexpr std::chrono::milliseconds kPatience{200};
    end(kPatience);
}

void ChildProgram::take_errors() {
    std::array<char, 4096> block{};
    while (error_output_ >= 0) {
        const ssize_t count = ::read(error_output_, block.data(), block.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && may_come_later()) return;
        if (count <= 0) return Pipe::shut(error_output_);
        errors_.append(block.data(), static_cast<std::size_t>(count));
        if (errors_.size() > kErrorBytes) errors_.erase(0, errors_.size() - kErrorBytes);
    }
}

ChildProgram::Piece ChildProgram::read(std::span<char> to, std::chrono::milliseconds wait) {
    if (output_ < 0) return {};
    std::array<pollfd, 2> ends{pollfd{.fd = output_, .events = POLLIN, .revents = 0},
                               pollfd{.fd = error_output_, .events = POLLIN, .revents = 0}};
    if (::poll(ends.data(), ends.size(), poll_milliseconds(wait)) <= 0) return {.got = Got::Nothing, .bytes = 0};
    if (ends[1].revents != 0) take_errors();
    if (ends[0].revents == 0) return {.got = Got::Nothing, .bytes = 0};
    const ssize_t count = ::read(output_, to.data(), to.size());
    if (count > 0) return {.got = Got::Bytes, .bytes = static_cast<std::size_t>(count)};
    return {.got = count < 0 && may_come_later() ? Got::Nothing : Got::End, .bytes = 0};
}

std::optional<std::size_t> ChildProgram::write(std::string_view text, std::chrono::milliseconds wait) {
    if (input_ < 0) return std::nullopt;
    pollfd end{.fd = input_, .events = POLLOUT, .revents = 0};
    if (::poll(&end, 1, poll_milliseconds(wait)) <= 0) return 0;
    const ssize_t count = ::write(input_, text.data(), text.size());
    if (count < 0) return may_come_later() ? std::optional<std::size_t>(0) : std::nullopt;
    return static_cast<std::size_t>(count);
}

bool ChildProgram::wait_for_end(std::chrono::milliseconds most) {
    constexpr std::chrono::milliseconds kLookEvery{5};
    const auto until = std::chrono::steady_clock::now() + most;
    for (;; std::this_thread::sleep_for(kLookEvery)) {
        take_errors();
        int status = 0;
        const pid_t ended = ::waitpid(process_, &status, WNOHANG);
        if (ended == process_ || (ended < 0 && errno != EINTR)) {
            if (ended == process_ && WIFEXITED(status)) status_ = WEXITSTATUS(status);
            process_ = -1;
            take_errors();
            return true;
        }
        if (std::chrono::steady_clock::now() >= until) return false;
    }
}

void ChildProgram::end(std::chrono::milliseconds patience) {
    Pipe::shut(input_);
    Pipe::shut(output_);  // it may be waiting to be read
    if (process_ >= 0 && !wait_for_end(patience)) {
        constexpr std::chrono::milliseconds kAfterAsking{300}, kAfterKilling{2000};
        ::kill(process_, SIGTERM);
        if (!wait_for_end(kAfterAsking)) {
            ::kill(process_, SIGKILL);
            wait_for_end(kAfterKilling);
        }
    }
    Pipe::shut(error_output_);
}

}  // namespace core
