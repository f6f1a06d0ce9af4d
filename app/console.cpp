#include "app/console.hpp"

#include "core/base/format.hpp"
#include "core/base/platform/signals.hpp"
#include "core/base/platform/terminal.hpp"
#include "core/base/terminal_text.hpp"

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

namespace app {
namespace {

bool write_all(std::FILE* stream, std::string_view text) {
    return std::fwrite(text.data(), 1, text.size(), stream) == text.size() && std::fflush(stream) == 0;
}

int write_standard_output(std::string_view text) {
    core::ignore_broken_pipes();
    if (write_all(stdout, text) || errno == EPIPE) return kDone;
    return report_failure(
        {core::ErrorCode::Io, "standard output: cannot write: " + std::generic_category().message(errno)});
}

}  // namespace

int print_text(std::string_view text) { return write_standard_output(core::terminal_lines(text)); }

int write_output(std::string_view text, const Target& target) {
    if (!target.file.empty() && target.file != "-") {
        core::ignore_broken_pipes();
        const auto written = core::write_whole_file(target.file, text, {.inputs = target.inputs});
        return written ? kDone : report_failure(written.error());
    }
    switch (target.kind) {
        case TextKind::Lines:
            return print_text(text);
        case TextKind::Json:
            return write_standard_output(core::escape_json_for_terminal(text));
        case TextKind::Raw:
            break;
    }
    return write_standard_output(text);
}

bool check_target(const Target& target) {
    if (target.file.empty() || target.file == "-") return true;
    const core::Result<bool> writable = core::check_output(target.file, {.inputs = target.inputs});
    if (!writable) report_failure(writable.error());
    return writable.has_value();
}

void say(std::string_view text) { std::fprintf(stderr, "lockstep: %s\n", core::terminal_text(text).c_str()); }
void say_detail(std::string_view text) { std::fprintf(stderr, "  %s\n", core::terminal_text(text).c_str()); }

int report_failure(const core::Error& error) {
    const bool cancelled = error.code == core::ErrorCode::Cancelled;
    say(cancelled ? "stopped" : error.message);
    return cancelled ? kInterrupted : kFailed;
}

void report_diagnostics(const core::Diagnostics& diagnostics) {
    std::size_t notes = 0;
    for (const core::Diagnostic& entry : diagnostics.entries()) {
        if (entry.kind->severity == core::Severity::Note) {
            ++notes;
            continue;
        }
        say(std::string(name_of(entry.kind->severity)) + ": " + std::string(entry.kind->id) + " x " +
            core::format_count(entry.count) + ", first: " + entry.first);
    }
    if (notes > 0) say(std::to_string(notes) + (notes == 1 ? " kind" : " kinds") + " of notes: see lockstep info");
}

std::size_t terminal_columns() { return core::terminal_columns(); }

core::TerminalStyle terminal_style() {
    const auto variable = [](const char* name) {
        const char* const value = std::getenv(name);
        return std::string_view(value ? value : "");
    };
    const std::size_t columns = terminal_columns();
    return {.columns = columns, .colour = columns > 0 && variable("NO_COLOR").empty() && variable("TERM") != "dumb"};
}

namespace {

// A second signal within this time belongs to the first: `timeout` and shells signal both process and group.
constexpr auto kOneSignal = std::chrono::milliseconds(500);
// The program ends after this time even if blocked by a pipe without a reader or by a slow disk.
constexpr auto kLongestStop = std::chrono::milliseconds(900);

}  // namespace

struct Interrupt::Watcher {
    using Wake = core::StopSignals::Wake;

    core::StopSignals signals;
    std::stop_source stop;
    std::atomic<bool> finished{false};
    std::thread thread;

    void watch() {
        std::optional<std::chrono::steady_clock::time_point> asked;
        for (;;) {
            const Wake wake =
                signals.wait(asked ? std::optional<std::chrono::nanoseconds>(kLongestStop) : std::nullopt);
            if (finished) return;
            if (wake == Wake::TimedOut) end_now();
            if (wake == Wake::Woken) continue;
            const auto now = std::chrono::steady_clock::now();
            if (stop.request_stop())
                asked = now;
            else if (now - *asked > kOneSignal)
                end_now();
        }
    }
    [[noreturn]] static void end_now() {
        core::remove_uncommitted_files();
        std::_Exit(kInterrupted);
    }
};

Interrupt::Interrupt() : watcher_(std::make_unique<Watcher>()) {
    watcher_->thread = std::thread([watcher = watcher_.get()] { watcher->watch(); });
}

Interrupt::~Interrupt() {
    watcher_->finished = true;
    core::StopSignals::wake(watcher_->thread);
    watcher_->thread.join();
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
            const std::string line = core::terminal_text(text());
            if (line.empty()) continue;
            std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
            std::fflush(stderr);
        }
        std::fputs("\r\x1b[K", stderr);
    }
};

ProgressLine::ProgressLine(bool wanted, std::function<std::string()> text) {
    if (!wanted || !core::is_error_output_terminal()) return;
    painter_ = std::make_unique<Painter>();
    painter_->text = std::move(text);
    painter_->thread = std::jthread([painter = painter_.get()](const std::stop_token& stop) { painter->paint(stop); });
}

ProgressLine::~ProgressLine() = default;

}  // namespace app
