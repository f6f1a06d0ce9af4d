#include "core/analysis/findings/find_inefficiency.hpp"

#include "core/analysis/efficiency/executed_calls.hpp"
#include "core/analysis/efficiency/roof.hpp"
#include "core/analysis/findings/finding_thresholds.hpp"
#include "core/base/format.hpp"

#include <algorithm>
#include <map>

namespace core {
namespace {

// Executed calls of one operator with equal inputs and precision, compared with the roof of their device.
struct MatrixGroup {
    const WorkShape* shape = nullptr;
    Precision precision = Precision::Unknown;
    RoofInput sums;
    std::vector<std::uint32_t> calls;  // into RankWork::calls
    EventId longest = kNoEvent;  // a GPU event: the first of the call that took longest
    Duration longest_time{-1};
    Roof roof;
};

std::vector<MatrixGroup> collect_groups(const ChosenCalls& chosen, const Peaks& peaks) {
    const RankWork& work = *chosen.work;
    std::map<std::pair<std::uint32_t, Precision>, MatrixGroup> groups;
    for (const ChosenCall& one : chosen.calls) {
        if (!one.executed) continue;
        const WorkCall& call = work.calls[one.call];
        const WorkShape& shape = work.shapes[call.shape];
        const Precision precision = work.precision_of(call);
        MatrixGroup& group = groups[{call.shape, precision}];
        group.shape = &shape;
        group.precision = precision;
        group.calls.push_back(one.call);
        ++group.sums.calls;
        group.sums.flop += shape.work.flop;
        group.sums.bytes += shape.work.bytes.value_or(0);
        group.sums.has_bytes = group.sums.has_bytes && shape.work.bytes.has_value();
        group.sums.time += call.gpu_time.count();
        if (call.gpu_time <= group.longest_time) continue;
        group.longest_time = call.gpu_time;
        group.longest = call.first;
    }
    std::vector<MatrixGroup> all;
    for (auto& [key, group] : groups) {
        group.roof = measure_against_roof(group.sums, group.precision, peaks, 0);
        all.push_back(group);
    }
    return all;
}

// A name and its shapes, without arguments at the end that have none: "aten::mm [[512,1024],[1024,1024]]".
std::string format_group(const RankTrace& trace, const MatrixGroup& group) {
    std::string text(trace.text(group.shape->name));
    if (group.shape->sizes == kNoName) return text;
    std::string sizes(trace.text(group.shape->sizes));
    for (const std::string_view end : {",[]]", ", []]"})
        while (sizes.ends_with(end)) sizes.replace(sizes.size() - end.size(), end.size(), "]");
    return text + ' ' + sizes;
}

// Groups of one finding, the costliest first, with what each would gain.
class Wasteful {
public:
    void add(const MatrixGroup& group, std::int64_t gain) {
        if (gain > 0) groups_.emplace_back(&group, gain);
    }
    bool empty() const { return groups_.empty(); }
    // Share of its time that each call keeps without the waste: by call, 1 of others.
    std::vector<float> factors(std::size_t calls) const {
        std::vector<float> all(calls, 1);
        for (const auto& [group, saved] : groups_)
            for (const std::uint32_t call : group->calls)
                all[call] = static_cast<float>(1 - static_cast<double>(saved) / static_cast<double>(group->sums.time));
        return all;
    }
    // `what` comes after the number of calls.
    Finding make(FindingKind kind, std::string_view what, const RankTrace& trace) {
        std::ranges::stable_sort(groups_, std::greater{}, &std::pair<const MatrixGroup*, std::int64_t>::second);
        Wide gain = 0, time = 0;
        std::int64_t calls = 0;
        Finding finding{.kind = kind, .gain = 0, .evidence = {}, .events = {}};
        for (const auto& [group, saved] : groups_) {
            gain += saved;
            time += group->sums.time;
            calls += group->sums.calls;
            if (finding.events.size() < thresholds::kMostEvents) finding.events.push_back(group->longest);
        }
        finding.gain = clamped(gain);
        const MatrixGroup& worst = *groups_.front().first;
        finding.evidence = format_plural(static_cast<std::size_t>(calls), "call", "calls") + " " + std::string(what) +
                           ", together " + format_duration(Duration{clamped(time)}) + "; most of it in " +
                           format_group(trace, worst);
        if (worst.roof.roof_share)
            finding.evidence += ", which reaches " + format_ratio(*worst.roof.roof_share) + " of the roof";
        return finding;
    }

private:
    std::vector<std::pair<const MatrixGroup*, std::int64_t>> groups_;
};

// Peak of 16 bits, if tensor cores do them.
std::optional<double> tensor_peak_of(const Peaks& peaks) {
    const double half =
        std::max(peaks.of_precision(Precision::Bf16).value_or(0), peaks.of_precision(Precision::Fp16).value_or(0));
    const double single = peaks.of_precision(Precision::Fp32).value_or(0);
    if (single <= 0 || half <= single) return std::nullopt;
    const bool named = peaks.of_precision(Precision::Tf32) || peaks.of_precision(Precision::Bf16);
    return named || half >= thresholds::kTensorCoreTimes * single ? std::optional(half) : std::nullopt;
}

Wasteful collect_low_precision(std::span<const MatrixGroup> groups, const Peaks& peaks) {
    Wasteful found;
    const std::optional<double> half = tensor_peak_of(peaks);
    if (!half) return found;
    const double saved = 1 - *peaks.of_precision(Precision::Fp32) / *half;
    for (const MatrixGroup& group : groups)
        if (group.precision == Precision::Fp32)
            found.add(group, clamped(static_cast<Wide>(static_cast<double>(group.sums.time) * saved)));
    return found;
}

Wasteful collect_slow(std::span<const MatrixGroup> groups) {
    Wasteful found;
    for (const MatrixGroup& group : groups)
        if (group.roof.roof_share && *group.roof.roof_share < thresholds::kSlowShare)
            found.add(group, group.roof.loss.value_or(0));
    return found;
}

// Multiple that sizes should be of; 0: tensor cores do not mind, or it is not known.
std::int64_t good_multiple(Precision precision) {
    if (precision == Precision::Bf16 || precision == Precision::Fp16) return 8;
    return precision == Precision::Fp8 || precision == Precision::Int8 ? 16 : 0;
}

// M, N and K of a product of two matrices; empty if it is none.
TensorSizes sizes_of_product(const RankTrace& trace, const WorkShape& shape) {
    const OperatorRow* const row = find_operator_row(trace.text(shape.name));
    if (!row || shape.sizes == kNoName) return {};
    const bool linear = row->rule == FlopRule::Linear;
    if (!linear && row->rule != FlopRule::Product && row->rule != FlopRule::ProductOverBatch &&
        row->rule != FlopRule::Matmul && row->rule != FlopRule::ScaledProduct)
        return {};
    const OperatorArguments arguments({.sizes = trace.text(shape.sizes),
                                       .types = shape.types == kNoName ? "" : trace.text(shape.types),
                                       .values = {},
                                       .strides = {}});
    const OperatorArgument* const a = arguments.find_tensor(row->a);
    const OperatorArgument* const b = arguments.find_tensor(row->b);
    if (!a || !b || a->sizes.size() < 2 || b->sizes.size() < 2) return {};
    const std::int64_t n = linear ? b->sizes[b->sizes.size() - 2] : b->sizes.back();
    std::int64_t m = a->sizes[a->sizes.size() - 2];
    if (linear) m = product_of({a->sizes.begin(), a->sizes.end() - 1}).value().value_or(0);
    return {m, n, a->sizes.back()};
}

// Time and floor of the well-shaped products of one precision.
struct WellShaped {
    double floor = 0, time = 0;
};

Wasteful collect_bad_shapes(const RankTrace& trace, std::span<const MatrixGroup> groups) {
    std::vector<const MatrixGroup*> bad;
    std::map<Precision, WellShaped> good;
    for (const MatrixGroup& group : groups) {
        const std::int64_t multiple = good_multiple(group.precision);
        if (multiple == 0 || !group.roof.roof_share) continue;
        const TensorSizes sizes = sizes_of_product(trace, *group.shape);
        if (sizes.empty()) continue;
        if (std::ranges::any_of(sizes, [&](std::int64_t size) { return size % multiple != 0; })) {
            bad.push_back(&group);
            continue;
        }
        WellShaped& sum = good[group.precision];
        sum.floor += *group.roof.roof_share * static_cast<double>(group.sums.time);
        sum.time += static_cast<double>(group.sums.time);
    }
    Wasteful found;
    for (const MatrixGroup* const group : bad) {
        const auto others = good.find(group->precision);
        if (others == good.end() || others->second.time <= 0) continue;
        if (*group->roof.roof_share < thresholds::kBadShapeShare * others->second.floor / others->second.time)
            found.add(*group, group->roof.loss.value_or(0));
    }
    return found;
}

Wasteful collect_wasteful(FindingKind kind, const RankTrace& trace, std::span<const MatrixGroup> groups,
                          const Peaks& peaks) {
    if (kind == FindingKind::LowPrecisionUnused) return collect_low_precision(groups, peaks);
    if (kind == FindingKind::SlowMatrix) return collect_slow(groups);
    return kind == FindingKind::BadShapes ? collect_bad_shapes(trace, groups) : Wasteful{};
}

constexpr std::pair<FindingKind, std::string_view> kWasteOfCalls[] = {
    {FindingKind::LowPrecisionUnused, "in fp32 where 16 bits are faster"},
    {FindingKind::SlowMatrix, "below 30 % of the roof"},
    {FindingKind::BadShapes, "whose sizes are no multiples of 8 or 16"}};

std::optional<Finding> find_recompute(const RankView& view, const RankWork& work) {
    const RankTrace& trace = view.trace();
    Wide time = 0;
    std::size_t count = 0;
    std::vector<std::pair<std::int64_t, EventId>> kernels;
    for (std::size_t i = 0; i < trace.gpu_events.size(); ++i) {
        const EventId e = trace.gpu_events[i];
        if (work.passes[i] != Pass::Recomputed || work.kinds[i] == WorkKind::NoCompute || !view.passes(e)) continue;
        const std::int64_t length = view.visible(e).length().count();
        time += length;
        ++count;
        kernels.emplace_back(-length, e);
    }
    if (count == 0) return std::nullopt;
    const std::size_t kept = std::min(kernels.size(), thresholds::kMostEvents);
    std::ranges::partial_sort(kernels, kernels.begin() + static_cast<std::ptrdiff_t>(kept));
    Finding finding{.kind = FindingKind::Recompute,
                    .gain = clamped(time),
                    .evidence = format_plural(count, "kernel", "kernels") +
                                " of forward operators run again in the backward pass, together " +
                                format_duration(Duration{clamped(time)}),
                    .events = {}};
    for (std::size_t i = 0; i < kept; ++i) finding.events.push_back(kernels[i].second);
    return finding;
}

}  // namespace

Result<std::vector<Finding>> find_inefficiency(const RankView& view, const JobContext& context) {
    const Result<ChosenCalls> chosen = choose_calls(view, context);
    if (!chosen) return chosen.error();
    const RankTrace& trace = chosen->work->trace();
    const Peaks peaks = peaks_of(*view.run, view.slot, kNoEvent);
    const std::vector<MatrixGroup> groups = collect_groups(*chosen, peaks);
    std::vector<Finding> found;
    for (const auto& [kind, what] : kWasteOfCalls)
        if (Wasteful waste = collect_wasteful(kind, trace, groups, peaks); !waste.empty())
            found.push_back(waste.make(kind, what, trace));
    if (std::optional<Finding> again = find_recompute(view, *chosen->work)) found.push_back(*std::move(again));
    return found;
}

std::vector<float> factors_if_mended(FindingKind kind, const Run& run, std::size_t slot, const JobContext& context) {
    const RankTrace& trace = run.rank(slot).trace();
    std::vector<float> factors(trace.size(), 1);
    ChosenCalls chosen{.work = work_of(*run.rank(slot).index, context), .calls = {}};
    if (!chosen.work) return factors;
    const RankWork& work = *chosen.work;
    for (std::uint32_t call = 0; call < work.calls.size(); ++call)
        chosen.calls.push_back({.call = call, .executed = work.calls[call].gpu_events > 0, .step = {}});
    const Peaks peaks = peaks_of(run, slot, kNoEvent);
    const std::vector<MatrixGroup> groups = collect_groups(chosen, peaks);
    const std::vector<float> of_calls = collect_wasteful(kind, work.trace(), groups, peaks).factors(work.calls.size());
    for (std::size_t i = 0; i < trace.gpu_events.size(); ++i) {
        float& factor = factors[index_of(trace.gpu_events[i])];
        if (work.owners[i] != RankWork::kNoCall) factor = of_calls[work.owners[i]];
        if (kind == FindingKind::Recompute && work.passes[i] == Pass::Recomputed &&
            work.kinds[i] != WorkKind::NoCompute)
            factor = 0;
    }
    return factors;
}

}  // namespace core
