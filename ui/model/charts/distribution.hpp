#pragma once
// Distribution of one column of durations: bins on a logarithmic axis, median and 99th percentile.
// Values of 0 or less don't fit on that axis and are counted separately. O(rows log rows): run it
// as a job. No ImGui.

#include "core/analysis/engine/table.hpp"
#include "core/query/duration_bins.hpp"

#include <string>
#include <vector>

namespace ui {

struct Distribution {
    std::string column;
    core::DurationBins bins;           // of the values above 0
    std::size_t values = 0;            // all of them
    std::size_t not_positive = 0;
    core::Duration median{0};  // of all values; for an even number the mean of the middle two, rounded half up
    core::Duration p99{0};  // the smallest value that 99 % of the values do not exceed
    std::vector<std::uint32_t> bin_of_row;  // by row of the table; bins.counts.size() for rows without a bin

    static Distribution of(const core::Table&, std::string_view column);
};

}  // namespace ui
