#include "core/analysis/findings/findings_of_rank.hpp"

#include "core/analysis/efficiency/device_peaks.hpp"
#include "core/analysis/engine/data_loading.hpp"
#include "core/analysis/engine/host_activity.hpp"
#include "core/analysis/engine/host_calls.hpp"
#include "core/analysis/engine/lost_ranks.hpp"
#include "core/analysis/findings/find_inefficiency.hpp"
#include "core/analysis/findings/find_risks.hpp"
#include "core/analysis/findings/finding_thresholds.hpp"
#include "core/analysis/launches/launch_records.hpp"
#include "core/analysis/time/idle_gaps.hpp"
#include "core/base/format.hpp"
#include "core/base/short_name.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <map>

namespace core {
namespace {

constexpr FindingLink kIdleLinks[] = {{"What the host did", "device-idle"}, {"The longest gaps", "idle-gaps"}};
constexpr FindingLink kShortKernelLinks[] = {{"Which kernels", "kernel-sequences"}};
constexpr FindingLink kSlowMatrixLinks[] = {{"Operators by lost time", "op-efficiency"}};
constexpr FindingLink kNearLimitLinks[] = {{"Memory over time", "memory-timeline"}};
constexpr FindingLink kUncountedLinks[] = {{"Kernels without FLOP", "flop-coverage"}};
constexpr FindingLink kBucketLinks[] = {{"Gradient buckets", "ddp-buckets"}};
constexpr FindingLink kShardLinks[] = {{"Sharded units", "fsdp"}};
constexpr FindingLink kBubbleLinks[] = {{"The pipeline's bubble", "pipeline"}};
constexpr FindingLink kExpertLinks[] = {{"Experts", "experts"}};
constexpr FindingLink kLateLinks[] = {{"What delays it", "straggler-causes"}, {"When it was late", "wait-by-step"}};
constexpr FindingLink kMemoryLinks[] = {{"What is in use at the peak", "memory-peak"},
                                        {"Why the request fails", "memory-snapshot"}};
constexpr FindingLink kClockLinks[] = {{"Clocks by step", "telemetry"}};

constexpr std::array<FindingRule, kFindingKinds> kRules = {{
    {"exposed-communication", "Communication is exposed", "measured",
     "Let it run beside compute: gradient buckets, prefetching of shards, communication on a stream of its own, larger "
     "batches."},
    {"exposed-copies", "Copies run without compute", "measured",
     "Copy the next inputs while this step computes: pinned memory, non_blocking=True, a stream of its own; keep on "
     "the "
     "device what is used again, and copy fewer, larger pieces."},
    {"idle", "The GPU idles", "measured",
     "Let the host run ahead: load data in other processes, avoid synchronisation, launch many kernels at once.",
     kIdleLinks},
    {"low-overlap", "Compute and communication hardly overlap", "measured",
     "Compute and communication take turns: look for waits between their streams, start collectives earlier, give "
     "collectives fewer channels."},
    {"short-kernels", "Kernels finish faster than the host launches them", "measured",
     "The host cannot keep up: CUDA graphs, torch.compile, fused optimizers, larger batches.", kShortKernelLinks},
    {"host-syncs", "The host blocks on the GPU and then leaves it idle", "measured",
     "Do not read results back in the loop: .item(), .cpu(), nonzero, printing losses; copy from pinned memory with "
     "non_blocking=True."},
    {"allocations", "Allocating and freeing memory takes long", "measured",
     "The allocator asks the driver again and again: expandable_segments, fewer different shapes, no empty_cache() in "
     "the loop, less memory in use."},
    {"no-tensor-cores", "Matrix kernels run without tensor cores", "likely",
     "If the device has tensor cores: allow TF32 or use bfloat16 (autocast), where they know float16 alone (Volta, "
     "Turing) float16 with autocast and a gradient scaler; make sizes of matrices multiples of 8."},
    {"small-messages", "Collectives are small", "measured",
     "Latency, not bandwidth: larger buckets, coalesced collectives, fewer scalars reduced one by one."},
    {"unused-memory", "Room for a larger batch", "possible",
     "Memory is left and the GPU waits for the host: a larger batch gives each launch more work."},
    {"low-precision-unused", "Matrix operators compute in single precision", "likely",
     "The device is faster in 16 bits: autocast to bfloat16, or to float16 with a gradient scaler where the device has "
     "no bfloat16; TF32 (torch.set_float32_matmul_precision('high')) gains part of it. Check that the model bears it."},
    {"slow-matrix", "Matrix operators are far from what the device can do", "measured",
     "Larger or batched products, another layout, another kernel (torch.compile, flash attention).", kSlowMatrixLinks},
    {"bad-shapes", "Matrix sizes do not suit tensor cores", "likely",
     "Pad sizes to multiples of 8 in 16 bits and of 16 in 8 bits: vocabulary, hidden size, length of the batch."},
    {"recompute", "Activations are computed again", "measured",
     "Checkpoint fewer layers, or only what is cheap to compute again: that takes more memory."},
    {"slack-high", "Reserved memory is not in use", "measured",
     "The allocator holds memory that no tensor uses, on a device that is nearly full: expandable_segments:True, fewer "
     "different shapes."},
    {"near-limit", "Memory is nearly full", "measured",
     "A larger batch or sequence, or a fragmented pool, runs out of memory: checkpoint activations, shard states, or "
     "lower the peak (a memory snapshot says what is alive then).",
     kNearLimitLinks},
    {"uncounted", "FLOP of most matrix kernels are unknown", "measured",
     "MFU and HFU are lower bounds here. Record with record_shapes=True and a window that begins before the first "
     "launch; what torch.compile and CUDA graphs launch has no operators: record some steps without them.",
     kUncountedLinks},
    {"unbalanced-kernels", "Kernels take longer", "measured",
     "The same kernel takes longer there: uneven inputs (sequence lengths, experts, shards), clocks or throttling, "
     "another process."},
    {"last-bucket", "The last gradient bucket is exposed", "measured",
     "Nothing is left to compute beside it: a smaller bucket_cap_mb, or static_graph=True, so that buckets follow the "
     "backward pass.",
     kBucketLinks},
    {"prefetch-late", "Kernels wait for shards of parameters", "measured",
     "Gather earlier: forward_prefetch, backward_prefetch=BACKWARD_PRE, limit_all_gathers=False where memory allows; "
     "wrap units of even size.",
     kShardLinks},
    {"bubble-excess", "The pipeline idles more than its schedule", "measured",
     "Balance the stages, or let messages run beside compute; more microbatches make the schedule's own bubble "
     "smaller.",
     kBubbleLinks},
    {"expert-imbalance", "Experts get unequal amounts", "measured",
     "Raise the weight of the load-balancing loss, cap the capacity factor, or place experts that are often chosen on "
     "different ranks.",
     kExpertLinks},
    {"late-rank", "The other ranks wait", "measured", "Shorten what it does longer than the others before collectives.",
     kLateLinks},
    {"uneven-work", "A different rank holds up the others in each step", "measured",
     "Give every rank the same amount of work: sort or pack samples by length, balance tokens rather than samples."},
    {"stage-imbalance", "A pipeline stage computes longer than the others", "measured",
     "Move layers between stages: the stage with embeddings or the loss needs fewer, and so does the first with "
     "recomputation."},
    {"few-microbatches", "The pipeline has few microbatches", "measured",
     "More, smaller microbatches, or interleaved stages: filling and draining takes (p - 1) / (m + p - 1) of the "
     "step."},
    {"desynchronised", "The job is out of step", "measured",
     "Ranks run other code, or other data decides what they call: compare the branches that lead to these collectives. "
     "Such a job hangs or computes wrong results sooner or later."},
    {"incomplete", "Records are missing", "measured",
     "Record again: fewer steps at a time, larger buffers of the profiler, files copied whole. Until then nothing is "
     "said of these ranks."},
    {"out-of-memory", "A GPU ran out of memory", "measured",
     "Smaller batches or sequences, checkpointed activations, sharded states; expandable_segments:True where enough is "
     "free in pieces.",
     kMemoryLinks},
    {"clocks-low-rank", "The SM clock is lower than on other ranks", "likely",
     "Ask that host for the reason: nvidia-smi -q -d PERFORMANCE,CLOCK,POWER.", kClockLinks},
    {"clocks-low-all", "The SM clock is low on every rank", "measured",
     "Compare the limits of power and clocks with nvidia-smi -q -d POWER,CLOCK; cooling of the hosts."},
    {"gpu-errors", "The GPU reports errors", "measured",
     "See the kernel log; nvidia-smi -q -d ECC,ROW_REMAPPER; have the GPU checked if they come again."},
    {"pcie-narrow", "The PCIe link is narrower than it can be", "measured",
     "Reseat the card, and look at the slot and the riser; copies and launches take longer."},
    {"memory-clock-low", "The memory clock is lower than the others'", "measured",
     "Memory-bound kernels take longer: compare nvidia-smi -q -d CLOCK,PERFORMANCE of the GPUs, and reset locked "
     "clocks with nvidia-smi -rmc."},
}};

struct Facts {
    const RankView& view;
    RankRange window;
    ClassTimes times;
    std::vector<Gap> gaps;
    std::vector<Launch> launches;

