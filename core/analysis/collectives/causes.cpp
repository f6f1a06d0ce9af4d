#include "core/analysis/collectives/causes.hpp"

#include "core/analysis/collectives/clock_share.hpp"
#include "core/analysis/collectives/step_work.hpp"
#include "core/analysis/collectives/straggler_sums.hpp"
#include "core/analysis/engine/data_loading.hpp"
#include "core/analysis/engine/host_activity.hpp"
#include "core/analysis/engine/host_calls.hpp"
#include "core/analysis/telemetry/gpu_state.hpp"
#include "core/base/ascii.hpp"
#include "core/base/format.hpp"
#include "core/base/short_name.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace core {
namespace {

constexpr std::size_t kMostNames = 3;

RankRange cut_to(RankRange range, RankRange limit) {
    return {std::max(range.begin, limit.begin), std::min(range.end, limit.end)};
}

KernelSums sum_kernels(const RankSlot& rank, RankRange stretch, KernelClass kernel_class) {
    KernelSums sums;
    if (stretch.empty()) return sums;
    std::vector<EventId> events;
    rank.index->gpu_tree().collect_overlapping(stretch, events);
    for (const EventId e : events) {
        if (rank.index->classes().of(e) != kernel_class) continue;
        const std::int64_t time = cut_to(rank.trace().range(e), stretch).length().count();
        KernelSum& sum = sums[rank.trace().name_text(e)];
        ++sum.count;
        sum.time += time;
        if (time <= sum.longest_time) continue;
        sum.longest_time = time;
        sum.longest = e;
    }
    return sums;
}

struct KernelDifference {
    std::string_view name;
    std::int64_t count = 0, other_count = 0, more = 0;
    EventId example = kNoEvent;
};

std::vector<KernelDifference> compare_kernels(const KernelSums& late, const KernelSums& middle) {
    std::vector<KernelDifference> differences;
    for (const auto& [name, sum] : late) {
        const auto it = middle.find(name);
        const KernelSum other = it == middle.end() ? KernelSum{} : it->second;
        differences.push_back({.name = name,
                               .count = sum.count,
                               .other_count = other.count,
                               .more = sum.time - other.time,
                               .example = sum.longest});
    }
    for (const auto& [name, sum] : middle)
        if (!late.contains(name))
            differences.push_back({.name = name, .count = 0, .other_count = sum.count, .more = -sum.time});
    const auto size = [](const KernelDifference& d) { return d.more < 0 ? -d.more : d.more; };
    std::ranges::stable_sort(differences, [&](const auto& a, const auto& b) { return size(a) > size(b); });
    return differences;
}

// "gemm takes 2.24 ms longer (24 calls); relu takes 1.10 ms longer (9 calls, 8 on the other rank)"
std::string format_differences(std::span<const KernelDifference> differences) {
    const auto shown = differences.first(std::min(differences.size(), kMostNames));
    std::vector<std::string_view> full;
    for (const KernelDifference& one : shown) full.push_back(one.name);
    const std::vector<std::string> names = distinct_short_names(full);
    std::string text;
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const KernelDifference& one = shown[i];
        text += (text.empty() ? "" : "; ") + cut_name(names[i]) + " takes " +
                format_duration(Duration{one.more < 0 ? -one.more : one.more}) +
                (one.more < 0 ? " less (" : " longer (") +
                format_plural(static_cast<std::uint64_t>(one.count), "call", "calls");
        if (one.count != one.other_count) text += ", " + format_count(one.other_count) + " on the other rank";
        text += ")";
    }
    return text;
}

void explain_kernels(const Run& run, const Lateness& late, KernelClass kernel_class, Cause& cause) {
    const KernelSums here = sum_kernels(run.rank(late.late), late.late_stretch, kernel_class);
    const KernelSums there = sum_kernels(run.rank(late.middle), late.middle_stretch, kernel_class);
    const std::vector<KernelDifference> differences = compare_kernels(here, there);
    cause.what = format_differences(differences);
    const auto example = std::ranges::find_if(differences, [](const auto& d) { return d.example != kNoEvent; });
    if (example != differences.end()) cause.example = example->example;
}

