#include "app/mcp/run_child.hpp"

#include "app/subcommands.hpp"
#include "core/base/platform/child_process.hpp"
#include "core/base/utf8.hpp"

#include <optional>
#include <string_view>

namespace app::mcp {
namespace {

constexpr std::size_t kMostWords = 4000;  // of standard error

// The message on standard error without its first word: "lockstep diff: needs two paths" gives "needs two paths".
std::string words_of(std::string_view err) {
    constexpr std::string_view kName = "lockstep: ";
    while (err.ends_with('\n')) err.remove_suffix(1);
    if (err.starts_with(kName)) err.remove_prefix(kName.size());
    return err.empty() ? "the command failed without a message" : core::shorten_utf8(err, kMostWords);
}

}  // namespace

core::Result<std::string> run_self(const std::vector<std::string>& words, std::size_t most_bytes,
                                   const std::stop_token& stop) {
    std::optional<core::ChildEnd> end =
        core::run_self_as_child("lockstep", words, {.output_bytes = most_bytes, .error_bytes = kMostWords * 4}, stop);
    if (!end) return core::Error{core::ErrorCode::Io, "cannot start a process"};
    if (stop.stop_requested()) return core::cancelled_error();
    if (end->output.size() > most_bytes) return core::bad_input("the answer is too large: filter it, or give a limit");
    if (!end->status)
        return core::Error{core::ErrorCode::Internal, "the command was ended by a signal: " + words_of(end->errors)};
    if (*end->status == kDone || *end->status == kIncomplete) return std::move(end->output);
    return core::bad_input(words_of(end->errors));
}

}  // namespace app::mcp
