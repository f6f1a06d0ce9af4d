#pragma once
// The filter that an option of the command line stands for, by the option's name without dashes: ranks, steps,
// streams, classes, name, time, filter. SQL's functions take the same words.

#include "core/query/filter_text.hpp"

#include <span>

namespace core {

std::span<const std::string_view> filter_option_names();
// NotFound: no option has the name. Other errors say what is wrong with the value, without the option's name.
Result<Filter> filter_of_option(std::string_view name, std::string_view value);
// Both in one: the terms of the first, then of the second.
Filter joined_filters(Filter first, const Filter& second);

}  // namespace core
