#pragma once
// Counts and lengths of events by name over the ranks of a run, GPU and CPU separately. Filled rank
// by rank.

#include "core/index/run.hpp"

#include <algorithm>
#include <unordered_map>

namespace core {

struct LengthTotals {
    std::size_t count = 0;
    Duration total{0};
    Duration least{0};  // 0 if there are none
    Duration most{0};

    void add(Duration length) {
        least = count == 0 ? length : std::min(least, length);
        most = std::max(most, length);
        total += length;
        ++count;
    }
    void add(const LengthTotals& other) {
        if (other.count == 0) return;
        least = count == 0 ? other.least : std::min(least, other.least);
        most = std::max(most, other.most);
        total += other.total;
        count += other.count;
    }
    bool operator==(const LengthTotals&) const = default;
};

struct NameTotals : LengthTotals {
    EventRef example;            // first event added
    bool on_gpu = false;         // GPU events; otherwise all others
    std::uint32_t ranks = 0;     // ranks with any
};

struct RankTotals : LengthTotals {
    std::uint32_t slot = 0;
    std::uint32_t names = 0;
};

class TotalsByName {
public:
    explicit TotalsByName(const Run& run) : run_(run) {}

    void begin_rank(std::uint32_t slot);
    void add(EventId event, Duration length) {
        const bool on_gpu = trace_->has(event, kGpuEvent);
        NameTotals& totals = of_rank_[2 * index_of(trace_->name[index_of(event)]) + (on_gpu ? 1 : 0)];
        if (totals.count == 0) totals.example = {slot_, event};
        totals.add(length);
    }
    RankTotals end_rank();
    // Longest total first.
    std::vector<NameTotals> take();

private:
    const Run& run_;
    const RankTrace* trace_ = nullptr;
    std::uint32_t slot_ = 0;
    std::vector<NameTotals> of_rank_;  // by local name, CPU and GPU
    std::unordered_map<std::uint64_t, NameTotals> all_;
};

}  // namespace core
