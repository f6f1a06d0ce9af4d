#pragma once
// A class partition with at most a few cuts in each bucket of time, for run summaries: within a bucket the same sets
// are active as long as before, rounded to 1/256 of it, but in another order. Range and outermost cuts stay exact.

#include "core/index/class_partition.hpp"

namespace core {

struct PartitionCuts {
    RankRange range{};
    std::vector<RankTime> begins;
    std::vector<ClassSet> sets;  // the last one is open-ended
};

// resolution: a power of two, ns. The cuts as they are if coarser ones would not be fewer.
PartitionCuts coarsen(const ClassPartition&, Duration resolution);
// The least resolution, 2^20 ns (about 1 ms) or coarser, that cuts the range into a bounded number of buckets.
Duration resolution_for(const ClassPartition&);

// As sections of a RankIndex, checkpoints included.
void give_sections(PartitionCuts, SectionList&);

}  // namespace core
