#pragma once
// One rank under a filter, ignoring rank and time terms: the GPU events that pass, and what shares of time are taken
// of: the work that passes the step and stream terms, whatever names, classes, durations or groups are chosen, with a
// class partition of its own, so any time window of a filtered rank also costs two binary searches. Immutable and
// readable from any thread; O(events) to build, once per (rank, filter without rank and time terms). Fails if cancelled
// or if a regular expression is invalid.

#include "core/base/jobs.hpp"
#include "core/index/derived.hpp"
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
    // The GPU events that pass the step and stream terms, by start: shares of time are of these.
    std::span<const EventId> window_events() const { return window_events_; }
    const IntervalTree& window_tree() const { return *window_tree_; }
    bool is_in_window(EventId e) const { return in_window_.empty() || in_window_[index_of(e)]; }
    const ClassPartition& partition() const { return *partition_; }  // of window_events()
    // Partition of gpu_events() where a term chooses some events of a class; else null.
    const ClassPartition* chosen_partition() const { return chosen_partition_ ? &*chosen_partition_ : nullptr; }
    RankRange window() const { return window_; }  // first start to last end of window_events()
    // True if an event (CPU or GPU) passes every term. A CPU event has no stream, class or group,
    // so it passes such terms only negated. A GPU event launched before the trace began has no step
    // and passes no step term, negated or not.
    bool passes(EventId e) const { return passes_.empty() || passes_[index_of(e)]; }
    std::size_t resident_bytes() const;  // excluding the rank's index and what is derived
    const Derived& derived() const { return derived_; }  // what several analyses need of it
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
    std::vector<EventId> own_window_events_;
    std::span<const EventId> window_events_;
    IntervalTree own_window_tree_;
    const IntervalTree* window_tree_ = nullptr;
    ClassPartition own_partition_;
    const ClassPartition* partition_ = nullptr;
    std::optional<ClassPartition> chosen_partition_;
    RankRange window_{};
    std::vector<Step> steps_;
    std::vector<bool> passes_;  // by event; empty if everything passes
    std::vector<bool> in_window_;  // same, of the step and stream terms alone
    Derived derived_;
};

using SelectionPtr = std::shared_ptr<const Selection>;

// Same as Selection::steps() without building a Selection. O(steps).
std::vector<Step> collect_selected_steps(const RankTrace&, const Filter&);

}  // namespace core
