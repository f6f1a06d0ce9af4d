#pragma once
// One number of both runs, as core's comparison has it, and how its change is written. What one side lacks is
// absent, in the change and the ratio too, never 0. No ImGui.

#include "core/diff/compare_tables.hpp"

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
    // Of one row of a comparison, one of its measures.
    static Compared of(const core::Comparison&, std::size_t row, std::size_t measure);
    const std::optional<double>& of_side(core::Side side) const {
        return side == core::Side::Baseline ? baseline : candidate;
    }
    bool known() const { return baseline || candidate; }
};

// "+1.20 ms", "-3", "0 ns"; a dash if it is absent.
std::string format_change(const Compared&, core::Unit);
// The ratio as a difference: "+2.40 %", "-50 %"; "× 3.5" where the candidate has more than twice as much; empty if
// there is none.
std::string format_ratio_change(const Compared&);
// The change that is worth a look: at least half a percent of the baseline's; 1 more, -1 less, 0 neither.
int noticeable_change(const Compared&);

// For scripts: {"baseline", "candidate", "change", "ratio"}, without those that are absent.
nlohmann::json describe_compared(const Compared&);

}  // namespace ui