// Time of kernels that the late rank runs more often, by name.
std::int64_t sum_unique(std::span<const KernelDifference> differences) {
    std::int64_t unique = 0;
    for (const KernelDifference& one : differences)
        if (one.count > one.other_count && one.more > 0) unique += one.more;
    return unique;
}

// The longest time of the stretch without GPU work, and the event that ended it.
struct LongestGap {
    RankRange gap{};
    EventId ended_by = kNoEvent;
};

LongestGap find_longest_gap(const RankSlot& rank, RankRange stretch, EventId arrival) {
    LongestGap longest;
    std::vector<EventId> events;
    rank.index->gpu_tree().collect_overlapping(stretch, events);
    events.push_back(arrival);
    RankTime at = stretch.begin;
    for (const EventId e : events) {
        const RankTime begin = std::min(rank.trace().start[index_of(e)], stretch.end);
        if (begin > at && begin - at > longest.gap.length()) longest = {{at, begin}, e};
        at = std::max(at, rank.trace().end(e));
    }
    return longest;
}

bool waits_for_gpu(std::string_view name) {
    const CallKind kind = kind_of_call(name);
    return kind == CallKind::SyncsStream || kind == CallKind::SyncsDevice || name == "aten::item" ||
           name == "aten::_local_scalar_dense" || name == "cudaMemcpy" || name == "hipMemcpy";
}

std::string name_host_cause(std::string_view name, bool is_launch) {
    if (loads_data(name)) return "data loading";
    if (allocates(kind_of_call(name))) return "allocation";
    if (waits_for_gpu(name)) return "synchronisation";
    return is_launch ? "launch call" : "host";
}

void explain_idle(const RankSlot& rank, const Lateness& late, EventId arrival, Cause& cause) {
    const RankTrace& trace = rank.trace();
    const LongestGap longest = find_longest_gap(rank, late.late_stretch, arrival);
    cause.name = "host, nothing recorded";
    if (longest.ended_by == kNoEvent) return;
    cause.example = longest.ended_by;
    cause.what = "the GPU idles " + format_duration(longest.gap.length());
    const EventId launch = trace.parent[index_of(longest.ended_by)];
    if (launch == kNoEvent) return;
    const bool is_launched_before = trace.start[index_of(launch)] < longest.gap.begin;
    if (is_launched_before) cause.what += ", though its next work was launched before";
    const auto add_host = [&](EventId e) {
        cause.what += (is_launched_before ? "; meanwhile the host is in " : " while the host is in ") +
                      cut_name(trace.name_text(e));
    };
    const EventId covering = find_covering(trace, launch, longest.gap);
    if (covering == kNoEvent) return;
    // Data loading and the like may be inside an annotation of the step, or around what is innermost.
    for (EventId at = covering; at != kNoEvent; at = trace.parent[index_of(at)]) {
        if (!loads_data(trace.name_text(at))) continue;
        cause.name = "data loading";
        cause.example = at;
        add_host(at);
        return;
    }
    cause.name = name_host_cause(trace.name_text(covering), covering == launch);
    cause.example = covering;
    add_host(covering);
}

MemberEvent member_of(const Waits& waits, std::uint32_t collective, std::uint32_t slot) {
    const MatchedRun& matches = *waits.matched;
    for (const MemberRef ref : matches.members_of(matches.collectives[collective]))
        if (ref.slot == slot) return matches.member(ref);
    return {};
}

RankTime begin_of_step(const RankTrace& trace, std::int64_t number) {
    const auto step = std::ranges::find(trace.steps, number, &Step::number);
    return step == trace.steps.end() ? trace.window.begin : step->range.begin;
}

