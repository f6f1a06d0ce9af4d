#include "core/analysis/collectives/causes.hpp"
#include "core/analysis/collectives/collective_analyses.hpp"
#include "core/analysis/collectives/straggler_sums.hpp"
#include "core/analysis/collectives/waiting_words.hpp"
#include "core/analysis/engine/rounding.hpp"

#include <array>
#include <optional>
#include <tuple>

namespace core::straggler_causes {
namespace {

struct CauseSum {
    std::int64_t collectives = 0;
    std::int64_t wait_caused = 0;
    std::int64_t wait_rooted = 0;
    std::int64_t lateness = 0;
    std::int64_t inherited = 0;
    StretchParts parts;
    std::int64_t costliest = -1;
    std::int64_t explained = 0;
    std::optional<ClockRatio> clock;
    std::string what;
    EventId example = kNoEvent;
    std::string root;
};

using CauseKey = std::pair<std::uint32_t, std::string>;  // slot, cause

class CauseSummer {
public:
    explicit CauseSummer(const ChosenMembers& chosen) : chosen_(chosen) {}

    Result<std::map<CauseKey, CauseSum>> sum(const JobContext& context) {
        for (const std::uint32_t number : chosen_.collectives) {
            if (context.cancelled()) return cancelled_error();
            if (chosen_.waits->times[number].counts) add(number);
        }
        return std::move(sums_);
    }

private:
    const Cause& cause_of(std::uint32_t number) {
        const auto it = causes_.find(number);
        if (it != causes_.end()) return it->second;
        return causes_.emplace(number, find_cause(*chosen_.run, *chosen_.waits, number)).first->second;
    }

    void add(std::uint32_t number) {
        const CollectiveTimes& times = chosen_.waits->times[number];
        const Lateness& late = chosen_.waits->lateness[number];
        const Cause& cause = cause_of(number);
        CauseSum& sum = sums_[{times.last_slot, cause.name}];
        ++sum.collectives;
        sum.wait_caused += times.wait;
        if (late.known) {
            sum.lateness += late.lateness;
            sum.inherited += late.inherited;
            sum.parts.compute += cause.parts.compute;
            sum.parts.memory += cause.parts.memory;
            sum.parts.communication += cause.parts.communication;
            sum.parts.idle += cause.parts.idle;
            sum.explained += cause.explained;
        }
        if (times.wait > sum.costliest) {
            sum.costliest = times.wait;
            sum.what = cause.what;
            sum.example = cause.example;
            sum.clock = cause.clock;
            sum.root = cause.name == "inherited" ? format_root(number) : "";
        }
        for (const RootedWait& rooted : rooted_waits(*chosen_.waits, number))
            sums_[{rooted.slot, cause_of(rooted.root).name}].wait_rooted += rooted.wait;
    }

    std::string format_root(std::uint32_t number) {
        const std::vector<RootedWait> rooted = rooted_waits(*chosen_.waits, number);
        const auto most = std::ranges::max_element(rooted, {}, &RootedWait::wait);
        if (most == rooted.end()) return "";
        return "rank " + format_rank(chosen_.run->rank(most->slot).key) + ", " + cause_of(most->root).name;
    }

