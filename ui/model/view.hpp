#pragma once
// View of one side's run: time, selection, area. A value; part of the document. No ImGui.

#include "core/index/run.hpp"
#include "core/query/track_rows.hpp"
#include "ui/model/time_view.hpp"

#include <optional>
#include <vector>

namespace ui {

struct View {
    TimeView time;
    TimeView whole;      // the view last fitted to the whole run; time follows it until moved
    bool fitted = false;  // `whole` is valid
    core::EventRef selected;                 // invalid: nothing selected
    std::optional<core::RunRange> area;      // selected by dragging on the timeline
    std::vector<core::TrackRows> area_rows;  // rows of the area; empty: all
    std::optional<std::uint32_t> top_slot;   // rank of the uppermost row
    bool operator==(const View&) const = default;
};

bool exists(const core::RunPtr&, core::EventRef);
// The same event of the same rank in another run, where the rank may be whole instead of thin; invalid if it is
// missing. Either run may be null.
core::EventRef carry_over_event(core::EventRef, const core::Run* before, const core::Run* after);
// True while the view follows the whole run, however long it becomes.
bool shows_whole(const View&);
// work: range of "the whole run"; empty: the run's own work window.
void show_whole(const core::Run&, core::RunRange work, View&);
// Keeps the zoom if the event fits and is wide enough to see, else shows it with a margin.
void show_event(const core::Run&, core::EventRef, TimeView&);
// True if both show the same time to within a pixel.
bool show_same_time(const View&, const View&);

}  // namespace ui
