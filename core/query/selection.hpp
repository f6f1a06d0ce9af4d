#pragma once
// One rank under a filter, ignoring rank and time terms: the GPU events that pass, their window,
// and a class partition of their own, so any time window of a filtered rank also costs two binary
// searches. Immutable and readable from any thread; O(events) to build, once per (rank, filter
// without rank and time terms). Fails if cancelled or if a regular expression is invalid.

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
    // First start to last end of the GPU events that pass the step and stream terms.
    RankRange window() const { return window_; }
    // True if an event (CPU or GPU) passes every term. A CPU event has no stream, class or group,
    // so it passes such terms only negated. A GPU event launched before the trace began has no step
    // and passes no step term, negated or not.
    bool passes(EventId e) const { return passes_.empty() || passes_[index_of(e)]; }
    std::size_t resident_bytes() const;             // excluding the rank's index
    // Steps that pass the step terms, by start; for step:complete, those before the last one.
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
    std::vector<bool> passes_;   // by event; empty if everything passes
};

using SelectionPtr = std::shared_ptr<const Selection>;

// Same as Selection::steps() without building a Selection. O(steps).
std::vector<Step> collect_selected_steps(const RankTrace&, const Filter&);

}  // namespace core
