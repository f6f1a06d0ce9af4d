#include "core/analysis/collectives/bandwidth_groups.hpp"
#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/findings/limits.hpp"
#include "core/analysis/verdict/gpu_health.hpp"
#include "core/analysis/verdict/health.hpp"
#include "core/analysis/verdict/health_facts.hpp"
#include "core/base/format.hpp"
#include "core/index/rank_count.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace core {
namespace {

constexpr double kExposedMatters = 0.05;  // of a rank's window: overlap is judged from there on
constexpr std::size_t kFewestSteps = 5;

using ReadCheck = Reading(const HealthFacts&);

std::string name_of_rank(const HealthFacts& facts, std::uint32_t slot) {
    return "rank " + format_rank(facts.run->rank(slot).key);
}

// " on rank 3, the worst of 8"; empty for one rank. Dumps and logs beside the traces are not among `of`.
template <typename OfRank>
std::string on_worst(const HealthFacts& facts, std::uint32_t slot, const std::vector<OfRank>& of) {
    std::vector<std::uint32_t> traces;
    for (const OfRank& one : of)
        if (!is_beside(facts.run->rank(one.slot).trace().info)) traces.push_back(one.slot);
    const RankCount count = count_ranks(*facts.run, traces);
    if (count.captures < 2) return {};
    const bool is_plain = count.captures == count.ranks || are_windows(*facts.run);
    return " on " + name_of_rank(facts, slot) + ", the worst of " +
           (is_plain ? format_count(count.ranks) : format_rank_count(count));
}

Reading unknown(std::string why) { return {.evidence = std::move(why)}; }

std::string duration_of(double ns) { return format_duration(Duration{static_cast<std::int64_t>(std::llround(ns))}); }

// Linear between the two nearest; values sorted, not empty.
double quantile_of(const std::vector<double>& values, double at) {
    const double place = at * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

// The longest of each step over the ranks, without the first step.
std::vector<double> collect_later_steps(const HealthFacts& facts) {
    std::map<std::int64_t, std::int64_t> longest;
    for (const TimeFacts& step : facts.steps) {
        std::int64_t& most = longest[*step.step];
        most = std::max(most, step.duration);
    }
    if (!longest.empty()) longest.erase(longest.begin());
    std::vector<double> durations;
    for (const auto& [step, duration] : longest) durations.push_back(static_cast<double>(duration));
    std::ranges::sort(durations);
    return durations;
}

Reading read_steps_steady(const HealthFacts& facts) {
    const std::vector<double> steps = collect_later_steps(facts);
    if (steps.size() < kFewestSteps)
        return unknown("fewer than " + format_count(kFewestSteps) + " steps after the first one");
    const double p10 = quantile_of(steps, 0.1), p90 = quantile_of(steps, 0.9), median = quantile_of(steps, 0.5);
    if (median <= 0) return unknown("steps have no length");
    return {.value = (p90 - p10) / median,
            .evidence = "of " + format_count(steps.size()) + " steps, one in ten is below " + duration_of(p10) +
                        " and one in ten above " + duration_of(p90)};
}

// Each rank's mean time without waiting, over its steps, else of its window.
std::map<std::uint32_t, double> collect_own_work(const HealthFacts& facts) {
    std::map<std::uint32_t, std::pair<double, double>> sums;  // by slot: time, count
    for (const TimeFacts& one : facts.steps.empty() ? facts.windows : facts.steps) {
        if (!one.wait) continue;
        auto& [time, count] = sums[one.slot];
        time += static_cast<double>(one.duration - *one.wait);
        count += 1;
    }
    std::map<std::uint32_t, double> means;
    for (const auto& [slot, sum] : sums) means[slot] = sum.first / sum.second;
    return means;
}

// Own work of the rank with most among `slots`, or among all where there are none.
Reading compare_own_work(const HealthFacts& facts, std::span<const std::uint32_t> slots) {
    const std::map<std::uint32_t, double> own = collect_own_work(facts);
    if (own.size() < 2) return unknown("no collective is matched across two or more ranks");
    double sum = 0;
    const std::pair<const std::uint32_t, double>* most = nullptr;
    for (const auto& one : own) {
        sum += one.second;
        const bool counts = slots.empty() || std::ranges::find(slots, one.first) != slots.end();
        if (counts && (!most || one.second > most->second)) most = &one;
    }
    const double mean = sum / static_cast<double>(own.size());
    if (mean <= 0 || !most) return unknown("ranks only wait");
    return {.value = most->second / mean - 1,
            .evidence = name_of_rank(facts, most->first) + " works " + duration_of(most->second) +
                        (facts.steps.empty() ? std::string() : " per step") + " without waiting, the mean of " +
                        format_count(own.size()) + " ranks is " + duration_of(mean),
            .slot = most->first};
}

Reading read_stragglers(const HealthFacts& facts) {
    if (std::ranges::none_of(facts.members.matches().collectives, [](const Collective& c) { return c.count > 1; }))
        return unknown("no collective is matched across two or more ranks");
    return compare_own_work(facts, {});
}

Reading read_utilisation(const HealthFacts& facts) {
    const Table& table = facts.mfu.main();
    const std::size_t mfu = table.find_column("mfu"), counted = table.find_column("counted");
    const bool has_steps = !facts.steps.empty();
    const std::size_t step = table.find_column("step");
    std::vector<double> values, shares;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.absent(row, mfu) || (has_steps && table.integer(row, step) < 0)) continue;
        values.push_back(table.number(row, mfu));
        if (!table.absent(row, counted)) shares.push_back(table.number(row, counted));
    }
    if (values.empty()) return unknown("no FLOP are counted, or the device's peaks are unknown (--peak)");
    if (std::ranges::none_of(facts.ranks, &RankHealth::trains))
        return unknown("no backward pass: the limits are those of training (MFU " + format_ratio(take_median(values)) +
                       ")");
    const double share = shares.empty() ? 0 : take_median(shares);
    const std::size_t count = values.size();
    return {.value = take_median(values),
            .is_lower_bound = share < kCountedInFull,
            .evidence = "median MFU of " + format_plural(count, "step", "steps") + " of a rank; the FLOP of " +
                        format_ratio(share) + " of the time of matrix kernels are counted"};
}

