#pragma once
// Lines about steps in training logs of NeMo, torchtitan, DeepSpeed, MaxText, nanoGPT and others, by their shape:
// a number of a step with the time of one step and its unit, or with a time of day, from which the time since the line
// before follows. Colours of a terminal are ignored.

#include "core/store/logged_iterations.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace core {

struct StepLine {
    LoggedIterations logged;                 // duration_ns: 0 if the line does not state it
    bool has_duration = false;
    std::optional<std::int64_t> written_ms;  // time of day with its date, on whatever clock
    bool is_metrics = false;                 // it also states a loss, a rate or the like
};

// Absent: the line has no number of a step. Linear in the line.
std::optional<StepLine> read_step_line(std::string_view line);

// Rows of a log from its lines, in order. A repeated number is another rank's line.
class StepLines {
public:
    // The row that the line gives, if any.
    std::optional<LoggedIterations> add(std::string_view line);

private:
    std::optional<std::int64_t> last_;
    std::optional<std::int64_t> last_written_ms_;
};

// Whether at least two lines give a row.
bool begins_step_log(std::string_view head);

}  // namespace core
