#pragma once
// A small box next to the dragged area, with summary and actions: zoom (Z), filter (Enter), open
// the area panel, which gets the summary through the state. The summary is computed on the pool
// once the drag ends. Main thread only.

#include "core/query/area_summary.hpp"
#include "ui/model/panel.hpp"
#include "ui/model/panels/area_filter.hpp"
#include "ui/model/panels/scope_text.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace ui {

struct Box;
struct TimelineFrame;

class AreaBox {
public:
    // Requests the summary; call once per frame even if the timeline is too small to draw, because panels need the
    // numbers.
    void update(Frame&, const View&, SideEphemera&, bool dragging);
    void draw(TimelineFrame&);
    bool busy() const { return static_cast<bool>(job_); }
    void describe(nlohmann::json& shown, core::RunRange area) const;

private:
    void ask(Frame&, const View&);
    void draw_summary(const TimelineFrame&, const Box&);
    void draw_names(const TimelineFrame&, const Box& room) const;
    void draw_buttons(TimelineFrame&, const Box&);

    std::uint64_t asked_run_ = 0;  // 0: nothing requested
    core::RunRange asked_range_{};
    core::Filter asked_filter_;
    std::vector<core::TrackRows> asked_rows_;
    core::Job<core::AreaSummary> job_;
    std::shared_ptr<const core::AreaSummary> summary_;
    AreaFilterMaker filter_;
    ScopeText scope_;
    std::string scope_words_;
};

}  // namespace ui