Reading read_tensor_cores(const HealthFacts& facts) {
    Wide all = 0, single = 0;
    for (const RankHealth& rank : facts.ranks) {
        if (!rank.has_tensor_cores) continue;
        all += rank.flop;
        single += rank.flop_fp32;
    }
    if (all == 0) return unknown("no FLOP are counted on a device that is known to have tensor cores for fp32");
    const double share = static_cast<double>(single) / static_cast<double>(all);
    return {.value = share, .evidence = format_ratio(share) + " of the matrix FLOP are in fp32 without tf32"};
}

Reading read_mixed_precision(const HealthFacts& facts) {
    Wide all = 0, half = 0;
    for (const RankHealth& rank : facts.ranks) {
        if (!rank.has_half) continue;
        all += rank.flop;
        half += rank.flop_half;
    }
    if (all == 0) return unknown("no FLOP are counted on a device that is known to be faster in 16 bits");
    const double share = static_cast<double>(half) / static_cast<double>(all);
    return {.value = share, .evidence = format_ratio(share) + " of the matrix FLOP are in 16 bits or less"};
}

// The rank with most of a share of its window; `known` says whether a rank can tell.
template <class Part, class Whole>
const TimeFacts* find_worst(const HealthFacts& facts, const Part& part, const Whole& whole, double& share) {
    const TimeFacts* worst = nullptr;
    share = 0;
    for (const TimeFacts& one : facts.windows) {
        const std::optional<std::int64_t> time = part(one);
        if (!time || whole(one) <= 0) continue;
        const double own = static_cast<double>(*time) / static_cast<double>(whole(one));
        if (worst != nullptr && own <= share) continue;
        worst = &one;
        share = own;
    }
    return worst;
}

std::int64_t duration_of_window(const TimeFacts& facts) { return facts.duration; }

Reading read_batch(const HealthFacts& facts) {
    double share = 0;
    const TimeFacts* const worst = find_worst(
        facts, [](const TimeFacts& f) { return std::optional(f.launch_bound); },
        [](const TimeFacts& f) { return f.kernels; }, share);
    if (worst == nullptr) return unknown("no compute kernels");
    return {.value = share,
            .evidence = format_ratio(share) + " of the kernel time is in kernels shorter than " +
                        format_duration(Duration{kShortKernel}) + on_worst(facts, worst->slot, facts.windows),
            .slot = worst->slot};
}

