#pragma once
// The filter's text form (docs/command-line.md): typed into the filter bar, passed as --filter, and
// printed. parse(format(f)) == f for every f with a text form. Errors name the word and what was
// expected.

#include "core/base/result.hpp"
#include "core/query/filter.hpp"

namespace core {

// Longer texts and more words are refused: each word costs a pass over every event of the run.
inline constexpr std::size_t kMostFilterBytes = std::size_t{64} << 10;
inline constexpr std::size_t kMostFilterWords = 256;

// Terms, separated by spaces:
//   rank:0-3,8  rank:0·b  capture:b  step:2-4  step:complete  stream:7  class:communication  group:dp
//   collective:all_reduce#12-14  wait:>1ms  last:3  matched:doubtful
//   name:allreduce  name:/^nccl.*Send/  time:+1.5ms..+2ms  dur:>10us  -name:memcpy  "a bare word with spaces"
// Only the words above take a colon: at::native is a name. A near miss such as stp:3 is refused unless quoted.
Result<Filter> parse_filter(std::string_view text);
std::string format_filter(const Filter&);
// A value in text form: verbatim, or quoted if it would read as something else.
std::string quoted_filter_word(std::string_view);

// "1.5ms", "+2s", "10us", "250ns", "1min", "3" (ns) → duration; exact: fractions of a nanosecond
// are refused.
Result<Duration> parse_duration(std::string_view text);

}  // namespace core
