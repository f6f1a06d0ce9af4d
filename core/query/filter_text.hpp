#pragma once
// The filter's text form (CLI.md): what is typed into the filter bar, given as --filter, and printed.
//   rank:0-3,8 step:2-4 step:complete stream:7 class:communication name:allreduce name:/^nccl.*Send/
//   time:+1.5ms..+2ms dur:>10us group:dp  -name:memcpy  "a bare word with spaces"
// Only the words above take a colon: at::native is a name; a near miss such as stp:3 is refused unless quoted.
// parse(format(f)) == f for every f that a text can say. Errors say which word and what was expected.

#include "core/base/result.hpp"
#include "core/query/filter.hpp"

namespace core {

Result<Filter> parse_filter(std::string_view text);
std::string format_filter(const Filter&);
// A value as the text form holds it: as it is, or in quotes where it would read as something else.
std::string quoted_filter_word(std::string_view);

// "1.5ms", "+2s", "10us", "250ns", "1min", "3" (ns) → duration; exact: what is finer than a nanosecond is refused.
Result<Duration> parse_duration(std::string_view text);

}  // namespace core
