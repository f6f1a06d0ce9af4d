#include "app/console.hpp"

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>

#include <sys/ioctl.h>
#include <unistd.h>

namespace app {
namespace {

std::string error_text(int number) { return std::generic_category().message(number); }

core::Error cannot_write(const std::filesystem::path& file, int number) {
    return {core::ErrorCode::Io, file.string() + ": cannot write: " + error_text(number)};
}

bool write_all(std::FILE* stream, std::string_view text) {
    return std::fwrite(text.data(), 1, text.size(), stream) == text.size() && std::fflush(stream) == 0;
}

// Pipes and devices are written to as they are: a rename would put a file in their place.
int write_device(std::string_view text, const std::filesystem::path& file) {
    std::FILE* const stream = std::fopen(file.c_str(), "wb");
    if (!stream) return report_failure(cannot_write(file, errno));
    const bool written = write_all(stream, text);
    const int number = errno;
    std::fclose(stream);
    return written || number == EPIPE ? kDone : report_failure(cannot_write(file, number));
}

int write_file(std::string_view text, const std::filesystem::path& file) {
    std::error_code ignored;
    if (std::filesystem::is_other(file, ignored)) return write_device(text, file);
    std::filesystem::path temporary = file;
    temporary += ".part-" + std::to_string(getpid());
    std::FILE* const stream = std::fopen(temporary.c_str(), "wbx");
    if (!stream) return report_failure(cannot_write(file, errno));
    const bool written = write_all(stream, text);
    const int write_error = errno;
    const bool closed = std::fclose(stream) == 0;
    if (written && closed && std::rename(temporary.c_str(), file.c_str()) == 0) return kDone;
    const int number = !written ? write_error : errno;
    std::remove(temporary.c_str());
    return report_failure(cannot_write(file, number));
}

std::string one_line(std::string text) {
    for (char& c : text) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
    }
    return text;
}

}  // namespace

int write_output(std::string_view text, const std::filesystem::path& file) {
    std::signal(SIGPIPE, SIG_IGN);
    if (!file.empty() && file != "-") return write_file(text, file);
    if (write_all(stdout, text) || errno == EPIPE) return kDone;
    return report_failure(cannot_write("standard output", errno));
}

int report_failure(const core::Error& error) {
    const bool cancelled = error.code == core::ErrorCode::Cancelled;
    const std::string text = cancelled ? "stopped" : one_line(error.message);
    std::fprintf(stderr, "lockstep: %s\n", text.c_str());
    return cancelled ? kInterrupted : kFailed;
}

void report_diagnostics(const core::Diagnostics& diagnostics) {
    std::size_t notes = 0;
    for (const core::Diagnostic& entry : diagnostics.entries()) {
        if (entry.kind->severity == core::Severity::Note) {
            ++notes;
            continue;
        }
        const std::string text = std::string(name_of(entry.kind->severity)) + ": " + std::string(entry.kind->id) +
                                 " x " + std::to_string(entry.count) + ", first: " + one_line(entry.first);
        std::fprintf(stderr, "lockstep: %s\n", text.c_str());
    }
    if (notes > 0)
        std::fprintf(stderr, "lockstep: %zu kind%s of notes: see lockstep info\n", notes, notes == 1 ? "" : "s");
}

std::size_t terminal_columns() {
    winsize size{};
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
    return size.ws_col;
}

namespace {

constexpr int kWake = SIGUSR1;  // ends the wait below when the command is done
// What comes so soon after the first signal is the same wish: `timeout` and shells signal process and group.
constexpr auto kOneSignal = std::chrono::milliseconds(500);

}  // namespace

struct Interrupt::Watcher {
    std::stop_source stop;
    std::atomic<bool> finished{false};
    sigset_t signals{};
    sigset_t before{};
    std::thread thread;

    void watch() {
        std::chrono::steady_clock::time_point asked;
        for (;;) {
            int number = 0;
            if (sigwait(&signals, &number) != 0) continue;
            if (finished) return;
            if (number == kWake) continue;
            const auto now = std::chrono::steady_clock::now();
            if (stop.request_stop())
                asked = now;
            else if (now - asked > kOneSignal)
                _exit(kInterrupted);
        }
    }
};

Interrupt::Interrupt() : watcher_(std::make_unique<Watcher>()) {
    sigemptyset(&watcher_->signals);
    sigaddset(&watcher_->signals, SIGINT);
    sigaddset(&watcher_->signals, SIGTERM);
    sigaddset(&watcher_->signals, kWake);
    pthread_sigmask(SIG_BLOCK, &watcher_->signals, &watcher_->before);
    watcher_->thread = std::thread([watcher = watcher_.get()] { watcher->watch(); });
}

Interrupt::~Interrupt() {
    watcher_->finished = true;
    pthread_kill(watcher_->thread.native_handle(), kWake);
    watcher_->thread.join();
    pthread_sigmask(SIG_SETMASK, &watcher_->before, nullptr);
}

std::stop_token Interrupt::token() const { return watcher_->stop.get_token(); }

struct ProgressLine::Painter {
    std::function<std::string()> text;
    std::mutex mutex;
    std::condition_variable_any changed;
    std::jthread thread;

    void paint(const std::stop_token& stop) {
        std::unique_lock lock(mutex);
        while (!changed.wait_for(lock, stop, std::chrono::milliseconds(100), [&] { return stop.stop_requested(); })) {
            std::fprintf(stderr, "\r\x1b[K%s", text().c_str());
            std::fflush(stderr);
        }
        std::fputs("\r\x1b[K", stderr);
    }
};

ProgressLine::ProgressLine(bool wanted, std::function<std::string()> text) {
    if (!wanted || !isatty(STDERR_FILENO)) return;
    painter_ = std::make_unique<Painter>();
    painter_->text = std::move(text);
    painter_->thread = std::jthread([painter = painter_.get()](const std::stop_token& stop) { painter->paint(stop); });
}

ProgressLine::~ProgressLine() = default;

}  // namespace app
