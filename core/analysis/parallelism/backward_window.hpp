#pragma once
// The backward pass of each step of a rank: where its operators and its compute kernels begin and end. Internal to this
// folder.

#include "core/analysis/engine/analysis.hpp"

#include <map>

namespace core {

struct BackwardWindow {
    RankRange operators{};  // autograd::engine::evaluate_function of the step, first begin to last end; empty: none
    RankRange kernels{};  // compute kernels launched below them; empty: none
};
// By step number. Fails if cancelled.
Result<std::map<std::int64_t, BackwardWindow>> find_backward_windows(const RankView&, const JobContext&);

}  // namespace core