    const RankTrace& trace() const { return view.trace(); }
    std::string share_of_window(std::int64_t time) const {
        return format_ratio(static_cast<double>(time) / static_cast<double>(window.length().count()));
    }
};

bool is_at_least(std::int64_t time, int percent, const Facts& facts) {
    return Wide{time} * 100 >= Wide{facts.window.length().count()} * percent;
}

std::string text_of(std::int64_t ns) { return format_duration(Duration{ns}); }
std::string count_of(std::size_t count) { return format_count(static_cast<std::int64_t>(count)); }

// An event with what it costs.
struct Costly {
    EventId event;
    std::int64_t cost;
    RankRange gap{};  // before the event, if that is what costs
};

Costly costly_gap(const Gap& gap) { return {gap.next, gap.visible.length().count(), gap.visible}; }

// The costliest ones, which may be fewer.
std::vector<Costly> choose_worst(std::vector<Costly> events) {
    std::erase_if(events, [](const Costly& one) { return one.event == kNoEvent; });
    std::ranges::stable_sort(events, std::greater{}, &Costly::cost);
    events.resize(std::min(events.size(), thresholds::kMostEvents));
    return events;
}

std::vector<EventId> worst_of(std::vector<Costly> events) {
    std::vector<EventId> worst;
    for (const Costly& one : choose_worst(std::move(events))) worst.push_back(one.event);
    return worst;
}

// In the order of worst_of.
std::vector<RankRange> worst_gaps_of(std::vector<Costly> events) {
    std::vector<RankRange> gaps;
    for (const Costly& one : choose_worst(std::move(events))) gaps.push_back(one.gap);
    return gaps;
}

std::int64_t cost_of(std::span<const Costly> events) {
    Wide sum = 0;
    for (const Costly& one : events) sum += one.cost;
    return clamped(sum);
}

template <class Chooses>
std::vector<Costly> collect_gpu_events(const Facts& facts, const Chooses& chooses) {
    std::vector<Costly> events;
    for (const EventId e : facts.view.gpu_events())
        if (chooses(e)) events.push_back({e, facts.view.visible(e).length().count()});
    return events;
}

std::optional<Finding> find_exposed_communication(const Facts& facts) {
    const std::int64_t exposed = facts.times.exposed_communication().count();
    if (!is_at_least(exposed, thresholds::kExposedCommunication, facts)) return std::nullopt;
    const std::int64_t all = facts.times.with(KernelClass::Communication).count();
    return Finding{.kind = FindingKind::ExposedCommunication,
                   .gain = exposed,
                   .evidence = text_of(exposed) + " of " + text_of(all) +
                               " of communication has no compute beside it, " + facts.share_of_window(exposed) +
                               " of the window",
                   .events = worst_of(collect_gpu_events(
                       facts, [&](EventId e) { return facts.view.class_of(e) == KernelClass::Communication; }))};
}

std::optional<Finding> find_exposed_copies(const Facts& facts) {
    const std::int64_t exposed = facts.times.exposed_memory().count();
    if (!is_at_least(exposed, thresholds::kExposedCopies, facts)) return std::nullopt;
    const std::vector<Costly> copies =
        collect_gpu_events(facts, [&](EventId e) { return facts.view.class_of(e) == KernelClass::Memory; });
    const auto longest = std::ranges::max_element(copies, {}, &Costly::cost);
    std::string evidence = "copies and sets run for " + text_of(exposed) +
                           " without compute or communication beside them, " + facts.share_of_window(exposed) +
                           " of the window";
    if (longest != copies.end())
        evidence += "; the longest, " + std::string(facts.trace().name_text(longest->event)) + ", takes " +
                    text_of(longest->cost);
    return Finding{.kind = FindingKind::ExposedCopies,
                   .gain = exposed,
                   .evidence = std::move(evidence),
                   .events = worst_of(copies)};
}

// The longest of some gaps, as the place to show.
template <class Chooses>
std::optional<RankRange> find_longest_gap(const Facts& facts, const Chooses& chooses) {
    std::optional<RankRange> longest;
    for (const Gap& gap : facts.gaps)
        if (chooses(gap) && (!longest || gap.visible.length() > longest->length())) longest = gap.visible;
    return longest;
}

// Names the call of the launching thread that covers most of a gap; empty if nothing is recorded.
std::string find_host_in(const RankTrace& trace, const Costly& gap) {
    const EventId host = find_host_of_gap(trace, gap.event, gap.gap);
    return host == kNoEvent ? std::string() : cut_name(trace.name_text(host));
}

// Inside of a replay no host can do anything about it, and work that was not recorded may have run.
bool is_idle(const Gap& gap) { return gap.cause != GapCause::GraphGap && gap.cause != GapCause::NotRecorded; }

std::optional<Finding> find_idle(const Facts& facts) {
    std::int64_t idle = facts.times.idle().count();
    std::vector<Costly> before;
    for (const Gap& gap : facts.gaps)
        if (is_idle(gap))
            before.push_back(costly_gap(gap));
        else
            idle -= gap.visible.length().count();
    if (!is_at_least(idle, thresholds::kIdle, facts)) return std::nullopt;
    const auto longest = std::ranges::max_element(before, {}, &Costly::cost);
    const bool is_one = before.size() == 1;
    std::string gaps = is_one ? "one gap" : count_of(before.size()) + " gaps";
    if (longest != before.end()) {
        const std::string host = find_host_in(facts.trace(), *longest);
        gaps += is_one         ? " of " + text_of(longest->cost)
                : host.empty() ? ", the longest of " + text_of(longest->cost)
                               : "; in the longest, " + text_of(longest->cost);
        if (!host.empty()) gaps += (is_one ? ", in which the host is in " : ", the host is in ") + host;
    }
    return Finding{
        .kind = FindingKind::Idle,
        .gain = idle,
        .evidence = "nothing runs on the GPU for " + facts.share_of_window(idle) + " of the window, in " + gaps,
        .events = worst_of(before),
        .window = 0,
        .places = worst_gaps_of(before),
        .gap = find_longest_gap(facts, is_idle)};
}

std::optional<Finding> find_low_overlap(const Facts& facts) {
    const std::int64_t compute = facts.times.compute().count();
    const std::int64_t communication = facts.times.with(KernelClass::Communication).count();
    const std::int64_t exposed = facts.times.exposed_communication().count();
    const std::int64_t least = std::min(compute, communication), both = communication - exposed;
    if (!is_at_least(least, thresholds::kOverlappable, facts) || both >= least - both) return std::nullopt;
    return Finding{.kind = FindingKind::LowOverlap,
                   .gain = least - both,
                   .evidence = "compute (" + text_of(compute) + ") and communication (" + text_of(communication) +
                               (both > 0 ? ") run at once for " + text_of(both) + " only" : ") never run at once"),
                   .events = worst_of(collect_gpu_events(
                       facts, [&](EventId e) { return facts.view.class_of(e) == KernelClass::Communication; }))};
}

bool is_short(const Launch& launch) {
    return launch.gpu_time < launch.call_time && launch.call_time <= thresholds::kLongestShortCall;
}

std::optional<Finding> find_short_kernels(const Facts& facts) {
    std::vector<EventId> first;
    for (const Launch& launch : facts.launches)
        if (is_short(launch)) first.push_back(launch.first);
    if (facts.launches.size() < thresholds::kFewLaunches ||
        first.size() * 100 < facts.launches.size() * thresholds::kShortKernels)
        return std::nullopt;
    std::ranges::sort(first);
    std::vector<Costly> starved;
    for (const Gap& gap : facts.gaps) {
        if (gap.cause == GapCause::HostWait && std::ranges::binary_search(first, gap.next))
            starved.push_back(costly_gap(gap));
    }
    return Finding{.kind = FindingKind::ShortKernels,
                   .gain = cost_of(starved),
                   .evidence = count_of(first.size()) + " of " + count_of(facts.launches.size()) +
                               " launches run shorter on the GPU than the call takes; the GPU waits for " +
                               count_of(starved.size()) + " of them",
                   .events = worst_of(starved),
                   .window = 0,
                   .places = worst_gaps_of(starved),
                   .gap = find_longest_gap(facts, [&](const Gap& gap) {
                       return gap.cause == GapCause::HostWait && std::ranges::binary_search(first, gap.next);
                   })};
}

template <class Chooses>
std::vector<EventId> collect_calls(const Facts& facts, RankRange window, const Chooses& chooses) {
    const RankTrace& trace = facts.trace();
    std::vector<bool> by_name(trace.names.size());
    for (std::uint32_t n = 0; n < by_name.size(); ++n) by_name[n] = chooses(kind_of_call(trace.text(NameId{n})));
    std::vector<EventId> calls;
    for (std::uint32_t e = 0; e < trace.size(); ++e) {
        if (by_name[index_of(trace.name[e])] && is_launch_category(trace.category_kind(EventId{e})) &&
            window.contains(trace.start[e]))
            calls.push_back(EventId{e});
    }
    std::ranges::sort(calls, {}, [&](EventId e) { return std::pair(trace.start[index_of(e)], e); });
    return calls;
}

// Gaps that begin while a call waits and outlast it: when it returns there is nothing left to do. Shorter ones before
// lie between kernels that were launched already.
std::optional<Finding> find_host_syncs(const Facts& facts) {
    const RankTrace& trace = facts.trace();
    const std::vector<EventId> calls = collect_calls(facts, facts.window, [](CallKind kind) {
        return kind == CallKind::SyncsStream || kind == CallKind::SyncsDevice;
    });
    std::vector<Costly> drained;
    for (const EventId call : calls) {
        const RankTime end = trace.end(call);
        const auto after =
            std::ranges::partition_point(facts.gaps, [&](const Gap& gap) { return gap.whole.begin <= end; });
        if (after == facts.gaps.begin()) continue;
        const Gap& gap = *std::prev(after);
        if (gap.whole.begin > trace.start[index_of(call)] && gap.whole.end >= end && gap.next != kNoEvent)
            drained.push_back({call, gap.visible.length().count()});
    }
    if (drained.size() < thresholds::kFewHostSyncs) return std::nullopt;
    return Finding{.kind = FindingKind::HostSyncs,
                   .gain = cost_of(drained),
                   .evidence = count_of(drained.size()) + " of " + count_of(calls.size()) +
                               " synchronising calls let the GPU run dry, for " + text_of(cost_of(drained)) + " in all",
                   .events = worst_of(drained)};
}

// In the first step caches fill. Without steps all calls of the trace count, also those before the first kernel.
std::optional<Finding> find_allocations(const Facts& facts) {
    const RankTrace& trace = facts.trace();
    if (trace.steps.size() == 1) return std::nullopt;
    const bool has_steps = !trace.steps.empty();
    const RankRange window = has_steps ? facts.window : facts.view.visible(trace.window);
    std::vector<Costly> calls;
    for (const EventId call : collect_calls(facts, window, allocates)) {
        if (!has_steps || trace.start[index_of(call)] >= trace.steps[1].range.begin)
            calls.push_back({call, facts.view.visible(call).length().count()});
    }
    if (calls.empty()) return std::nullopt;
    return Finding{.kind = FindingKind::Allocations,
                   .gain = cost_of(calls),
                   .evidence = count_of(calls.size()) + " calls that allocate or free memory" +
                               (has_steps ? " after the first step, " : ", ") + text_of(cost_of(calls)) + " in all",
                   .events = worst_of(calls),
                   .window = window.length().count()};
}

// Advice by device against single precision; empty: that of the rule.
std::string_view advice_for(MatrixUnits units) {
    switch (units) {
        case MatrixUnits::Tf32Bf16:
            return "Allow TF32 or use bfloat16 (autocast); make sizes of matrices multiples of 8.";
        case MatrixUnits::Bf16:
            return "Use bfloat16 (autocast); make sizes of matrices multiples of 8.";
        case MatrixUnits::Float16:
            return "Use float16 with autocast and a gradient scaler: the tensor cores of this device know neither TF32 "
                   "nor "
                   "bfloat16; make sizes of matrices multiples of 8.";
        case MatrixUnits::None:
        case MatrixUnits::Unknown:
            break;
    }
    return {};
}

// Matrix kernels of cuBLAS, cuDNN and CUTLASS in single precision that are not made for tensor cores, on devices that
// may have some.
std::optional<Finding> find_no_tensor_cores(const Facts& facts) {
    std::map<std::uint32_t, MatrixUnits> of_process;
    const auto units_of = [&](EventId e) {
        const auto [it, is_new] = of_process.try_emplace(facts.trace().track_of(e).process, MatrixUnits::Unknown);
        if (is_new) it->second = matrix_units_of(*facts.view.run, facts.view.slot, e);
        return it->second;
    };
    const std::vector<Costly> kernels = collect_gpu_events(facts, [&](EventId e) {
        return facts.view.class_of(e) == KernelClass::Compute && is_simt_matrix_kernel(facts.trace().name_text(e)) &&
               units_of(e) != MatrixUnits::None;
    });
    if (kernels.empty()) return std::nullopt;
    const std::int64_t time = cost_of(kernels);
    const EventId longest = worst_of(kernels).front();
    return Finding{.kind = FindingKind::NoTensorCores,
                   .gain = time,
                   .evidence = count_of(kernels.size()) +
                               " matrix kernels in single precision without tensor cores take " + text_of(time) +
                               ", the longest of them " + std::string(facts.trace().name_text(longest)),
                   .events = worst_of(kernels),
                   .window = 0,
                   .gap = {},
                   .advice = advice_for(units_of(longest))};
}

std::int64_t bytes_of(std::string_view dtype) {
    constexpr std::pair<std::string_view, std::int64_t> kSizes[] = {
        {"Double", 8}, {"Long", 8},     {"UnsignedLong", 8}, {"ComplexFloat", 8}, {"Float", 4}, {"Int", 4},
        {"Half", 2},   {"BFloat16", 2}, {"Short", 2},        {"Byte", 1},         {"Char", 1},  {"Bool", 1}};
    const auto* const it = std::ranges::find(kSizes, dtype, &std::pair<std::string_view, std::int64_t>::first);
    return it == std::end(kSizes) ? 1 : it->second;
}

std::optional<Finding> find_small_messages(const Facts& facts) {
    const RankTrace& trace = facts.trace();
    std::vector<Costly> messages = collect_gpu_events(facts, [&](EventId e) {
        if (facts.view.class_of(e) != KernelClass::Communication) return false;
        const std::optional<std::int64_t> elements = trace.integer(Arg::InElements, e);
        const std::string_view dtype = trace.argument(Arg::CollectiveDtype, e).value_or("");
        return elements && *elements >= 0 && *elements <= thresholds::kSmallMessageBytes / bytes_of(dtype);
    });
    if (messages.size() < thresholds::kFewMessages) return std::nullopt;
    const std::int64_t time = std::min(cost_of(messages), facts.times.exposed_communication().count());
    return Finding{.kind = FindingKind::SmallMessages,
                   .gain = time,
                   .evidence = count_of(messages.size()) + " collectives of " +
                               format_bytes(thresholds::kSmallMessageBytes) + " or less; at most " + text_of(time) +
                               " of them is exposed",
                   .events = worst_of(messages)};
}

std::int64_t find_peak_reserved(const RankTrace& trace) {
    std::int64_t peak = 0;
    const SparseColumn<std::int64_t> reserved = trace.integers(Arg::TotalReserved);
    for (const std::int64_t bytes : reserved.values) peak = std::max(peak, bytes);
    return peak;
}

std::optional<Finding> find_unused_memory(const Facts& facts) {
    const std::int64_t peak = find_peak_reserved(facts.trace());
    std::int64_t memory = 0;
    for (const Device& device : facts.trace().info.devices) memory = std::max(memory, device.memory_bytes);
    std::vector<Costly> starved;
    for (const Gap& gap : facts.gaps)
        if (gap.cause == GapCause::HostWait) starved.push_back(costly_gap(gap));
    if (peak == 0 || peak > memory / 2 || !is_at_least(cost_of(starved), thresholds::kStarved, facts))
        return std::nullopt;
    return Finding{.kind = FindingKind::UnusedMemory,
                   .gain = cost_of(starved),
                   .evidence = format_bytes(peak) + " of " + format_bytes(memory) +
                               " were ever reserved, and the GPU waits for " + text_of(cost_of(starved)) +
                               " for launches",
                   .events = worst_of(starved),
                   .window = 0,
                   .places = worst_gaps_of(starved),
                   .gap = find_longest_gap(facts, [](const Gap& gap) { return gap.cause == GapCause::HostWait; })};
}

constexpr std::optional<Finding> (*kPatterns[])(const Facts&) = {
    find_exposed_communication, find_exposed_copies, find_idle,        find_low_overlap,
    find_short_kernels,         find_host_syncs,     find_allocations, find_no_tensor_cores,
    find_small_messages,        find_unused_memory};

}  // namespace

bool is_simt_matrix_kernel(std::string_view name) {
    const auto contains = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
    const bool tensor = contains("tf32") || contains("tensorop") || contains("s1688") || contains("s16816");
    return !tensor && (contains("sgemm") || contains("_scudnn_") || contains("simt_s"));
}

std::string format_links(std::span<const FindingLink> links) {
    std::string text;
    for (std::size_t i = 0; i < links.size(); ++i) {
        std::string label(links[i].label);
        label.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(label.front())));
        text += (i == 0                  ? "See "
                 : i + 1 == links.size() ? " and "
                                         : ", ") +
                std::string(links[i].analysis) + " (" + label + ")";
    }
    return text.empty() ? text : text + ".";
}

