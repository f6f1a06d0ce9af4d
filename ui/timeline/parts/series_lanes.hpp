#pragma once
// Rows of what analyses know over time (rank_series), below the streams of each open rank, while they are switched on.
// Worked out on the pool for the ranks in view, each once; rows come as they are known. Main thread only.

#include "core/base/jobs.hpp"
#include "ui/timeline/model/rank_series.hpp"
#include "ui/timeline/timeline_parts.hpp"

namespace ui {

class SeriesLanes {
public:
    // Once per frame, with the rows in view known; what is new is among the rows of the next frame.
    void update(const TimelineFrame&, TimelineRows&);
    void draw_title(const TimelineFrame&) const;  // at the left of the corner's last line
    bool on() const { return on_; }
    bool busy() const { return waiting_ > 0; }
    void describe(nlohmann::json& shown) const;

private:
    struct OfRank {
        core::Job<RankSeriesPtr> job;  // until it is made
        RankSeriesPtr made;            // null: not yet, or it failed
        bool wanted = false;           // in this frame
    };
    void ask(const TimelineFrame&, std::uint32_t slot);
    bool take_finished();
    bool forget_closed(const core::Run&);
    std::string words() const;

    bool on_ = false;
    std::map<const core::RankIndex*, OfRank> ranks_;
    std::uint64_t run_id_ = 0;
    std::size_t waiting_ = 0;  // of the ranks in view
    std::size_t lines_ = 0;
    std::size_t wanted_ = 0;
    std::string error_;
};

}  // namespace ui
