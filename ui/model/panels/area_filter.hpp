#pragma once
// The filter that says what an area of the timeline is, as far as one can. No ImGui.

#include "core/query/track_rows.hpp"
#include "core/session/session.hpp"
#include "ui/model/weak_key.hpp"

#include <string>

namespace ui {

struct AreaFilter {
    core::Filter filter;  // in the baseline's numbers
    std::string unsaid;   // what of the area it cannot say, in words; empty: it says all
};

// The filter with this time instead of any it had.
core::Filter filter_to_time(const core::Filter&, core::TimeTerm);
// The session's filter, narrowed to the time and to the ranks and streams of the rows.
AreaFilter filter_of_area(const core::Session&, core::Side, core::RunRange, const std::vector<core::TrackRows>&);

// Kept while nothing that it depends on changes: it is O(ranks · rows).
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
