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
    std::vector<std::size_t> drawn;  // indices into lines, rising: the longest of each few, to bound a frame's cost
    std::size_t others = 0;  // further logs of the run that aren't shown
    double median = 0;  // of the iteration times, ns
    double least = 0;
    double greatest = 0;
    double top = 0;  // upper end of the chart: above most lines, but not outliers such as the first
    std::optional<double> flops_per_s{};  // median per GPU of the lines that state it

    std::string describe() const;  // "of 500 lines, 790.1 to 955.2 ms; 412 TFLOP/s per GPU; train.log"
};

// The longest log of the run; absent if it has none. O(lines log lines).
std::optional<LoggedSeries> find_logged_series(const core::Run&);

}  // namespace ui
