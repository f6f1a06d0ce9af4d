#pragma once
// Which of several suspects hold a run up, whatever replays it: a graph of kernels or the schedule of a pipeline.
// Internal to late_ranks.hpp and schedule_savings.hpp.

#include "core/analysis/whatif/late_ranks.hpp"

#include <functional>
#include <map>

namespace core {

// By part, which is any numbering of the ranks that are compared.
struct LateEvidence {
    std::vector<std::uint32_t> slots;
    std::vector<RankExcess> excess;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> of_steps;  // excess, by index of step and part
    std::size_t steps = 0;
    std::int64_t length = 0;  // ns, as recorded
    Suspects suspects;
    // ns that the replay saves with these parts like their peers; may be below 0.
    std::function<Result<std::int64_t>(const std::vector<std::uint32_t>&)> save;
};

// As many replays as there are suspects, twice. Fails as `save` does.
Result<LateRanks> choose_late_ranks(const LateEvidence&);

}  // namespace core
