#pragma once
// State that lasts a few frames: pointer, hover, progress of background work, requests to the next
// frame. Never saved, not part of undo. Written by the window and, for its own side, by the
// timeline; panels only read it. No ImGui.

#include "core/diff/align/side.hpp"
#include "core/query/area_summary.hpp"
#include "core/query/find_events.hpp"
#include "core/query/occurrences.hpp"
#include "ui/model/selected_links.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ui {

// Contents of the box in the middle of the window.
enum class PaletteMode : std::uint8_t { Commands, GoTo, Keys };

// Kinds of files that the window writes.
enum class SaveKind : std::uint8_t { Session, Picture, Report, ChartPicture, ChartDrawing };

// State of a side's search.
struct FindStatus {
    core::FoundEventsPtr found;  // null: no search, or no result yet
    std::string text;  // text of the search
    std::string error;
    bool searching = false;
    double progress = 0;  // 0..1, for searches through arguments
};

// Ephemera of one side's run.
struct SideEphemera {
    core::EventRef hovered;
    std::optional<core::RunTime> pointer;  // time under the mouse on this side's timeline
    std::optional<core::RunTime> echo;  // time under the mouse on the other side's timeline, in this side's time
    bool has_keys = true;  // timeline keys act on this side
    FindStatus search;
    std::shared_ptr<SelectedLinks> links = std::make_shared<SelectedLinks>();  // shared by all views of them
    std::shared_ptr<const core::AreaSummary> area_summary;  // null: not known yet
    core::FoundEventsPtr unique_events;  // events whose names the other run lacks; null: not known yet
    std::size_t unique_names = 0;
    std::vector<std::uint32_t> wanted_whole{};  // slots of a run summary to load whole, as they are zoomed or opened
    core::RunRange bounds{};  // limits of panning; empty: the run
    core::RunRange work{};  // range of "the whole run"; empty: the run's own
};

// Requests to a side's timeline, which clears them in the next frame.
struct SideRequests {
    bool focus_find = false;
    bool stop_find = false;  // stays stopped until another search
    int find_steps = 0;  // steps through found events, forward or back; consumed once they are known
    int gap_steps = 0;  // steps through the longest gaps, towards shorter ones; consumed once they are known
    std::optional<core::Occurrence> occurrence;  // go to this event of the selected event's name
};

// Requests to the window.
struct WindowRequests {
    bool focus_filter = false;
    std::optional<core::Side> ask_for_path;
    std::optional<PaletteMode> open_palette;
    std::optional<SaveKind> ask_to_save;
    bool ask_for_settings = false;
    std::vector<std::filesystem::path> dropped;  // a run is open already, so the user is asked first
};

struct Ephemera {
    core::BySide<SideEphemera> sides;
    core::BySide<SideRequests> asked;  // stay with their side when the runs are swapped
    WindowRequests window;
};

}  // namespace ui
