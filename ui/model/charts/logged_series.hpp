#pragma once
// The iterations of a training log as a series over the whole job. No ImGui.

#include "core/index/run.hpp"
#include "core/store/logged_iterations.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ui {

struct LoggedSeries {
    std::string source;       // name of the file
    core::TrainingLog lines;  // not empty; in the order of the file
    std::vector<std::size_t> drawn;  // of the lines, rising: the longest of each few, so that a frame's cost is bounded
    std::size_t others = 0;  // further logs of the run, which are not shown
    double median = 0;  // of the lines' times, ns
    double least = 0;
    double greatest = 0;
    double top = 0;  // a chart's upper end: few lines are above it, such as the first one
    std::optional<double> flops_per_s{};  // median per GPU, of the lines that state it

    std::string describe() const;  // "of 500 lines, 790.1 to 955.2 ms; 412 TFLOP/s per GPU; train.log"
};

// The longest log of the run; absent without one. O(lines log lines).
std::optional<LoggedSeries> find_logged_series(const core::Run&);

}  // namespace ui