    const ChosenMembers& chosen_;
    std::map<std::uint32_t, Cause> causes_;
    std::map<CauseKey, CauseSum> sums_;
};

}  // namespace

std::vector<Column> columns() {
    return {
        {"rank", Unit::Rank, Role::Key, Facet::Rank, "last to arrive"},
        {"cause", Unit::Text, Role::Key, Facet::None, "why it was late"},
        {"collectives", Unit::Count, Role::Measure, Facet::None, "it was last in for that cause", true},
        {"wait_caused", Unit::Ns, Role::Measure, Facet::None, "sum of their waits", true},
        {"wait_rooted", Unit::Ns, Role::Measure, Facet::None, "waits of all collectives that go back to that", true},
        {"lateness", Unit::Ns, Role::Measure, Facet::None, "arrival against the middle rank's; the sum of the rest",
         true},
        {"inherited", Unit::Ns, Role::Measure, Facet::None, "released late by an earlier collective", true},
        {"compute", Unit::Ns, Role::Measure, Facet::None, "more compute than the middle rank since its release", true},
        {"memory", Unit::Ns, Role::Measure, Facet::None, "more copies without compute", true},
        {"communication", Unit::Ns, Role::Measure, Facet::None, "more communication without both", true},
        {"idle", Unit::Ns, Role::Measure, Facet::None, "more time without GPU work", true},
        {"what", Unit::Text, Role::Info, Facet::None, "the numbers behind the costliest one"},
        {"example", Unit::Event, Role::Info, Facet::None, "an event to look at there"},
        {"root", Unit::Text, Role::Info, Facet::None, "of inherited lateness: who began it, and why"},
        {"clock_ratio", Unit::Number, Role::Measure, Facet::None, "the peers' SM clock to its own, in its late steps"},
        {"explained", Unit::Ns, Role::Measure, Facet::None, "part of compute that the clock ratio accounts for", true},
        {"reason", Unit::Text, Role::Info, Facet::None, "why its clock is lower, as the log states it"},
        {"telemetry", Unit::Text, Role::Info, Facet::None, "source of the clock, or why there is none"}};
}

// The last columns of a cause: only causes of compute have them.
std::array<Cell, 4> clock_cells(const CauseSum& sum) {
    if (!sum.clock) return {};
    if (!sum.clock->known) return {Cell{}, Cell{}, Cell{}, Cell{std::string_view(sum.clock->why)}};
    return {Cell{sum.clock->ratio}, Cell{sum.explained}, Cell{std::string_view(sum.clock->reason)},
            Cell{std::string_view(sum.clock->source)}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext&) { return collect_members(view); }

Result<Answer> merge(std::span<const Partial* const> partials, const Run& run, const Params&,
                     const JobContext& context) {
    const ChosenMembers chosen = choose_members(partials, run);
    const Result<std::map<CauseKey, CauseSum>> sums = CauseSummer(chosen).sum(context);
    if (!sums) return sums.error();
    Table table(columns());
    for (const auto& [key, sum] : *sums) {
        if (!chosen.has_rank(key.first)) continue;
        const Cell example = sum.example == kNoEvent ? Cell{} : Cell{static_cast<std::int64_t>(index_of(sum.example))};
        const std::array<Cell, 4> clock = clock_cells(sum);
        table.add_row({run.rank(key.first).key.packed(), std::string_view(key.second), sum.collectives, sum.wait_caused,
                       sum.wait_rooted, sum.lateness, sum.inherited, sum.parts.compute, sum.parts.memory,
                       sum.parts.communication, sum.parts.idle, std::string_view(sum.what), example,
                       std::string_view(sum.root), clock[0], clock[1], clock[2], clock[3]});
    }
    sort_descending(table, "wait_rooted");
    return make_answer(chosen, std::move(table), partials);
}

constexpr std::string_view kWaitRooted[] = {"wait_rooted"};

}  // namespace core::straggler_causes

namespace core {

constinit const Analysis kStragglerCauses{
    .id = "straggler-causes",
    .title = "Causes of lateness",
    .summary = "Why late ranks were late: what they did since they were released, beside the middle rank.",
    .definition = R"(
One row per rank and cause, over the collectives that count (see stragglers) and that the rank was last in. lateness
= arrival against the middle member's = inherited + compute + memory + communication + idle. Both ranks' stretches
reach from the end of their latest collective that can make ranks wait to their arrival; each instant counts once:
compute, else memory (copies), else communication, else idle. The parts are the late rank's less the middle one's
and can be negative.

cause: inherited if that is at least the rest (released late by another collective; root names who began it); else
by the largest part. compute: over the whole step the late rank computes at least half of that longer than the middle
one: more work if kernels that only ran there, or more often, make up half of it, else slower kernels. Where samples
of the SM clock are known (see telemetry), these are clocks or slower kernels at the same clock. Per kernel name, e =
its time without calls beyond the peers' median count, less the peers' median time; if e is above 2 % of that, it adds
to the excess, and min(e, (clock_ratio - 1) * peers' time) to what the clock explains: a clock can lengthen a kernel
by that much at most. clocks: at least half of the excess, and 20 % of the lateness. clock_ratio = median over peers
of their mean clock / the rank's, over its busy samples in the steps in which it is late. Equal work
that is done later was launched later: as idle, over the step up to the arrival, if that much more is idle there;
else same work, later. memory: copies. communication: other communication. idle: by what the launching thread of the event
that ended the longest gap did for at least half of the gap: data loading, allocation, synchronisation, launch call
(the launch itself lasted), host (another operator or annotation, named in what), or host, nothing recorded. before
the window: nothing released it; not resolvable: the skew is within the error of the clocks. wait_caused and
wait_rooted add up to those of stragglers.
)",
    .chart = {.kind = ChartKind::Bars,
              .category = "rank",
              .measures = straggler_causes::kWaitRooted,
              .series = "cause"},
    .comparable = true,
    .rank = straggler_causes::rank,
    .merge = straggler_causes::merge,
    .columns = straggler_causes::columns,
    .tables = kClocksOnly,
    .lead = "wait_rooted",
    .input = Input::Collectives,
    .in_summary = InSummary::OfRun,
};

}  // namespace core

namespace core::stragglers {

namespace {

struct PairSum {
    std::int64_t collectives = 0;
    std::int64_t wait = 0;
    std::int64_t longest = -1;
    EventId example = kNoEvent;
};

std::vector<Column> pair_columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "that waits"},
            {"waits_for", Unit::Rank, Role::Key, Facet::None, "the last to arrive"},
            {"collectives", Unit::Count, Role::Measure, Facet::None, "in which it does", true},
            {"wait", Unit::Ns, Role::Measure, Facet::None, "sum of its waits in them", true},
            {"event", Unit::Event, Role::Info, Facet::None, "its event that waits longest"}};
}

