#pragma once
// What Lockstep adds to an exported trace: counters of queues and copies, the critical path, and what was waited for.
// They lie in a process of their own, whose events have a category of their own (kAddedCategory), so that no reader takes them for work
// of the GPU, an operator or an annotation. Internal to core/export.

#include "core/analysis/engine/analysis.hpp"

#include <string>
#include <vector>

namespace core {

inline constexpr std::string_view kAddedProcess = "Lockstep";  // its pid, and its name

struct AddedSlice {
    RankRange range;
    std::string name;
    std::vector<std::pair<std::string_view, std::string>> arguments;  // texts
};
struct AddedRow {
    std::string name;  // also its tid; no two are the same
    std::vector<AddedSlice> slices;
};
struct AddedCounter {
    std::string name;
    std::string_view unit;  // what its value is called
    std::vector<RankTime> time;
    std::vector<double> value;
};
struct ChromeAdditions {
    std::vector<AddedRow> rows;  // none without a slice
    std::vector<AddedCounter> counters;
};

// Of the view's rank through its filter, on the rank's own clock, nothing outside of the trace's window.
Result<ChromeAdditions> collect_chrome_additions(const RankView&, const JobContext&);

}  // namespace core
