#include "core/ingest/remote/ssh_line.hpp"

#include "core/base/platform/child_process.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace core::remote {
namespace {

constexpr int kNotFoundByShell = 127;

// The last lines, in one.
std::string last_lines(std::string_view text) {
    constexpr std::size_t kLines = 3;
    std::string lines;
    for (std::size_t taken = 0; taken < kLines && !text.empty();) {
        while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
            text.remove_suffix(1);
        const std::string_view line = text.substr(text.rfind('\n') + 1);
        if (line.empty()) break;
        lines = std::string(line) + (lines.empty() ? "" : "; " + lines);
        text.remove_suffix(line.size());
        ++taken;
    }
    return lines;
}

class SshLine final : public Line {
public:
    explicit SshLine(std::unique_ptr<ChildProgram> child, std::string program)
        : child_(std::move(child)), program_(std::move(program)) {}

    Piece read(std::span<char> to, std::chrono::milliseconds wait) override {
        const ChildProgram::Piece piece = child_->read(to, wait);
        if (piece.got == ChildProgram::Got::End) return {};
        return {.got = piece.got == ChildProgram::Got::Bytes ? Got::Bytes : Got::Nothing, .bytes = piece.bytes};
    }
    std::optional<std::size_t> write(std::string_view text, std::chrono::milliseconds wait) override {
        return child_->write(text, wait);
    }
    std::string last_words() override {
        constexpr std::chrono::milliseconds kPatience{1000};
        child_->end(kPatience);
        std::string words = last_lines(child_->errors());
        const std::optional<int> status = child_->status();
        if (words.empty()) words = program_ + (status ? " ended with status " + std::to_string(*status) : " was ended");
        if (status == kNotFoundByShell)
            words += " (lockstep has to be installed there, on the PATH of a shell that ssh starts)";
        return words;
    }

private:
    std::unique_ptr<ChildProgram> child_;
    std::string program_;
};

}  // namespace

Result<std::unique_ptr<Line>> start_ssh(const RemotePath& path) {
    const char* const chosen = std::getenv("LOCKSTEP_SSH");
    std::vector<std::string> words = command_to_serve(path, chosen ? chosen : "");
    const std::string program = words.front();
    std::error_code error;
    std::unique_ptr<ChildProgram> child = ChildProgram::start(std::move(words), error);
    if (!child)
        return Error{ErrorCode::Io, program + ": cannot be started: " + error.message() +
                                        ": install an ssh client, or name another program by LOCKSTEP_SSH"};
    return std::unique_ptr<Line>(std::make_unique<SshLine>(std::move(child), program));
}

}  // namespace core::remote
