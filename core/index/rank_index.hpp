#pragma once
// Everything that makes one rank quick to ask, under one set of class rules. Built once, O(n log n),
// then immutable; any thread may read it. Holds its trace alive.

#include "core/base/jobs.hpp"
#include "core/index/class_partition.hpp"
#include "core/index/counter_pyramid.hpp"
#include "core/index/interval_tree.hpp"
#include "core/index/time_pyramid.hpp"

namespace core {

class RankIndex {
public:
    // With the help of the job's crew, if it has one.
    RankIndex(RankTracePtr trace, const ClassRules& rules, const JobContext& job = {});

    // Without the trace's own, as sections of an index file and back: nullptr if they are not all there, or not of
    // this trace's size. O(lanes). The rules are the caller's business.
    void collect_sections(SectionList&) const;
    static std::shared_ptr<const RankIndex> from_sections(RankTracePtr trace, const Blob&);
    // Whether what came from sections nobody vouches for leads beyond its trace. O(what it holds).
    bool has_fault() const;

    const RankTrace& trace() const { return *trace_; }
    const ClassTable& classes() const { return classes_; }
    const ClassPartition& partition() const { return partition_; }   // of all GPU events
    const IntervalTree& gpu_tree() const { return gpu_tree_; }       // over trace().gpu_events
    const TimePyramid& pyramid(std::size_t lane) const { return pyramids_[lane]; }
    const CounterPyramid& counter(std::size_t i) const { return counters_[i]; }  // of trace().counters
    RankRange gpu_window() const { return partition_.range(); }      // first GPU start to last GPU end
    std::size_t resident_bytes() const;                               // without the trace

private:
    RankIndex(RankTracePtr trace, ClassTable classes, IntervalTree tree, ClassPartition partition,
              std::vector<TimePyramid> pyramids, std::span<const ValueRange> counter_ranges);

    RankTracePtr trace_;
    ClassTable classes_;
    IntervalTree gpu_tree_;
    ClassPartition partition_;
    std::vector<TimePyramid> pyramids_;
    std::vector<CounterPyramid> counters_;
};

using RankIndexPtr = std::shared_ptr<const RankIndex>;

}  // namespace core
