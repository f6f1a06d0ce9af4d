#include "core/analysis/collectives/causes.hpp"
#include "core/analysis/collectives/clock_share.hpp"
#include "core/analysis/collectives/straggler_sums.hpp"
#include "core/analysis/engine/record_table.hpp"
#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/findings/diagnosis.hpp"
#include "core/analysis/findings/findings_of_rank.hpp"
#include "core/analysis/verdict/judge.hpp"
#include "core/analysis/verdict/verdict_analyses.hpp"
#include "core/base/format.hpp"
#include "core/graphs/graph_attribution.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace core::verdict {
namespace {

constexpr std::int64_t kWholeRun = -1;  // in the answer, whose keys are never absent

using Windows = std::map<std::int64_t, std::vector<TimeFacts>>;  // by step; kWholeRun first

// Without ranks that lost records, unless all did.
Windows collect_windows(std::span<const Partial* const> partials, const LostRanks& lost) {
    Windows windows;
    for (const Partial* const partial : partials)
        for (const TimeFacts& facts : read_records<TimeFacts>(*partial->find(kFactsTable)))
            windows[facts.step.value_or(kWholeRun)].push_back(facts);
    for (auto& [step, ranks] : windows) leave_out_lost(ranks, lost);
    return windows;
}

// The rank that others wait for most in each window, if it is flagged there; by step, kWholeRun for the run.
std::map<std::int64_t, std::uint32_t> find_stragglers(const ChosenMembers& chosen) {
    std::map<std::int64_t, std::uint32_t> found;
    const StragglerRun run = sum_stragglers(chosen);
    std::int64_t most = 0;
    for (std::size_t i = 0; i < run.ranks.size(); ++i) {
        if (!run.ranks[i].flagged || run.ranks[i].wait_rooted <= most) continue;
        most = run.ranks[i].wait_rooted;
        found[kWholeRun] = chosen.ranks[i].slot;
    }
    const auto steps = sum_by_step(chosen);
    const auto numbered = std::ranges::count_if(steps, [](const auto& one) { return one.first.has_value(); });
    const std::vector<std::int64_t> floors = straggler_floors(chosen, StragglerLimits{}.floor, numbered);
    for (const auto& [step, sums] : steps) {
        if (!step) continue;
        const auto worst = std::ranges::max_element(sums, {}, [](const auto& one) { return one.second.wait_rooted; });
        if (worst == sums.end() || floors.empty()) continue;
        const std::size_t position = chosen.position_of(worst->first).value_or(0);  // of one that is not chosen: any
        if (worst->second.wait_rooted > floors[position]) found[*step] = worst->first;
    }
    return found;
}

// Only those that a replay confirms: who arrives last need not be to blame.
Result<ConfirmedRanks> keep_confirmed(std::map<std::int64_t, std::uint32_t>& stragglers,
                                      std::span<const Partial* const> partials, const Run& run,
                                      const JobContext& context) {
    if (run.ranks().size() < 2) return ConfirmedRanks();
    Result<ConfirmedRanks> confirmed = confirm_late_ranks(partials, run, context);
    if (!confirmed || !confirmed->known) return confirmed;
    std::erase_if(stragglers, [&](const auto& one) {
        return !confirmed->has(one.second) || (confirmed->by_turns && one.first == kWholeRun);
    });
    if (!confirmed->slots.empty() && !confirmed->by_turns) stragglers[kWholeRun] = confirmed->slots.front();
    return confirmed;
}

struct Evidence {
    std::uint32_t slot = 0;
    EventId event = kNoEvent;
};

// The rank where the verdict shows most, and its event to look at.
Evidence find_evidence(Bound bound, std::span<const TimeFacts> ranks, std::optional<std::uint32_t> straggler,
                       const std::map<std::uint32_t, MainCause>& causes) {
    if (bound == Bound::Straggler && straggler) {
        const auto cause = causes.find(*straggler);
        const EventId example = cause == causes.end() ? kNoEvent : cause->second.cause.example;
        if (example != kNoEvent) return {*straggler, example};
        const auto own = std::ranges::find(ranks, *straggler, &TimeFacts::slot);
        if (own != ranks.end())
            return {*straggler, own->compute_event != kNoEvent ? own->compute_event : own->idle_event};
    }
    std::int64_t TimeFacts::*quantity = &TimeFacts::compute;
    EventId TimeFacts::*event = &TimeFacts::compute_event;
    if (bound == Bound::Data || bound == Bound::Host) quantity = &TimeFacts::idle, event = &TimeFacts::idle_event;
    if (bound == Bound::Straggler || bound == Bound::Pipeline || bound == Bound::Imbalance ||
        bound == Bound::Communication)
        quantity = &TimeFacts::exposed, event = &TimeFacts::communication_event;
    if (bound == Bound::Copy) quantity = &TimeFacts::copies, event = &TimeFacts::copy_event;
    const auto most = std::ranges::max_element(ranks, {}, quantity);
    return {most->slot, *most.*event};
}

// "; rank 2 is waited for 55 ms a step in 20 of 20 steps: its SM clock is …"; empty where the clock isn't the cause.
std::string describe_clock(const Run& run, std::uint32_t slot, const std::map<std::uint32_t, MainCause>& causes,
                           bool of_run) {
    const auto cause = causes.find(slot);
    if (cause == causes.end() || cause->second.cause.name != kClocksCause || !cause->second.cause.clock) return {};
    const std::string clock = format_clock_share(*cause->second.cause.clock, cause->second.cause.kernel_ratio);
    const std::string waited = of_run ? format_waited_for(run, slot) : std::string();
    return "; " + (waited.empty() ? clock : waited + ": " + clock);
}

}  // namespace

