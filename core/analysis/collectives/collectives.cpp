#include "core/analysis/collectives/bandwidths.hpp"
#include "core/analysis/collectives/chosen_members.hpp"
#include "core/analysis/collectives/collective_analyses.hpp"
#include "core/analysis/collectives/member_exposure.hpp"

#include <map>
#include <tuple>

namespace core::collectives {
namespace {

std::string format_missing(const MatchedRun& matches, const Collective& c) {
    std::string text;
    for (const std::uint32_t slot : matches.missing_of(c)) {
        if (!text.empty()) text += ", ";
        text += std::to_string(matches.ranks[slot].rank);
        if (text.size() > 60) return text + ", …";
    }
    if (c.absent > 0) text += (text.empty() ? "" : "; ") + std::to_string(c.absent) + " not here";
    return text;
}

void add_collective(const ChosenMembers& chosen, std::uint32_t number, Table& table) {
    const MatchedRun& matches = chosen.matches();
    const Collective& c = matches.collectives[number];
    const CollectiveTimes& times = chosen.waits->times[number];
    const Run& run = *chosen.run;
    std::optional<RunTime> first;
    for (const MemberRef ref : matches.members_of(c)) {
        const RunTime start = run.rank(ref.slot).to_run(matches.member(ref).start);
        first = first ? std::min(*first, start) : start;
    }
    const bool several = c.count > 1;
    const bool split = several && waits_for_last(c.operation) && c.doubts == 0;
    const bool waited = split || chosen.waits->find_pivot(number).has_value();
    const BusBandwidth bandwidth = bandwidth_of(*chosen.waits, number);
    const auto if_several = [&](std::int64_t value) { return several ? Cell{value} : Cell{}; };
    const std::string group = chosen.group_of(c);
    const std::string missing = format_missing(matches, c);
    const std::string doubt = format_doubts(c.doubts);
    const RankKey last = run.rank(times.last_slot).key;
    table.add_row({std::string_view(group), name_of(c.operation), static_cast<std::int64_t>(c.sequence),
                   static_cast<std::int64_t>(c.count), bandwidth.bytes ? Cell{*bandwidth.bytes} : Cell{},
                   (*first - run.origin()).count(), if_several(times.skew()), if_several(times.lead),
                   if_several(times.transfer), if_several(times.end_spread), waited ? Cell{times.wait} : Cell{},
                   bandwidth.algorithm ? Cell{*bandwidth.algorithm} : Cell{},
                   bandwidth.bus ? Cell{*bandwidth.bus} : Cell{},
                   split && times.resolved ? Cell{last.packed()} : Cell{}, chosen.step_cell(c), name_of(c.by),
                   name_of(c.confidence), std::string_view(missing), std::string_view(doubt)});
}

}  // namespace

std::vector<Column> columns() {
    return {
        {"group", Unit::Text, Role::Key, Facet::None, "the process group"},
        {"operation", Unit::Text, Role::Key, Facet::None, "all_reduce, all_to_all, …"},
        {"sequence", Unit::Count, Role::Key, Facet::None, "from 0 at the start, within group and operation"},
        {"ranks", Unit::Count, Role::Measure, Facet::None, "members found"},
        {"bytes", Unit::Bytes, Role::Measure, Facet::None, "the size, as nccl-tests counts it"},
        {"first_arrival",
         Unit::Ns,
         Role::Measure,
         Facet::None,
         "earliest start, from the run's origin",
         false,
         {},
         Better::Neither},
        {"skew", Unit::Ns, Role::Measure, Facet::None, "latest start − earliest start"},
        {"lead", Unit::Ns, Role::Measure, Facet::None, "latest start − second latest"},
        {"transfer", Unit::Ns, Role::Measure, Facet::None, "median end − latest start"},
        {"end_spread", Unit::Ns, Role::Measure, Facet::None, "latest end − earliest end"},
        {"wait", Unit::Ns, Role::Measure, Facet::None,
         "sum of the members' waits; absent where nobody can, or it is not known"},
        {"algbw", Unit::BytesPerSecond, Role::Measure, Facet::None, "bytes / transfer"},
        {"busbw", Unit::BytesPerSecond, Role::Measure, Facet::None, "algbw × bus factor of operation and size"},
        {"last_rank", Unit::Rank, Role::Info, Facet::Rank, "arrived last; absent where the error hides it"},
        {"step", Unit::Step, Role::Info, Facet::Step, "that all members were launched in"},
        {"matched_by", Unit::Text, Role::Info, Facet::None, "number, comms id, pair, replay or order"},
        {"confidence", Unit::Text, Role::Info, Facet::None, "certain, probable, doubtful or alone"},
        {"missing", Unit::Text, Role::Info, Facet::None, "ranks whose event is not here, and how many files are not"},
        {"doubt", Unit::Text, Role::Info, Facet::None, "what contradicts the match"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext&) { return collect_members(view); }

Result<Answer> merge(std::span<const Partial* const> partials, const Run& run, const Params&,
                     const JobContext& context) {
    const ChosenMembers chosen = choose_members(partials, run);
    Table table(columns());
    for (const std::uint32_t number : chosen.collectives) {
        if (number % 1024 == 0 && context.cancelled()) return cancelled_error();
        add_collective(chosen, number, table);
    }
    return make_answer(chosen, std::move(table), partials);
}

}  // namespace core::collectives

namespace core {

constinit const Analysis kCollectives{
    .id = "collectives",
    .title = "Collectives",
    .summary = "Every collective with its arrivals, waits, transfer and bandwidth.",
    .definition = R"(
One row per collective (see matching); a member event without partner has a row of its own. skew = latest start -
earliest start; lead = latest start - second latest; transfer = median end - latest start; end_spread = latest end -
earliest end; wait = sum over members of min(latest start - own start, duration). last_rank is absent where the skew
is within the error of the clocks (table clocks).

bytes as nccl-tests counts them: what a member gives; of all_gather what it ends up with; of all_to_all, gather and
scatter the larger of both; the largest over members. algbw = bytes / transfer; busbw = algbw * f, f = 2(n-1)/n for
all_reduce, (n-1)/n for all_gather, reduce_scatter, all_to_all, gather and scatter, else 1; n = group size. Absent
where the size, n, or a transfer is not known.
)",
    .rank = collectives::rank,
    .merge = collectives::merge,
    .columns = collectives::columns,
    .tables = kClocksOnly,
    .input = Input::Collectives,
    .in_summary = InSummary::Computed,
};

}  // namespace core

namespace core::waits {

std::vector<Column> columns() {
    return {{"group", Unit::Text, Role::Key, Facet::None, "the process group"},
            {"operation", Unit::Text, Role::Key, Facet::None, "all_reduce, all_to_all, …"},
            {"sequence", Unit::Count, Role::Key, Facet::None, "from 0 at the start, within group and operation"},
            {"rank", Unit::Rank, Role::Key, Facet::Rank, "the member"},
            {"arrival",
             Unit::Ns,
             Role::Measure,
             Facet::None,
             "start of its event, from the run's origin",
             false,
             {},
             Better::Neither},
            {"duration", Unit::Ns, Role::Measure, Facet::None, "as recorded"},
            {"wait", Unit::Ns, Role::Measure, Facet::None, "until the last arrived, at most the duration"},
            {"transfer", Unit::Ns, Role::Measure, Facet::None, "duration − wait"},
            {"bytes", Unit::Bytes, Role::Measure, Facet::None, "that it gave"},
            {"event", Unit::Event, Role::Info, Facet::None, "its kernel"},
            {"exposed_wait", Unit::Ns, Role::Measure, Facet::None, "of wait, while no compute ran on the rank"},
            {"exposed_transfer", Unit::Ns, Role::Measure, Facet::None, "of transfer, while no compute ran"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext&) { return collect_members(view); }

Result<Answer> merge(std::span<const Partial* const> partials, const Run& run, const Params&,
                     const JobContext& context) {
    const ChosenMembers chosen = choose_members(partials, run);
    const MatchedRun& matches = chosen.matches();
    Table table(columns());
    for (const std::uint32_t number : chosen.collectives) {
        if (number % 1024 == 0 && context.cancelled()) return cancelled_error();
        const Collective& c = matches.collectives[number];
        const std::string group = chosen.group_of(c);
        for (std::uint32_t i = c.first; i < c.first + c.count; ++i) {
            if (!chosen.member[i]) continue;
            const MemberRef ref = matches.members[i];
            const MemberEvent& member = matches.member(ref);
            const bool split = chosen.waits->knows_wait(number, i);
            const std::optional<MemberExposure> exposed = find_exposure(run, *chosen.waits, number, i);
            table.add_row({std::string_view(group), name_of(c.operation), static_cast<std::int64_t>(c.sequence),
                           run.rank(ref.slot).key.packed(),
                           (run.rank(ref.slot).to_run(member.start) - run.origin()).count(), member.duration.count(),
                           split ? Cell{chosen.waits->wait_of(i)} : Cell{},
                           split ? Cell{chosen.waits->transfer_of(i)} : Cell{},
                           member.in_bytes == kNoBytes ? Cell{} : Cell{member.in_bytes},
                           static_cast<std::int64_t>(index_of(member.event)), exposed ? Cell{exposed->waiting} : Cell{},
                           exposed ? Cell{exposed->transferring} : Cell{}});
        }
    }
    return make_answer(chosen, std::move(table), partials);
}

}  // namespace core::waits

namespace core {

constinit const Analysis kWaits{
    .id = "waits",
    .title = "Waits of collectives",
    .summary = "Every member of every collective: when it arrived, how long it waited, how long it transferred.",
    .definition = R"(
wait = min(last arrival - own arrival, duration), where arrival is the start of the member event; transfer = duration -
wait. exposed_wait and exposed_transfer are their parts while no compute runs on the rank.

Example: members arrive at 0 and 30 us, their kernels end at 50. The first waits 30 and transfers 20, the second waits
0 and transfers 20.

One-sided: a receive waits for the begin of its send, members of a broadcast or scatter for the root's, the root of a
reduce or gather for the last of the others (between 0 and the duration); the others wait 0. The root is the rank that
record_param_comms states. Absent for a send (a trace does not tell when its buffers were full), where the root is
unknown or not here, where clocks cannot be compared, and for doubtful matches. One-sided waits are in no sum of
stragglers and stay exposed_other in exposed-communication. Times are on
the clocks that the table clocks names; durations are as recorded.
)",
    .rank = waits::rank,
    .merge = waits::merge,
    .columns = waits::columns,
    .tables = kClocksOnly,
    .input = Input::Collectives,
    .in_summary = InSummary::Computed,
};

}  // namespace core

namespace core::matching {
namespace {

using Key = std::tuple<std::string, Operation, MatchedBy, Confidence>;

struct Sum {
    std::int64_t collectives = 0;
    std::int64_t members = 0;
    std::int64_t incomplete = 0;
    std::map<std::int32_t, std::int64_t> alone;
    std::uint8_t doubts = 0;
};

std::string format_alone(const std::map<std::int32_t, std::int64_t>& alone) {
    std::string text;
    for (const auto& [rank, count] : alone) {
        if (!text.empty()) text += ", ";
        text += "rank " + std::to_string(rank) + ": " + std::to_string(count);
        if (text.size() > 80) return text + ", …";
    }
    return text;
}

}  // namespace

std::vector<Column> columns() {
    return {{"group", Unit::Text, Role::Key, Facet::None, "the process group"},
            {"operation", Unit::Text, Role::Key, Facet::None, "all_reduce, all_to_all, …"},
            {"matched_by", Unit::Text, Role::Key, Facet::None, "number, comms id, pair, replay or order"},
            {"confidence", Unit::Text, Role::Key, Facet::None, "certain, probable, doubtful or alone"},
            {"collectives", Unit::Count, Role::Measure, Facet::None, "so matched", true},
            {"members", Unit::Count, Role::Measure, Facet::None, "their member events", true},
            {"incomplete", Unit::Count, Role::Measure, Facet::None, "that lack a member whose file is here", true},
            {"left_over", Unit::Text, Role::Info, Facet::None, "members without partner, per rank"},
            {"first_doubt", Unit::Text, Role::Info, Facet::None, "what contradicts the first doubtful one"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext&) { return collect_members(view); }

Result<Answer> merge(std::span<const Partial* const> partials, const Run& run, const Params& params,
                     const JobContext&) {
    const ChosenMembers chosen = choose_members(partials, run, {.tolerance = params[0], .shifts = params[1]});
    const MatchedRun& matches = chosen.matches();
    std::map<Key, Sum> sums;
    for (const std::uint32_t number : chosen.collectives) {
        const Collective& c = matches.collectives[number];
        Sum& sum = sums[{chosen.group_of(c), c.operation, c.by, c.confidence}];
        ++sum.collectives;
        sum.members += c.count;
        if (c.missing > 0) ++sum.incomplete;
        if (c.confidence == Confidence::Alone) ++sum.alone[matches.ranks[matches.members[c.first].slot].rank];
        if (sum.doubts == 0) sum.doubts = c.doubts;
    }
    Table table(columns());
    for (const auto& [key, sum] : sums) {
        const std::string left_over = format_alone(sum.alone);
        const std::string doubt = format_doubts(sum.doubts);
        table.add_row({std::string_view(std::get<0>(key)), name_of(std::get<1>(key)), name_of(std::get<2>(key)),
                       name_of(std::get<3>(key)), sum.collectives, sum.members, sum.incomplete,
                       std::string_view(left_over), std::string_view(doubt)});
    }
    return make_answer(chosen, std::move(table), partials);
}

constexpr std::int64_t kOneSecond = 1'000'000'000;
constexpr Param kClockParams[] = {
    {"tolerance", "most between the ends of members that are matched by order", Unit::Ns, 10'000'000, 0, kOneSecond},
    {"shifts", "most places that a rank's list of ends is shifted by to guess its clock", Unit::Count, 256, 0, 4096},
    {"least", "a clock needs so many usable collectives on every rank", Unit::Count, 4, 1, 1'000'000},
    {"drift_least", "a drift needs so many usable collectives on every rank", Unit::Count, 12, 2, 1'000'000},
    {"drift_saves", "a drift has to save this percentage of the noise", Unit::Percent, 30, 0, 100},
    {"least_error", "the error is at least this", Unit::Ns, 2'000, 0, kOneSecond},
};

}  // namespace core::matching

namespace core {

constinit const Analysis kMatching{
    .id = "matching",
    .title = "Matching of collectives",
    .summary = "How collectives were matched across ranks, and how sure that is.",
    .definition = R"(
By number: same group (members and name) and sequence number, from the kernel's arguments or those of the calls
around its launch; certain. By comms id, where group or members are unknown; certain. By pair: the k-th send from
the end with the k-th receive from the end of one group, source and destination; probable. By replay, in graphs
that steps replay: same group, step, replay in the step of a graph with the same operations, and place in the graph;
clocks are not consulted, a recorded number is that of the capture; certain. By order: from the end
within (group, operation), on aligned clocks, ends within tolerance and nearer to each other than to the neighbours;
probable. Parameters other than the standard ones show what matching would be by them; every other table and the
timeline keep the standard ones. doubtful: operations, types, sizes, parts or steps differ, the match may be
shifted, or number and comms id disagree; left out of clocks, waits and bandwidth. alone: a member without partner.
group = name, then in brackets its description or, where no group has one and the known groups form a mesh of all
ranks, its axis: PP only sends and receives and is the outermost axis or the outer one of several, CP sends round a
ring within another one; EP only exchanges all to all (of several such axes the outermost; inner ones are CP); of
two or more other axes TP is the innermost and DP the outermost; then its members where names repeat. An axis that
may be one or another has no name: its groups go by size and members. incomplete: a member is missing whose file is
here. Ranks of different sessions are never matched: of another world size, of a second file of one rank, or of
another time where steps, else numbers of calls, do not meet for half of them or more.
)",
    .params = std::span(matching::kClockParams).first(2),
    .comparable = true,
    .rank = matching::rank,
    .merge = matching::merge,
    .columns = matching::columns,
    .tables = kClocksOnly,
    .lead = "collectives",
    .input = Input::Collectives,
    .in_summary = InSummary::Computed,
};

}  // namespace core

namespace core::clock_alignment {

std::vector<Column> columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"offset",
             Unit::Ns,
             Role::Measure,
             Facet::None,
             "its clock is ahead of the lowest rank of its part by",
             false,
             {},
             Better::Neither},
            {"noise", Unit::Ns, Role::Measure, Facet::None, "weighted median of what single collectives differ"},
            {"drift", Unit::Number, Role::Measure, Facet::None, "parts per million; 0 where none was found"},
            {"collectives", Unit::Count, Role::Measure, Facet::None, "it was measured with"},
            {"part", Unit::Rank, Role::Info, Facet::Rank, "lowest of the ranks it can be compared with"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext&) { return collect_members(view); }

Result<Answer> merge(std::span<const Partial* const> partials, const Run& run, const Params& params,
                     const JobContext&) {
    const ChosenMembers chosen = choose_members(partials, run,
                                                {.tolerance = params[0],
                                                 .shifts = params[1],
                                                 .least = params[2],
                                                 .drift_least = params[3],
                                                 .drift_saves = params[4],
                                                 .least_error = params[5]});
    const MatchedRun& matches = chosen.matches();
    Table table(columns());
    for (const ChosenRank& of_rank : chosen.ranks) {
        const SlotPlace place = matches.places[of_rank.slot];
        const MeasuredClock& clock = matches.clock(of_rank.slot);
        if (clock.collectives == 0) {
            table.add_row({of_rank.key, {}, {}, {}, std::int64_t{0}, {}});
            continue;
        }
        const std::uint32_t part = matches.cohorts[place.cohort].slots[clock.part];
        table.add_row({of_rank.key, clock.offset, clock.noise, clock.drift * 1e6,
                       static_cast<std::int64_t>(clock.collectives), run.rank(part).key.packed()});
    }
    return make_answer(chosen, std::move(table), partials);
}

constexpr std::string_view kOffset[] = {"offset"};

}  // namespace core::clock_alignment

namespace core {

constinit const Analysis kClockAlignment{
    .id = "clock-alignment",
    .title = "Clocks",
    .summary = "How far the ranks' clocks are apart, measured from collectives that their members leave together.",
    .definition = R"(
A rank's clock shows true time + offset + drift * (t - middle). Evidence: all_reduce, all_gather, reduce_scatter,
barrier and all_to_all with at least two members and no doubt; weight 1 / (10 us + shortest member). The moment of a
collective is the median end of its members; offset = weighted median of (own end - moment), repeated until it
rests; drift = weighted median slope, kept if it saves drift_saves percent of the noise. Offsets count from the
lowest rank of each part (ranks that share collectives). noise = weighted median of what is left. error (table
clocks) = the larger of least_error and the weighted 90th percentile of what is left; on recorded clocks at least
half the largest difference of offsets. Parts that messages go both ways between are joined in the middle of what
causality allows, if that is narrower than 1 ms. Refused with fewer than least collectives on a rank, or where
members leave too far apart; then 50 us is assumed. Clocks are aligned where the evidence is accepted and the
largest difference of offsets is above 4 times the residual (option --clocks).
)",
    .params = matching::kClockParams,
    .chart = {.kind = ChartKind::Bars, .category = "rank", .measures = clock_alignment::kOffset},
    .comparable = true,
    .rank = clock_alignment::rank,
    .merge = clock_alignment::merge,
    .columns = clock_alignment::columns,
    .tables = kClocksOnly,
    .lead = "offset",
    .input = Input::Collectives,
    .in_summary = InSummary::Computed,
};

}  // namespace core
