#pragma once
// Exposed communication of one rank, split into waiting for a later rank, transfer and the rest (docs/definitions.md,
// exposed-communication). The one computation of every analysis that has these columns. Reads other ranks of the run,
// so such an analysis is of_run.

#include "core/analysis/engine/analysis.hpp"

#include <array>

namespace core {

struct ExposedSplit {
    std::int64_t all = 0;  // ns: communication runs and no compute
    std::int64_t wait = 0;
    std::int64_t transfer = 0;
    std::int64_t unopened = 0;  // of wait, for recordings that begin later, which is nobody's doing
    bool known = true;  // false: there is exposed communication and no collective of the rank could be split
    std::int64_t other() const { return all - wait - transfer; }
    ExposedSplit& operator+=(const ExposedSplit&);
};

class ExposedSplitter {
public:
    // The selection decides which kernels count; `hull` bounds the ranges that will be asked. O(members log segments).
    ExposedSplitter(const RankView&, const Selection&, RankRange hull);
    // Sorted and disjoint ranges. Two binary searches for each.
    ExposedSplit in(std::span<const RankRange> disjoint) const;

private:
    // Disjoint and sorted, with the exposed time before each.
    struct Part {
        std::vector<RankRange> ranges;
        std::vector<std::int64_t> before;
    };
    Part make_part(std::vector<RankRange> ranges) const;
    std::int64_t exposed_in(RankRange) const;
    std::int64_t exposed_in(const Part&, RankRange) const;

    const ClassPartition* partition_;
    Part wait_;
    Part transfer_;
    Part unopened_;
    bool splits_ = false;  // a collective of the rank could be split
};

// In the view's window.
ExposedSplit split_exposed(const RankView&);

// The three columns at the end of a table, and their cells: absent where nothing is known.
void add_split_columns(std::vector<Column>&);
std::array<Cell, 3> split_cells(const ExposedSplit&);
// Says why the cells are absent, once per rank.
void note_split(const ExposedSplit&, Partial&);

}  // namespace core
