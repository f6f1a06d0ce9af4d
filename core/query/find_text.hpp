#pragma once
// What is searched for among events, and its text form, as the find bar takes it:
//   allreduce          a text anywhere in the name          /^gemm_[ab]$/      a regular expression
//   arg:Seq=12         an argument and its whole value      arg:"Process Group Name"=dp
//   arg:Seq=/^1/       … whose value matches                arg:Seq=           … whatever its value
//   arg:float          an argument with this text in its key or its value; arg:/regex/ likewise
// A name and any number of arg: may stand together: all must hold. Without regard to ASCII case.

#include "core/query/filter.hpp"

namespace core {

struct ArgumentTerm {
    std::string key;     // the whole key; empty: of any argument, and the text may also stand in the key
    NameTerm value;      // an empty text: any value
    bool operator==(const ArgumentTerm&) const = default;
};

struct FindText {
    NameTerm name;                        // an empty text: any name
    std::vector<ArgumentTerm> arguments;  // each must hold for one of the event's arguments
    bool name_or_argument = false;        // the name may also stand in the key or the value of an argument
    bool operator==(const FindText&) const = default;

    bool reads_arguments() const { return !arguments.empty() || (name_or_argument && !name.text.empty()); }
};

// Every text says something: what looks wrong is looked for as it is.
FindText parse_find_text(std::string_view text, bool name_or_argument = false);

}  // namespace core
