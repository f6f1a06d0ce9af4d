#pragma once
// What a number of an analysis is, in the registry's words: the window says it on hover, `lockstep analyses ID` prints
// the whole. Cheap: a few searches in the definition. Any thread.

#include "core/analysis/engine/analysis.hpp"

#include <string>
#include <string_view>

namespace core {

struct Explanation {
    std::string name;           // of the column in its analysis: "total", also of a comparison's "total.change"
    std::string_view unit;      // "ns", "count", …
    std::string meaning;        // one line
    std::string_view summary;   // of the analysis
    std::string definition;     // what its definition says of the column, else how it begins: whole sentences of it
};

// Of a column of the analysis's table, of a comparison of two, or of what a panel made of it.
Explanation explain_column(const Analysis&, const Column&);

// The keys of a row: "rank 3 · stream 7 · gemm". Of a kernel without its class.
std::string name_of_row(const Table&, std::size_t row);

}  // namespace core
