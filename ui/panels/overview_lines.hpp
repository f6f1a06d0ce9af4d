#pragma once
// Texts and lines of the Overview panel: for one run a label, a value and a note; for two, both
// runs' numbers and the change.

#include "ui/model/panels/overview_model.hpp"

#include <imgui.h>

#include <string>
#include <string_view>

namespace ui {

std::string describe_ranks(const RunOverview&);  // "8 of 8 ranks", "1 of 8 ranks chosen"
std::string describe_steps(const StepTimes&);  // "6 steps"
std::string describe_facts(const RunOverview&);  // both
// The command line's sentence, if there are steps.
std::string describe_verdict(const OverviewChange&);
// The part and the rank that changed most in the direction of the total; empty without a noticeable change.
std::string describe_change(const OverviewModel&);
// The worst rank or step of one of two runs; empty if there is none.
std::string describe_worst_rank(const RunOverview&);
std::string describe_worst_step(const RunOverview&);
// Tooltip of a part: its share in each run.
std::string explain_part(const OverviewModel&, std::size_t part);

inline constexpr float kOverviewLabel = 164;  // width of labels of one run, at scale 1

struct OverviewLine {
    std::string_view item = {};  // item name for scripts; empty: not clickable
    std::string_view label = {};
    std::string value = {};
    std::string note = {};  // muted text after the value, or below it
    std::string_view hint = {};  // effect of a click
    ImU32 swatch = 0;
    bool one_line = false;  // the note is cut, or left to the tooltip, where it does not fit after the value
    double bar = 0;  // a share drawn as a bar of the swatch's colour before the value; 0: none
};
// Draws a line of one run; true if clicked.
bool draw_overview_line(const OverviewLine&);

// Width limit of two runs' lists: wide lists separate numbers from their labels.
float overview_list_width();
float overview_halves_begin();  // from the left of the list
std::string name_with_side(std::string_view name, core::Side);  // "worst-rank", "candidate-worst-rank"
// Draws both runs' texts next to each other; returns the clicked side. item: as in OverviewLine.
std::optional<core::Side> draw_overview_halves(std::string_view label, std::string_view item,
                                               const core::BySide<std::string>& words, std::string_view hint);
void draw_overview_number(std::string_view label, const Compared&, ImU32 swatch, const std::string& hint);
void draw_overview_head(const core::BySide<std::string>& facts);  // column heads with ranks and steps

}  // namespace ui
