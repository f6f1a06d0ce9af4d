#include "core/analysis/verdict/health_facts.hpp"

#include "core/analysis/efficiency/device_peaks.hpp"
#include "core/analysis/efficiency/executed_calls.hpp"
#include "core/analysis/engine/host_calls.hpp"
#include "core/analysis/memory/memory_use.hpp"

#include <algorithm>
#include <array>

namespace core {
namespace {

// Cells of RankHealth in their order; absent numbers and events are absent cells.
enum HealthAt : std::size_t {
    kOfSlot,
    kOfRank,
    kTrains,
    kTensorCores,
    kHalf,
    kFlop,
    kFlopFp32,
    kFlopHalf,
    kHasCalls,
    kSteps,
    kAllocations,
    kAllocationTime,
    kLaterSteps,
    kAllocated,
    kReservedAtPeak,
    kPeakReserved,
    kDeviceMemory,
    kAllocationEvent,
    kMemoryEventAt,
    kHealthColumns,
};

bool is_half(Precision precision) {
    return precision == Precision::Bf16 || precision == Precision::Fp16 || precision == Precision::Fp8 ||
           precision == Precision::Int8 || precision == Precision::Fp4;
}

Result<bool> add_flop_by_precision(const RankView& view, const JobContext& context, RankHealth& health) {
    const Result<ChosenCalls> chosen = choose_calls(view, context);
    if (!chosen) return chosen.error();
    Wide all = 0, single = 0, half = 0;
    for (const ChosenCall& one : chosen->calls) {
        if (!one.executed) continue;
        const WorkCall& call = chosen->work->calls[one.call];
        const Precision precision = chosen->work->precision_of(call);
        const Wide flop = chosen->work->work_of(call).flop;
        all += flop;
        if (precision == Precision::Fp32) single += flop;
        if (is_half(precision)) half += flop;
    }
    health.flop = clamped(all);
    health.flop_fp32 = clamped(single);
    health.flop_half = clamped(half);
    health.trains = std::ranges::find(chosen->work->passes, Pass::Backward) != chosen->work->passes.end();
    const Peaks peaks = peaks_of(*view.run, view.slot, kNoEvent);
    const auto has = [&](Precision precision) { return peaks.of_precision(precision).has_value(); };
    health.has_tensor_cores = has(Precision::Tf32) || has(Precision::Bf16);
    health.has_half = has(Precision::Bf16) || has(Precision::Fp16);
    return true;
}

// Calls that allocate or free device memory and begin after the first chosen step, where caches fill.
void add_allocations(const RankView& view, RankHealth& health) {
    const RankTrace& trace = view.trace();
    const std::span<const Step> steps = view.selection->steps();
    health.has_calls = !trace.launch_calls.empty();
    health.steps = std::ssize(steps);
    if (steps.size() < 2) return;
    for (const Step& step : steps.subspan(1)) health.later_steps += view.visible(step.range).length().count();
    std::vector<bool> by_name(trace.names.size());
    for (std::uint32_t n = 0; n < by_name.size(); ++n) by_name[n] = allocates(kind_of_call(trace.text(NameId{n})));
    Duration longest{-1};
    for (std::uint32_t e = 0; e < trace.size(); ++e) {
        const EventId call{e};
        if (!by_name[index_of(trace.name[e])] || !is_launch_category(trace.category_kind(call))) continue;
        if (trace.start[e] < steps[0].range.end || view.visible(call).empty()) continue;
        ++health.allocations;
        health.allocation_time += view.visible(call).length().count();
        if (trace.duration[e] <= longest) continue;
        longest = trace.duration[e];
        health.allocation_event = call;
    }
}

// Adds the memory of the GPU whose allocator held most.
void add_memory(const RankView& view, RankHealth& health) {
    for (const auto& [device, use] : collect_memory_use(view)) {
        if (use.peak_reserved <= health.peak_reserved.value_or(-1)) continue;
        health.allocated = use.peak_allocated;
        health.reserved_at_peak = use.reserved_at_peak;
        health.peak_reserved = use.peak_reserved;
        health.device_memory = use.device_memory;
        health.memory_event = use.at_peak;
    }
}

}  // namespace

std::vector<Column> rank_health_columns() {
    std::vector<Column> columns;
    for (std::size_t i = 0; i < kHealthColumns; ++i)
        columns.push_back({"fact " + std::to_string(i), Unit::Count, Role::Info, Facet::None, ""});
    return columns;
}

Result<Table> collect_rank_health(const RankView& view, const JobContext& context) {
    Table table(rank_health_columns());
    RankHealth h;
    h.slot = static_cast<std::uint32_t>(view.slot);
    h.rank = view.key();
    if (const Result<bool> done = add_flop_by_precision(view, context, h); !done) return done.error();
    add_allocations(view, h);
    add_memory(view, h);
    const auto known = [](const std::optional<std::int64_t>& value) { return value ? Cell{*value} : Cell{}; };
    const auto event = [](EventId e) { return e == kNoEvent ? Cell{} : Cell{static_cast<std::int64_t>(index_of(e))}; };
    const auto flag = [](bool is) { return Cell{std::int64_t{is ? 1 : 0}}; };
    table.add_row({std::int64_t{h.slot}, h.rank, flag(h.trains), flag(h.has_tensor_cores), flag(h.has_half), h.flop,
                   h.flop_fp32, h.flop_half, flag(h.has_calls), h.steps, h.allocations, h.allocation_time,
                   h.later_steps, known(h.allocated), known(h.reserved_at_peak), known(h.peak_reserved),
                   known(h.device_memory), event(h.allocation_event), event(h.memory_event)});
    return table;
}

std::vector<RankHealth> read_rank_health(const Table& table) {
    std::vector<RankHealth> all;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const auto number = [&](std::size_t at) { return table.integer(row, at); };
        const auto known = [&](std::size_t at) {
            return table.absent(row, at) ? std::nullopt : std::optional(table.integer(row, at));
        };
        const auto event = [&](std::size_t at) {
            return table.absent(row, at) ? kNoEvent : EventId{static_cast<std::uint32_t>(table.integer(row, at))};
        };
        all.push_back({.slot = static_cast<std::uint32_t>(number(kOfSlot)),
                       .rank = number(kOfRank),
                       .trains = number(kTrains) != 0,
                       .has_tensor_cores = number(kTensorCores) != 0,
                       .has_half = number(kHalf) != 0,
                       .flop = number(kFlop),
                       .flop_fp32 = number(kFlopFp32),
                       .flop_half = number(kFlopHalf),
                       .has_calls = number(kHasCalls) != 0,
                       .steps = number(kSteps),
                       .allocations = number(kAllocations),
                       .allocation_time = number(kAllocationTime),
                       .later_steps = number(kLaterSteps),
                       .allocated = known(kAllocated),
                       .reserved_at_peak = known(kReservedAtPeak),
                       .peak_reserved = known(kPeakReserved),
                       .device_memory = known(kDeviceMemory),
                       .allocation_event = event(kAllocationEvent),
                       .memory_event = event(kMemoryEventAt)});
    }
    return all;
}

}  // namespace core
