#pragma once
// Contents of the panel What if for a replay: sentences, ranks, and which rank the path is on over
// time. Computed from a LiveReplay, O(stretches); no ImGui, any thread.

#include "core/analysis/whatif/live_what_if.hpp"

#include <string>
#include <vector>

namespace ui {

// A stretch of the path on one rank.
struct PathOnRank {
    std::uint32_t rank = 0;  // index into WhatIfModel::ranks
    std::int64_t begin = 0;  // ns from the window's begin
    std::int64_t end = 0;
};

struct WhatIfRank {
    core::RankKey key{};
    core::RankReplay times;
};

struct WhatIfKind {
    std::string bound_by;
    std::int64_t recorded = 0, replayed = 0;  // ns of the path per step
};

struct WhatIfModel {
    std::string error;  // why there is no replay; else empty
    std::string change;  // "compute at 50 %"; empty: as recorded
    std::string extent;  // "the 3 steps 10 to 12", "step 36 of 63", "the window"
    bool is_partial = false;  // excludes some of the filter's steps
    std::string steps_term;  // filter term for these steps: "step:10-12"; empty without steps
    std::int64_t recorded = 0, step_time = 0, gain = 0;  // ns per step
    std::vector<WhatIfRank> ranks;  // by slot
    std::vector<WhatIfKind> kinds;  // those with time
    std::vector<PathOnRank> recorded_path, path;
    std::int64_t window = 0;  // ns, the longer of the two paths

    static WhatIfModel of(const core::Run&, const core::LiveWhatIf&, const core::Result<core::LiveReplay>&,
                          std::span<const PathOnRank> path_before);
    static std::vector<PathOnRank> path_of(const core::LiveWhatIf&, const core::RunPath&);
};

// "2.20 ms less, 17.9 %": the most that a change gains or costs.
std::string format_gain(const WhatIfModel&);

}  // namespace ui
