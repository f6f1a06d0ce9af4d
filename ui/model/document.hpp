#pragma once
// The document: the open runs and the state of the window, as a value. It is saved, the session file is its
// serialisation, and undo brings back its query and the times shown. Panels and the timeline read it and push intents;
// only reduce() and the verbs of the session make a changed one. No ImGui.

#include "core/analysis/engine/analysis.hpp"
#include "core/session/session.hpp"
#include "ui/model/color_by.hpp"
#include "ui/model/event_listing.hpp"
#include "ui/model/rank_order.hpp"
#include "ui/model/theme_name.hpp"
#include "ui/model/view.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ui {

// Placement of two runs in the window.
enum class Placement : std::uint8_t { Stacked, SideBySide };

// Choices that both sides share.
struct UiChoices {
    bool follow_newest = false;   // the view goes to the newest complete step of a watched folder
    bool follow_visible = false;  // Breakdown is of the visible window, not of the filter's
    std::vector<std::string> chosen_kernels;  // full names, for Kernel durations; empty = the top ones
    std::optional<EventListing> listed;       // shown by the panel of events
    std::string left_tab = "findings";  // panel ids
    std::string right_tab = "overview";
    std::string analysis = "overlap";        // its id, in the panel Analyses
    std::string communication = "waiting";   // the view of the panel Communication
    float drawer_share = 0.38f;  // of the height below the bars
    bool drawer_open = true;
    float tree_width = 252;    // of the timeline, at scale 1
    float interface_size = 1;  // by hand, on top of the monitor's scale; see kLeastInterface
    Theme theme = Theme::Dark;
    bool wheel_zooms = false;       // the wheel alone; with Ctrl it then scrolls
    bool keep_index_files = true;   // of runs opened from now on
    bool index_in_cache = false;    // these go into the cache folder, not next to the traces
    std::int64_t cache_limit_gb = 0;  // of the cache folder, 10^9 bytes; 0: none
    ColorBy color_by = ColorBy::Name;
    Placement placement = Placement::Stacked;
    bool locked = true;           // zoom, pan and rows of both sides go together
    bool mark_unique_events = true;   // events that only one run has
    bool ghost_steps = true;      // marks where the other side's steps begin
    bool critical_path = false;   // drawn on the rows of its rank
    core::Params what_if;         // of the analysis what-if; empty: nothing is changed
    bool series_lanes = false;    // queue length, memory bandwidth and memory, below the streams of open ranks
    RankChoices ranks;            // order of the ranks, and which are shown
    bool find_open = false;
    std::string find_text;
    bool find_arguments = false;  // also searches arguments
    bool operator==(const UiChoices&) const = default;
};

inline constexpr float kLeastInterface = 0.7f;
inline constexpr float kMostInterface = 2.5f;
float resize_interface(float size, int steps);  // by tenths, within the two; 0 steps: 1

inline constexpr float kLeastDrawer = 0.12f;
inline constexpr float kMostDrawer = 0.85f;

struct Document {
    core::ViewQuery query;  // runs, filter, alignment, marks
    core::BySide<View> views;
    UiChoices choices;
    bool operator==(const Document&) const = default;
};

// Whether there is a text to search for and a place that shows what is found.
bool wants_find(const UiChoices&);

}  // namespace ui
