#pragma once
// Explains a number of an analysis in the registry's words: shown on hover; `lockstep analyses ID`
// prints the whole. Cheap: a few searches in the definition. Thread-safe.

#include "core/analysis/engine/analysis.hpp"

#include <string>
#include <string_view>

namespace core {

struct Explanation {
    std::string name;           // column in its analysis: "total", also for a comparison's "total.change"
    std::string_view unit;      // "ns", "count", …
    std::string meaning;        // one line
    std::string_view summary;   // summary of the analysis
    std::string definition;     // sentences of the definition that mention the column, else its first ones
};

// Explains a column of the analysis, of a comparison of two runs, or of a panel's table made from
// it.
Explanation explain_column(const Analysis&, const Column&);

// The keys of a row: "rank 3 · stream 7 · gemm". Omits a kernel's class.
std::string name_of_row(const Table&, std::size_t row);

}  // namespace core
