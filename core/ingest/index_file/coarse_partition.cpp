#include "core/ingest/index_file/coarse_partition.hpp"

#include "core/ingest/index_file/pack_sections.hpp"
#include "core/store/sections.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace core {
namespace {

constexpr int kFinestShift = 20;
constexpr int kCoarsestShift = 62;
constexpr std::int64_t kMostBuckets = 12'288;
constexpr std::size_t kFewCuts = 512;  // stay as they are
constexpr std::int64_t kPartsOfBucket = 256;
constexpr std::size_t kCheckpointEvery = 32;  // as ClassPartition has them

using Cumulative = std::array<std::int64_t, kClassSets>;

PartitionCuts cuts_of(const ClassPartition& partition) {
    SectionList list;
    partition.collect_sections(list);
    const Blob blob = copy_to_blob(list);
    const auto begins = blob.section<RankTime>(section::kPartitionBegins);
    const auto sets = blob.section<ClassSet>(section::kPartitionSets);
    return {.range = partition.range(), .begins = {begins.begin(), begins.end()}, .sets = {sets.begin(), sets.end()}};
}

class Coarsener {
public:
    Coarsener(const PartitionCuts& fine, std::int64_t resolution)
        : fine_(fine),
          shift_(std::countr_zero(static_cast<std::uint64_t>(resolution))),
          quantum_(std::max<std::int64_t>(1, resolution / kPartsOfBucket)) {}

    PartitionCuts run() {
        coarse_.range = fine_.range;
        at_ = ns_of(fine_.begins.front());
        for (std::size_t s = 0; s + 1 < fine_.begins.size(); ++s)
            add(ns_of(fine_.begins[s]), ns_of(fine_.begins[s + 1]), fine_.sets[s]);
        flush(ns_of(fine_.begins.back()));
        coarse_.begins.push_back(fine_.begins.back());
        coarse_.sets.push_back(fine_.sets.back());
        return std::move(coarse_);
    }

private:
    // The first edge of a bucket behind t.
    std::int64_t edge_behind(std::int64_t t) const {
        std::int64_t edge = 0;
        const auto step = static_cast<std::int64_t>(std::uint64_t{1} << shift_);
        if (__builtin_add_overflow(t >> shift_ << shift_, step, &edge)) return std::numeric_limits<std::int64_t>::max();
        return edge;
    }

    void add(std::int64_t begin, std::int64_t end, ClassSet set) {
        while (begin < end) {
            const std::int64_t edge = edge_behind(begin);
            if (begin == at_ && end > edge) {  // whole buckets
                const std::int64_t last = std::max(edge, end >> shift_ << shift_);
                emit(begin, set);
                at_ = begin = last;
                continue;
            }
            const std::int64_t until = std::min(end, edge);
            times_[set] += until - begin;
            last_ = set;
            begin = until;
            if (begin == edge) flush(edge);
        }
    }

    // Writes what is known of the time from at_ to `end`: first what goes on from before, last what goes on behind.
    void flush(std::int64_t end) {
        std::int64_t exact = at_, written = at_;
        const auto take = [&](std::size_t set) {
            exact += std::exchange(times_[set], 0);
            const std::int64_t rounded = std::min(end, at_ + (exact - at_ + quantum_ / 2) / quantum_ * quantum_);
            if (rounded <= written) return;
            emit(written, static_cast<ClassSet>(set));
            written = rounded;
        };
        if (!coarse_.sets.empty()) take(coarse_.sets.back());
        for (std::size_t set = 0; set < kClassSets; ++set)
            if (set != last_ && times_[set] > 0) take(set);
        if (std::exchange(times_[last_], 0) > 0 && written < end) emit(written, last_);
        at_ = end;
    }

    void emit(std::int64_t begin, ClassSet set) {
        if (!coarse_.sets.empty() && coarse_.sets.back() == set) return;
        coarse_.begins.push_back(rank_time(begin));
        coarse_.sets.push_back(set);
    }

    const PartitionCuts& fine_;
    int shift_;
    std::int64_t quantum_;
    PartitionCuts coarse_;
    std::int64_t at_ = 0;  // written until here
    Cumulative times_{};  // behind it
    ClassSet last_ = 0;
};

}  // namespace

Duration resolution_for(const ClassPartition& partition) {
    const RankRange range = partition.range();
    int shift = kFinestShift;
    while (shift < kCoarsestShift && (ns_of(range.end) >> shift) - (ns_of(range.begin) >> shift) >= kMostBuckets)
        ++shift;
    return Duration{std::int64_t{1} << shift};
}

PartitionCuts coarsen(const ClassPartition& partition, Duration resolution) {
    PartitionCuts fine = cuts_of(partition);
    if (fine.begins.size() <= kFewCuts) return fine;
    PartitionCuts coarse = Coarsener(fine, resolution.count()).run();
    return coarse.begins.size() < fine.begins.size() ? coarse : fine;
}

void give_sections(PartitionCuts cuts, SectionList& list) {
    std::vector<Cumulative> checkpoints;
    Cumulative sums{};
    for (std::size_t s = 0; s < cuts.begins.size(); ++s) {
        if (s > 0) {
            std::int64_t& sum = sums[cuts.sets[s - 1] % kClassSets];
            std::int64_t length = 0;
            const bool far = __builtin_sub_overflow(ns_of(cuts.begins[s]), ns_of(cuts.begins[s - 1]), &length) ||
                             __builtin_add_overflow(sum, length, &sum);
            if (far) sum = -1;  // no partition has it
        }
        if (s % kCheckpointEvery == 0) checkpoints.push_back(sums);
    }
    list.give(section::kPartitionRange, std::vector<RankRange>{cuts.range});
    list.give(section::kPartitionBegins, std::move(cuts.begins));
    list.give(section::kPartitionSets, std::move(cuts.sets));
    list.give(section::kPartitionCheckpoints, std::move(checkpoints));
}

}  // namespace core
