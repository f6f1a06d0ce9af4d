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
    bool fitted = false;  // to a run; a view that isn't is nothing to come back to
    core::EventRef selected;                 // invalid when nothing is
    std::optional<core::RunRange> area;      // dragged on the timeline
    std::vector<core::TrackRows> area_rows;  // of the area; empty: all rows
    std::optional<std::uint32_t> top_slot;   // rank of the uppermost row
    bool operator==(const View&) const = default;
};

bool exists(const core::RunPtr&, core::EventRef);
// The same event of the same rank, which may be whole in one and of a summary in the other; invalid if it is not there.
// Either run may be null.
core::EventRef carry_over_event(core::EventRef, const core::Run* before, const core::Run* after);
// Whether the whole run is shown, however long it is; the view then follows it.
bool shows_whole(const View&);
// work: what "the whole run" means; empty: the run's own work window.
void show_whole(const core::Run&, core::RunRange work, View&);
// Keeps the zoom if the event then fits and can be seen, else shows it with room around.
void show_event(const core::Run&, core::EventRef, TimeView&);
// Whether both show the same time to the eye: to less than a pixel.
bool show_same_time(const View&, const View&);

}  // namespace ui
