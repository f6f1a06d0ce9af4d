#pragma once
// Iterations according to a training program's own log: times measured by its host, without events. Its lines have
// no time that belongs to the clock of a trace.

#include <cstdint>
#include <string_view>
#include <vector>

namespace core {

inline constexpr std::string_view kMegatronLog = "Megatron log";  // RankInfo::trace_name

// A line of the log, which is about the iterations since the line before it.
struct LoggedIterations {
    std::int64_t last = 0;         // number of the iteration after which the line was written
    std::int64_t duration_ns = 0;  // mean of one iteration
    std::int64_t flops_per_s = -1; // per GPU, as stated; -1: not said
    std::int64_t batch = -1;       // samples of an iteration over all ranks; -1: not said
    std::int64_t skipped = -1;     // iterations without an update of the weights; -1: not said
    std::int64_t nan = -1;         // iterations whose loss was no number; -1: not said
    bool operator==(const LoggedIterations&) const = default;
};

using TrainingLog = std::vector<LoggedIterations>;  // in the order of the file

inline bool is_training_log(std::string_view trace_name) { return trace_name == kMegatronLog; }

}  // namespace core
