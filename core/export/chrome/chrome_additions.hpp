#pragma once
// Lockstep's additions to an exported trace: counters of queues and copies, the critical path, and
// waits. They form a separate process whose events have their own category (kAddedCategory), so no
// reader mistakes them for GPU work, operators or annotations. Internal to core/export.

#include "core/analysis/engine/analysis.hpp"

#include <string>
#include <vector>

namespace core {

inline constexpr std::string_view kAddedProcess = "Lockstep";  // pid and name

struct AddedSlice {
    RankRange range;
    std::string name;
    std::vector<std::pair<std::string_view, std::string>> arguments;  // texts
};
struct AddedRow {
    std::string name;  // also its tid; unique
    std::vector<AddedSlice> slices;
};
struct AddedCounter {
    std::string name;
    std::string_view unit;  // name of its value
    std::vector<RankTime> time;
    std::vector<double> value;
};
struct ChromeAdditions {
    std::vector<AddedRow> rows;  // none without slices
    std::vector<AddedCounter> counters;
};

// Additions of the view's rank under its filter, on the rank's own clock, clamped to the trace's
// window.
Result<ChromeAdditions> collect_chrome_additions(const RankView&, const JobContext&);

}  // namespace core
