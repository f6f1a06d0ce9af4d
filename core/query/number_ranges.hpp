#pragma once
// Numbers as ranges and ranges as text, as the filter writes them: ranks, steps, streams.

#include "core/query/filter.hpp"

namespace core {

std::vector<NumberRange> join_numbers(std::span<const std::int64_t> rising);  // neighbours as one range
std::string format_ranges(std::span<const NumberRange>);                      // "0-3,8"

}  // namespace core