const FindingRule& rule_of(FindingKind kind) { return kRules[static_cast<std::size_t>(kind)]; }

const FindingRule* find_finding_rule(std::string_view id) {
    const auto* const found = std::ranges::find(kRules, id, &FindingRule::id);
    return found == kRules.end() ? nullptr : &*found;
}

std::optional<FindingKind> find_finding_kind(std::string_view id) {
    const FindingRule* const rule = find_finding_rule(id);
    if (!rule) return std::nullopt;
    return static_cast<FindingKind>(rule - kRules.data());
}

Result<RankView> view_for_findings(const RankView& view, const JobContext& context) {
    Result<SelectionPtr> selection = view.build_selection_of_window(context);
    if (!selection) return std::move(selection).error();
    RankView all = view;
    all.selection = *std::move(selection);
    return all;
}

Result<std::vector<Finding>> find_on_rank(const RankView& view, const JobContext& context) {
    std::vector<Finding> found;
    if (!view.has_gpu_work() || view.window().empty()) return found;
    if (lost_ranks_of(*view.run)->has(static_cast<std::uint32_t>(view.slot))) return find_risks(view, context);
    Result<Launches> launches = collect_launches(view, context);
    if (!launches) return std::move(launches).error();
    const Facts facts{.view = view,
                      .window = view.window(),
                      .times = view.selection->partition().times(view.window()),
                      .gaps = collect_device_gaps(view, thresholds::kShortGap),
                      .launches = std::move(launches->calls)};
    for (const auto& pattern : kPatterns) {
        if (context.cancelled()) return cancelled_error();
        if (std::optional<Finding> finding = pattern(facts)) found.push_back(*std::move(finding));
    }
    Result<std::vector<Finding>> inefficient = find_inefficiency(view, context);
    if (!inefficient) return std::move(inefficient).error();
    std::ranges::move(*inefficient, std::back_inserter(found));
    Result<std::vector<Finding>> risks = find_risks(view, context);
    if (!risks) return std::move(risks).error();
    std::ranges::move(*risks, std::back_inserter(found));
    return found;
}

}  // namespace core
