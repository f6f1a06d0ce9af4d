#pragma once
// Values over time on a rank's own clock, from a counter of the trace or a series of an analysis. A
// view: the data must outlive it. Any thread.

#include "core/analysis/engine/table.hpp"
#include "core/index/run.hpp"

#include <optional>
#include <string>

namespace ui {

struct CounterView {
    std::span<const core::RankTime> times;  // ascending
    std::span<const double> values;         // parallel to times: each value holds until the next time; NaN: a gap;
    core::RankTime end{};                   // the last one until this time
    const core::CounterPyramid* pyramid = nullptr;  // over values
    std::string_view name;
    std::string_view series;
    std::optional<core::Unit> unit;         // traces don't state it; names that mention bytes are trusted
    double least_top = 0;  // the scale reaches it, so that rows of several ranks can be compared
    std::span<const std::string_view> words{};  // of values that count them from 0: drawn as bands, not as a line
};

CounterView view_counter(const core::RankSlot&, std::size_t counter);  // index into trace().counters
std::string format_value(const CounterView&, double value);

}  // namespace ui
