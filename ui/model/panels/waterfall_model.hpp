#pragma once
// The change of the mean step as floating bars: from the baseline's whole step, part after part, to
// the candidate's. Whole nanoseconds, so that every bar begins exactly at the end of the previous
// one. No ImGui.

#include "core/diff/join/tested.hpp"
#include "core/diff/step_change/step_change.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ui {

struct WaterfallBar {
    enum class Kind : std::uint8_t { Whole, Part };
    Kind kind = Kind::Part;
    std::string title;              // "Baseline", a kernel's name, "Idle"
    std::int64_t from_ns = 0;       // for a part: the step before it; for a whole: 0
    std::int64_t to_ns = 0;
    std::size_t part = 0;           // index into StepChange::parts
    std::optional<core::Side> only; // the only side that has the kernel
    std::int64_t change() const { return to_ns - from_ns; }
};

struct WaterfallModel {
    core::StepChange change;
    std::vector<WaterfallBar> bars;  // baseline, the parts that either run has, candidate
    std::int64_t least_ns = 0;  // the plot's range; above 0 if the changes would be invisible
    std::int64_t most_ns = 0;
    std::vector<core::Tested> tests;  // by part; empty: not tested
    std::optional<core::Tested> step;  // its values are dots on the whole bars; absent: no dots

    static WaterfallModel of(core::StepChange change, std::vector<core::Tested> tests = {},
                             std::optional<core::Tested> step = {});
    // The 95 % interval of a part's change; absent for wholes, without tests, and with too few values for a verdict.
    std::optional<core::stats::Interval> find_interval(const WaterfallBar&) const;
    // The side of a whole bar.
    core::Side side_of(const WaterfallBar& bar) const {
        return &bar == &bars.front() ? core::Side::Baseline : core::Side::Candidate;
    }
    // The tests of a bar; null for wholes and without tests.
    const core::Tested* find_tests(const WaterfallBar& bar) const {
        return bar.kind == WaterfallBar::Kind::Part && !tests.empty() ? &tests[bar.part] : nullptr;
    }
};

// The step whose duration changed most, over all ranks, as both sides number it.
struct ChangedStep {
    core::BySide<core::RankKey> rank;
    core::BySide<std::int64_t> number;
    core::BySide<std::int64_t> duration_ns;
    std::int64_t change() const { return duration_ns.candidate - duration_ns.baseline; }
};
// Finds it in two answers of `steps`; nullopt if no step is in both runs.
std::optional<ChangedStep> find_most_changed_step(const core::BySide<const core::Table*>& steps,
                                                  const core::RunAlignment&);

std::string title_of(core::StepPart);
// True if such a part stands for events.
bool has_events(core::StepPart);

}  // namespace ui
