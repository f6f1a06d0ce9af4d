#pragma once
// What the dragged area holds, in a small box beside it, and what can be done with it: zoom to it (Z), filter to it
// (Enter), or see more of it in the panel of the area, which is given the summary by way of the state. The summary is made on the pool once the drag is over. Main thread only.

#include "core/query/area_summary.hpp"
#include "ui/model/panel.hpp"
#include "ui/model/panels/area_filter.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace ui {

struct Box;
struct TimelineFrame;

class AreaBox {
public:
    // Adds the area up, whether the timeline is drawn or too small for it: panels wait for the numbers. Once per frame.
    void update(Frame&, UiState&, const core::RunPtr&, bool dragging);
    void draw(TimelineFrame&);
    bool busy() const { return static_cast<bool>(job_); }
    void describe(nlohmann::json& shown, core::RunRange area) const;

private:
    void ask(Frame&, const UiState&, const core::RunPtr&);
    void draw_summary(const TimelineFrame&, const Box&);
    void draw_names(const TimelineFrame&, const Box& room) const;
    void draw_buttons(TimelineFrame&, const Box&);

    std::uint64_t asked_run_ = 0;  // 0: nothing was asked
    core::RunRange asked_range_{};
    core::Filter asked_filter_;
    std::vector<core::TrackRows> asked_rows_;
    core::Job<core::AreaSummary> job_;
    std::shared_ptr<const core::AreaSummary> summary_;
    AreaFilterMaker filter_;
};

}  // namespace ui
