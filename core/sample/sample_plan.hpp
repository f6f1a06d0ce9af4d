#pragma once
// Plan of a sample run: its topology and planted defects.

#include "core/sample/rank_recorder.hpp"
#include "core/sample/sample_run.hpp"

#include <cstdint>
#include <vector>

namespace core::sample {

inline constexpr int kFirstStep = 10;

// Tensor groups are consecutive ranks, data groups stride over them, the world is one group.
struct Topology {
    int ranks = 1;
    int tensor_parallel = 1;

    int group_size(GroupKind kind) const;
    int group_count(GroupKind kind) const { return ranks / group_size(kind); }
    int group_of(GroupKind kind, int rank) const;
    int stride(GroupKind kind) const { return kind == GroupKind::Data ? tensor_parallel : 1; }
    int first_member(GroupKind kind, int group) const;
    std::vector<int> members(GroupKind kind, int group) const;
};

const char* process_group_name(GroupKind kind);
const char* process_group_description(GroupKind kind);

struct Planted {
    int straggler = kNoStraggler;
    std::int64_t stall_ns = 3'000'000;  // per step, in the straggler's data loader
    int imbalanced_rank = -1;           // -1: none
    KernelId imbalanced_kernel = KernelId::FlashForward;
    int imbalanced_percent = 118;
    std::int64_t metrics_ns = 800'000;  // host work between the loss read-back and the next launch
    int bucket_delay = 3;               // layers between a gradient bucket and its launch
    bool fused_activation = false;      // candidate
    int layer_norm_percent = 100;       // candidate: 125
};

Planted plan_faults(const SampleOptions& options);

}  // namespace core::sample
