#include "ui/model/panels/waterfall_model.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace ui {
namespace {

std::int64_t length(std::int64_t value) { return value < 0 ? -value : value; }

// Chooses the plot's lower end: it visibly cuts the whole bars and leaves room for the changes.
std::int64_t choose_least(const std::vector<WaterfallBar>& bars, std::int64_t most) {
    std::int64_t lowest = most;
    for (const WaterfallBar& bar : bars) {
        lowest = std::min(lowest, bar.to_ns);
        if (bar.kind == WaterfallBar::Kind::Part) lowest = std::min(lowest, bar.from_ns);
    }
    const std::int64_t moved = std::max<std::int64_t>(most - lowest, most / 100);
    const std::int64_t floor = lowest - moved / 2;
    return floor > most / 3 ? floor : 0;
}

using StepKey = std::pair<std::int64_t, std::int64_t>;  // rank cell, step

std::map<StepKey, std::int64_t> durations_of(const core::Table& table) {
    const std::size_t rank = table.find_column("rank");
    const std::size_t step = table.find_column("step");
    const std::size_t duration = table.find_column("duration");
    std::map<StepKey, std::int64_t> durations;
    for (std::size_t row = 0; row < table.rows(); ++row)
        durations[{table.integer(row, rank), table.integer(row, step)}] = table.integer(row, duration);
    return durations;
}

// Makes room for the intervals of the parts and for the values of the whole.
void widen(WaterfallModel& model) {
    const auto include = [&](double low, double high) {
        model.most_ns = std::max<std::int64_t>(model.most_ns, std::llround(high));
        if (model.least_ns > 0) model.least_ns = std::clamp<std::int64_t>(std::llround(low), 0, model.least_ns);
    };
    for (const WaterfallBar& bar : model.bars) {
        const auto from = static_cast<double>(bar.from_ns);
        if (const auto interval = model.find_interval(bar)) include(from + interval->low, from + interval->high);
    }
    if (!model.step) return;
    for (const core::Side side : core::kSides)
        for (const double value : model.step->values[side]) include(value, value);
}

}  // namespace

std::string title_of(core::StepPart part) {
    switch (part) {
        case core::StepPart::Kernel:
            return "Kernel";
        case core::StepPart::OtherKernels:
            return "Other kernels";
        case core::StepPart::ExposedCommunication:
            return "Exposed communication";
        case core::StepPart::ExposedMemory:
            return "Exposed memory";
        case core::StepPart::Idle:
            return "Idle";
        case core::StepPart::NotRecorded:
            return "Without GPU events";
    }
    return {};
}

bool has_events(core::StepPart part) { return part != core::StepPart::Idle && part != core::StepPart::NotRecorded; }

WaterfallModel WaterfallModel::of(core::StepChange change, std::vector<core::Tested> tests,
                                  std::optional<core::Tested> step) {
    WaterfallModel model;
    model.tests = std::move(tests);
    model.step = std::move(step);
    std::int64_t at = change.mean.baseline;
    model.bars.push_back({WaterfallBar::Kind::Whole, "Baseline", 0, at, 0, {}});
    model.most_ns = std::max(change.mean.baseline, change.mean.candidate);
    for (std::size_t i = 0; i < change.parts.size(); ++i) {
        const core::PartChange& part = change.parts[i];
        const bool is_kernel = part.part == core::StepPart::Kernel;
        if (!is_kernel && part.ns.baseline == 0 && part.ns.candidate == 0) continue;  // in neither run
        WaterfallBar bar{.kind = WaterfallBar::Kind::Part,
                         .title = is_kernel ? part.name : title_of(part.part),
                         .from_ns = at,
                         .to_ns = at + part.change(),
                         .part = i,
                         .only = {}};
        if (part.present.baseline != part.present.candidate)
            bar.only = part.present.baseline ? core::Side::Baseline : core::Side::Candidate;
        at = bar.to_ns;
        model.most_ns = std::max(model.most_ns, at);
        model.bars.push_back(std::move(bar));
    }
    model.bars.push_back({WaterfallBar::Kind::Whole, "Candidate", 0, change.mean.candidate, 0, {}});
    model.least_ns = choose_least(model.bars, model.most_ns);
    widen(model);
    model.change = std::move(change);
    return model;
}

std::optional<core::stats::Interval> WaterfallModel::find_interval(const WaterfallBar& bar) const {
    const core::Tested* const tested = find_tests(bar);
    if (!tested || !tested->samples.welch || tested->least_n() < core::stats::kLeastValues) return std::nullopt;
    return tested->samples.welch->interval;
}

std::optional<ChangedStep> find_most_changed_step(const core::BySide<const core::Table*>& steps,
                                                  const core::RunAlignment& alignment) {
    const core::BySide<std::map<StepKey, std::int64_t>> durations{durations_of(*steps.baseline),
                                                                  durations_of(*steps.candidate)};
    std::optional<ChangedStep> most;
    for (const core::BySide<core::RankKey>& rank : alignment.ranks) {
        for (const core::BySide<core::StepBegin>& step : alignment.steps) {
            const auto baseline = durations.baseline.find({rank.baseline.packed(), step.baseline.number});
            const auto candidate = durations.candidate.find({rank.candidate.packed(), step.candidate.number});
            if (baseline == durations.baseline.end() || candidate == durations.candidate.end()) continue;
            const ChangedStep found{.rank = rank,
                                    .number = {step.baseline.number, step.candidate.number},
                                    .duration_ns = {baseline->second, candidate->second}};
            if (!most || length(found.change()) > length(most->change())) most = found;
        }
    }
    return most;
}

}  // namespace ui
