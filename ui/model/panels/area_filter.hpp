#pragma once
// The filter that selects an area of the timeline, as closely as a filter can. No ImGui.

#include "core/query/track_rows.hpp"
#include "core/session/session.hpp"
#include "ui/model/weak_key.hpp"

#include <string>

namespace ui {

struct AreaFilter {
    core::Filter filter;  // in the baseline's numbers
    std::string unsaid;   // parts of the area that no filter can express; empty: none
};

// Replaces the filter's time term.
core::Filter filter_to_time(const core::Filter&, core::TimeTerm);
// The session's filter, narrowed to the time and to the ranks and streams of the rows.
AreaFilter filter_of_area(const core::Session&, core::Side, core::RunRange, const std::vector<core::TrackRows>&);

// Caches the filter, which is O(ranks · rows), until an input changes.
class AreaFilterMaker {
public:
    const AreaFilter& ask(const core::Session&, core::Side, core::RunRange, const std::vector<core::TrackRows>&);

private:
    WeakKey<core::Run> run_;
    core::Side side_ = core::Side::Baseline;
    core::Filter filter_;
    core::TimeTerm time_;
    std::vector<core::TrackRows> rows_;
    AreaFilter made_;
};

}  // namespace ui