Reading read_host(const HealthFacts& facts) {
    double share = 0;
    const TimeFacts* const worst = find_worst(
        facts, [](const TimeFacts& f) { return std::optional(f.host_wait); }, duration_of_window, share);
    if (worst == nullptr) return unknown("no GPU work");
    const RankHealth* const own = [&]() -> const RankHealth* {
        const auto at = std::ranges::find(facts.ranks, worst->slot, &RankHealth::slot);
        return at == facts.ranks.end() ? nullptr : &*at;
    }();
    if (own == nullptr || !own->has_calls) return unknown("the traces have no launch calls");
    return {.value = share,
            .evidence = "the GPU waits " + format_ratio(share) + " of the window for launches" +
                        on_worst(facts, worst->slot, facts.windows),
            .slot = worst->slot,
            .event = worst->idle_event};
}

Reading read_data_loading(const HealthFacts& facts) {
    double share = 0;
    const TimeFacts* const worst = find_worst(
        facts, [](const TimeFacts& f) { return f.loading ? std::optional(f.loading_idle) : std::nullopt; },
        duration_of_window, share);
    if (worst == nullptr) return unknown("the traces have no marks of a data loader");
    return {.value = share,
            .evidence = "the GPU is idle for " + format_ratio(share) + " of the window while the host waits for data" +
                        on_worst(facts, worst->slot, facts.windows),
            .slot = worst->slot,
            .event = worst->idle_event};
}

Reading read_overlap(const HealthFacts& facts) {
    const TimeFacts* worst = nullptr;
    double least = 0, most_exposed = 0;
    bool any = false;
    for (const TimeFacts& f : facts.windows) {
        if (f.communication <= 0 || f.duration <= 0) continue;
        any = true;
        const double exposed = static_cast<double>(f.exposed) / static_cast<double>(f.duration);
        most_exposed = std::max(most_exposed, exposed);
        const std::int64_t shorter = std::min(f.compute, f.communication);
        if (exposed < kExposedMatters || shorter <= 0) continue;
        const double efficiency = static_cast<double>(f.communication - f.exposed) / static_cast<double>(shorter);
        if (worst != nullptr && efficiency >= least) continue;
        worst = &f;
        least = efficiency;
    }
    if (!any) return unknown("no communication in the traces");
    if (worst == nullptr && most_exposed >= kExposedMatters) return unknown("no compute that could hide communication");
    if (worst == nullptr)
        return {.is_fine = true,
                .evidence = "communication without compute beside it takes " + format_ratio(most_exposed) +
                            " of a rank's window at most: too little to judge overlap"};
    return {.value = least,
            .evidence = format_ratio(least) + " of the shorter of compute and communication is hidden" +
                        on_worst(facts, worst->slot, facts.windows),
            .slot = worst->slot,
            .event = worst->communication_event};
}

Reading read_communication(const HealthFacts& facts) {
    Reading reading;
    std::int64_t largest = 0;
    for (const OperationGroup& group : collect_bandwidth_groups(facts.members)) {
        if (group.sizes.empty() || !group.members || *group.members < 2) continue;
        const auto& [bytes, size] = *group.sizes.rbegin();
        const std::uint32_t first = size.collectives.front();
        const std::optional<double> link = find_link_speed(facts.members, first, *group.members);
        if (bytes <= largest || !link || *link <= 0 || size.transfer <= 0) continue;
        largest = bytes;
        const double bus = static_cast<double>(bytes) * 1e9 / static_cast<double>(size.transfer) *
                           bus_factor(group.operation, *group.members);
        const MatchedRun& matches = facts.members.matches();
        const MemberRef ref = matches.members_of(matches.collectives[first]).front();
        reading = {.value = bus / *link,
                   .evidence = std::string(name_of(group.operation)) + " of " + format_bytes(bytes) + " reaches " +
                               format_bytes_per_second(bus) + " on the bus of links of " +
                               format_bytes_per_second(*link),
                   .slot = ref.slot,
                   .event = matches.member(ref).event};
    }
    if (!reading.value) return unknown("no transfer of known size is matched on links of known bandwidth (--links)");
    return reading;
}