// Waiting by pair: rows of a waiting rank add up to its own_wait, those of an awaited rank to its wait_caused.
NamedTable pairs_table(const ChosenMembers& chosen) {
    Table table(pair_columns());
    const MatchedRun& matches = chosen.matches();
    std::map<std::pair<std::uint32_t, std::uint32_t>, PairSum> pairs;  // slots
    for (const std::uint32_t number : chosen.collectives) {
        const CollectiveTimes& times = chosen.waits->times[number];
        if (!times.counts) continue;
        const Collective& c = matches.collectives[number];
        for (std::uint32_t i = c.first; i < c.first + c.count; ++i) {
            const MemberRef ref = matches.members[i];
            const std::int64_t wait = chosen.waits->wait_of(i);
            if (wait <= 0 || !chosen.has_rank(ref.slot)) continue;
            PairSum& pair = pairs[{ref.slot, times.last_slot}];
            ++pair.collectives;
            pair.wait += wait;
            if (wait <= pair.longest) continue;
            pair.longest = wait;
            pair.example = matches.member(ref).event;
        }
    }
    for (const auto& [slots, pair] : pairs)
        table.add_row({chosen.run->rank(slots.first).key.packed(), chosen.run->rank(slots.second).key.packed(),
                       pair.collectives, pair.wait, static_cast<std::int64_t>(index_of(pair.example))});
    sort_descending(table, "wait");
    return {"pairs", std::move(table)};
}

}  // namespace

