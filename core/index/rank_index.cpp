#include "core/index/rank_index.hpp"

namespace core {

RankIndex::RankIndex(RankTracePtr trace, const ClassRules& rules)
    : trace_(std::move(trace)),
      classes_(*trace_, rules),
      gpu_tree_(trace_->gpu_events, trace_->start, trace_->duration),
      partition_(*trace_, classes_, trace_->gpu_events) {
    pyramids_.reserve(trace_->lanes.size());
    for (const Lane& lane : trace_->lanes) pyramids_.emplace_back(*trace_, classes_, lane);
}

std::size_t RankIndex::resident_bytes() const {
    std::size_t bytes = classes_.resident_bytes() + gpu_tree_.resident_bytes() + partition_.resident_bytes();
    for (const TimePyramid& pyramid : pyramids_) bytes += sizeof(TimePyramid) + pyramid.resident_bytes();
    return bytes;
}

}  // namespace core
