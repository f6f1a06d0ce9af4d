#pragma once
// Waiting of every rank as stretches of time, for drawing: what of each communication lane is waiting for a later rank,
// and what of the rank is, while nothing transfers or computes (exposed-communication has the same sum). On each rank's
// own clock. Made once per run (Run::derived) from waits_of, in O(members log members); for the pool.

#include "core/collectives/waits.hpp"

namespace core {

// Sorted and disjoint, with running sums.
class WaitSpans {
public:
    WaitSpans() = default;
    explicit WaitSpans(const std::vector<RankRange>& spans);  // sorted and disjoint; empty ones are left out
    bool empty() const { return begin_.empty(); }
    std::size_t size() const { return begin_.size(); }
    RankRange span(std::size_t i) const { return {begin_[i], end_[i]}; }
    std::int64_t total() const { return sum_.empty() ? 0 : sum_.back(); }
    // Waiting inside a range; O(log spans).
    std::int64_t time_in(RankRange) const;
    // End of the waiting that begins exactly there; `begin` itself if none does.
    RankTime end_of(RankTime begin) const;
    // Adds to each of the equal columns what share of it is waiting. O(columns that have any · log spans).
    void add_shares(RankTime t0, double t0_fraction_ns, double column_ns, std::span<float> columns) const;

private:
    std::int64_t time_before(RankTime) const;
    std::vector<RankTime> begin_, end_;
    std::vector<std::int64_t> sum_;  // 0, then up to and including each
};

struct RankWaitSpans {
    WaitSpans exposed;  // nothing transfers and no compute runs
    std::vector<std::pair<std::uint32_t, WaitSpans>> lanes;  // by lane; of those that have any
    const WaitSpans* of_lane(std::size_t lane) const;  // null: none
};

struct RunWaitSpans {
    std::vector<RankWaitSpans> ranks;  // by slot
    bool any = false;
    std::weak_ptr<const Waits> source;  // gone with the run
};
using RunWaitSpansPtr = std::shared_ptr<const RunWaitSpans>;

RunWaitSpansPtr wait_spans_of(const Run&);

}  // namespace core
