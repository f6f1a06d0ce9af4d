#pragma once
// One number of two runs, as core's comparison has it, and the text of its change. If a side lacks
// the number, its value, the change and the ratio are absent, never 0. No ImGui.

#include "core/diff/join/compare_tables.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

namespace ui {

struct Compared {
    std::optional<double> baseline;
    std::optional<double> candidate;
    std::optional<double> change;   // candidate - baseline
    std::optional<double> ratio;    // candidate / baseline

    static Compared between(std::optional<double> baseline, std::optional<double> candidate);
    // One measure of one row of a comparison.
    static Compared of(const core::Comparison&, std::size_t row, std::size_t measure);
    const std::optional<double>& of_side(core::Side side) const {
        return side == core::Side::Baseline ? baseline : candidate;
    }
    bool known() const { return baseline || candidate; }
};

// "+1.20 ms", "-3", "0 ns"; a dash if absent.
std::string format_change(const Compared&, core::Unit);
// The ratio as a difference: "+2.40 %", "-50 %"; above twice as much, "× 3.5"; empty if absent.
std::string format_ratio_change(const Compared&);
// Sign of a change of at least half a percent of the baseline's value: 1 more, -1 less, else 0.
int noticeable_change(const Compared&);

// For scripts: {"baseline", "candidate", "change", "ratio"}; absent members are left out.
nlohmann::json describe_compared(const Compared&);

}  // namespace ui