// Facts that the logs state of the late rank's GPU besides its clock.
std::string describe_companions(const Run& run, std::uint32_t slot) {
    const auto telemetry = telemetry_of(run);
    std::string text;
    const std::string errors = describe_gpu_errors(*telemetry, slot);
    if (!errors.empty()) text += "; errors of its GPU: " + errors;
    const Level processes = level_of(telemetry->ranks[slot].of(Metric::Processes), run.rank(slot).index->gpu_window());
    if (processes.most.value_or(0) > 1) text += "; another process is on its GPU";
    return text;
}

// Whether slower kernels are those of a slower clock, as far as the clock is known.
void split_by_clock(const Run& run, const Waits& waits, std::uint32_t collective, std::int64_t step, Cause& cause) {
    constexpr double kLeastShare = 0.2;
    if (!may_have_telemetry(run)) return;
    const ClockShare share = measure_clock_share(run, waits, collective, step);
    cause.clock = share.ratio;
    const std::string companions = describe_companions(run, waits.lateness[collective].late);
    if (!share.ratio.known) {
        cause.what += "; clock unknown (" + share.ratio.why + ")" + companions;
        return;
    }
    // The part of the step's excess is that of the stretch.
    const auto compute = static_cast<double>(std::max<std::int64_t>(cause.parts.compute, 0));
    cause.explained = static_cast<std::int64_t>(compute * share.explained_part());
    const bool is_told =
        static_cast<double>(cause.explained) >= kLeastShare * static_cast<double>(waits.lateness[collective].lateness);
    cause.name = is_told && share.explained * 2 >= share.excess ? kClocksCause : kSameClockCause;
    cause.kernel_ratio = share.kernel_ratio();
    cause.kernels = cause.what + companions;
    cause.what = cause.kernels + "; " + format_clock_share(share);
}

// The compute of a rank between two collectives depends on where others let it wait; that of the step does
// not. Equal work that is done later was launched later, or waited for something: the host is asked, since the step
// began.
void explain_compute(const Run& run, const Waits& waits, std::uint32_t collective, Cause& cause) {
    Lateness late = waits.lateness[collective];
    const RankSlot& rank = run.rank(late.late);
    const EventId arrival = member_of(waits, collective, late.late).event;
    const Step* const step = arrival == kNoEvent ? nullptr : rank.trace().step_of(arrival);
    const std::int64_t number = step ? step->number : kWholeTrace;
    const auto work = work_of(run);
    const std::vector<KernelDifference> differences =
        compare_kernels(work->ranks[late.late].of(number), work->ranks[late.middle].of(number));
    std::int64_t more = 0;
    for (const KernelDifference& one : differences) more += one.more;
    if (arrival != kNoEvent && more * 2 < cause.parts.compute) {
        const RankSlot& middle = run.rank(late.middle);
        late.late_stretch.begin = std::min(late.late_stretch.begin, begin_of_step(rank.trace(), number));
        late.middle_stretch.begin = std::min(late.middle_stretch.begin, begin_of_step(middle.trace(), number));
        const std::int64_t idle =
            measure_stretch(rank, late.late_stretch).idle - measure_stretch(middle, late.middle_stretch).idle;
        if (idle * 2 >= cause.parts.compute) return explain_idle(rank, late, arrival, cause);
        cause.name = "same work, later";
    } else {
        cause.name = sum_unique(differences) * 2 >= more ? "more work" : "slower kernels";
    }
    cause.what = format_differences(differences);
    const auto example = std::ranges::find_if(differences, [](const auto& d) { return d.example != kNoEvent; });
    if (example != differences.end()) cause.example = example->example;
    if (cause.name == "slower kernels") split_by_clock(run, waits, collective, number, cause);
}

