#pragma once
// The panel that a run opens on: the one that shows what its files are about. No ImGui.

#include "core/index/run.hpp"

#include <string>
#include <string_view>

namespace ui {

struct FirstScreen {
    std::string
        words;  // what a run without GPU events is: "flight-recorder dumps: see Hang"; empty: it has such events
    std::string_view panel{};          // empty: see analysis
    std::string_view analysis{};       // an analysis in the panel Analyses
    std::string_view communication{};  // a view of the panel Communication
    std::string_view advice{};  // how to record GPU work, if that is all that is missing
    bool is_usual() const { return panel.empty() && analysis.empty() && communication.empty(); }
};

// Reads names and infos alone: O(ranks + names of memory snapshots and of the first rank).
FirstScreen find_first_screen(const core::Run&);

}  // namespace ui
