#include "ui/model/panels/what_if_model.hpp"

#include "core/base/format.hpp"

#include <algorithm>

namespace ui {
namespace {

std::string format_steps(const core::LiveWhatIf& live) {
    const std::span<const std::int64_t> numbers = live.step_numbers();
    if (numbers.empty()) return "the window";
    std::string text = "step " + std::to_string(numbers.front());
    if (numbers.size() > 1)
        text = "the " + std::to_string(numbers.size()) + " steps " + std::to_string(numbers.front()) + " to " +
               std::to_string(numbers.back());
    if (live.steps() < live.all_steps()) text += ", of " + std::to_string(live.all_steps());
    return text;
}

std::string format_steps_term(const core::LiveWhatIf& live) {
    const std::span<const std::int64_t> numbers = live.step_numbers();
    if (numbers.empty() || live.steps() >= live.all_steps()) return {};
    std::string text = "step:" + std::to_string(numbers.front());
    if (numbers.size() > 1) text += "-" + std::to_string(numbers.back());
    return text;
}

}  // namespace

std::vector<PathOnRank> WhatIfModel::path_of(const core::LiveWhatIf& live, const core::RunPath& path) {
    std::vector<PathOnRank> on;
    const std::vector<core::GraphPart>& parts = live.graph().parts;
    for (const core::RunStretch& stretch : path.stretches) {
        const auto part = std::ranges::lower_bound(parts, stretch.slot, {}, &core::GraphPart::slot);
        const auto rank = static_cast<std::uint32_t>(part - parts.begin());
        const std::int64_t end = stretch.begin + stretch.length;
        if (!on.empty() && on.back().rank == rank)
            on.back().end = end;
        else
            on.push_back({rank, stretch.begin, end});
    }
    return on;
}

WhatIfModel WhatIfModel::of(const core::Run& run, const core::LiveWhatIf& live,
                            const core::Result<core::LiveReplay>& replay, std::span<const PathOnRank> path_before) {
    WhatIfModel model;
    model.extent = format_steps(live);
    model.is_partial = live.steps() < live.all_steps();
    model.steps_term = format_steps_term(live);
    model.recorded = live.recorded();
    if (!replay) {
        model.error = replay.error().message;
        return model;
    }
    model.change = replay->change;
    model.step_time = replay->step_time;
    model.gain = replay->gain;
    for (const core::RankReplay& rank : replay->ranks) model.ranks.push_back({run.rank(rank.slot).key, rank});
    for (std::size_t i = 0; i < core::kBoundBy; ++i)
        if (live.recorded_bound_by()[i] > 0 || replay->bound_by[i] > 0)
            model.kinds.push_back({std::string(core::name_of(static_cast<core::BoundBy>(i))),
                                   live.recorded_bound_by()[i], replay->bound_by[i]});
    model.recorded_path.assign(path_before.begin(), path_before.end());
    model.path = path_of(live, replay->path);
    for (const std::vector<PathOnRank>* const one : {&model.recorded_path, &model.path})
        if (!one->empty()) model.window = std::max(model.window, one->back().end);
    return model;
}

std::string format_gain(const WhatIfModel& model) {
    if (model.gain == 0) return "no change";
    const std::string time = core::format_duration(core::Duration{std::abs(model.gain)});
    const std::string share =
        model.recorded > 0
            ? ", " + core::format_ratio(static_cast<double>(std::abs(model.gain)) / static_cast<double>(model.recorded))
            : std::string();
    return model.gain > 0 ? "at most " + time + " less" + share : time + " more" + share;
}

}  // namespace ui
