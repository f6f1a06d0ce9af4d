#pragma once
// The terminal: results to standard output or a file, one line per problem to standard error, a
// progress line, and Ctrl-C.

#include "app/subcommands.hpp"
#include "core/base/diagnostics.hpp"
#include "core/base/output_file.hpp"
#include "core/base/result.hpp"
#include "core/export/text_cards.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace app {

// Kind of text; decides how standard output shows control characters. Files get every byte unchanged.
enum class TextKind {
    Lines,  // '?'
    Json,   // \uXXXX, which keeps the values
    Raw,    // unchanged: the writer has escaped it
};
struct Target {
    std::filesystem::path file = {};  // empty or "-": standard output
    TextKind kind = TextKind::Lines;
    core::InputFiles inputs = {};  // never overwritten
};
// Writes everything and returns the exit status. A pipe closed by its reader isn't a failure. A file appears under its
// name only when complete.
int write_output(std::string_view text, const Target&);
int print_text(std::string_view text);  // lines, to standard output
// Checks early whether the target can be written; reports the failure.
bool check_target(const Target&);

// say prints `lockstep: text` as one line on standard error with control characters escaped; say_detail prints a line
// that belongs to it.
void say(std::string_view text);
void say_detail(std::string_view text);

// Prints `lockstep: message` in one line on standard error; returns kFailed, or kInterrupted for a cancelled job.
int report_failure(const core::Error& error);
// Prints one line per kind above a note, and the number of notes.
void report_diagnostics(const core::Diagnostics&);

// Width of the terminal at standard output, 0 if it isn't one.
std::size_t terminal_columns();
// Width and colour of the terminal at standard output; no colour with NO_COLOR in the environment, or TERM=dumb.
core::TerminalStyle terminal_style();

// Turns Ctrl-C and SIGTERM into a stop request during its lifetime. A second signal later ends the program, and so does
// a stop that takes longer than a second. Create it before any other thread.
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

// Shows text() on one line of standard error ten times a second, if it is a terminal. An empty text changes nothing.
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
