#pragma once
// Plan of a sample run: its topology and planted defects.

#include "core/sample/rank_recorder.hpp"
#include "core/sample/sample_run.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace core::sample {

inline constexpr int kFirstStep = 10;

// Stages are consecutive ranks; in each, tensor groups are consecutive ranks and data groups stride over them. Pipeline
// groups stride over stages, the world is one group. Experts are spread over the ranks of data groups.
struct Topology {
    int ranks = 1;
    int tensor_parallel = 1;
    int stages = 1;
    bool sharded = false;  // parameters, over data groups
    bool experts = false;

    int ranks_in_stage() const { return ranks / stages; }
    int stage_of(int rank) const { return rank / ranks_in_stage(); }

    int group_size(GroupKind kind) const;
    int group_count(GroupKind kind) const { return ranks / group_size(kind); }
    int group_of(GroupKind kind, int rank) const;
    int stride(GroupKind kind) const {
        const bool strides = kind == GroupKind::Data || kind == GroupKind::Expert;
        return strides ? tensor_parallel : kind == GroupKind::Pipeline ? ranks_in_stage() : 1;
    }
    bool has(GroupKind kind) const {
        return kind == GroupKind::Pipeline ? stages > 1 : kind != GroupKind::Expert || experts;
    }
    const char* description(GroupKind kind) const;
    // Its place in its group, from 0.
    int place_of(GroupKind kind, int rank) const {
        return (rank - first_member(kind, group_of(kind, rank))) / stride(kind);
    }

    int first_member(GroupKind kind, int group) const;
    std::vector<int> members(GroupKind kind, int group) const;
};

const char* process_group_name(GroupKind kind);

struct Planted {
    int straggler = kNoStraggler;
    std::vector<int> further_stragglers{};
    StragglerCause cause = StragglerCause::DataLoading;
    std::int64_t stall_ns = 3'000'000;  // per step, in the straggler's data loader
    int slower_percent = 150;  // all kernels of a straggler with slower kernels
    int imbalanced_rank = -1;  // -1: none
    KernelId imbalanced_kernel = KernelId::FlashForward;
    int imbalanced_percent = 118;
    std::int64_t metrics_ns = 800'000;  // host work between the loss read-back and the next launch
    int late_layer = 1;  // of a sharded run: its parameters are gathered when it begins, not a layer before
    int full_expert = 1;  // place in its group of the expert that is chosen too often
    int full_percent = 150;  // of an even share, that it takes
    int bucket_delay = 3;  // layers between a gradient bucket and its launch
    bool fused_activation = false;  // candidate
    int layer_norm_percent = 100;  // candidate: 125
    bool is_straggler(int rank) const { return rank == straggler || std::ranges::count(further_stragglers, rank) > 0; }
};

inline constexpr std::int64_t kBeginNs = 2'345'678'901'234'567;  // begin of the recording after kBaseTimeNs

// Error of a rank's clock. Durations are not affected.
struct RankClock {
    std::int64_t offset_ns = 0;  // at kBeginNs
    std::int64_t drift_ppb = 0;
    std::int64_t show(std::int64_t true_ns) const {
        constexpr std::int64_t kMicro = 1'000;  // keeps the product of microseconds and parts per billion small
        return true_ns + offset_ns + (true_ns - kBeginNs) / kMicro * drift_ppb / (1'000'000'000 / kMicro);
    }
};
RankClock clock_of(const SampleOptions& options, int rank);

// Records of a run that differ from what happened: the same for its text and its truth.
class RecordFaults {
public:
    RecordFaults() = default;
    RecordFaults(const SampleFaults& faults, const Topology& topology, int rank);

    bool has_unknown_device() const { return unknown_device_; }
    bool skips_step(int step) const { return late_window_ && step == kFirstStep; }
    // The record of a member event is missing.
    bool loses(const Collective& collective) const;
    // The collective as the record states it.
    Collective stated(Collective collective) const;
    static constexpr std::int64_t kOtherSize = kFirstSeq + 5;  // numbers in the tensor group
    static constexpr std::int64_t kOtherOperation = kFirstSeq + 8;

private:
    bool lost_records_ = false;
    bool late_window_ = false;
    bool desynchronised_ = false;
    bool unknown_device_ = false;
};
inline constexpr const char* kUnknownDevice = "Sample Accelerator 1";

Planted plan_faults(const SampleOptions& options);

}  // namespace core::sample
