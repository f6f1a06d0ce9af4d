#pragma once
// Durations of all events of a run summed by rank, track, name, category and class: what a query that groups by some of
// them has to read instead of the events. Made once per run, O(events), and kept with it.

#include "core/analysis/engine/rounding.hpp"
#include "core/index/run.hpp"

#include <memory>
#include <stop_token>
#include <vector>

namespace core {

struct SqlTotal {
    std::uint32_t slot = 0;
    std::uint32_t track = 0;
    NameId name{};
    std::uint16_t category = 0;
    KernelClass kernel_class = KernelClass::None;
    bool is_operator = false;
    std::int64_t count = 0;
    Wide total = 0;
    std::int64_t least = 0;
    std::int64_t most = 0;
};

struct SqlTotals {
    std::vector<SqlTotal> rows;  // by slot, then track, then first appearance
};

// Null where the job was cancelled.
std::shared_ptr<const SqlTotals> totals_of(const Run&, unsigned threads, const std::stop_token& stop);

}  // namespace core
