#pragma once
// The whole run in one strip: utilisation by class, averaged over all ranks, with the visible range
// marked. Click centres the view there; drag moves it. Two strips of a comparison show the same
// time.

#include "core/query/find_events.hpp"
#include "ui/timeline/scene/collect_visible.hpp"
#include "ui/timeline/scene/rect_renderer.hpp"

#include <imgui.h>

#include <vector>

namespace ui {

// Mean shares over the ranks, as collect_utilisation gives them for one. Returns how many stretches of columns were
// computed: at most the columns of each rank, and fewer where a rank has fewer segments.
// waits: of the run; null: none known.
std::size_t collect_overview(const core::Run&, const core::RunWaitSpans* waits, const TimeView& whole,
                             std::span<std::uint32_t> strip);

struct OverviewMarks {                          // null: nothing to draw
    const core::FoundEvents* found = nullptr;   // along the lower edge
    const core::FoundEvents* only_here = nullptr;  // along the upper edge
    ImU32 only_color = 0;
    core::RunWaitSpansPtr waits = nullptr;  // hatched
};

class Overview {
public:
    // Draws `span` of the run at `position`; user input moves `view`.
    void draw(const core::RunPtr&, core::RunRange span, const OverviewMarks&, TimeView& view, ImVec2 position,
              ImVec2 size);

private:
    void update(const core::RunPtr&, const core::RunWaitSpansPtr& waits, core::RunRange span, ImVec2 size);

    RectRenderer renderer_;
    std::uint64_t run_id_ = 0;
    core::RunWaitSpansPtr waits_;
    core::RunRange span_{};
    TimeView whole_;
    ImVec2 size_{};
    std::vector<std::uint32_t> strip_;
};

}  // namespace ui
