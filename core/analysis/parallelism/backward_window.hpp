#pragma once
// The backward pass of each step of a rank: where its operators and its compute kernels begin and end.

#include "core/analysis/parallelism/member_places.hpp"

#include <map>

namespace core {

struct BackwardWindow {
    RankRange operators{};  // autograd::engine::evaluate_function of the step, first begin to last end; empty: none
    RankRange kernels{};  // compute kernels launched below them; empty: none
};
// One of them, as a rank's partial has it.
struct BackwardOfStep {
    std::uint32_t slot = 0;
    std::int64_t step = 0;
    BackwardWindow window;
};
template <>
inline constexpr auto kFields<BackwardOfStep> =
    std::tuple{field("slot", &BackwardOfStep::slot),
               field("step", &BackwardOfStep::step),
               field("operators begin", &BackwardOfStep::window, &BackwardWindow::operators, &RankRange::begin),
               field("operators end", &BackwardOfStep::window, &BackwardWindow::operators, &RankRange::end),
               field("kernels begin", &BackwardOfStep::window, &BackwardWindow::kernels, &RankRange::begin),
               field("kernels end", &BackwardOfStep::window, &BackwardWindow::kernels, &RankRange::end)};

using StepOfSlot = std::pair<std::uint32_t, std::int64_t>;  // slot, step number
using BackwardWindows = std::map<StepOfSlot, BackwardWindow>;

// A table of the windows of the rank's steps, which read_backward_windows reads. Fails if cancelled.
Result<bool> add_backward_windows(const RankView&, Partial&, const JobContext&);
// collect_places, with that table beside it. Fails if cancelled.
Result<Partial> collect_places_and_windows(const RankView&, std::vector<Column> main, const JobContext&);
BackwardWindows read_backward_windows(std::span<const Partial* const> partials);
// From the end of the last backward kernel to `end`, at least 0; absent without such kernels.
std::optional<std::int64_t> find_tail(const BackwardWindow&, RankTime end);

}  // namespace core
