#pragma once
// Time segmented wherever the set of active kernel classes changes, with cumulative times per set
// checkpointed every 32 segments: the breakdown of any window costs two binary searches, however
// many events it contains (DEFINITIONS 2). Exact to the nanosecond.

#include "core/index/class_rules.hpp"

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace core {

// Time per exact set of active classes; [0] is idle. Sums to the requested window.
struct ClassTimes {
    std::array<Duration, kClassSets> by_set{};
    Duration total() const;
    Duration with(KernelClass c) const;            // |C|, |M| or |P|: union of one class
    Duration compute() const { return with(KernelClass::Compute); }
    Duration exposed_communication() const;        // |M \ C|
    Duration exposed_memory() const;               // |P \ (C u M)|
    Duration idle() const { return by_set[0]; }
    bool operator==(const ClassTimes&) const = default;
};

class ClassPartition {
public:
    ClassPartition() = default;
    // events: GPU events in order of start (e.g. RankTrace::gpu_events or a Selection's).
    ClassPartition(const RankTrace&, const ClassTable&, std::span<const EventId> events);
    // As sections of an index file and back.
    void collect_sections(SectionList&) const;
    static std::optional<ClassPartition> from_sections(const Blob&);
    bool has_fault(RankRange window) const;

    ClassTimes times(RankRange window) const;      // time outside all events counts as idle
    ClassSet active_at(RankTime t) const;
    // Maximal intervals in the window during which `with` runs and `without` does not: disjoint,
    // sorted.
    std::vector<RankRange> collect_exposed(KernelClass with, KernelClass without, RankRange window) const;
    // For drawing: times of count equal cells of `cell_ns` each from t0 (fractional cells allowed), left to right,
    // as shares of the cell 0..1 per class (overlaps count in each) in O(cells + log segments) amortised; where there
    // are fewer segments than cells, in O(segments) and a fill.
    struct Cell {
        float compute, communication, memory;
    };
    void collect_cells(RankTime t0, double t0_fraction_ns, double cell_ns, std::span<Cell> out) const;

    std::size_t segments() const { return set_.size(); }
    RankRange range() const { return range_; }  // first start to last end; empty if no events
    std::size_t resident_bytes() const;

private:
    using Cumulative = std::array<std::int64_t, kClassSets>;
    std::size_t segment_at(RankTime t) const;  // t is not before the first
    Cumulative cumulative_to(std::size_t segment) const;
    Cumulative cumulative_at(RankTime t) const;
    friend class CellWalker;
    friend class CellSums;

    RankRange range_{};
    Values<RankTime> begin_;  // of each segment; ends where the next begins
    Values<ClassSet> set_;  // the last segment is empty and open-ended
    Values<Cumulative> checkpoint_;  // before segment 32·k
};

// Cells of many partitions added up, for rows that stand for many ranks: adding one costs its segments in view, or the
// cells if those are fewer. Adding in the same order gives the same sums.
class CellSums {
public:
    explicit CellSums(std::size_t cells);
    void add(const ClassPartition&, RankTime t0, double t0_fraction_ns, double cell_ns);
    void merge(const CellSums& other);  // of as many cells
    std::vector<ClassPartition::Cell> means() const;
    std::size_t added() const { return added_; }
    std::size_t visits() const { return visits_; }  // stretches of cells that were computed: the work done

private:
    std::vector<ClassPartition::Cell> single_;
    std::vector<std::array<std::int64_t, kKernelClasses>>
        rises_;  // cells that a segment fills: +1 at the first, -1 behind
    std::size_t added_ = 0;
    std::size_t visits_ = 0;
};

}  // namespace core
