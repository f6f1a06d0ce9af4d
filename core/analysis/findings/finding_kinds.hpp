#pragma once
// One row per kind of finding: a sentence that says on which ranks it occurs, what it costs the run, what it explains.
// Window, command line and report show the same rows.

#include "core/analysis/engine/table.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace core {

struct FindingScope {
    std::size_t ranks = 0;   // with GPU work, each counted once
    std::vector<std::int32_t> numbers{};  // of those ranks, ascending
    std::size_t all = 0;     // that were asked, with GPU work or without; each counted once
    std::map<std::int32_t, std::int64_t> steps{};  // chosen by the filter, of the rank with most, by capture
};

std::vector<Column> finding_kind_columns();
// `main` is sorted; kinds keep its order. `explained`: null without any.
// caveat: a sentence that follows the first one; may be empty.
Table summarise_kinds(const Table& main, const Table* explained, const FindingScope&, std::string_view caveat);

}  // namespace core
