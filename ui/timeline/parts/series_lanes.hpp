#pragma once
// Rows with series that analyses compute over time (rank_series), below the streams of each open
// rank, while switched on. Computed once per rank in view, on the pool; rows appear as results
// arrive. Main thread only.

#include "core/base/jobs.hpp"
#include "ui/timeline/model/rank_series.hpp"
#include "ui/timeline/parts/timeline_parts.hpp"

namespace ui {

class SeriesLanes {
public:
    // Call once per frame, when the visible rows are known; new rows appear in the next frame.
    void update(const TimelineFrame&, TimelineRows&);
    void draw_title(const TimelineFrame&) const;  // at the left of the corner's last line
    bool on() const { return on_; }
    bool busy() const { return waiting_ > 0; }
    void describe(nlohmann::json& shown) const;

private:
    struct OfRank {
        core::Job<RankSeriesPtr> job;  // while running
        RankSeriesPtr made;            // null: pending or failed
        bool wanted = false;           // in this frame
    };
    void ask(const TimelineFrame&, std::uint32_t slot);
    bool poll_jobs();
    bool forget_closed(const core::Run&);
    std::string words() const;

    bool on_ = false;
    std::map<const core::RankIndex*, OfRank> ranks_;
    std::uint64_t run_id_ = 0;
    std::size_t waiting_ = 0;  // number of ranks in view
    std::size_t lines_ = 0;
    std::size_t wanted_ = 0;
    std::string error_;
};

}  // namespace ui
