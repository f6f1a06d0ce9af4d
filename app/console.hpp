#pragma once
// The terminal: results to standard output or a file, one line per trouble to standard error, a progress
// line while something runs, and Ctrl-C.

#include "app/commands.hpp"
#include "core/base/diagnostics.hpp"
#include "core/base/result.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace app {

// Writes everything and returns the exit status. A reader that closed the pipe had what it wanted: that is
// no failure. A file appears under its name only when whole.
int write_output(std::string_view text, const std::filesystem::path& file);

// `lockstep: message` in one line on standard error; returns kFailed, or kInterrupted for a cancelled job.
int report_failure(const core::Error& error);
// One line per kind that is more than a note, and how many notes there are beside.
void report_diagnostics(const core::Diagnostics&);

// Columns of the terminal that standard output is, 0 if it is none.
std::size_t terminal_columns();

// While it lives, Ctrl-C (and SIGTERM) asks for a stop instead of ending the program; a second one, later, ends it.
// Make it before any other thread.
class Interrupt {
public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;
    std::stop_token token() const;

private:
    struct Watcher;
    std::unique_ptr<Watcher> watcher_;
};

// Shows text() on one line of standard error ten times a second; nothing when that is no terminal.
class ProgressLine {
public:
    ProgressLine(bool wanted, std::function<std::string()> text);
    ~ProgressLine();  // wipes the line
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

private:
    struct Painter;
    std::unique_ptr<Painter> painter_;
};

}  // namespace app