void explain_largest(const Run& run, const Waits& waits, std::uint32_t collective, Cause& cause) {
    const Lateness& late = waits.lateness[collective];
    const StretchParts& parts = cause.parts;
    const std::int64_t most = std::max({parts.compute, parts.memory, parts.communication, parts.idle});
    if (most == parts.idle)
        return explain_idle(run.rank(late.late), late, member_of(waits, collective, late.late).event, cause);
    if (most == parts.compute) return explain_compute(run, waits, collective, cause);
    const bool copies = most == parts.memory;
    cause.name = copies ? "copies" : "other communication";
    explain_kernels(run, late, copies ? KernelClass::Memory : KernelClass::Communication, cause);
}

}  // namespace

StretchParts measure_stretch(const RankSlot& rank, RankRange stretch) {
    StretchParts parts;
    if (stretch.empty()) return parts;
    const ClassTimes times = rank.index->partition().times(stretch);
    parts.compute = times.compute().count();
    parts.memory = 0;
    const auto has = [](std::size_t set, KernelClass c) { return (set & set_of(c)) != 0; };
    for (std::size_t set = 1; set < kClassSets; ++set) {
        if (has(set, KernelClass::Compute)) continue;
        (has(set, KernelClass::Memory) ? parts.memory : parts.communication) += times.by_set[set].count();
    }
    parts.idle = times.idle().count();
    return parts;
}

Cause find_cause(const Run& run, const Waits& waits, std::uint32_t collective) {
    const Lateness& late = waits.lateness[collective];
    Cause cause;
    if (!waits.times[collective].resolved) {
        cause.name = "not resolvable";
    } else if (!late.known) {
        cause.name = "before the window";
    }
    cause.shows = cause.name.empty();
    if (!late.known) return cause;
    const StretchParts here = measure_stretch(run.rank(late.late), late.late_stretch);
    const StretchParts there = measure_stretch(run.rank(late.middle), late.middle_stretch);
    cause.parts = {.compute = here.compute - there.compute,
                   .memory = here.memory - there.memory,
                   .communication = here.communication - there.communication,
                   .idle = here.idle - there.idle};
    if (!cause.name.empty()) return cause;
    if (late.inherited >= late.own) {
        cause.name = "inherited";
        return cause;
    }
    explain_largest(run, waits, collective, cause);
    return cause;
}

std::map<std::uint32_t, MainCause> find_main_causes(const ChosenMembers& chosen,
                                                    const std::set<std::uint32_t>* wanted) {
    std::map<std::uint32_t, std::map<std::uint32_t, std::int64_t>> roots;  // slot → root → wait
    for (const std::uint32_t number : chosen.collectives) {
        if (!chosen.waits->times[number].counts) continue;
        for (const RootedWait& rooted : rooted_waits(*chosen.waits, number))
            if (!wanted || wanted->contains(rooted.slot)) roots[rooted.slot][rooted.root] += rooted.wait;
    }
    struct Sum {
        std::int64_t wait = 0;
        std::int64_t costliest = -1;
        MainCause main;
    };
    std::map<std::uint32_t, MainCause> causes;
    for (const auto& [slot, of_slot] : roots) {
        std::map<std::string, Sum> sums;
        for (const auto& [root, wait] : of_slot) {
            Cause cause = find_cause(*chosen.run, *chosen.waits, root);
            Sum& sum = sums[cause.name];
            sum.wait += wait;
            if (wait <= sum.costliest) continue;
            sum.costliest = wait;
            sum.main = {.cause = std::move(cause), .root = root};
        }
        // A cause that shows comes before one that lies outside of the window or below the error.
        const auto most = std::ranges::max_element(sums, {}, [](const auto& one) {
            const bool shows = one.second.main.cause.shows && one.second.wait > 0;
            return std::pair(shows, one.second.wait);
        });
        if (most == sums.end() || most->second.wait == 0) continue;
        MainCause& main = causes[slot] = most->second.main;
        main.wait = most->second.wait;
        for (const auto& [name, sum] : sums)
            if (!sum.main.cause.shows) main.unseen += sum.wait;
    }
    return causes;
}

}  // namespace core
