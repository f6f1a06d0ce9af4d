#pragma once
// What the panel What if shows of a replay: sentences, ranks, and on which rank the path is when. Made of a LiveReplay,
// O(stretches); no ImGui, any thread.

#include "core/analysis/whatif/live_what_if.hpp"

#include <string>
#include <vector>

namespace ui {

// A stretch of the path that stays on one rank.
struct PathOnRank {
    std::uint32_t rank = 0;  // place in WhatIfModel::ranks
    std::int64_t begin = 0;  // ns from the begin of the window
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
    bool is_partial = false;  // not all the steps that the filter chooses
    std::string steps_term;  // that chooses these steps: "step:10-12"; empty without
    std::int64_t recorded = 0, step_time = 0, gain = 0;  // ns per step
    std::vector<WhatIfRank> ranks;  // by slot
    std::vector<WhatIfKind> kinds;  // those that take time
    std::vector<PathOnRank> recorded_path, path;
    std::int64_t window = 0;  // ns, the longer of the two paths

    static WhatIfModel of(const core::Run&, const core::LiveWhatIf&, const core::Result<core::LiveReplay>&,
                          std::span<const PathOnRank> path_before);
    static std::vector<PathOnRank> path_of(const core::LiveWhatIf&, const core::RunPath&);
};

// "2.20 ms less, 17.9 %": what a change gains at most, or costs.
std::string format_gain(const WhatIfModel&);

}  // namespace ui
