#include "core/analysis/catalogue/analysis_groups.hpp"

#include "core/analysis/catalogue/registry.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr std::string_view kCauses[] = {"what-to-do", "verdict",       "health", "findings",
                                        "what-if",    "critical-path", "hangs"};
constexpr std::string_view kTimes[] = {"temporal-breakdown", "kernel-types",   "overlap",   "steps",       "step-parts",
                                       "device-idle",        "idle-breakdown", "idle-gaps", "training-log"};
constexpr std::string_view kOfKernels[] = {
    "kernels", "kernel-imbalance", "kernel-sequences", "kernels-by-annotation", "kernels-by-operator", "graphs"};
constexpr std::string_view kHost[] = {"launches",       "launch-summary", "queue-length", "operators",
                                      "operator-calls", "annotations",    "modules"};
constexpr std::string_view kEfficiency[] = {"mfu", "op-efficiency", "flop-coverage", "telemetry", "energy"};
constexpr std::string_view kMemory[] = {"memory-timeline", "memory-efficiency",    "memory-snapshot",
                                        "memory-peak",     "memory-fragmentation", "memory-bandwidth"};
constexpr std::string_view kCommunication[] = {
    "stragglers", "straggler-causes",    "wait-by-step",    "exposed-communication", "collectives",
    "waits",      "collective-outliers", "bandwidth",       "communication-matrix",  "link-model",
    "matching",   "link-predictions",    "clock-alignment", "comm-efficiency",       "nccl"};
constexpr std::string_view kParallelism[] = {"parallel-groups", "ddp-buckets", "fsdp", "pipeline", "experts"};
constexpr std::string_view kOthers[] = {"names", "counters"};

constexpr AnalysisGroup kGroups[] = {
    {"Causes", "What costs time, and what to try", kCauses},
    {"Time", "Where the time of ranks, steps and streams went", kTimes},
    {"Kernels", "What the GPU ran, by name, operator and order", kOfKernels},
    {"Host", "Launches, operators and annotations of the CPU", kHost},
    {"Efficiency", "FLOP and what share of the peak is reached", kEfficiency},
    {"Memory", "Allocations and copies", kMemory},
    {"Communication", "Who waits for whom, how fast links are", kCommunication},
    {"Parallelism", "What each dimension of parallelism does and costs", kParallelism},
    {"Other", "Names, counters and analyses of no other group", kOthers},
};

struct Synonyms {
    std::string_view id;
    std::string_view words;
};
constexpr Synonyms kSynonyms[] = {
    {"findings", "problems issues bottleneck advice straggler doctor"},
    {"temporal-breakdown", "compute communication idle utilisation utilization"},
    {"kernels", "top kernels statistics"},
    {"kernel-imbalance", "straggler unbalanced"},
    {"overlap", "hidden exposed"},
    {"steps", "iterations"},
    {"training-log", "iterations megatron series throughput job"},
    {"device-idle", "gap bubble host wait"},
    {"idle-breakdown", "gap bubble host wait"},
    {"idle-gaps", "bubble longest gap pause host wait"},
    {"launches", "cudaLaunchKernel delay overhead"},
    {"launch-summary", "overhead short kernels histogram distribution"},
    {"queue-length", "launch queue depth"},
    {"kernel-sequences", "fusion patterns"},
    {"operators", "aten ops cpu"},
    {"graphs", "CUDA graph HIP replay capture node"},
    {"mfu", "utilisation utilization flops"},
    {"op-efficiency", "roofline flops"},
    {"nccl", "algorithm protocol channels communicator warnings inspector"},
    {"memory-timeline", "allocated reserved peak out of memory"},
    {"memory-snapshot", "allocated reserved leak out of memory oom"},
    {"memory-peak", "allocated call stack out of memory oom"},
    {"memory-fragmentation", "segments blocks free expandable"},
    {"memory-bandwidth", "copies memcpy"},
    {"verdict", "bound bottleneck compute-bound memory-bound host-bound communication-bound"},
    {"comm-efficiency", "busbw link nvlink"},
    {"parallel-groups", "tp pp dp ep cp tensor data context dimension communicator mesh"},
    {"ddp-buckets", "gradients all-reduce data parallel"},
    {"fsdp", "zero sharded prefetch all-gather reduce-scatter"},
    {"pipeline", "bubble stages microbatches 1f1b"},
    {"experts", "moe mixture all-to-all tokens imbalance"},
    {"health", "check traffic lights status limits"},
    {"memory-efficiency", "slack fragmentation reserved headroom out of memory"},
    {"what-to-do", "first fix gain advice bottleneck"},
    {"what-if", "replay gain faster link balanced bubble"},
    {"critical-path", "longest path of the run"},
    {"stragglers", "late rank slow culprit imbalance"},
    {"straggler-causes", "why late slow culprit"},
    {"wait-by-step", "straggler late"},
    {"clock-alignment", "skew drift offset"},
    {"bandwidth", "busbw algbw nccl"},
    {"telemetry", "clock frequency throttle thermal power temperature xid ecc nvidia-smi dcgm"},
    {"energy", "power joule watt nvidia-smi dcgm"},
    {"hangs", "deadlock stuck timeout flight recorder"},
};

bool is_named(const Analysis& analysis) {
    return std::ranges::any_of(kGroups, [&](const AnalysisGroup& group) {
        return std::ranges::find(group.analyses, analysis.id) != group.analyses.end();
    });
}

}  // namespace

std::span<const AnalysisGroup> analysis_groups() { return kGroups; }

const AnalysisGroup& group_of(const Analysis& analysis) {
    for (const AnalysisGroup& group : kGroups)
        if (std::ranges::find(group.analyses, analysis.id) != group.analyses.end()) return group;
    return *std::rbegin(kGroups);
}

std::vector<const Analysis*> collect_analyses(const AnalysisGroup& group) {
    std::vector<const Analysis*> analyses;
    for (const std::string_view id : group.analyses)
        if (const Analysis* analysis = find_analysis(id)) analyses.push_back(analysis);
    if (group.title != std::rbegin(kGroups)->title) return analyses;
    for (const Analysis& analysis : all_analyses())
        if (!is_named(analysis)) analyses.push_back(&analysis);
    return analyses;
}

std::string_view synonyms_of(const Analysis& analysis) {
    const auto found = std::ranges::find(kSynonyms, analysis.id, &Synonyms::id);
    return found == std::end(kSynonyms) ? std::string_view() : found->words;
}

}  // namespace core
