#pragma once
// A private display (Xvfb) and a program on it; both end with their objects.

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace app::testing {

inline constexpr std::chrono::seconds kDeadline{30};

inline bool is_installed(const char* program) {
    std::istringstream folders(std::getenv("PATH") ? std::getenv("PATH") : "");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (access((std::filesystem::path(folder) / program).c_str(), X_OK) == 0) return true;
    return false;
}

class Process {
public:
    // `kept` stays open in the program under its own number.
    Process(std::vector<std::string> words, const std::vector<std::pair<std::string, std::string>>& environment,
            const std::filesystem::path& messages, int kept = -1) {
        pid_ = fork();
        REQUIRE(pid_ >= 0);
        if (pid_ > 0) return;
        for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
        const int out = open(messages.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
        dup2(out, STDOUT_FILENO);
        dup2(out, STDERR_FILENO);
        if (kept >= 0) fcntl(kept, F_SETFD, 0);
        std::vector<char*> arguments;
        for (std::string& word : words) arguments.push_back(word.data());
        arguments.push_back(nullptr);
        execvp(arguments[0], arguments.data());
        _exit(127);
    }
    ~Process() {
        if (pid_ <= 0) return;
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    void ask_to_end() const { kill(pid_, SIGTERM); }
    // Exit status after the process has ended by itself.
    std::optional<int> poll_end() {
        int status = 0;
        if (pid_ <= 0 || waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
        pid_ = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    std::optional<int> wait_end() {
        const auto deadline = std::chrono::steady_clock::now() + kDeadline;
        while (std::chrono::steady_clock::now() < deadline) {
            if (const auto status = poll_end()) return status;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return std::nullopt;
    }

private:
    pid_t pid_ = 0;
};

// The server chooses a free display number and reports it when ready.
class XServer {
public:
    explicit XServer(const std::filesystem::path& messages) {
        int ends[2];
        REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
        server_ =
            std::make_unique<Process>(std::vector<std::string>{"Xvfb", "-displayfd", std::to_string(ends[1]), "-screen",
                                                               "0", "1280x800x24", "-nolisten", "tcp", "-noreset"},
                                      std::vector<std::pair<std::string, std::string>>{}, messages, ends[1]);
        close(ends[1]);
        const std::string number = read_line(ends[0]);
        close(ends[0]);
        REQUIRE_MESSAGE(!number.empty(), "Xvfb does not start");
        display_ = ":" + number;
    }
    const std::string& display() const { return display_; }

private:
    // Empty on timeout. Reads the whole line, because the server fails if its reader closes early.
    static std::string read_line(int from) {
        pollfd ready{from, POLLIN, 0};
        std::string line;
        for (char c = 0; poll(&ready, 1, std::chrono::milliseconds(kDeadline).count()) == 1;) {
            if (read(from, &c, 1) != 1) return {};
            if (c == '\n') return line;
            line += c;
        }
        return {};
    }

    std::unique_ptr<Process> server_;
    std::string display_;
};

}  // namespace app::testing
