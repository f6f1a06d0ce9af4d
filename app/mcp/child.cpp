#include "app/mcp/child.hpp"

#include "app/commands.hpp"
#include "core/base/utf8.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace app::mcp {
namespace {

struct Pipe {
    int read = -1;
    int write = -1;
    Pipe() {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
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

constexpr std::size_t kMostWords = 4000;  // of standard error

// Reads what there is. False at the end of the stream.
bool drain(Pipe& pipe, std::string& text, std::size_t most) {
    std::array<char, 65536> block{};
    const ssize_t count = ::read(pipe.read, block.data(), block.size());
    if (count < 0) return errno == EINTR || errno == EAGAIN;
    if (count == 0) return false;
    text.append(block.data(), std::min(static_cast<std::size_t>(count), most + 1 - std::min(text.size(), most + 1)));
    return true;
}

pid_t spawn(const std::vector<std::string>& words, const Pipe& out, const Pipe& err) {
    std::vector<std::string> kept = words;
    kept.insert(kept.begin(), "lockstep");
    std::vector<char*> arguments;
    for (std::string& word : kept) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, out.write, 1);
    ::posix_spawn_file_actions_adddup2(&actions, err.write, 2);
    pid_t child = -1;
    const int failed = ::posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    return failed == 0 ? child : -1;
}

// "lockstep diff: needs two paths" without the first word.
std::string words_of(std::string_view err) {
    constexpr std::string_view kName = "lockstep: ";
    while (err.ends_with('\n')) err.remove_suffix(1);
    if (err.starts_with(kName)) err.remove_prefix(kName.size());
    return err.empty() ? "the command failed without a word" : core::shorten_utf8(err, kMostWords);
}

}  // namespace

core::Result<std::string> run_self(const std::vector<std::string>& words, std::size_t most_bytes,
                                   const std::stop_token& stop) {
    Pipe out, err;
    const pid_t child = out.read < 0 || err.read < 0 ? -1 : spawn(words, out, err);
    if (child < 0) return core::Error{core::ErrorCode::Io, "no process can be started"};
    Pipe::shut(out.write);
    Pipe::shut(err.write);
    std::string text, said;
    bool told = false;
    bool out_open = true, err_open = true;
    while (out_open || err_open) {
        if (!told && (stop.stop_requested() || text.size() > most_bytes)) {
            ::kill(child, SIGTERM);
            told = true;
        }
        std::array<pollfd, 2> ends{pollfd{.fd = out_open ? out.read : -1, .events = POLLIN, .revents = 0},
                                   pollfd{.fd = err_open ? err.read : -1, .events = POLLIN, .revents = 0}};
        constexpr int kLookEvery = 50;  // ms
        if (::poll(ends.data(), ends.size(), kLookEvery) <= 0) continue;
        if (ends[0].revents != 0) out_open = drain(out, text, most_bytes);
        if (ends[1].revents != 0) err_open = drain(err, said, kMostWords * 4);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (stop.stop_requested()) return core::cancelled_error();
    if (text.size() > most_bytes) return core::bad_input("the answer is too large: filter it, or give a limit");
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (code == kDone || code == kIncomplete) return text;
    if (code < 0) return core::Error{core::ErrorCode::Internal, "the command ended by a signal: " + words_of(said)};
    return core::bad_input(words_of(said));
}

}  // namespace app::mcp