std::vector<Column> columns();

namespace {

// If every rank lost records, what the GPUs did is unknown, not idle.
void add_undecided(std::int64_t step, const LostRanks& lost, const Run& run, const TimeFacts& first, Table& table) {
    const std::string evidence = "records of " + lost.format(run) + " are missing: " + lost.ranks.front().what;
    std::vector<Cell> cells(columns().size());
    const auto set = [&](std::string_view column, const Cell& cell) { cells[table.find_column(column)] = cell; };
    set("step", step);
    set("verdict", std::string_view("undecided"));
    set("certainty", std::string_view("measured"));
    set("evidence", std::string_view(evidence));
    set("advice", rule_of(FindingKind::Incomplete).advice);
    set("rank", first.rank);
    table.add_row(cells);
}

}  // namespace

std::vector<Column> columns() {
    const auto ratio = [](std::string_view name, std::string_view meaning, Better better) {
        return Column{
            std::string(name), Unit::Ratio, Role::Measure, Facet::None, std::string(meaning), false, {}, better};
    };
    return {
        {"step", Unit::Step, Role::Key, Facet::Step, "the step; -1: the whole run, first GPU event to last"},
        {"verdict", Unit::Text, Role::Info, Facet::None, "the rule that fits and explains most"},
        {"second", Unit::Text, Role::Info, Facet::None, "the next of them; absent if no other fits"},
        {"classic", Unit::Text, Role::Info, Facet::None,
         "the usual rule: communication or compute, if one union is 1.2 times the other"},
        ratio("share", "the rule's quantity, of the step", Better::Neither),
        ratio("compute", "median over the ranks, of the step", Better::More),
        ratio("exposed_communication", "same", Better::Less),
        ratio("exposed_memory", "same", Better::Less),
        ratio("idle", "same", Better::Less),
        ratio("waiting", "of exposed communication, for a later rank; absent where nothing is matched", Better::Less),
        ratio("host_wait", "of idle, waiting for a launch", Better::Less),
        ratio("data_loading", "the host waits for data; absent without marks of it", Better::Less),
        ratio("math", "FLOP at peak, of the time of matrix operators; absent where FLOP or peaks are unknown",
              Better::More),
        ratio("memory_bound", "of the kernel time", Better::Neither),
        ratio("launch_bound", "of the kernel time, in kernels shorter than 5 \u00B5s", Better::Less),
        {"certainty", Unit::Text, Role::Info, Facet::None, "measured, likely or possible"},
        {"evidence", Unit::Text, Role::Info, Facet::None, "the numbers behind it, medians over the ranks"},
        {"advice", Unit::Text, Role::Info, Facet::None, "what to try"},
        {"rank", Unit::Rank, Role::Info, Facet::Rank, "where it shows most"},
        {"event", Unit::Event, Role::Info, Facet::None, "the longest one there"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext& context) {
    Partial partial{{{"main", Table(columns())}}, {}, {}, view.collect_excluded()};
    const Result<RankView> all = view_for_findings(view, context);
    if (!all) return all.error();
    Result<Table> facts = collect_time_facts(*all, context);
    if (!facts) return std::move(facts).error();
    partial.tables.push_back({std::string(kFactsTable), *std::move(facts)});
    add_members(*all, partial);
    if (const Result<bool> added = add_part(view, WithoutStepTerm::AllSteps, false, partial, context); !added)
        return added.error();
    return partial;
}

Result<Answer> merge(std::span<const Partial* const> partials, const Run& run, const Params&,
                     const JobContext& context) {
    Table table(columns());
    std::vector<Mark> marks;
    const ChosenMembers chosen = choose_members(partials, run);
    std::map<std::int64_t, std::uint32_t> stragglers = find_stragglers(chosen);
    const Result<ConfirmedRanks> confirmed = keep_confirmed(stragglers, partials, run, context);
    if (!confirmed) return confirmed.error();
    const LostRanksPtr lost = lost_ranks_of(run);
    std::set<std::uint32_t> late;
    for (const auto& [step, slot] : stragglers) late.insert(slot);
    const std::map<std::uint32_t, MainCause> causes = find_main_causes(chosen, &late);
    const std::shared_ptr<const Limits> limits = limits_of(run);
    for (const auto& [step, ranks] : collect_windows(partials, *lost)) {
        Situation situation = summarise_ranks(ranks);
        situation.is_replayed = is_mostly_replayed(run, std::nullopt);
        std::optional<std::uint32_t> straggler;
        if (const auto found = stragglers.find(step); found != stragglers.end()) {
            straggler = found->second;
            situation.has_straggler = true;
            situation.straggler = "rank " + format_rank(run.rank(*straggler).key);
            if (step == kWholeRun && confirmed->has(*straggler)) {
                situation.straggler_saves = confirmed->saved;
                if (const std::size_t others = confirmed->slots.size() - 1; others > 0)
                    situation.straggler += " and " + format_plural(others, "other", "others");
            }
        }
        if (step == kWholeRun) {
            situation.pipeline_saves = confirmed->pipeline.saved;
            situation.pipeline = confirmed->pipeline.evidence;
        }
        if (std::ranges::all_of(ranks, [&](const TimeFacts& one) { return lost->has(one.slot); })) {
            add_undecided(step, *lost, run, ranks.front(), table);
            continue;
        }
        Judgement found = judge(situation, *limits);
        if (step == kWholeRun && !lost->ranks.empty() && ranks.size() < partials.size())
            found.evidence += "; without " + lost->format(run) + ", whose records are missing";
        if (found.bound == Bound::Straggler && straggler)
            found.evidence += describe_clock(run, *straggler, causes, step == kWholeRun);
        const Evidence evidence = find_evidence(found.bound, ranks, straggler, causes);
        const bool has_event = evidence.event != kNoEvent;
        table.add_row({step,
                       std::string_view(found.name),
                       found.second.empty() ? Cell{} : Cell{std::string_view(found.second)},
                       judge_classic(situation, *limits),
                       found.share,
                       situation.compute,
                       situation.exposed,
                       situation.copies,
                       situation.idle,
                       optional_cell(situation.waiting),
                       optional_cell(situation.host_wait),
                       optional_cell(situation.loading),
                       optional_cell(situation.math),
                       optional_cell(situation.memory_bound),
                       optional_cell(situation.launch_bound),
                       found.certainty,
                       std::string_view(found.evidence),
                       found.advice,
                       run.rank(evidence.slot).key.packed(),
                       has_event ? Cell{static_cast<std::int64_t>(index_of(evidence.event))} : Cell{}});
        if (has_event) marks.push_back({{evidence.slot, evidence.event}, found.name});
    }
    Answer answer = make_answer(chosen, std::move(table), partials);
    if (chosen.collectives.empty()) answer.tables.resize(1);  // clocks matter to nothing
    answer.marks = std::move(marks);
    return answer;
}

constexpr std::string_view kParts[] = {"compute", "exposed_communication", "exposed_memory", "idle"};

}  // namespace core::verdict

namespace core {

constinit const Analysis kVerdict{
    .id = "verdict",
    .title = "Verdict",
    .summary = "The bound of each step and of the run, by the rule that explains most, with the numbers behind it.",
    .definition = R"(
Shares are of the step's own range, per rank, then each the median over the ranks; the row of step -1 has the window
from the first GPU event to the last, as temporal-breakdown; neither step nor x has exposed waits
(as exposed-communication) before every rank of the capture is recorded, nor in a rank's first collective as far as the
last rank's recording begins later. c compute, x exposed_communication, m exposed_memory, i
idle (as steps). waiting = exposed_wait / exposed communication. host_wait = idle time that device-idle puts down to
the host / i. data_loading as in steps. Terms on name, class, duration and group are not asked.

A cause that a replay confirms with 10 % or more is the verdict, like the first finding: straggler-bound, else
pipeline-bound. Otherwise the verdict is the rule that fits and explains most of the step, the first among equals;
second is the next: data-bound explains data_loading while the GPU is idle, host-bound the idle time that waits for a launch without
that, the rules of communication x, copy-bound m; the others come after these, in their order. data-bound: data_loading >= 10 % and the GPU is
idle for half of it or more. host-bound: i >= 25 % and host_wait >= 50 %. straggler-bound: x >= 15 %, waiting >= 50
% and stragglers flags a rank (in a step: as wait-by-step) that findings, too, has as late-rank; or, of the run, such a
rank like its peers saves 10 % or more. pipeline-bound, of the run: findings has stage-imbalance or few-microbatches,
which saves 10 % or more. imbalance-bound: the first of straggler-bound, and there is no such rank.
communication-bound: x > 1.2 c or x >= 25 %. copy-bound: m >= 15 %. compute-bound: c >= 60 %: math if the FLOP at
peak take half of the time of matrix operators or more; else memory if memory-bound kernels have half of the kernel
time (kernels without matrix work, and matrix operators whose bytes at peak bandwidth take longer than their FLOP at
peak; neither shorter than 5 us); else launch if kernels shorter than 5 us have a third; else kernels; second is
then the next kind that fits, where no other rule does. idle: i >= 50 %. balanced: none of these. --limit and limits.json change the
limits. Ranks that lost records, as findings has them, are left out; where all did, the verdict is undecided.

If the clock is the cause of the rank that others wait for (straggler-causes), evidence says so, and of the run in
how many steps the rank is late: those in which waits that go back to it are above 1 % of a step for each other rank.

share is the quantity of the rule: data_loading, i, x, m or c. classic is what is usually said, by the unions of all
communication and all compute, hidden or not: communication if it is more than 1.2 times compute, compute if it is
more than 1.2 times communication, else balanced; it does not know idle time. With one rank waiting cannot be told
from transfer, so that neither straggler- nor imbalance-bound fits. Of captures that are not windows of one job those
of one count, which most ranks have. certainty: measured; of compute-bound likely
where less than 95 % of the matrix time is counted, possible where FLOP or peaks are unknown.
)",
    .chart = {.kind = ChartKind::StackedBars, .category = "step", .measures = verdict::kParts},
    .comparable = true,
    .rank = verdict::rank,
    .merge = verdict::merge,
    .columns = verdict::columns,
    .tables = kClocksOnly,
    .lead = "share",
    .of_run = true,
    .one_capture = true,
    .in_summary = InSummary::OfRun,
};

}  // namespace core