const RankHealth* find_fullest(const HealthFacts& facts, double (*share)(const RankHealth&), double& most) {
    const RankHealth* worst = nullptr;
    for (const RankHealth& rank : facts.ranks) {
        const double own = share(rank);
        if (std::isnan(own) || (worst != nullptr && own <= most)) continue;
        worst = &rank;
        most = own;
    }
    return worst;
}

Reading read_memory_pressure(const HealthFacts& facts) {
    double most = 0;
    const RankHealth* const worst = find_fullest(
        facts,
        [](const RankHealth& rank) {
            return rank.peak_reserved && rank.device_memory
                       ? static_cast<double>(*rank.peak_reserved) / static_cast<double>(*rank.device_memory)
                       : std::nan("");
        },
        most);
    if (worst == nullptr) return unknown("no memory events with totals (record with profile_memory=True)");
    return {.value = most,
            .evidence = format_bytes(*worst->peak_reserved) + " of " + format_bytes(*worst->device_memory) +
                        " are reserved" + on_worst(facts, worst->slot, facts.ranks),
            .slot = worst->slot,
            .event = worst->memory_event};
}

Reading read_slack(const HealthFacts& facts) {
    double most = 0;
    const RankHealth* const worst = find_fullest(
        facts,
        [](const RankHealth& rank) {
            return rank.reserved_at_peak && *rank.reserved_at_peak > 0
                       ? 1 - static_cast<double>(*rank.allocated) / static_cast<double>(*rank.reserved_at_peak)
                       : std::nan("");
        },
        most);
    if (worst == nullptr) return unknown("no memory events with totals (record with profile_memory=True)");
    return {.value = most,
            .evidence = format_bytes(*worst->allocated) + " of " + format_bytes(*worst->reserved_at_peak) +
                        " reserved are in use at the peak" + on_worst(facts, worst->slot, facts.ranks),
            .slot = worst->slot,
            .event = worst->memory_event};
}

Reading read_allocations(const HealthFacts& facts) {
    const RankHealth* worst = nullptr;
    double most = 0;
    for (const RankHealth& rank : facts.ranks) {
        if (!rank.has_calls || rank.later_steps <= 0) continue;
        const double share = static_cast<double>(rank.allocation_time) / static_cast<double>(rank.later_steps);
        if (worst != nullptr && share <= most) continue;
        worst = &rank;
        most = share;
    }
    if (worst == nullptr) return unknown("no two steps with runtime calls");
    return {.value = most,
            .evidence = format_plural(static_cast<std::uint64_t>(worst->allocations), "call", "calls") +
                        " allocate or free device memory after the first step, " +
                        format_duration(Duration{worst->allocation_time}) + on_worst(facts, worst->slot, facts.ranks),
            .slot = worst->slot,
            .event = worst->allocation_event};
}

Reading read_coverage(const HealthFacts& facts) {
    const TimeFacts* worst = nullptr;
    double least = 0;
    for (const TimeFacts& f : facts.windows) {
        if (f.matrix + f.uncounted <= 0) continue;
        const double share = static_cast<double>(f.matrix) / static_cast<double>(f.matrix + f.uncounted);
        if (worst != nullptr && share >= least) continue;
        worst = &f;
        least = share;
    }
    if (worst == nullptr) return unknown("no matrix kernels");
    // A property of the trace says nothing of the run's health.
    const std::string counted = "the FLOP of " + format_ratio(least) + " of the time of matrix kernels are counted" +
                                on_worst(facts, worst->slot, facts.windows);
    if (least < kCountedInFull) return unknown(counted);
    return {.value = least, .evidence = counted, .slot = worst->slot};
}

