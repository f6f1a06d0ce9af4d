#pragma once
// All indexes of one rank under one set of class rules. Built once, O(n log n), then immutable and
// readable from any thread. Keeps its trace alive.

#include "core/base/jobs.hpp"
#include "core/index/class_partition.hpp"
#include "core/index/counter_pyramid.hpp"
#include "core/index/derived.hpp"
#include "core/index/interval_tree.hpp"
#include "core/index/member_events.hpp"
#include "core/index/time_pyramid.hpp"

namespace core {

class RankIndex {
public:
    // With the help of the job's executor, if it has one.
    RankIndex(RankTracePtr trace, const ClassRules& rules, const JobContext& job = {});

    // Converts to and from sections of an index file, without those of the trace: nullptr if one is
    // missing or doesn't match the trace's size. O(lanes). The caller checks the rules.
    void collect_sections(SectionList&) const;
    static std::shared_ptr<const RankIndex> from_sections(RankTracePtr trace, const Blob&);
    // True if data from untrusted sections points outside its trace. O(size).
    bool has_fault() const;

    const RankTrace& trace() const { return *trace_; }
    const ClassTable& classes() const { return classes_; }
    const ClassPartition& partition() const { return partition_; }   // of all GPU events
    const IntervalTree& gpu_tree() const { return gpu_tree_; }       // over trace().gpu_events
    const TimePyramid& pyramid(std::size_t lane) const { return pyramids_[lane]; }
    const CounterPyramid& counter(std::size_t i) const { return counters_[i]; }  // of trace().counters
    const MemberTable& members() const { return members_; }          // member events of collectives
    RankRange gpu_window() const { return partition_.range(); }      // first GPU start to last GPU end
    const Derived& derived() const { return *derived_; }              // made on demand: no rank is read twice for it
    std::size_t resident_bytes() const;                               // excluding the trace

private:
    RankIndex(RankTracePtr trace, ClassTable classes, IntervalTree tree, ClassPartition partition,
              std::vector<TimePyramid> pyramids, MemberTable members, std::span<const ValueRange> counter_ranges);

    RankTracePtr trace_;
    ClassTable classes_;
    IntervalTree gpu_tree_;
    ClassPartition partition_;
    std::vector<TimePyramid> pyramids_;
    std::vector<CounterPyramid> counters_;
    MemberTable members_;
    std::unique_ptr<const Derived> derived_ = std::make_unique<const Derived>();
};

using RankIndexPtr = std::shared_ptr<const RankIndex>;

}  // namespace core
