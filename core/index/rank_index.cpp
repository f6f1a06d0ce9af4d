#include "core/index/rank_index.hpp"

#include "core/store/sections.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace core {

RankIndex::RankIndex(RankTracePtr trace, const ClassRules& rules, const JobContext& job)
    : trace_(std::move(trace)),
      classes_(*trace_, rules),
      gpu_tree_(trace_->gpu_events, trace_->start, trace_->duration),
      pyramids_(trace_->lanes.size()) {
    // Longest lanes first, so a short one finishes last; the partition is built alongside.
    std::vector<std::uint32_t> lanes(trace_->lanes.size());
    std::iota(lanes.begin(), lanes.end(), 0U);
    std::ranges::stable_sort(lanes, std::greater{}, [&](std::uint32_t lane) {
        return index_of(trace_->lanes[lane].last) - index_of(trace_->lanes[lane].first);
    });
    job.parallel_for(lanes.size() + 2, [&](std::size_t i) {
        if (i == 0)
            partition_ = ClassPartition(*trace_, classes_, trace_->gpu_events);
        else if (i == 1)
            members_ = MemberTable(*trace_, classes_);
        else
            pyramids_[lanes[i - 2]] = TimePyramid(*trace_, classes_, trace_->lanes[lanes[i - 2]]);
    });
    counters_.reserve(trace_->counters.size());
    for (const CounterTrack& counter : trace_->counters)
        counters_.emplace_back(trace_->counter_values.subspan(counter.first, counter.last - counter.first));
}

RankIndex::RankIndex(RankTracePtr trace, ClassTable classes, IntervalTree tree, ClassPartition partition,
                     std::vector<TimePyramid> pyramids, MemberTable members, std::span<const ValueRange> counter_ranges)
    : trace_(std::move(trace)),
      classes_(std::move(classes)),
      gpu_tree_(std::move(tree)),
      partition_(std::move(partition)),
      pyramids_(std::move(pyramids)),
      members_(std::move(members)) {
    counters_.reserve(trace_->counters.size());
    for (const CounterTrack& counter : trace_->counters)
        counters_.emplace_back(trace_->counter_values.subspan(counter.first, counter.last - counter.first),
                               counter_ranges);
}

void RankIndex::collect_sections(SectionList& list) const {
    classes_.collect_sections(list);
    gpu_tree_.collect_sections(list);
    partition_.collect_sections(list);
    TimePyramid::collect_sections(pyramids_, list);
    for (const CounterPyramid& counter : counters_) counter.collect_sections(list);
    members_.collect_sections(list);
}

RankIndexPtr RankIndex::from_sections(RankTracePtr trace, const Blob& blob) {
    ClassTable classes(blob);
    if (classes.resident_bytes() != (trace->size() + 3) / 4) return nullptr;
    std::optional<IntervalTree> tree =
        IntervalTree::from_sections(blob, trace->gpu_events, trace->start, trace->duration);
    std::optional<ClassPartition> partition = ClassPartition::from_sections(blob);
    std::vector<TimePyramid> pyramids = TimePyramid::from_sections(blob, trace->lanes);
    if (!tree || !partition || pyramids.size() != trace->lanes.size()) return nullptr;
    return RankIndexPtr(new RankIndex(std::move(trace), std::move(classes), std::move(*tree), std::move(*partition),
                                      std::move(pyramids), MemberTable(blob),
                                      blob.section<ValueRange>(section::kCounterRanges)));
}

bool RankIndex::has_fault() const {
    return partition_.has_fault(trace_->window) || members_.has_fault(*trace_) ||
           std::ranges::any_of(pyramids_, &TimePyramid::has_fault);
}

std::size_t RankIndex::resident_bytes() const {
    std::size_t bytes = classes_.resident_bytes() + gpu_tree_.resident_bytes() + partition_.resident_bytes() +
                        members_.resident_bytes();
    for (const TimePyramid& pyramid : pyramids_) bytes += sizeof(TimePyramid) + pyramid.resident_bytes();
    for (const CounterPyramid& counter : counters_) bytes += sizeof(CounterPyramid) + counter.resident_bytes();
    return bytes;
}

}  // namespace core
