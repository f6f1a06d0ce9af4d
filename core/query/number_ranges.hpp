#pragma once
// Ranges of numbers and their text in a filter: ranks, steps, streams.

#include "core/query/filter.hpp"

namespace core {

std::vector<NumberRange> join_numbers(std::span<const std::int64_t> rising);  // joins neighbours
std::string format_ranges(std::span<const NumberRange>);                      // "0-3,8"

}  // namespace core
