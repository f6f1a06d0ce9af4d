#pragma once
// One rank seen through a filter without its rank and time terms (they are passed over here): which GPU
// events pass, the window they are measured in, and a class partition of their own, so that any time
// window of a filtered rank costs two binary searches too. Immutable; any thread may read it; O(events)
// to build, once per (rank, filter without rank and time terms). Fails when cancelled, or when a regular
// expression in the filter cannot be used.

#include "core/base/jobs.hpp"
#include "core/query/filter.hpp"

namespace core {

class Selection {
public:
    Selection(const Selection&) = delete;
    Selection& operator=(const Selection&) = delete;

    static Result<std::shared_ptr<const Selection>> build(const Run&, std::size_t slot, const Filter&,
                                                          const JobContext&);

    // GPU events that pass every term, by start.
    std::span<const EventId> gpu_events() const { return gpu_events_; }
    const IntervalTree& gpu_tree() const { return *tree_; }
    const ClassPartition& partition() const { return *partition_; }
    // First start to last end of the GPU events that pass the terms on step and stream alone.
    RankRange window() const { return window_; }
    // Whether any event (CPU or GPU) passes every term. What a CPU event lacks (stream, class, group) is in no
    // range, so it passes such a term only if it is negated. A GPU event launched before the trace began is in no
    // step and passes no step term, negated or not.
    bool passes(EventId e) const { return passes_.empty() || passes_[index_of(e)]; }
    std::size_t resident_bytes() const;             // without the rank's index
    // Steps that pass the step terms, by start: those begun before the last one, of step:complete.
    std::span<const Step> steps() const { return steps_; }

private:
    friend class SelectionBuilder;
    Selection() = default;
    RankIndexPtr index_;
    std::vector<EventId> own_events_;
    std::span<const EventId> gpu_events_;
    IntervalTree own_tree_;
    const IntervalTree* tree_ = nullptr;
    ClassPartition own_partition_;
    const ClassPartition* partition_ = nullptr;
    RankRange window_{};
    std::vector<Step> steps_;
    std::vector<bool> passes_;   // by event; empty when everything passes
};

using SelectionPtr = std::shared_ptr<const Selection>;

// The steps that pass the step terms, as Selection::steps(), without making one. O(steps).
std::vector<Step> collect_selected_steps(const RankTrace&, const Filter&);

}  // namespace core
