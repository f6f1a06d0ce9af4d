#pragma once
// What the dragged area holds, in a small box beside it, and what can be done with it: zoom to it (Z) or filter to
// its time (Enter). The summary is made on the pool once the drag is over. Main thread only.

#include "core/query/area_summary.hpp"
#include "ui/panel.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace ui {

struct Box;
struct TimelineFrame;

// The filter with this time instead of any it had.
core::Filter filter_to_time(const core::Filter&, core::TimeTerm);

class AreaBox {
public:
    void draw(TimelineFrame&, bool dragging);
    bool busy() const { return static_cast<bool>(job_); }
    void describe(nlohmann::json& shown, core::RunRange area) const;

private:
    void ask(const TimelineFrame&, core::RunRange area);
    void draw_summary(const TimelineFrame&, const Box&);
    void draw_buttons(TimelineFrame&, const Box&);

    std::uint64_t asked_run_ = 0;   // 0: nothing was asked
    core::RunRange asked_range_{};
    core::Filter asked_filter_;
    core::Job<core::AreaSummary> job_;
    std::optional<core::AreaSummary> summary_;
};

}  // namespace ui