std::vector<Column> columns() {
    return {
        {"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
        {"collectives", Unit::Count, Role::Measure, Facet::None, "that count and that it took part in", true},
        {"last", Unit::Count, Role::Measure, Facet::None, "times it arrived last, by more than the error", true},
        {"last_share", Unit::Ratio, Role::Measure, Facet::None, "last / collectives"},
        {"close", Unit::Count, Role::Measure, Facet::None, "times last, but within the error of the next", true},
        {"wait_caused", Unit::Ns, Role::Measure, Facet::None, "waits of all in collectives it was last in", true},
        {"wait_rooted", Unit::Ns, Role::Measure, Facet::None, "waits that are its doing in the end", true},
        {"own_wait", Unit::Ns, Role::Measure, Facet::None, "time it waited itself", true},
        {"gain", Unit::Ns, Role::Measure, Facet::None, "saved had it come with the next to last each time", true},
        {"inherited", Unit::Ns, Role::Measure, Facet::None, "lateness that another group left it with", true},
        {"own", Unit::Ns, Role::Measure, Facet::None, "lateness of its own since it was released", true},
        {"score", Unit::Number, Role::Measure, Facet::None, "robust deviation of wait_rooted; absent below 3 ranks"},
        {"incomplete", Unit::Count, Role::Measure, Facet::None, "set aside, as members are missing", true},
        {"left_early", Unit::Count, Role::Measure, Facet::None, "set aside, as someone left before the last came",
         true},
        {"flagged", Unit::Text, Role::Info, Facet::None, "yes: a straggler"},
        {"persistent", Unit::Text, Role::Info, Facet::None, "yes: in at least half of the steps"},
        {"cause", Unit::Text, Role::Info, Facet::None, "of most of wait_rooted"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext&) { return collect_members(view); }

Result<Answer> merge(std::span<const Partial* const> partials, const Run& run, const Params& params,
                     const JobContext&) {
    const ChosenMembers chosen = choose_members(partials, run);
    const StragglerRun sums = sum_stragglers(chosen, {params[0], params[1]});
    const std::map<std::uint32_t, MainCause> causes = find_main_causes(chosen);
    Table table(columns());
    for (std::size_t i = 0; i < chosen.ranks.size(); ++i) {
        const StragglerSums& one = sums.ranks[i];
        const bool took_part = one.collectives > 0 || one.incomplete > 0 || one.left_early > 0;
        if (!took_part) continue;
        const auto cause = causes.find(chosen.ranks[i].slot);
        const auto yes_no = [](bool is) { return std::string_view(is ? "yes" : "no"); };
        table.add_row({chosen.ranks[i].key, one.collectives, one.last,
                       ratio_cell(Wide{one.last}, Wide{one.collectives}), one.close, one.wait_caused, one.wait_rooted,
                       one.own_wait, one.gain, one.inherited, one.own, one.score ? Cell{*one.score} : Cell{},
                       one.incomplete, one.left_early, yes_no(one.flagged),
                       one.persistent ? Cell{yes_no(*one.persistent)} : Cell{},
                       cause == causes.end() ? Cell{} : Cell{std::string_view(cause->second.cause.name)}});
    }
    sort_descending(table, "wait_rooted");
    NamedTable summary = summary_table(chosen, sums, table);
    Answer answer = make_answer(chosen, std::move(table), partials);
    answer.tables.push_back(pairs_table(chosen));
    answer.tables.push_back(std::move(summary));
    return answer;
}

constexpr Param kStragglerParams[] = {
    {"floor", "a straggler costs every other rank at least this percentage of the window", Unit::Percent, 1, 0, 100},
    {"score", "hundredths: a robust score above it flags a rank", Unit::Count, 350, 0, 100'000},
};
constexpr std::string_view kWaitRooted[] = {"wait_rooted"};
constexpr SecondaryTable kTables[] = {kClocksTable, {"pairs", pair_columns}, {"summary", summary_columns}};

}  // namespace core::stragglers

namespace core {

constinit const Analysis kStragglers{
    .id = "stragglers",
    .title = "Stragglers",
    .summary = "Who was late for collectives, and how long the others waited for it.",
    .definition = R"(
wait of a member = min(last arrival - own arrival, own duration); it arrives at the start of its kernel. Per rank:
wait_caused = sum of all waits in the collectives it was last in; own_wait = sum of its own; gain = sum of its leads
over the next to last; wait_rooted: see below. Over all ranks wait_caused, own_wait and wait_rooted have one sum.

Example: A, B and C arrive at 0, 10 and 50 us and leave at 60. They wait 50, 40 and 0: wait_caused of C is 90, its gain
50 - 10 = 40. B is the middle, so C is 40 late. If an earlier collective released C 10 later than B, inherited is 10
and own 30: 3/4 of the 90, 67.5, are rooted at C and 22.5 at whoever delayed that collective.

A collective counts if it is an all_reduce, all_gather, reduce_scatter, barrier or all_to_all with at least two members,
nothing contradicts the match (see matching), no member is missing whose file is here, and nobody left before the last
came. If files of members are absent, waits are lower bounds. The filter chooses a collective by any of its members; its
numbers are those of all.

last = times it arrived last with a skew (last - first arrival) above the error of the clocks; close = times its lead
over the next to last was within the error, whatever the skew.

lateness = own arrival - arrival of the middle member (lower median) = own + inherited; own = by how much its stretch
since an earlier collective released it is longer than the middle member's, as recorded.

wait_rooted: of each wait, own / lateness is rooted at the last rank, the rest (above the error) at the releasing
collective: there, as much as the lateness of its last member explains is split in the same way, the remainder goes to
the collective that released that member, and so on back. Own time in receives (and other one-sided waits without
compute) that the middle rank did not have goes to the senders in proportion.

score = 0.6745 * (x - median) / MAD of wait_rooted over ranks, with 1.2533 * the mean absolute deviation in place of
MAD / 0.6745 where MAD is 0; absent below 3 ranks. flagged: wait_rooted is above the floor (floor percent of the longest
window times the other ranks) and the score above score / 100, or more than half of all waiting is rooted there, or
fewer than 3 ranks. persistent: above the step's own floor in at least half of the steps; absent with one step. cause:
that of most of wait_rooted, as far as it shows (see straggler-causes).

Ranks are compared with those of their capture. Captures that are windows of one job are taken together: score, flagged
and persistent are of all windows of a rank, whose lengths add up to its window, and are the same in each of its rows.

HTA takes the rank with the shortest communication kernels for the straggler and measures nothing.
)",
    .params = stragglers::kStragglerParams,
    .chart = {.kind = ChartKind::Bars, .category = "rank", .measures = stragglers::kWaitRooted},
    .comparable = true,
    .rank = stragglers::rank,
    .merge = stragglers::merge,
    .columns = stragglers::columns,
    .tables = stragglers::kTables,
    .lead = "wait_rooted",
    .input = Input::Collectives,
    .in_summary = InSummary::OfRun,
};

}  // namespace core

namespace core::wait_by_step {

std::vector<Column> columns() {
    return {{"step", Unit::Text, Role::Key, Facet::None, "of all members; none: they do not agree"},
            {"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"wait_caused", Unit::Ns, Role::Measure, Facet::None, "waits of all in collectives it was last in", true},
            {"wait_rooted", Unit::Ns, Role::Measure, Facet::None, "waits that are its doing in the end", true},
            {"own_wait", Unit::Ns, Role::Measure, Facet::None, "time it waited itself", true},
            {"last", Unit::Count, Role::Measure, Facet::None, "times it arrived last, by more than the error", true},
            {"flagged", Unit::Text, Role::Info, Facet::None, "yes: above the step's own floor"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext&) { return collect_members(view); }

Result<Answer> merge(std::span<const Partial* const> partials, const Run& run, const Params& params,
                     const JobContext&) {
    const ChosenMembers chosen = choose_members(partials, run);
    const auto steps = sum_by_step(chosen);
    const auto numbered = std::ranges::count_if(steps, [](const auto& one) { return one.first.has_value(); });
    const std::vector<std::int64_t> floors = straggler_floors(chosen, params[0], numbered);
    Table table(columns());
    for (const auto& [step, sums] : steps)
        for (const auto& [slot, sum] : sums) {
            const std::optional<std::size_t> position = chosen.position_of(slot);
            if (!position) continue;
            const std::string name = step ? std::to_string(*step) : "none";
            table.add_row({std::string_view(name), run.rank(slot).key.packed(), sum.wait_caused, sum.wait_rooted,
                           sum.own_wait, sum.last,
                           std::string_view(sum.wait_rooted > floors[*position] ? "yes" : "no")});
        }
    return make_answer(chosen, std::move(table), partials);
}

constexpr Param kStepWaitParams[] = {
    {"floor", "a straggler costs every other rank at least this percentage of the step", Unit::Percent, 1, 0, 100},
};
constexpr std::string_view kWaitRooted[] = {"wait_rooted"};

}  // namespace core::wait_by_step

namespace core {

constinit const Analysis kWaitByStep{
    .id = "wait-by-step",
    .title = "Waiting by step",
    .summary = "Per step, who was waited for and who waited.",
    .definition = R"(
wait_caused, wait_rooted, own_wait and last as in stragglers, over the collectives of a step: those whose members
were all launched in it. The row none takes collectives without a common step, so that the rows add up to
stragglers. flagged: wait_rooted is above floor percent of the mean step times the other ranks.
)",
    .params = wait_by_step::kStepWaitParams,
    .chart = {.kind = ChartKind::Bars, .category = "step", .measures = wait_by_step::kWaitRooted, .series = "rank"},
    .comparable = true,
    .rank = wait_by_step::rank,
    .merge = wait_by_step::merge,
    .columns = wait_by_step::columns,
    .tables = kClocksOnly,
    .lead = "wait_rooted",
    .input = Input::Collectives,
    .in_summary = InSummary::OfRun,
};

}  // namespace core
