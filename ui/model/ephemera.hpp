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

// Modes of the command palette.
enum class PaletteMode : std::uint8_t { Commands, GoTo, Keys };

// Kinds of files that the window writes.
enum class SaveKind : std::uint8_t { Session, Picture, Report, ChartPicture, ChartDrawing };

// State of a side's search.
struct FindStatus {
    core::FoundEventsPtr found;  // null: not searched, or not known yet
    std::string text;  // the text searched for
    std::string error;
    bool searching = false;
    double progress = 0;  // 0..1 of a search through arguments
};

// Ephemera of one side's run.
struct SideEphemera {
    core::EventRef hovered;
    std::optional<core::RunTime> pointer;  // the time under the mouse on this side's timeline
    std::optional<core::RunTime> echo;  // the time under the mouse on the other side's, in this side's time
    bool has_keys = true;  // this side gets the keys of the timeline
    FindStatus search;
    std::shared_ptr<SelectedLinks> links = std::make_shared<SelectedLinks>();  // requested by the panels that show them
    std::shared_ptr<const core::AreaSummary> area_summary;  // null: not known yet
    core::FoundEventsPtr unique_events;  // events with names that the other run lacks; null: not known
    std::size_t unique_names = 0;
    std::vector<std::uint32_t> wanted_whole{};  // slots of a summary: shown in more detail than it has, or opened
    core::RunRange bounds{};  // limits of panning; empty: the run
    core::RunRange work{};  // the range that "the whole run" shows; empty: the run's own
};

// Requests to a side's timeline, which clears them in the next frame.
struct SideRequests {
    bool focus_find = false;
    bool stop_find = false;  // until the search changes
    int find_steps = 0;  // steps among the found events, forward or back; consumed once these are known
    int gap_steps = 0;  // steps among the longest gaps, towards shorter ones; consumed once these are known
    std::optional<core::Occurrence> occurrence;  // an occurrence of the selected event's name to go to
};

// Requests to the window, likewise.
struct WindowRequests {
    bool focus_filter = false;
    std::optional<core::Side> ask_for_path;
    std::optional<PaletteMode> open_palette;
    std::optional<SaveKind> ask_to_save;
    bool ask_for_settings = false;
    bool open_sample = false;
    std::vector<std::filesystem::path> dropped;  // a run is open already, so the window asks which side they are
};

struct Ephemera {
    core::BySide<SideEphemera> sides;
    core::BySide<SideRequests> asked;  // stay with the side when the runs are swapped
    WindowRequests window;
};

}  // namespace ui
