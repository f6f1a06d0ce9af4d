#pragma once
// One rank seen through a filter without its time range: which GPU events pass, the window they are
// measured in, and a class partition of their own, so that any time window of a filtered rank costs
// two binary searches too. Immutable; any thread may read it; O(events) to build, once per
// (rank, filter without rank and time terms).

#include "core/base/jobs.hpp"
#include "core/query/filter.hpp"

namespace core {

class Selection {
public:
    static Result<std::shared_ptr<const Selection>> build(const Run&, std::size_t slot, const Filter&, const JobContext&);

    // GPU events that pass every term, by start.
    std::span<const EventId> gpu_events() const { return gpu_events_; }
    const IntervalTree& gpu_tree() const { return tree_; }
    const ClassPartition& partition() const { return *partition_; }
    // First start to last end of the GPU events that pass the terms on step and stream alone.
    RankRange window() const { return window_; }
    // Whether any event (CPU or GPU) passes every term. Terms on stream and class are false for CPU events.
    bool passes(EventId e) const;
    // Steps that pass the step terms, by start.
    std::span<const Step> steps() const { return steps_; }

private:
    friend struct SelectionBuilder;
    RankIndexPtr index_;
    std::vector<EventId> own_events_;
    std::span<const EventId> gpu_events_;
    IntervalTree tree_;
    ClassPartition own_partition_;
    const ClassPartition* partition_ = nullptr;
    RankRange window_{};
    std::vector<Step> steps_;
    std::vector<bool> passes_;   // by event; empty when everything passes
};

using SelectionPtr = std::shared_ptr<const Selection>;

}  // namespace core
