#pragma once
// How the values of one column of durations are distributed: bins on a logarithmic axis, median and 99th percentile.
// Values of 0 or less have no place on that axis and are counted apart. O(rows log rows): on a job. No ImGui.

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
    core::Duration median{0};          // of all values; of an even number the mean of the middle two, half up
    core::Duration p99{0};             // the least value that 99 % of the values do not exceed
    std::vector<std::uint32_t> bin_of_row;  // of the table; bins.counts.size() where the row is in no bin

    static Distribution of(const core::Table&, std::string_view column);
};

}  // namespace ui
