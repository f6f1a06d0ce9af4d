#pragma once
// This program once more, as a process of its own whose output is collected; another program, to talk with. Any thread.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace core {

struct ChildLimits {
    std::size_t output_bytes = 0;
    std::size_t error_bytes = 0;
};

struct ChildEnd {
    std::string output{};  // one byte more than its limit if there was more
    std::string errors{};  // likewise
    std::optional<int> status{};  // absent: ended by a signal
};

// Runs `program_name words…` without input until it ends. It is asked to end once stop is requested or its output is
// too large. Absent: no process can be started.
std::optional<ChildEnd> run_self_as_child(const std::string& program_name, const std::vector<std::string>& words,
                                          const ChildLimits&, const std::stop_token&);

// Another program with pipes at its standard input, output and errors, at the same terminal. read() is for one thread
// at a time, and so is write(); both at once are fine.
class ChildProgram {
public:
    static constexpr std::size_t kErrorBytes = 4096;

    // words: the program, searched along PATH, and its arguments; no shell reads them. Null with the error set where it
    // cannot be started. From now on this process ignores broken pipes.
    static std::unique_ptr<ChildProgram> start(std::vector<std::string> words, std::error_code&);
    ~ChildProgram();  // as end()
    ChildProgram(const ChildProgram&) = delete;
    ChildProgram& operator=(const ChildProgram&) = delete;

    enum class Got : std::uint8_t { Bytes, Nothing, End };
    struct Piece {
        Got got = Got::End;
        std::size_t bytes = 0;
    };
    // Reads the output that is there or comes within `wait`; also takes what it says at standard error.
    Piece read(std::span<char> to, std::chrono::milliseconds wait);
    // As much as it takes within `wait`; absent: it takes no more at all.
    std::optional<std::size_t> write(std::string_view, std::chrono::milliseconds wait);

    // Closes its input and waits for its end; after `patience` it is asked to end, later made to. Once.
    void end(std::chrono::milliseconds patience);
    std::optional<int> status() const { return status_; }  // after end(); absent: by a signal
    const std::string& errors() const { return errors_; }  // the last kErrorBytes; any bytes

private:
    ChildProgram() = default;
    void take_errors();
    bool wait_for_end(std::chrono::milliseconds most);

    int process_ = -1;  // -1: has ended
    int input_ = -1;
    int output_ = -1;
    int error_output_ = -1;
    std::string errors_{};
    std::optional<int> status_{};
};

}  // namespace core
