#include "core/index/rank_index.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace core {

RankIndex::RankIndex(RankTracePtr trace, const ClassRules& rules, const JobContext& job)
    : trace_(std::move(trace)),
      classes_(*trace_, rules),
      gpu_tree_(trace_->gpu_events, trace_->start, trace_->duration),
      pyramids_(trace_->lanes.size()) {
    // The longest lanes first, so that the last to finish is a short one; the partition with them.
    std::vector<std::uint32_t> lanes(trace_->lanes.size());
    std::iota(lanes.begin(), lanes.end(), 0U);
    std::ranges::stable_sort(lanes, std::greater{}, [&](std::uint32_t lane) {
        return index_of(trace_->lanes[lane].last) - index_of(trace_->lanes[lane].first);
    });
    job.share(lanes.size() + 1, [&](std::size_t i) {
        if (i == 0)
            partition_ = ClassPartition(*trace_, classes_, trace_->gpu_events);
        else
            pyramids_[lanes[i - 1]] = TimePyramid(*trace_, classes_, trace_->lanes[lanes[i - 1]]);
    });
    counters_.reserve(trace_->counters.size());
    for (const CounterTrack& counter : trace_->counters)
        counters_.emplace_back(trace_->counter_values.subspan(counter.first, counter.last - counter.first));
}

std::size_t RankIndex::resident_bytes() const {
    std::size_t bytes = classes_.resident_bytes() + gpu_tree_.resident_bytes() + partition_.resident_bytes();
    for (const TimePyramid& pyramid : pyramids_) bytes += sizeof(TimePyramid) + pyramid.resident_bytes();
    for (const CounterPyramid& counter : counters_) bytes += sizeof(CounterPyramid) + counter.resident_bytes();
    return bytes;
}

}  // namespace core
