#include "core/sample/sample_plan.hpp"

#include "core/sample/gpu_logs.hpp"
#include "core/sample/sample_noise.hpp"

namespace core::sample {

int Topology::group_size(GroupKind kind) const {
    switch (kind) {
        case GroupKind::World:
            return ranks;
        case GroupKind::Data:
        case GroupKind::Expert:
            return ranks_in_stage() / tensor_parallel;
        case GroupKind::Tensor:
            return tensor_parallel;
        case GroupKind::Pipeline:
            return stages;
    }
    return 1;
}

int Topology::group_of(GroupKind kind, int rank) const {
    switch (kind) {
        case GroupKind::World:
            return 0;
        case GroupKind::Data:
        case GroupKind::Expert:
            return stage_of(rank) * tensor_parallel + rank % tensor_parallel;
        case GroupKind::Tensor:
            return rank / tensor_parallel;
        case GroupKind::Pipeline:
            return rank % ranks_in_stage();
    }
    return 0;
}

int Topology::first_member(GroupKind kind, int group) const {
    if (kind == GroupKind::Tensor) return group * tensor_parallel;
    if (kind == GroupKind::Data || kind == GroupKind::Expert)
        return group / tensor_parallel * ranks_in_stage() + group % tensor_parallel;
    return group;
}

std::vector<int> Topology::members(GroupKind kind, int group) const {
    std::vector<int> result;
    for (int i = 0; i < group_size(kind); ++i) result.push_back(first_member(kind, group) + i * stride(kind));
    return result;
}

// A device mesh of (data, tensor): every rank calls its own data group "1" and its tensor group "2".
const char* process_group_name(GroupKind kind) {
    constexpr const char* kNames[] = {"0", "1", "2", "3", "4"};
    return kNames[static_cast<std::size_t>(kind)];
}

const char* Topology::description(GroupKind kind) const {
    if (kind == GroupKind::Data && sharded) return "mesh_dp_shard";
    constexpr const char* kDescriptions[] = {"default_pg", "mesh_dp", "mesh_tp", "mesh_pp", "mesh_ep"};
    return kDescriptions[static_cast<std::size_t>(kind)];
}

Planted plan_faults(const SampleOptions& options) {
    Planted planted;
    planted.straggler = options.straggler;
    planted.further_stragglers = options.further_stragglers;
    planted.cause = options.cause;
    if (options.faults.clock != ClockFault::None) {
        planted.cause = StragglerCause::SlowerKernels;
        planted.slower_percent = trait_of(options.faults.clock).slower_percent;
    }
    if (options.ranks > 1) {
        planted.imbalanced_rank = options.ranks > 2 ? 2 : 0;
        if (planted.imbalanced_rank == planted.straggler) planted.imbalanced_rank = 1;
    }
    if (options.candidate) {
        planted.bucket_delay = 0;
        planted.fused_activation = true;
        planted.layer_norm_percent = 125;
    }
    return planted;
}

RankClock clock_of(const SampleOptions& options, int rank) {
    const Noise noise(options.seed, static_cast<std::uint64_t>(rank), 0);
    const std::int64_t spread = options.faults.clock_spread_ns;
    const std::int64_t drift = options.faults.clock_drift_ppb;
    return {.offset_ns = between(noise.draw(0xFFFF0000U, 0), -spread, spread),
            .drift_ppb = drift == 0 ? 0 : between(noise.draw(0xFFFF0002U, 0), -drift, drift)};
}

RecordFaults::RecordFaults(const SampleFaults& faults, const Topology& topology, int rank)
    : lost_records_(faults.lost_records && rank == 1),
      late_window_(faults.late_window && rank == topology.ranks - 1),
      desynchronised_(faults.desynchronised && rank == 0),
      unknown_device_(faults.unknown_device) {}

bool RecordFaults::loses(const Collective& collective) const {
    return lost_records_ && collective.group == GroupKind::Data && collective.seq % 5 == 2;
}

Collective RecordFaults::stated(Collective collective) const {
    if (!desynchronised_ || collective.group != GroupKind::Tensor) return collective;
    if (collective.seq == kOtherSize) {
        collective.in_elements *= 2;
        collective.out_elements *= 2;
    }
    if (collective.seq == kOtherOperation) collective.op = CollectiveOp::AllReduce;
    return collective;
}

}  // namespace core::sample
