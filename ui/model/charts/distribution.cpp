#include "ui/model/charts/distribution.hpp"

#include "core/analysis/engine/rounding.hpp"

#include <algorithm>

namespace ui {

Distribution Distribution::of(const core::Table& table, std::string_view column) {
    Distribution made;
    made.column = column;
    const std::size_t at = table.find_column(column);
    if (at >= table.columns().size()) return made;
    std::vector<std::int64_t> values;
    std::vector<core::Duration> positive;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.absent(row, at)) continue;
        values.push_back(table.integer(row, at));
        if (values.back() > 0) positive.emplace_back(values.back());
    }
    made.values = values.size();
    made.not_positive = values.size() - positive.size();
    made.bins = core::count_durations(positive);
    made.bin_of_row.assign(table.rows(), static_cast<std::uint32_t>(made.bins.counts.size()));
    for (std::size_t row = 0; row < table.rows(); ++row)
        if (!table.absent(row, at) && table.integer(row, at) > 0)
            made.bin_of_row[row] = static_cast<std::uint32_t>(made.bins.find(core::Duration{table.integer(row, at)}));
    if (values.empty()) return made;
    const std::size_t rank = (values.size() * 99 + 99) / 100 - 1;  // nearest rank, from 0
    std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(rank));
    made.p99 = core::Duration{values[rank]};
    made.median = core::Duration{core::take_median(values)};
    return made;
}

}  // namespace ui
