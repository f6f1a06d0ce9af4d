#pragma once
// This program once more, as a process of its own whose output is collected. Any thread.

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
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

// Runs `program_name words…` without input until it ends. It is asked to end once stop is requested or its output is too
// large. Absent: no process can be started.
std::optional<ChildEnd> run_self_as_child(const std::string& program_name, const std::vector<std::string>& words,
                                          const ChildLimits&, const std::stop_token&);

}  // namespace core
