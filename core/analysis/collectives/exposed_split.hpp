#pragma once
// Exposed communication of one rank, split into waiting for a later rank, transfer and the rest.

#include "core/analysis/engine/analysis.hpp"

namespace core {

struct ExposedSplit {
    std::int64_t all = 0;  // ns: communication runs and no compute
    std::int64_t wait = 0;
    std::int64_t transfer = 0;
    std::int64_t other() const { return all - wait - transfer; }
};

// In the view's window. Reads other ranks of the run.
ExposedSplit split_exposed(const RankView&);

}  // namespace core
