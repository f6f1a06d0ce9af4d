#pragma once
// One line of values over time on a rank's own clock, whoever has it: a counter of the trace or a series of an
// analysis. A view: what it points into must outlive it. Any thread.

#include "core/analysis/engine/table.hpp"
#include "core/index/run.hpp"

#include <optional>
#include <string>

namespace ui {

struct CounterView {
    std::span<const core::RankTime> times;  // rising
    std::span<const double> values;         // of times: each holds until the next,
    core::RankTime end{};                   // the last one until here
    const core::CounterPyramid* pyramid = nullptr;  // of values
    std::string_view name;
    std::string_view series;
    std::optional<core::Unit> unit;         // a trace does not say; names that speak of bytes are believed
};

CounterView view_counter(const core::RankSlot&, std::size_t counter);  // of trace().counters
std::string format_value(const CounterView&, double value);

}  // namespace ui