// In the order of Limits.
constexpr std::array<HealthCheck, kHealthChecks> kChecks = {{
    {"steps", "Steps steady", "(p90 - p10) / median of the longest rank's step time, without the first step", false,
     "Look at the long steps: checkpoints, evaluation, garbage collection, data loading.", "steps"},
    {"stragglers", "Stragglers", "the slowest rank's own work, without waiting, over the mean of the ranks", false,
     "See straggler-causes for what that rank does before collectives.", "stragglers"},
    {"utilisation", "Utilisation", "median MFU of the steps", true,
     "See verdict for what bounds the step, and op-efficiency for the operators that lose most.", "mfu"},
    {"tensor-cores", "Tensor cores", "matrix FLOP in fp32 without tf32, on devices with tensor cores for it", false,
     "torch.set_float32_matmul_precision('high'), or bfloat16 by autocast.", "op-efficiency"},
    {"mixed-precision", "Mixed precision", "matrix FLOP in 16 bits or less", true,
     "bfloat16 by autocast, if the model bears it.", "op-efficiency"},
    {"batch", "Batch", "time of compute kernels that are shorter than a launch", false,
     "A larger batch, fused operators and optimizers, CUDA graphs.", "kernels",
     "A larger batch, fused operators and optimizers: replays of graphs are as short as their kernels."},
    {"host", "Host", "idle time in which the GPU waits for a launch, of the window", false,
     "CUDA graphs, torch.compile, fewer synchronising calls; see device-idle for what the host did.", "device-idle",
     "Launch the next graph before the last one ends: fewer synchronising calls and less work between replays; see "
     "device-idle for what the host did."},
    {"data-loading", "Data loading", "idle time while the host waits for data, of the window", false,
     "More workers, pinned memory, prefetching.", "steps"},
    {"overlap", "Overlap", "hidden part of the shorter of compute and communication", true,
     "Gradient buckets, prefetching of shards, communication on a stream of its own.", "overlap"},
    {"communication", "Communication", "bus bandwidth of the largest messages over that of the links", true,
     "Topology, algorithm and number of channels; see bandwidth and link-model.", "bandwidth"},
    {"memory-pressure", "Memory pressure", "peak reserved memory over that of the device", false,
     "Close to the limit the allocator frees and asks again: a smaller batch, recomputation, sharding.",
     "memory-efficiency"},
    {"slack", "Memory slack", "1 - allocated / reserved at the peak", false,
     "expandable_segments:True; fewer different shapes.", "memory-efficiency"},
    {"allocations", "Allocations", "time of calls that allocate or free device memory after the first step", false,
     "expandable_segments:True, no empty_cache() in the loop, less memory in use.", "findings"},
    {"coverage", "FLOP counted", "time of matrix kernels whose FLOP are counted", true,
     "Record with record_shapes=True and without CUDA graphs to know the FLOP.", "flop-coverage",
     "Record the capture of the graphs with record_shapes=True: vLLM capture_torch_profiler, SGLang "
     "--enable-profile-cuda-graph, PyTorch enable_annotations."},
    {"clocks", "Clocks", "how much higher the SM clock could be: the other GPUs' over the slowest one's, less 1", false,
     "See findings for the reason that the log states, and telemetry for the steps.", "telemetry"},
    {"errors", "GPU errors", "GPUs with errors of memory, link or bus in the logs, of all", false,
     "Drain the node and check that GPU: nvidia-smi -q -d ECC,ROW_REMAPPER, dcgmi diag.", "telemetry"},
}};

constexpr std::array<ReadCheck*, kHealthChecks> kReaders = {
    read_steps_steady, read_stragglers,   read_utilisation, read_tensor_cores,  read_mixed_precision, read_batch,
    read_host,         read_data_loading, read_overlap,     read_communication, read_memory_pressure, read_slack,
    read_allocations,  read_coverage,     read_clocks,      read_gpu_errors};

}  // namespace

std::span<const HealthCheck> health_checks() { return kChecks; }

const HealthCheck* find_health_check(std::string_view id) {
    const auto* const found = std::ranges::find(kChecks, id, &HealthCheck::id);
    return found == kChecks.end() ? nullptr : &*found;
}

Reading read_confirmed(const HealthFacts& facts, const ConfirmedRanks& confirmed, Reading of_check) {
    if (!confirmed.known) return of_check;
    if (confirmed.slots.empty())
        return {.is_fine = true, .evidence = "no rank holds the run up, by replay; " + of_check.evidence};
    if (confirmed.by_turns) {
        of_check.evidence += "; another rank holds the run up in each step";
        of_check.slot.reset();
        return of_check;
    }
    return compare_own_work(facts, confirmed.slots);
}

Reading read_check(std::size_t check, const HealthFacts& facts) { return kReaders[check](facts); }

}  // namespace core
