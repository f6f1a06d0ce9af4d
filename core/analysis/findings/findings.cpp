#include "core/analysis/efficiency/device_peaks.hpp"
#include "core/analysis/engine/exposed_split.hpp"
#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/findings/diagnosis.hpp"
#include "core/analysis/findings/find_clocks.hpp"
#include "core/analysis/findings/find_culprits.hpp"
#include "core/analysis/findings/find_desynchronised.hpp"
#include "core/analysis/findings/find_parallel.hpp"
#include "core/analysis/findings/find_risks.hpp"
#include "core/analysis/findings/finding_analyses.hpp"
#include "core/analysis/findings/finding_kinds.hpp"
#include "core/analysis/findings/finding_records.hpp"
#include "core/analysis/findings/finding_thresholds.hpp"
#include "core/analysis/findings/findings_of_rank.hpp"
#include "core/analysis/findings/order_findings.hpp"
#include "core/base/format.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

namespace core::findings {
namespace {

constexpr std::size_t kKernels = 1, kRanks = 2;  // after the main table

// The evidence's place on the timeline: the gap, else the worst event.
std::optional<RankRange> find_place(const RankTrace& trace, const Finding& finding) {
    if (finding.gap) return finding.gap;
    if (finding.events.empty()) return std::nullopt;
    return trace.range(finding.events.front());
}

void add_row(Table& table, const RankSlot& slot, RunTime origin, const Finding& finding, std::int64_t window) {
    const FindingRule& rule = rule_of(finding.kind);
    const Step* const step = finding.events.empty() ? nullptr : slot.trace().step_of(finding.events.front());
    const std::optional<RankRange> place = find_place(slot.trace(), finding);
    const bool gains = finding.risk.empty();
    std::string_view severity = gains ? severity_of(finding.gain, window) : finding.risk;
    if (is_grave(finding.kind)) severity = "high";
    std::string advice(finding.advice.empty() ? rule.advice : finding.advice);
    if (!rule.links.empty()) advice += " " + format_links(rule.links);
    table.add_row({rule.id, slot.key.packed(), severity, gains ? Cell{finding.gain} : Cell{},
                   gains ? ratio_cell(Wide{finding.gain}, Wide{window}) : Cell{}, gains ? Cell{finding.gain} : Cell{},
                   rule.certainty,
                   finding.events.empty() ? Cell{} : Cell{static_cast<std::int64_t>(index_of(finding.events.front()))},
                   step ? Cell{step->number} : Cell{}, std::string_view(finding.evidence), std::string_view(advice),
                   place ? Cell{(slot.to_run(place->begin) - origin).count()} : Cell{},
                   place ? Cell{place->length().count()} : Cell{}});
}

void add_finding(const RankView& view, const Finding& finding, std::int64_t window, Partial& partial) {
    add_row(partial.tables.front().table, view.rank(), view.run->origin(), finding, window);
    for (std::size_t i = 0; i < finding.events.size(); ++i) {
        Mark mark{.event = {static_cast<std::uint32_t>(view.slot), finding.events[i]},
                  .label = std::string(rule_of(finding.kind).id)};
        if (i < finding.places.size()) mark.place = view.rank().to_run(finding.places[i]);
        partial.marks.push_back(std::move(mark));
    }
}

struct KernelSum {
    std::int64_t count = 0;
    Wide total = 0;
    std::int64_t longest_time = -1;
    EventId longest = kNoEvent;
};

void add_kernels(const RankView& view, Table& table) {
    std::map<std::string_view, KernelSum> sums;
    for (const EventId e : view.gpu_events()) {
        if (view.class_of(e) == KernelClass::Communication) continue;
        KernelSum& sum = sums[view.trace().name_text(e)];
        const std::int64_t time = view.visible(e).length().count();
        ++sum.count;
        sum.total += time;
        if (time <= sum.longest_time) continue;
        sum.longest_time = time;
        sum.longest = e;
    }
    for (const auto& [name, sum] : sums) {
        add_record(table, FindingKernel{.rank = view.key(),
                                        .name = name,
                                        .count = sum.count,
                                        .total = clamped(sum.total),
                                        .longest = sum.longest});
    }
}

// --- between ranks

std::vector<RankFacts> collect_ranks(std::span<const Partial* const> partials, const Run& run) {
    std::vector<RankFacts> ranks;
    for (const Partial* partial : partials) {
        const auto one = read_record<FindingRank>(partial->tables[kRanks].table, 0);
        ranks.push_back({.rank = one.rank,
                         .window = one.window,
                         .exposed = one.exposed,
                         .exposed_wait = one.exposed_wait,
                         .slot = one.slot,
                         .device = device_name_of(run, one.slot, kNoEvent)});
    }
    return ranks;
}

// One kernel on one rank.
struct KernelOfRank {
    std::size_t rank;  // among the ranks with GPU work
    std::int64_t count, total;
    EventId longest;
    double mean() const { return static_cast<double>(total) / static_cast<double>(count); }
};
// By device and kernel: another device takes its own time for a kernel of that name.
using KernelRanks = std::map<std::pair<std::string, std::string>, std::vector<KernelOfRank>>;

KernelRanks collect_kernels(std::span<const Partial* const> compared, std::span<const RankFacts> ranks) {
    KernelRanks kernels;
    for (std::size_t rank = 0; rank < compared.size(); ++rank) {
        for (const FindingKernel& one : read_records<FindingKernel>(compared[rank]->tables[kKernels].table))
            kernels[{ranks[rank].device, std::string(one.name)}].push_back({rank, one.count, one.total, one.longest});
    }
    return kernels;
}

// Gain of a rank if its kernels took as long as they do on average on the others with that device.
struct Excess {
    std::int64_t all = 0;
    std::int64_t worst = 0;
    std::string kernel;
    double times = 0;  // of the others' mean
    EventId event = kNoEvent;
};

std::vector<Excess> collect_excess(const KernelRanks& kernels, std::size_t ranks) {
    std::vector<Excess> excess(ranks);
    for (const auto& [device_and_name, of_ranks] : kernels) {
        double sum = 0;
        for (const KernelOfRank& one : of_ranks) sum += one.mean();
        for (const KernelOfRank& one : of_ranks) {
            if (of_ranks.size() < 2) continue;
            const double others = (sum - one.mean()) / static_cast<double>(of_ranks.size() - 1);
            if (one.mean() < thresholds::kUnbalancedTimes * others) continue;
            const std::int64_t gain =
                clamped(static_cast<Wide>((one.mean() - others) * static_cast<double>(one.count)));
            Excess& of_rank = excess[one.rank];
            of_rank.all = clamped(Wide{of_rank.all} + gain);
            if (gain <= of_rank.worst) continue;
            of_rank.worst = gain;
            of_rank.kernel = device_and_name.second;
            of_rank.times = one.mean() / std::max(others, 1.0);
            of_rank.event = one.longest;
        }
    }
    return excess;
}

void add_between_ranks(const RankFacts& rank, const Finding& finding, const Run& run, Answer& answer) {
    for (const EventId event : finding.events)
        answer.marks.push_back({{rank.slot, event}, std::string(rule_of(finding.kind).id)});
    add_row(answer.tables.front().table, run.rank(rank.slot), run.origin(), finding, rank.window);
}

// A rank that is late is not named twice. Others cost what their compute as on their peers saves once no rank is late.
Result<bool> find_unbalanced_kernels(std::span<const Partial* const> compared, std::span<const RankFacts> ranks,
                                     const Run& run, const Params& params, const Diagnosis& diagnosis,
                                     const FindingReplays* replays, Answer& answer) {
    const std::vector<Excess> excess = collect_excess(collect_kernels(compared, ranks), ranks.size());
    const bool alike =
        std::ranges::all_of(ranks, [&](const RankFacts& one) { return one.device == ranks.front().device; });
    const std::string_view others = alike ? "the other ranks" : "the other ranks with this device";
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (diagnosis.is_lost(ranks[i].slot) || !is_worth_telling(excess[i].all, ranks[i].window, params)) continue;
        std::int64_t gain = excess[i].all;
        if (replays && diagnosis.covers(ranks[i].slot)) {
            if (std::ranges::find(diagnosis.late.slots, ranks[i].slot) != diagnosis.late.slots.end()) continue;
            const Result<std::optional<Replay>> replay =
                replays->replay(FindingKind::UnbalancedKernels, std::array{ranks[i].slot});
            if (!replay) return replay.error();
            gain = std::min(gain, diagnosis.of_all_steps((*replay)->saved));
        }
        if (!is_worth_telling(gain, ranks[i].window, params)) continue;
        const Finding finding{.kind = FindingKind::UnbalancedKernels,
                              .gain = gain,
                              .evidence = "kernels take " + format_duration(Duration{excess[i].all}) +
                                          " longer than on " + std::string(others) + ", most of it in " +
                                          excess[i].kernel + " (" + format_number(excess[i].times) +
                                          " times their mean)",
                              .events = {excess[i].event}};
        add_between_ranks(ranks[i], finding, run, answer);
    }
    return true;
}

// --- culprits and what they explain

std::string format_explained(std::span<const RankFacts> ranks, const RankFacts& culprit) {
    std::int64_t exposed = 0, wait = 0;
    for (const RankFacts& rank : ranks) {
        if (rank.slot == culprit.slot || rank.capture() != culprit.capture()) continue;
        exposed = clamped(Wide{exposed} + rank.exposed);
        wait = clamped(Wide{wait} + rank.exposed_wait);
    }
    if (wait == 0) return "";
    return "; " + format_ratio(static_cast<double>(wait) / static_cast<double>(exposed)) +
           " of the other ranks' exposed communication is waiting";
}

// "its kernels take 8.2 ms longer than on its peers, 3.1 ms of it peers do not do at all"
std::string format_excess(const RankExcess& excess) {
    constexpr std::array<std::string_view, kExcesses> kWhose = {"kernels", "copies", "host"};
    std::string text;
    for (std::size_t i = 0; i < kExcesses; ++i) {
        if (excess.time[i] * 10 < excess.total()) continue;
        text += (text.empty() ? "its " : ", its ") + std::string(kWhose[i]) + (i < 2 ? " take " : " takes ") +
                format_duration(Duration{excess.time[i]}) + " longer than on its peers";
    }
    if (excess.removed * 2 > excess.total())
        text += "; " + format_duration(Duration{excess.removed}) + " of it peers do not do at all";
    return text;
}

// Those that a replay confirms; of ranks outside of its graph, those that others wait for. What is known of the waiting
// is their evidence, else what they do longer than their peers.
std::vector<Culprit> confirm_culprits(std::vector<Culprit> waited_for, const Diagnosis& diagnosis) {
    if (!diagnosis.graph) return waited_for;
    std::vector<Culprit> culprits;
    const LateRanks& late = diagnosis.late;
    for (std::size_t i = 0; i < late.slots.size(); ++i) {
        const auto known = std::ranges::find(waited_for, late.slots[i], &Culprit::slot);
        Culprit culprit = known == waited_for.end() ? Culprit{} : *known;
        culprit.slot = late.slots[i];
        culprit.gain = diagnosis.of_all_steps(late.saved);
        if (culprit.evidence.empty()) culprit.evidence = format_excess(late.excess[i]);
        if (culprit.events.empty() && late.excess[i].worst != kNoEvent) culprit.events = {late.excess[i].worst};
        culprits.push_back(std::move(culprit));
    }
    for (Culprit& culprit : waited_for)
        if (!diagnosis.covers(culprit.slot)) culprits.push_back(std::move(culprit));
    return culprits;
}

void add_culprits(std::span<const Culprit> culprits, std::span<const RankFacts> ranks, const Run& run,
                  const Params& params, bool by_turns, Answer& answer) {
    for (const Culprit& culprit : culprits) {
        const auto facts = std::ranges::find(ranks, culprit.slot, &RankFacts::slot);
        if (facts == ranks.end() || !is_worth_telling(culprit.gain, facts->window, params)) continue;
        Finding finding{.kind = by_turns ? FindingKind::UnevenWork : FindingKind::LateRank,
                        .gain = culprit.gain,
                        .evidence = culprit.evidence,
                        .events = culprit.events};
        finding.evidence += format_explained(ranks, *facts);
        add_between_ranks(*facts, finding, run, answer);
    }
}

// Stages whose balance saves time, and filling and draining where that is what is left.
void add_stages(const Diagnosis& diagnosis, std::span<const RankFacts> ranks, const Run& run, const Params& params,
                Answer& answer) {
    const StageWork& work = diagnosis.stages;
    if (work.stages < 2) return;
    const bool imbalance = diagnosis.are_stages_uneven();
    const std::int64_t few = imbalance ? 0 : diagnosis.saved_by_more_microbatches();
    if (!imbalance && few <= 0) return;
    for (std::size_t p = 0; p < diagnosis.graph->parts.size(); ++p) {
        if (imbalance && work.of_part[p] != work.longest() + 1) continue;
        const auto facts = std::ranges::find(ranks, diagnosis.graph->parts[p].slot, &RankFacts::slot);
        if (facts == ranks.end()) continue;
        const Finding finding{
            .kind = imbalance ? FindingKind::StageImbalance : FindingKind::FewMicrobatches,
            .gain = diagnosis.of_all_steps(imbalance ? diagnosis.saved_balanced : few),
            .evidence = imbalance ? diagnosis.describe_stages() : diagnosis.describe_few_microbatches(),
            .events = {}};
        if (is_worth_telling(finding.gain, facts->window, params)) add_between_ranks(*facts, finding, run, answer);
    }
}

void add_parallel(std::span<const FindingOfRank> found, std::span<const RankFacts> ranks, const Run& run,
                  const Params& params, Answer& answer) {
    for (const FindingOfRank& one : found) {
        const auto facts = std::ranges::find(ranks, one.slot, &RankFacts::slot);
        if (facts != ranks.end() && is_worth_telling(one.finding.gain, facts->window, params))
            add_between_ranks(*facts, one.finding, run, answer);
    }
}

// One row per rank that lost records; more than their share follows from none of them.
void add_incomplete(const LostRanks& lost, std::span<const RankFacts> ranks, const Run& run, Answer& answer) {
    for (const LostRank& rank : lost.ranks) {
        const auto facts = std::ranges::find(ranks, rank.slot, &RankFacts::slot);
        if (facts == ranks.end()) continue;
        const Finding finding{.kind = FindingKind::Incomplete,
                              .gain = 0,
                              .evidence = rank.what,
                              .events = {},
                              .window = 0,
                              .gap = {},
                              .risk = "medium"};
        add_between_ranks(*facts, finding, run, answer);
    }
}

void add_desynchronised(std::span<const DesynchronisedRank> found, std::span<const RankFacts> ranks, const Run& run,
                        Answer& answer) {
    for (const DesynchronisedRank& one : found) {
        const auto facts = std::ranges::find(ranks, one.slot, &RankFacts::slot);
        if (facts != ranks.end()) add_between_ranks(*facts, one.finding, run, answer);
    }
}

// Those with GPU work: ranks are compared in one capture, as the others are of another time, or of another run.
std::vector<std::vector<const Partial*>> part_by_capture(std::span<const Partial* const> partials) {
    std::map<std::int32_t, std::vector<const Partial*>> captures;
    for (const Partial* const partial : partials) {
        const Table& table = partial->tables[kRanks].table;
        if (table.rows() == 0) continue;
        captures[RankKey::unpacked(read_record<FindingRank>(table, 0).rank).capture].push_back(partial);
    }
    std::vector<std::vector<const Partial*>> parts;
    for (auto& [capture, of_capture] : captures) parts.push_back(std::move(of_capture));
    return parts;
}

std::vector<const Partial*> join(std::span<const std::vector<const Partial*>> parts) {
    std::vector<const Partial*> all;
    for (const std::vector<const Partial*>& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

FindingScope scope_of(std::span<const Partial* const> partials) {
    FindingScope scope;
    std::set<std::int32_t> ranks;
    std::size_t without_work = 0;
    for (const Partial* const partial : partials) {
        const Table& table = partial->tables[kRanks].table;
        if (table.rows() == 0) {
            ++without_work;
            continue;
        }
        const auto one = read_record<FindingRank>(table, 0);
        const RankKey key = RankKey::unpacked(one.rank);
        ranks.insert(key.number);
        std::int64_t& steps = scope.steps[key.capture];
        steps = std::max(steps, one.steps);
    }
    scope.ranks = ranks.size();
    for (const std::int32_t rank : ranks) scope.numbers.push_back(rank);
    scope.all = ranks.size() + without_work;
    return scope;
}

}  // namespace

std::vector<Column> columns() {
    return {
        {"finding", Unit::Text, Role::Key, Facet::None, "what was found"},
        {"rank", Unit::Rank, Role::Key, Facet::Rank, "where"},
        {"severity", Unit::Text, Role::Info, Facet::None, "high from 10 % of the window on, medium from 3 %, else low"},
        {"gain", Unit::Ns, Role::Measure, Facet::None,
         "an upper bound of what the rank could gain, or others with it; absent of a risk"},
        {"gain_share", Unit::Ratio, Role::Measure, Facet::None, "of the rank's window", false, {}, Better::Less},
        {"measured", Unit::Ns, Role::Measure, Facet::None,
         "what the rank shows by itself; gain is no more, and no more than a replay without it saves"},
        {"certainty", Unit::Text, Role::Info, Facet::None, "measured, likely or possible"},
        {"event", Unit::Event, Role::Info, Facet::None, "the worst one; more are marks"},
        {"step", Unit::Step, Role::Info, Facet::Step, "of that event"},
        {"evidence", Unit::Text, Role::Info, Facet::None, "the numbers behind it"},
        {"advice", Unit::Text, Role::Info, Facet::None, "what to try"},
        {"begin", Unit::Ns, Role::Info, Facet::None,
         "where the evidence begins: the longest gap, else the worst event"},
        {"length", Unit::Ns, Role::Info, Facet::None, "of that gap or event"}};
}

Result<Partial> rank(const RankView& view, const Params& params, const JobContext& context) {
    Partial partial{{{"main", Table(columns())},
                     {"kernels", make_record_table<FindingKernel>()},
                     {"ranks", make_record_table<FindingRank>()}},
                    {},
                    {},
                    view.collect_excluded()};
    const Result<RankView> all = view_for_findings(view, context);
    if (!all) return all.error();
    const Result<std::vector<Finding>> failures = find_out_of_memory(*all, context);
    if (!failures) return failures.error();
    for (const Finding& failure : *failures) add_finding(*all, failure, 1, partial);
    const RankRange range = all->window();
    if (!all->has_gpu_work() || range.empty()) return partial;
    const Result<std::vector<Finding>> found = find_on_rank(*all, context);
    if (!found) return found.error();
    const std::int64_t window = range.length().count();
    for (const Finding& finding : *found) {
        const std::int64_t whole = std::max(window, finding.window);
        if (!finding.risk.empty() || is_worth_telling(finding.gain, whole, params))
            add_finding(*all, finding, whole, partial);
    }
    add_kernels(*all, partial.tables[kKernels].table);
    const ExposedSplit exposed = split_exposed(*all);
    add_record(partial.tables[kRanks].table, FindingRank{.rank = view.key(),
                                                         .slot = static_cast<std::uint32_t>(view.slot),
                                                         .window = window,
                                                         .exposed = exposed.all,
                                                         .exposed_wait = exposed.wait,
                                                         .steps = std::ssize(view.selection->steps())});
    if (const Result<bool> added = add_parallel_tables(*all, partial, context); !added) return added.error();
    if (const Result<bool> added = add_part(view, WithoutStepTerm::AllSteps, false, partial, context); !added)
        return added.error();
    return partial;
}

Result<Answer> merge(std::span<const Partial* const> partials, const Run& run, const Params& params,
                     const JobContext& context) {
    const Result<Diagnosis> diagnosis = diagnose(partials, run, context);
    if (!diagnosis) return diagnosis.error();
    return merge_diagnosed(partials, run, params, *diagnosis, context);
}

Result<Answer> merge_diagnosed(std::span<const Partial* const> partials, const Run& run, const Params& params,
                               const Diagnosis& diagnosis, const JobContext& context) {
    Answer answer;
    answer.tables.push_back({"main", Table(columns())});
    for (const Partial* partial : partials) {
        answer.tables.front().table.append(partial->main());
        answer.marks.insert(answer.marks.end(), partial->marks.begin(), partial->marks.end());
    }
    std::optional<FindingReplays> replays;
    if (diagnosis.graph) replays.emplace(run, diagnosis, partials, context);
    const FindingReplays* const replaying = replays ? &*replays : nullptr;
    const std::vector<std::vector<const Partial*>> captures = part_by_capture(partials);
    for (const std::vector<const Partial*>& compared : captures) {
        const std::vector<RankFacts> ranks = collect_ranks(compared, run);
        const Result<bool> unbalanced =
            find_unbalanced_kernels(compared, ranks, run, params, diagnosis, replaying, answer);
        if (!unbalanced) return unbalanced.error();
        const Result<std::vector<FindingOfRank>> parallel = find_parallel(compared, run, context);
        if (!parallel) return parallel.error();
        add_parallel(*parallel, ranks, run, params, answer);
    }
    const std::vector<RankFacts> ranks = collect_ranks(join(captures), run);
    const std::vector<Culprit> culprits = confirm_culprits(diagnosis.waited_for, diagnosis);
    add_culprits(culprits, ranks, run, params, diagnosis.late.by_turns, answer);
    add_stages(diagnosis, ranks, run, params, answer);
    add_desynchronised(find_desynchronised(partials, run), ranks, run, answer);
    if (diagnosis.lost) add_incomplete(*diagnosis.lost, ranks, run, answer);
    for (const FindingOfRank& one : find_clocks(partials, run)) {
        const auto facts = std::ranges::find(ranks, one.slot, &RankFacts::slot);
        if (facts != ranks.end()) add_between_ranks(*facts, one.finding, run, answer);
    }
    const OrderingOfFindings ordering{.run = run, .params = params, .diagnosis = diagnosis, .ranks = ranks};
    if (const Result<bool> done = order_findings(ordering, replaying, culprits, answer); !done) return done.error();
    Table kinds = summarise_kinds(answer.main(), answer.find("explained"), scope_of(partials),
                                  diagnosis.lost ? diagnosis.lost->caveat(run) : "");
    answer.tables.insert(answer.tables.begin() + 1, {"kinds", std::move(kinds)});
    return answer;
}

constexpr std::string_view kGain[] = {"gain"};
constexpr SecondaryTable kTables[] = {{"kinds", finding_kind_columns}, {"explained", columns}, {"minor", columns}};

}  // namespace core::findings

namespace core {

constinit const Analysis kFindings{
    .id = "findings",
    .title = "Findings",
    .summary = "What is known to cost time and occurs here: how much, where, and what to try.",
    .definition = R"(
One row per finding and rank, over its window (first GPU event to last of the chosen steps and streams, cut to the
time range; terms on name, class, duration and group are not asked). measured is what the rank shows by itself, as
said below, in nanoseconds. gain is an upper bound of what would be gained if the cause vanished: measured, but no
more than a replay saves in which all ranks with the finding are mended as what-to-do says, beyond what mending late
ranks and uneven stages saves. Where the replay cannot tell, gain is measured. Gains of different findings overlap
and do not add up. Those below least percent of the window are left out: in the table explained where most of the
time vanishes with a late rank or an uneven stage, else in the table minor, both with gain as measured. minor has
uncounted, too: matrix / (matrix + uncounted) of flop-coverage below coverage.bad, and uncounted at least 1 % of the
window. certainty:
measured; likely: a sign of it; possible: worth a try.

Nothing but its risks is said of a rank that lost at least 1 % of its GPU events (gpu-work-missing) or of all events
(other losses), or that ends early: it has the row incomplete, and the first sentence of the table kinds says so. It
is not late-rank.

exposed-communication: from 15 % of the window on; gain = exposed communication. exposed-copies: from 15 % on; gain
= exposed memory operations, as temporal-breakdown has them. idle: from 10 % on; gain = idle time, without graph_gap
and not_recorded of device-idle. low-overlap: compute and communication take at least 10 % each and overlap for less than half of the shorter; gain = the rest of
the shorter. short-kernels: of at least 20 launches 30 % or more run shorter on the GPU than their call of at most
50 us; gain = gaps (host_wait) that end with one. host-syncs: at least two calls that wait for a stream, event or
device during which the GPU ran out of work, until it returned or longer; gain = the gaps that so began. allocations: calls that allocate or free
device or pinned memory after the first step of the trace, or anywhere in a trace without steps (shares are then of
the whole trace); gain = their durations. no-tensor-cores: matrix kernels in single precision by name (sgemm,
scudnn, simt) on a device that is not known to have no tensor cores (its peaks: TF32, bfloat16, or float16 of 4
times fp32 or more; else its family's name); advice by what it has; gain = all their time. small-messages: at least
10 collectives of 256 KiB or less; gain = their time, at most what is exposed. unused-memory: less than half of the
memory was ever reserved and 10 % of the window is host_wait; gain = host_wait.

Of calls whose FLOP are counted (op-efficiency), on devices whose peaks are known: low-precision-unused: calls in
fp32, not tf32, on a device with tensor cores; gain = their time * (1 - peak of fp32 / peak of 16 bits).
slow-matrix: operators and inputs with roof_share below 0.3; gain = their loss. bad-shapes: products with a size M,
N or K that is no multiple of 8 (16 bits) or 16 (8 bits) and a roof_share below half of that of the rank's other
products of their precision; gain = their loss. recompute: kernels of forward operators that the backward pass runs
again; gain = their time.

Without a gain, told in any case, severity low unless said; limits are those of health: near-limit:
memory-efficiency's pressure above memory-pressure.warn; medium above memory-pressure.bad. slack-high: there its
slack above slack.warn, too, which elsewhere is cache; medium above slack.bad. out-of-memory: a GPU of a
memory snapshot on which an allocation failed, by the first that did (memory-snapshot, table out_of_memory); severity
high, and first of all.

Of GPUs, from logs next to the traces and counters in them (see telemetry), without a gain: clocks-low-rank: ranks
whose main cause in stragglers is clocks; medium. clocks-low-all: clocks of all ranks within 2 % of each other and below
90 % of the highest that the log states, or that is known of the device, else of the highest sample; medium. gpu-errors: Xid lines within the hour
before the traces' end and counters of memory errors and PCIe replays that grow; high of Xid 48, 63, 64, 79, 94, 95 and
uncorrected memory errors, else low. pcie-narrow: a PCIe link with fewer lanes than it can have, or than others have;
low. memory-clock-low: the others' memory clock is 1.02 times the rank's or more over the run (memory_ratio of
telemetry); medium.

Between ranks: unbalanced-kernels: kernels (no communication) whose mean is 10 % or more above the mean of the means
of the other ranks whose device has the same name, on ranks that are not late-rank; gain = what the compute kernels
of the rank like those of its peers save by replay once the late ranks are not, at most the excess of all their
events. last-bucket: steps in which the last of several buckets (ddp-buckets) has more than 30 % of what all expose;
gain = what it exposes there. prefetch-late: late all-gathers (fsdp); gain = their stall. bubble-excess: excess *
duration (pipeline, chunks=1), the mean over the ranks of all stages, summed over steps, on the rank with most of
it; only if all stages are open and theory is known, less what late ranks and uneven stages save. expert-imbalance: exchanges (experts); gain = time *
(largest - mean) / largest of their bytes_out. late-rank: the ranks that hold the run up, confirmed by replay
(what-if): with all that are named like their peers the graph of the chosen steps is at least 1 % shorter, and with
any one of them left out 5 % less of that is saved. Candidates are ranks whose kernels, copies or host take at least
0.5 % of the graph longer than the median of their peers, at most 64 of them; each that is named exceeds the median of
those that are not by 3.5 of their robust deviations. gain = what all that are named save, the same on each. Ranks of other captures are those that stragglers flags, with the waits rooted in one, per rank
that waits. uneven-work: the same where most steps have one that stands out by twice the next, and none does in more
than half of them; or where four ranks and a quarter of all are named, most of which have more work than the mean of
all in no more than three quarters of the steps. stage-imbalance: ranks of the pipeline stage that computes longest, where compute of every stage
as long as the mean of the stages saves 1 % once nobody is late; gain = that. few-microbatches: otherwise, where (p
- 1) / (m + p - 1), of p stages and m messages from the first stage to the next per step, is at least 15 % and
within 35 % of the share of time in which ranks do not compute; gain = what 4 m save by theory of what is left once
the causes are mended. Where no kernel is seen to wait for a message these come from the pipeline's schedule (what-if,
over=stages): passes against the same pass on other replicas, and without gaps before them if the schedule explains
90 % of the step that way. These four come before others of their severity, the last after the others. desynchronised: collectives matched by number whose operation or size differs from
most members', or that a rank never came to though it came to earlier ones of the group and works on for 10 ms
after; gain = its own time in the former and the longest member's in the latter; always told, first and with high
severity, whatever it costs. Where nothing can be replayed, the table explained has exposed-communication,
low-overlap, small-messages, last-bucket and prefetch-late of ranks whose exposed communication is mostly waiting for
one that is named. Ranks are compared within one capture. event is the costliest one, up to 20 are marks; begin and length are the longest gap
where the evidence is a gap, else that event. The table kinds has one row per kind, in the same order: cost is the
gain of the worst rank, of late-rank in the capture where it is greatest; cost_per_step divides it by the steps
chosen of that capture. HTA has no such table.
)",
    .params = kFindingParams,
    .chart = {.kind = ChartKind::Bars, .category = "rank", .measures = findings::kGain, .series = "finding"},
    .comparable = true,
    .rank = findings::rank,
    .merge = findings::merge,
    .columns = findings::columns,
    .tables = findings::kTables,
    .lead = "gain",
    .input = Input::Outliers,
    .of_run = true,
    .in_summary = InSummary::OfRun,
};

}  // namespace core
