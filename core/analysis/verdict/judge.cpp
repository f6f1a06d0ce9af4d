#include "core/analysis/verdict/judge.hpp"

#include "core/analysis/engine/rounding.hpp"
#include "core/base/format.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace core {
namespace {

std::optional<double> median_of(std::vector<double> values) {
    return values.empty() ? std::nullopt : std::optional(take_median(values));
}

double share_of(std::int64_t part, std::int64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

template <class Part, class Whole>
std::optional<double> median_share(std::span<const TimeFacts> ranks, const Part& part, const Whole& whole) {
    std::vector<double> shares;
    for (const TimeFacts& facts : ranks) {
        const std::optional<std::int64_t> known = part(facts);
        if (known && whole(facts) > 0) shares.push_back(share_of(*known, whole(facts)));
    }
    return median_of(std::move(shares));
}

bool fits(const std::optional<double>& value, double least) { return value && *value >= least; }

struct Rule {
    Bound bound;
    std::string_view name;
    bool (*holds)(const Situation&, const Limits&);
    double (*share)(const Situation&);
    double (*explained)(const Situation&);  // share of the step that it explains
    std::string (*evidence)(const Situation&);
    std::string_view advice;
    std::string_view graph_advice{};  // instead, where most kernels are in replays of graphs
};

bool is_mostly_waiting(const Situation& s, const Limits& limits) {
    return s.exposed >= limits.of(Limit::WaitExposed) && fits(s.waiting, limits.of(Limit::WaitShare));
}

std::string exposed_text(const Situation& s) {
    return "communication runs without compute beside it for " + format_ratio(s.exposed) + " of the time";
}

std::string waiting_text(const Situation& s) {
    return exposed_text(s) + ", and " + format_ratio(s.waiting.value_or(0)) + " of that is waiting for a later rank";
}

constexpr double kMostlyIdle = 0.5;

constexpr double kCauseSaves = 0.1;  // of the run: as much as a card that is high

double explained_by_straggler(const Situation& s) {
    constexpr double kMostlyWaiting = 0.5;
    return std::max(s.straggler_saves, fits(s.waiting, kMostlyWaiting) ? s.exposed : 0);
}

// Idle time while the host waits for data; else for its launches.
double explained_by_data(const Situation& s) { return s.loading.value_or(0) * s.loading_idle.value_or(0); }
double explained_by_host(const Situation& s) {
    return std::max(s.idle * s.host_wait.value_or(0) - explained_by_data(s), 0.0);
}

constexpr Rule kRules[] = {
    {Bound::Data, "data-bound",
     [](const Situation& s, const Limits& limits) {
         return fits(s.loading, limits.of(Limit::DataLoading)) && fits(s.loading_idle, limits.of(Limit::DataWhileIdle));
     },
     [](const Situation& s) { return s.loading.value_or(0); }, explained_by_data,
     [](const Situation& s) {
         return "the host waits for data " + format_ratio(s.loading.value_or(0)) +
                " of the time; the GPU is idle for " + format_ratio(s.loading_idle.value_or(0)) + " of that";
     },
     "More workers, pinned memory, prefetching; profile the data loader by itself."},
    {Bound::Host, "host-bound",
     [](const Situation& s, const Limits& limits) {
         return s.idle >= limits.of(Limit::HostIdle) && fits(s.host_wait, limits.of(Limit::HostShare));
     },
     [](const Situation& s) { return s.idle; }, explained_by_host,
     [](const Situation& s) {
         return "the GPU is idle for " + format_ratio(s.idle) + " of the time, " +
                format_ratio(s.host_wait.value_or(0)) + " of it waiting for the host";
     },
     "CUDA graphs, torch.compile, fewer synchronising calls, a larger batch.",
     "Launch the next graph before the last one ends: fewer synchronising calls, less work between replays."},
    {Bound::Straggler, "straggler-bound",
     [](const Situation& s, const Limits& limits) {
         return s.has_straggler && (is_mostly_waiting(s, limits) || s.straggler_saves >= kCauseSaves);
     },
     explained_by_straggler, explained_by_straggler,
     [](const Situation& s) {
         if (explained_by_straggler(s) > s.straggler_saves) return waiting_text(s) + ", most of it for " + s.straggler;
         return "a replay with " + s.straggler + " like the rest saves " + format_ratio(s.straggler_saves) +
                " of the time";
     },
     "Look at that rank and its cause (straggler-causes), not at the network."},
    {Bound::Pipeline, "pipeline-bound",
     [](const Situation& s, const Limits&) { return s.pipeline_saves >= kCauseSaves; },
     [](const Situation& s) { return s.pipeline_saves; }, [](const Situation& s) { return s.pipeline_saves; },
     [](const Situation& s) { return s.pipeline; },
     "Balance the stages, then use more, smaller microbatches or interleaved stages; see pipeline."},
    {Bound::Imbalance, "imbalance-bound",
     [](const Situation& s, const Limits& limits) { return !s.has_straggler && is_mostly_waiting(s, limits); },
     [](const Situation& s) { return s.exposed; }, [](const Situation& s) { return s.exposed; },
     [](const Situation& s) { return waiting_text(s) + ", now for one, now for another"; },
     "Balance shards, batch by length, shorten the pipeline's bubble."},
    {Bound::Communication, "communication-bound",
     [](const Situation& s, const Limits& limits) {
         return s.exposed > limits.of(Limit::CommunicationTimes) * s.compute ||
                s.exposed >= limits.of(Limit::CommunicationShare);
     },
     [](const Situation& s) { return s.exposed; }, [](const Situation& s) { return s.exposed; },
     [](const Situation& s) {
         return exposed_text(s) + (s.waiting ? std::string() : ", which cannot be split into waiting and transfer");
     },
     "A larger batch or larger buckets, overlap, compression, topology; see bus bandwidth beside that of the links."},
    {Bound::Copy, "copy-bound",
     [](const Situation& s, const Limits& limits) { return s.copies >= limits.of(Limit::CopyShare); },
     [](const Situation& s) { return s.copies; }, [](const Situation& s) { return s.copies; },
     [](const Situation& s) {
         return "copies run without compute beside them for " + format_ratio(s.copies) + " of the time";
     },
     "Pinned memory, non_blocking=True, data that stays on the device."},
    {Bound::Compute, "compute-bound",
     [](const Situation& s, const Limits& limits) { return s.compute >= limits.of(Limit::ComputeShare); },
     [](const Situation& s) { return s.compute; }, [](const Situation&) { return 0.0; },
     [](const Situation& s) { return "compute kernels run for " + format_ratio(s.compute) + " of the time"; }, ""},
    {Bound::Idle, "idle", [](const Situation& s, const Limits&) { return s.idle >= kMostlyIdle; },
     [](const Situation& s) { return s.idle; }, [](const Situation&) { return 0.0; },
     [](const Situation& s) {
         return "the GPU is idle for " + format_ratio(s.idle) + " of the time, " +
                (s.host_wait.value_or(0) > 0 ? "only " + format_ratio(*s.host_wait) + " of it waiting for the host"
                                             : std::string("and the trace does not say what it waits for"));
     },
     "Record the calls of the CPU as well; see the timeline for what runs before each gap."},
    {Bound::Balanced, "balanced", [](const Situation&, const Limits&) { return true; },
     [](const Situation& s) { return s.compute; }, [](const Situation&) { return 0.0; },
     [](const Situation& s) {
         return "no part dominates: compute " + format_ratio(s.compute) + ", exposed communication " +
                format_ratio(s.exposed) + ", exposed copies " + format_ratio(s.copies) + ", idle " +
                format_ratio(s.idle);
     },
     "See findings for what costs most."},
};

struct ComputeKind {
    std::string_view name;
    bool (*holds)(const Situation&, const Limits&);
    std::string (*evidence)(const Situation&);
    std::string_view advice;
    std::string_view graph_advice{};
};

std::string math_text(const Situation& s) {
    if (!s.math) return "the FLOP or the device's peaks are unknown";
    return "the FLOP at peak take " + format_ratio(*s.math) + " of the time of matrix operators";
}

// Kinds of compute-bound; the first that holds counts.
constexpr ComputeKind kComputeKinds[] = {
    {"math", [](const Situation& s, const Limits& limits) { return fits(s.math, limits.of(Limit::MathShare)); },
     math_text, "Lower precision (bf16, fp8), fewer FLOP."},
    {"memory",
     [](const Situation& s, const Limits& limits) { return fits(s.memory_bound, limits.of(Limit::MemoryShare)); },
     [](const Situation& s) {
         return format_ratio(s.memory_bound.value_or(0)) + " of the kernel time is bound by memory bandwidth";
     },
     "Fusion (torch.compile), flash attention, lower precision, fewer layout changes."},
    {"launch",
     [](const Situation& s, const Limits& limits) { return fits(s.launch_bound, limits.of(Limit::LaunchShare)); },
     [](const Situation& s) {
         return format_ratio(s.launch_bound.value_or(0)) + " of the kernel time is in kernels shorter than a launch";
     },
     "Fusion, CUDA graphs, fused optimizers, a larger batch.", "Fusion, fused optimizers, a larger batch."},
    {"kernels", [](const Situation&, const Limits&) { return true; }, math_text,
     "Matrix sizes that are multiples of 8 or 64, other kernels, flash attention; see op-efficiency for the slowest."},
};

// Says which kind of compute; the next kind that holds is the runner-up where no other rule is.
void name_kind_of_compute(const Situation& s, const Limits& limits, Judgement& judged) {
    const ComputeKind* first = nullptr;
    for (const ComputeKind& kind : kComputeKinds) {
        if (!kind.holds(s, limits)) continue;
        if (first == nullptr) {
            first = &kind;
        } else if (&kind != std::end(kComputeKinds) - 1 && judged.second.empty()) {
            judged.second = judged.name + ": " + std::string(kind.name);
        }
    }
    judged.name += ": " + std::string(first->name);
    judged.evidence += "; " + first->evidence(s);
    judged.advice = s.is_replayed && !first->graph_advice.empty() ? first->graph_advice : first->advice;
}

// Whether the kind of compute rests on FLOP that are counted nearly in full.
std::string_view certainty_of(const Situation& s, Bound bound) {
    if (bound != Bound::Compute) return "measured";
    if (!s.math) return "possible";
    return s.counted.value_or(0) >= kCountedInFull ? "measured" : "likely";
}

}  // namespace

Situation summarise_ranks(std::span<const TimeFacts> ranks) {
    const auto duration = [](const TimeFacts& f) { return f.duration; };
    const auto exposed = [](const TimeFacts& f) { return f.exposed; };
    const auto idle = [](const TimeFacts& f) { return f.idle; };
    const auto kernels = [](const TimeFacts& f) { return f.kernels; };
    const auto of_duration = [&](std::int64_t TimeFacts::*part) {
        return median_share(
                   ranks, [&](const TimeFacts& f) { return std::optional(f.*part); }, duration)
            .value_or(0);
    };
    Situation s;
    s.ranks = ranks.size();
    s.compute = of_duration(&TimeFacts::compute);
    s.exposed = of_duration(&TimeFacts::exposed);
    s.copies = of_duration(&TimeFacts::copies);
    s.idle = of_duration(&TimeFacts::idle);
    s.communication = of_duration(&TimeFacts::communication);
    s.waiting = median_share(
        ranks, [](const TimeFacts& f) { return f.wait; }, exposed);
    s.host_wait = median_share(
        ranks, [](const TimeFacts& f) { return std::optional(f.host_wait); }, idle);
    s.loading = median_share(
        ranks, [](const TimeFacts& f) { return f.loading; }, duration);
    s.loading_idle = median_share(
        ranks, [](const TimeFacts& f) { return std::optional(f.loading_idle); },
        [](const TimeFacts& f) { return f.loading.value_or(0); });
    s.memory_bound = median_share(
        ranks, [](const TimeFacts& f) { return std::optional(f.memory_bound); }, kernels);
    s.launch_bound = median_share(
        ranks, [](const TimeFacts& f) { return std::optional(f.launch_bound); }, kernels);
    s.counted = median_share(
        ranks, [](const TimeFacts& f) { return std::optional(f.matrix); },
        [](const TimeFacts& f) { return f.matrix + f.uncounted; });
    std::vector<double> math;
    for (const TimeFacts& f : ranks)
        if (f.floor && f.matrix > 0) math.push_back(*f.floor / static_cast<double>(f.matrix));
    s.math = median_of(std::move(math));
    return s;
}

Judgement judge(const Situation& s, const Limits& limits) {
    // A cause that a replay confirms comes before its symptoms, as in findings; then the rule that explains most of the
    // step, of equals the first. Rules that only state how the time is spent come last.
    std::vector<const Rule*> fitting;
    for (const Rule& rule : kRules)
        if (rule.holds(s, limits)) fitting.push_back(&rule);
    std::ranges::stable_sort(fitting, std::greater{}, [&](const Rule* rule) { return rule->explained(s); });
    std::ranges::stable_partition(fitting, [](const Rule* rule) { return rule->bound == Bound::Pipeline; });
    std::ranges::stable_partition(
        fitting, [&](const Rule* rule) { return rule->bound == Bound::Straggler && s.straggler_saves >= kCauseSaves; });
    const Rule* const first = fitting.front();
    Judgement judged;
    if (fitting.size() > 1 && fitting[1]->bound < Bound::Idle) judged.second = fitting[1]->name;
    judged.bound = first->bound;
    judged.name = first->name;
    judged.share = first->share(s);
    judged.evidence = first->evidence(s);
    judged.advice = s.is_replayed && !first->graph_advice.empty() ? first->graph_advice : first->advice;
    judged.certainty = certainty_of(s, first->bound);
    if (first->bound == Bound::Compute) name_kind_of_compute(s, limits, judged);
    return judged;
}

std::string_view judge_classic(const Situation& s, const Limits& limits) {
    const double times = limits.of(Limit::ClassicTimes);
    if (s.communication > times * s.compute) return "communication";
    return s.compute > times * s.communication ? "compute" : "balanced";
}

}  // namespace core
