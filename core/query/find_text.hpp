#pragma once
// An event search and its text form in the find bar.

#include "core/query/filter.hpp"

namespace core {

inline constexpr std::size_t kMostSearchBytes = std::size_t{64} << 10;
inline constexpr std::size_t kMostSearchTerms = 256;

struct ArgumentTerm {
    std::string key;     // the whole key; empty: any argument, and the text may match the key too
    NameTerm value;      // empty text: any value
    bool operator==(const ArgumentTerm&) const = default;
};

// Terms of the text; all must match, ASCII case-insensitively:
//   allreduce                       text anywhere in the name
//   /^gemm_[ab]$/                   a regular expression on the name
//   arg:Seq=12                      an argument and its whole value
//   arg:"Process Group Name"=dp     quotes protect spaces
//   arg:Seq=/^1/                    an argument whose value matches
//   arg:Seq=                        an argument with any value
//   arg:float  arg:/regex/          any argument whose key or value matches
struct FindText {
    NameTerm name;                        // empty text: any name
    std::vector<ArgumentTerm> arguments;  // each must match one of the event's arguments
    bool name_or_argument = false;        // the name may also match a key or value of an argument
    bool operator==(const FindText&) const = default;

    bool reads_arguments() const { return !arguments.empty() || (name_or_argument && !name.text.empty()); }
};

// Never fails: malformed terms are searched for literally. A text of more than kMostSearchBytes is one name, which
// FoundEvents::search refuses.
FindText parse_find_text(std::string_view text, bool name_or_argument = false);

}  // namespace core
