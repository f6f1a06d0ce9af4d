#pragma once
// State that lasts a few frames: pointer, hover, progress of background work, requests to the next frame. Never saved,
// not part of undo. Written by the window and, for its own side, by the timeline; panels read it. No ImGui.

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
    core::FoundEventsPtr found;  // null: nothing is searched for or known yet
    std::string text;  // searched for
    std::string error;
    bool searching = false;
    double progress = 0;  // 0..1, of a search through arguments
};

// Ephemera of one side's run.
struct SideEphemera {
    core::EventRef hovered;
    std::optional<core::RunTime> pointer;  // where the mouse is on this side's timeline
    std::optional<core::RunTime> echo;  // where it is on the other side's, in this side's time
    bool has_keys = true;  // keys of the timeline are this side's
    FindStatus search;
    std::shared_ptr<SelectedLinks> links = std::make_shared<SelectedLinks>();  // asked by who shows them
    std::shared_ptr<const core::AreaSummary> area_summary;  // null: not known yet
    core::FoundEventsPtr unique_events;  // events whose names the other run has not; null: not known
    std::size_t unique_names = 0;
    std::vector<std::uint32_t> wanted_whole{};  // slots: of a run summary, seen closer than it is fine, or opened
    core::RunRange bounds{};  // what can be panned to; empty: the run
    core::RunRange work{};  // what "the whole run" shows; empty: the run's own
};

// Requests to a side's timeline, which clears them in the next frame.
struct SideRequests {
    bool focus_find = false;
    bool stop_find = false;  // until something else is searched for
    int find_steps = 0;  // to walk among the found events, forward or back; taken once they are known
    int gap_steps = 0;  // to walk among the longest gaps, towards shorter ones; taken once they are known
    std::optional<core::Occurrence> occurrence;  // of the selected event's name, to be gone to
};

// The same of the window.
struct WindowRequests {
    bool focus_filter = false;
    std::optional<core::Side> ask_for_path;
    std::optional<PaletteMode> open_palette;
    std::optional<SaveKind> ask_to_save;
    bool ask_for_settings = false;
    std::vector<std::filesystem::path> dropped;  // to be asked about: a run is open already
};

struct Ephemera {
    core::BySide<SideEphemera> sides;
    core::BySide<SideRequests> asked;  // stay with the side when the runs change places
    WindowRequests window;
};

}  // namespace ui
