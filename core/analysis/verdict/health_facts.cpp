#include "core/analysis/verdict/health_facts.hpp"

#include "core/analysis/efficiency/device_peaks.hpp"
#include "core/analysis/efficiency/executed_calls.hpp"
#include "core/analysis/engine/host_calls.hpp"
#include "core/analysis/memory/memory_use.hpp"

#include <algorithm>
#include <array>

namespace core {
namespace {

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

Result<Table> collect_rank_health(const RankView& view, const JobContext& context) {
    Table table(record_columns<RankHealth>());
    RankHealth h;
    h.slot = static_cast<std::uint32_t>(view.slot);
    h.rank = view.key();
    if (const Result<bool> done = add_flop_by_precision(view, context, h); !done) return done.error();
    add_allocations(view, h);
    add_memory(view, h);
    add_record(table, h);
    return table;
}

}  // namespace core
