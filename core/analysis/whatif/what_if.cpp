#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/whatif/given_change.hpp"
#include "core/analysis/whatif/kernel_schedule.hpp"
#include "core/analysis/whatif/run_window.hpp"
#include "core/analysis/whatif/schedule_what_if.hpp"
#include "core/analysis/whatif/whatif_analyses.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace core::what_if {
namespace {

constexpr std::int64_t kOverSteps = 2;  // and later choices
constexpr std::size_t kMostReplays =
    4'000'000'000;  // edges times replays; further rows of ranks and steps are left out
constexpr std::size_t kMostRowsOfAKind = 256;
constexpr std::int64_t kLargerBuckets = 400;  // percent

constexpr std::string_view kCeiling = "ceiling: links and order stay as recorded";

bool is_host(const GraphEdge& edge) {
    return edge.bound_by == BoundBy::Cpu || edge.bound_by == BoundBy::DataLoading ||
           edge.bound_by == BoundBy::HostOther || edge.bound_by == BoundBy::LaunchDelay;
}

// Causes that parts of the slowdown are attributed to.
enum class Cause : std::uint8_t { Host, Compute, Communication, Memory, Other };
constexpr std::array<std::string_view, 5> kCauses = {"host", "compute", "communication", "memory", "other"};
Cause cause_of(const GraphEdge& edge) {
    if (is_host(edge)) return Cause::Host;
    switch (edge.bound_by) {
        case BoundBy::Compute:
            return Cause::Compute;
        case BoundBy::Communication:
            return Cause::Communication;
        case BoundBy::Memory:
            return Cause::Memory;
        default:
            return Cause::Other;
    }
}

struct Row {
    std::string change;
    std::string of;
    std::int64_t length = 0;
    std::optional<std::int64_t> otherwise;  // all typical, but this as recorded
    std::optional<std::uint64_t> kept;
};

class Replayer {
public:
    Replayer(const Run& run, const Waits& waits, const RunGraph& graph, TypicalOver over, const JobContext& context)
        : run_(run), waits_(waits), graph_(graph), over_(over), context_(context) {}

    Result<bool> prepare() {
        Result<Partners> partners = find_partners(run_, waits_, graph_, over_, context_);
        if (!partners) return std::move(partners).error();
        partners_ = *std::move(partners);
        typical_ = make_all_typical(graph_, partners_);
        facts_.typical = &typical_;
        return true;
    }
    void prepare_links() { facts_.bandwidth_share = find_bandwidth_shares(run_, waits_, graph_); }

    Result<std::int64_t> replay(const Change& change) {
        if (change.link != kAsItIs) bandwidth_shares();
        const Result<NodeTimes> times = replay_times(graph_.graph, weights_under(graph_, change, facts_), context_);
        if (!times) return times.error();
        return (*times)[graph_.sink];
    }

    template <class Takes>
    std::vector<bool> typical_where(const Takes& takes) const {
        std::vector<bool> chosen(typical_.weights.size());
        for (std::uint32_t e = 0; e < chosen.size(); ++e) chosen[e] = typical_.known[e] && takes(e);
        return chosen;
    }
    // A row for x: the run with x like its peers; and all like their peers, but x as recorded.
    template <class Takes>
    Result<Row> replay_part(std::string change, std::string of, const Takes& takes) {
        Row row{.change = std::move(change),
                .of = std::move(of),
                .length = 0,
                .otherwise = std::nullopt,
                .kept = std::nullopt};
        const Result<std::int64_t> with = replay({.typical = typical_where(takes)});
        if (!with) return with.error();
        return add_otherwise(std::move(row), *with, takes);
    }
    // The same for a part, which has the median of the others.
    Result<Row> replay_rank(std::string of, std::size_t part) {
        Row row{.change = "rank typical", .of = std::move(of), .length = 0, .otherwise = std::nullopt, .kept = {}};
        std::vector<bool> named(graph_.parts.size(), false);
        named[part] = true;
        const Result<std::int64_t> with = replay(change_to(make_typical(graph_, partners_, named)));
        if (!with) return with.error();
        return add_otherwise(std::move(row), *with,
                             [&](std::uint32_t e) { return graph_.part_of(graph_.graph.edges[e]) == part; });
    }

    const Partners& partners() const { return partners_; }

private:
    template <class Takes>
    Result<Row> add_otherwise(Row row, std::int64_t with, const Takes& takes) {
        const auto others = [&](std::uint32_t e) { return !takes(e); };
        const Result<std::int64_t> without = replay({.typical = typical_where(others)});
        if (!without) return without.error();
        row.length = with;
        row.otherwise = *without;
        return row;
    }

public:
    const Typical& typical() const { return typical_; }
    std::span<const double> bandwidth_shares() {
        if (facts_.bandwidth_share.empty()) prepare_links();
        return facts_.bandwidth_share;
    }

private:
    const Run& run_;
    const Waits& waits_;
    const RunGraph& graph_;
    TypicalOver over_;
    const JobContext& context_;
    Partners partners_;
    Typical typical_;
    ChangeFacts facts_;
};

class Rows {
public:
    Rows(const Run& run, const Waits& waits, const RunGraph& graph, const Params& params, const JobContext& context)
        : run_(run),
          waits_(waits),
          graph_(graph),
          params_(params),
          replayer_(run, waits, graph, params[kOver] >= kOverSteps ? TypicalOver::Steps : TypicalOver::Ranks, context) {
    }

    Result<bool> collect() {
        if (Result<bool> made = replayer_.prepare(); !made) return made;
        if (Result<bool> done = add_given(); !done) return done;
        if (Result<bool> done = add_plain(); !done) return done;
        if (Result<bool> done = add_parallel(); !done) return done;
        if (Result<bool> done = add_ranks(); !done) return done;
        if (Result<bool> done = add_causes(); !done) return done;
        if (Result<bool> done = add_operations(); !done) return done;
        return add_steps();
    }

    std::vector<Row> rows;
    std::int64_t ideal = 0;  // no stragglers
    std::uint64_t left_out = 0;
    const Typical& typical() const { return replayer_.typical(); }

private:
    Result<bool> add(std::string change, std::string of, const Change& given, bool tells_kept = false) {
        const Result<std::int64_t> length = replayer_.replay(given);
        if (!length) return length.error();
        rows.push_back({std::move(change), std::move(of), *length, std::nullopt,
                        tells_kept ? std::optional(typical().kept) : std::nullopt});
        return true;
    }
    template <class Takes>
    Result<bool> add_part(std::string change, std::string of, const Takes& takes) {
        Result<Row> row = replayer_.replay_part(std::move(change), std::move(of), takes);
        if (!row) return std::move(row).error();
        rows.push_back(*std::move(row));
        return true;
    }

    Result<bool> add_given() {
        Result<GivenChange> given = make_given_change(run_, waits_, graph_, replayer_.partners(), params_);
        if (!given) return std::move(given).error();
        return given->text.empty() ? Result<bool>(true)
                                   : add("given", given->text, given->change, !given->change.typical.empty());
    }

    Result<bool> add_plain() {
        if (Result<bool> done = add("recorded", "", {}); !done) return done;
        if (Result<bool> done = add("free communication", "", {.scales = {.communication = 0}}); !done) return done;
        if (Result<bool> done = add("no launch gaps", "", {.launch_gaps = false}); !done) return done;
        if (graph_.parts.size() < 2) return true;
        Result<bool> done =
            add("no stragglers", "", {.typical = replayer_.typical_where([](std::uint32_t) { return true; })}, true);
        if (done) ideal = rows.back().length;
        return done;
    }

    // --- what-ifs of parallel training

    Result<bool> add_factors(std::string change, std::vector<float> factors) {
        if (factors.empty()) return true;
        return add(std::move(change), "", {.factor = std::move(factors)});
    }

    Result<bool> add_parallel() {
        const ParallelFactors factors(waits_, graph_);
        if (Result<bool> done = add_factors("gathers prefetched", factors.of_gathers()); !done) return done;
        if (Result<bool> done = add_factors("experts balanced", factors.of_experts()); !done) return done;
        if (graph_.collective_of_join.empty()) return true;
        return add_factors("buckets 4 times as large",
                           factors.of_buckets(replayer_.bandwidth_shares(), kLargerBuckets));
    }

    std::size_t rows_that_fit() const {
        const std::size_t edges = std::max<std::size_t>(graph_.graph.edges.size(), 1);
        return std::min(kMostRowsOfAKind, kMostReplays / edges / 2 / 4);
    }

    // The ranks that the others waited for most.
    std::vector<std::size_t> rank_order() const {
        std::vector<std::int64_t> blame(run_.ranks().size(), 0);
        for (const CollectiveTimes& times : waits_.times)
            if (times.counts) blame[times.last_slot] = clamped(Wide{blame[times.last_slot]} + times.wait);
        std::vector<std::size_t> order(graph_.parts.size());
        for (std::size_t p = 0; p < order.size(); ++p) order[p] = p;
        std::ranges::stable_sort(order, std::greater{}, [&](std::size_t p) { return blame[graph_.parts[p].slot]; });
        if (order.size() > rows_that_fit()) order.resize(rows_that_fit());
        std::ranges::sort(order);
        return order;
    }

    Result<bool> add_ranks() {
        if (graph_.parts.size() < 2) return true;
        const std::vector<std::size_t> order = rank_order();
        left_out += graph_.parts.size() - order.size();
        for (const std::size_t p : order) {
            Result<Row> row = replayer_.replay_rank(format_rank(run_.rank(graph_.parts[p].slot).key), p);
            if (!row) return std::move(row).error();
            rows.push_back(*std::move(row));
        }
        return true;
    }

    Result<bool> add_causes() {
        if (graph_.parts.size() < 2) return true;
        for (std::size_t c = 0; c < kCauses.size(); ++c) {
            const auto takes = [&](std::uint32_t e) {
                return cause_of(graph_.graph.edges[e]) == static_cast<Cause>(c);
            };
            if (Result<bool> done = add_part("cause typical", std::string(kCauses[c]), takes); !done) return done;
        }
        return true;
    }

    Result<bool> add_operations() {
        if (graph_.parts.size() < 2) return true;
        std::vector<bool> present(kOperations, false);
        for (const std::uint32_t number : graph_.collective_of_join)
            present[static_cast<std::size_t>(waits_.matched->collectives[number].operation)] = true;
        for (std::size_t o = 0; o < kOperations; ++o) {
            if (!present[o]) continue;
            const auto takes = [&](std::uint32_t e) {
                const GraphEdge& edge = graph_.graph.edges[e];
                if (edge.kind != EdgeKind::Transfer) return false;
                const Collective& c = waits_.matched->collectives[graph_.collective_of(edge.from)];
                return static_cast<std::size_t>(c.operation) == o;
            };
            const std::string name(name_of(static_cast<Operation>(o)));
            if (Result<bool> done = add_part("operation typical", name, takes); !done) return done;
        }
        return true;
    }

    Result<bool> add_steps() {
        if (graph_.parts.size() < 2) return true;
        const EdgeSteps steps = find_edge_steps(run_, graph_);
        std::vector<bool> present(steps.numbers.size(), false);
        for (const std::uint32_t step : steps.of_edge)
            if (step != kNoStepIndex) present[step] = true;
        std::size_t made = 0;
        for (std::uint32_t s = 0; s < present.size(); ++s) {
            if (!present[s]) continue;
            if (made++ >= rows_that_fit()) {
                ++left_out;
                continue;
            }
            const auto takes = [&](std::uint32_t e) { return steps.of_edge[e] == s; };
            Result<bool> done = add_part("step typical", std::to_string(steps.numbers[s]), takes);
            if (!done) return done;
        }
        return true;
    }

    const Run& run_;
    const Waits& waits_;
    const RunGraph& graph_;
    const Params& params_;
    Replayer replayer_;
};

std::vector<Column> graph_columns() {
    return {{"fact", Unit::Text, Role::Key, Facet::None, "of the graph that was replayed"},
            {"count", Unit::Count, Role::Measure, Facet::None, "how many"},
            {"time", Unit::Ns, Role::Measure, Facet::None, "how much; absent where that is not a time"}};
}

struct GraphFacts {
    std::uint64_t ranks = 0, nodes = 0, edges = 0, joined = 0, pairs = 0, not_joined = 0, moved = 0, blocked = 0,
                  reversed = 0, kept = 0, parts = 0;
    std::int64_t moved_time = 0, kept_time = 0;

    void add(const RunGraph& graph, const Typical& typical) {
        ranks = std::max<std::uint64_t>(ranks, graph.parts.size());
        nodes += graph.graph.time.size();
        edges += graph.graph.edges.size();
        joined += graph.joins.joined;
        pairs += graph.joins.pairs;
        not_joined += graph.joins.not_joined;
        moved += graph.moved.count;
        moved_time = clamped(Wide{moved_time} + graph.moved.sum);
        blocked += graph.blocked;
        reversed += graph.reversed;
        kept += typical.kept;
        kept_time = clamped(Wide{kept_time} + typical.kept_time);
        ++parts;
    }
};

Table graph_table(const GraphFacts& facts) {
    Table table(graph_columns());
    const auto count = [](std::uint64_t value) { return Cell{static_cast<std::int64_t>(value)}; };
    table.add_row({"ranks", count(facts.ranks), Cell{}});
    table.add_row({"graphs, of as many steps as fit", count(facts.parts), Cell{}});
    table.add_row({"nodes", count(facts.nodes), Cell{}});
    table.add_row({"edges", count(facts.edges), Cell{}});
    table.add_row({"collectives that join ranks", count(facts.joined), Cell{}});
    table.add_row({"sends that join ranks", count(facts.pairs), Cell{}});
    table.add_row({"collectives that could not", count(facts.not_joined), Cell{}});
    table.add_row({"events moved for the clocks' error", count(facts.moved), Cell{facts.moved_time}});
    table.add_row({"waits for collectives without a call, guessed", count(facts.blocked), Cell{}});
    table.add_row({"launches whose GPU work began before the call", count(facts.reversed), Cell{}});
    table.add_row({"times without peers, as recorded", count(facts.kept), Cell{facts.kept_time}});
    return table;
}

// Rows of graphs of some steps each, added up. Where a graph has no such row, as of another step, it stays as recorded.
class RowSums {
public:
    void add(std::span<const Row> rows, std::int64_t recorded, std::int64_t ideal) {
        for (Row& sum : sums_) {
            const auto same = [&](const Row& row) { return row.change == sum.change && row.of == sum.of; };
            if (std::ranges::none_of(rows, same))
                add_to(sum, {.change = {}, .of = {}, .length = recorded, .otherwise = ideal, .kept = {}});
        }
        for (const Row& row : rows) {
            const auto same = [&](const Row& sum) { return row.change == sum.change && row.of == sum.of; };
            const auto it = std::ranges::find_if(sums_, same);
            if (it != sums_.end()) {
                add_to(*it, row);
                continue;
            }
            Row first = row;
            first.length = clamped(Wide{first.length} + recorded_);
            if (first.otherwise) first.otherwise = clamped(Wide{*first.otherwise} + ideal_);
            sums_.push_back(std::move(first));
        }
        recorded_ = clamped(Wide{recorded_} + recorded);
        ideal_ = clamped(Wide{ideal_} + ideal);
    }
    std::span<const Row> rows() const { return sums_; }
    std::int64_t recorded() const { return recorded_; }
    std::int64_t ideal() const { return ideal_; }

private:
    static void add_to(Row& sum, const Row& row) {
        sum.length = clamped(Wide{sum.length} + row.length);
        if (sum.otherwise) sum.otherwise = clamped(Wide{*sum.otherwise} + row.otherwise.value_or(row.length));
        if (sum.kept && row.kept) *sum.kept += *row.kept;
    }
    std::vector<Row> sums_;
    std::int64_t recorded_ = 0, ideal_ = 0;
};

// A pipeline's timeline without kernels is replayed by its schedule.
Result<bool> answer_schedule(const Run& run, std::span<const Partial* const> partials, const Params& params,
                             Answer& answer, const JobContext& context) {
    const Result<Schedule> schedule = read_schedule(run, collect_slots(partials), context);
    if (!schedule) return schedule.error();
    if (schedule->steps.empty()) return false;
    const Result<ScheduleScales> scales = schedule_scales_of(params);
    if (!scales) return scales.error();
    const Result<bool> added = add_schedule_rows(run, *schedule, pool_over_of(params), *scales, answer, context);
    if (!added) return added.error();
    return true;
}

// So are kernels where events of all stages are compared, as their graph knows no passes, and for balanced stages where
// no compute of the graph waits for a message.
Result<bool> answer_kernel_schedule(const Run& run, const Waits& waits, const ChosenParts& parts, const Params& params,
                                    Answer& answer, const JobContext& context) {
    const Result<ScheduleScales> scales = schedule_scales_of(params);
    if (!scales) return false;
    Result<KernelSchedule> read = read_kernel_schedule(run, waits, parts.parts, context);
    if (!read) return std::move(read).error();
    if (read->schedule.steps.empty()) {
        answer.excluded.push_back(
            {"ranks that are compared with those of their own stage only: " + read->why_not, parts.parts.size()});
        return false;
    }
    if (read->left_out > 0)
        answer.excluded.push_back({"steps whose forwards and backwards are not known", read->left_out});
    if (read->overlapping > 0)
        answer.excluded.push_back({"collectives that overlap compute, for which nothing waits", read->overlapping});
    const Result<bool> added = add_schedule_rows(run, read->schedule, pool_over_of(params), *scales, answer, context);
    if (!added) return added.error();
    return true;
}

}  // namespace

std::vector<Column> columns() {
    return {{"change", Unit::Text, Role::Key, Facet::None, "what is changed: given is what the parameters say"},
            {"of", Unit::Text, Role::Key, Facet::None, "the rank, step, cause or operation that is changed"},
            {"step_time", Unit::Ns, Role::Measure, Facet::None, "mean time of a step; of the window without steps"},
            {"gain", Unit::Ns, Role::Measure, Facet::None,
             "per step: recorded - step_time; no more than this can be gained"},
            {"gain_share", Unit::Ratio, Role::Measure, Facet::None, "of the recorded step"},
            {"slowdown", Unit::Ratio, Role::Measure, Facet::None,
             "against no stragglers; of a part: no stragglers but this part as recorded"},
            {"share", Unit::Ratio, Role::Measure, Facet::None,
             "of what no stragglers gains, by this part alone; shares do not add up to 1"},
            {"ceiling", Unit::Text, Role::Info, Facet::None, "why it is one"},
            {"kept", Unit::Count, Role::Info, Facet::None, "times that have no peers and stay as recorded"}};
}

Result<Partial> rank(const RankView& view, const Params& params, const JobContext& context) {
    Partial partial{{{"main", Table(columns())}}, {}, {}, {}};
    const Result<bool> made = add_part(view, WithoutStepTerm::AllSteps, params[kChosen] != kAsItIs, partial, context);
    if (!made) return made.error();
    if (view.trace().gpu_events.empty()) partial.excluded.clear();  // a timeline of a schedule has another reader
    add_slot(view, partial);
    return partial;
}

Result<Answer> merge(std::span<const Partial* const> partials, const Run& run, const Params& params,
                     const JobContext& context) {
    Answer answer;
    answer.tables.push_back({"main", Table(columns())});
    const Result<bool> scheduled = answer_schedule(run, partials, params, answer, context);
    if (!scheduled) return scheduled.error();
    if (*scheduled) return answer;
    ChosenParts parts = collect_parts(partials, run);
    leave_out_lost(parts, run);
    answer.excluded = parts.excluded;
    if (parts.parts.empty()) {
        answer.tables.push_back({"graph", Table(graph_columns())});
        return answer;
    }
    const WaitsPtr waits = waits_of(run);
    if (pool_over_of(params).stages) {
        const Result<bool> done = answer_kernel_schedule(run, *waits, parts, params, answer, context);
        if (!done) return done.error();
        if (*done) return answer;
    }
    ChosenEvents chosen;
    if (params[kChosen] != kAsItIs)
        chosen = [&](std::uint32_t slot, EventId event) { return parts.takes(slot, event); };
    RowSums sums;
    GraphFacts facts;
    std::uint64_t left_out = 0;
    for (const std::vector<PartWindow>& some : split_by_steps(run, parts.parts)) {
        const Result<RunGraph> graph = build_run_graph(run, *waits, some, chosen, context);
        if (!graph) return graph.error();
        if (params[kStages] != 0 && !pool_over_of(params).stages && !shows_waits_for_messages(*waits, *graph)) {
            const Result<bool> done = answer_kernel_schedule(run, *waits, parts, params, answer, context);
            if (!done) return done.error();
            if (*done) return answer;
        }
        Rows made(run, *waits, *graph, params, context);
        if (const Result<bool> done = made.collect(); !done) return done.error();
        sums.add(made.rows, graph->length(), made.ideal);
        facts.add(*graph, made.typical());
        left_out = std::max(left_out, made.left_out);
    }
    const std::int64_t recorded = sums.recorded(), ideal = sums.ideal(), steps = std::max<std::int64_t>(parts.steps, 1);
    const auto per_step = [&](std::int64_t length) { return rounded_mean(length, steps); };
    for (const Row& row : sums.rows()) {
        const std::int64_t gain = per_step(recorded) - per_step(row.length);
        const std::int64_t slow = row.otherwise.value_or(row.length);
        answer.tables[0].table.add_row(
            {std::string_view(row.change), std::string_view(row.of), per_step(row.length), gain,
             ratio_cell(Wide{gain}, Wide{per_step(recorded)}), ideal > 0 ? ratio_cell(Wide{slow}, Wide{ideal}) : Cell{},
             row.otherwise ? ratio_cell(Wide{recorded} - row.length, Wide{recorded} - ideal) : Cell{},
             row.change == "recorded" ? Cell{} : Cell{kCeiling},
             row.kept ? Cell{static_cast<std::int64_t>(*row.kept)} : Cell{}});
    }
    answer.tables.push_back({"graph", graph_table(facts)});
    if (left_out > 0) answer.excluded.push_back({"ranks and steps whose replay would take too long", left_out});
    return answer;
}

constexpr std::int64_t kTenTimes = 1'000;
constexpr std::int64_t kMostLinkSpeed = 100'000;
constexpr std::int64_t kMostRankNumber = 1'000'000'000;
constexpr std::string_view kLaunchChoices[] = {"recorded", "none"};
constexpr std::string_view kStragglerChoices[] = {"recorded", "none"};
constexpr std::string_view kOverChoices[] = {"none", "stages", "steps", "stages,steps"};
constexpr std::int64_t kMostBuckets = 10'000;
constexpr std::string_view kGatherChoices[] = {"recorded", "prefetched"};
constexpr std::string_view kLaneChoices[] = {"recorded", "free"};
constexpr std::string_view kBalanceChoices[] = {"recorded", "balanced"};
constexpr Param kWhatIfParams[] = {
    {"chosen", "percent of their time that what the filter's name, class, duration, stream and group choose would take",
     Unit::Percent, 100, 0, kTenTimes},
    {"cpu", "percent of their time that other operators and calls would take", Unit::Percent, 100, 0, kTenTimes},
    {"compute", "percent, of compute kernels", Unit::Percent, 100, 0, kTenTimes},
    {"communication", "percent, of transfers, and of communication kernels that nothing matches", Unit::Percent, 100, 0,
     kTenTimes},
    {"memory", "percent, of copies and sets", Unit::Percent, 100, 0, kTenTimes},
    {"launch_delay", "percent, of the delays from a call to its GPU work", Unit::Percent, 100, 0, kTenTimes},
    {"link",
     "percent of their bandwidth that links would have: 200 divides the part of a transfer that goes with its "
     "size by 2",
     Unit::Percent, 100, 1, kMostLinkSpeed},
    {"launches", "none: GPU work waits for no launch", Unit::Count, 0, 0, 1, kLaunchChoices},
    {"typical", "the rank that would be like its peers; -1: none", Unit::Count, -1, -1, kMostRankNumber},
    {"stragglers", "none: every rank would be like its peers", Unit::Count, 0, 0, 1, kStragglerChoices},
    {"over", "peers are also events of other stages, steps, or both", Unit::Count, 0, 0, 3, kOverChoices},
    {"buckets",
     "percent of their size that buckets of all_reduce and reduce_scatter would have: at 400 alpha of their line "
     "(link-model) is paid a quarter as often",
     Unit::Percent, 100, 10, kMostBuckets},
    {"gathers", "prefetched: transfers of all_gather take no time", Unit::Count, 0, 0, 1, kGatherChoices},
    {"experts", "balanced: transfers of all_to_all take mean / largest bytes of their members", Unit::Count, 0, 0, 1,
     kBalanceChoices},
    {"stages", "balanced: the stages of a pipeline compute equally long", Unit::Count, 0, 0, 1, kBalanceChoices},
    {"host_callback", "percent, of callbacks of the host within graphs", Unit::Percent, 100, 0, kTenTimes},
    {"graph_lanes", "free: nodes of graphs wait for what they depend on, and not for others on their lane", Unit::Count,
     0, 0, 1, kLaneChoices},
};
constexpr std::string_view kGain[] = {"gain"};
constexpr SecondaryTable kTables[] = {{"graph", graph_columns}, {"stages", stage_columns}};

}  // namespace core::what_if

namespace core {

constinit const Analysis kWhatIf{
    .id = "what-if",
    .title = "What if",
    .summary =
        "What a step would take without stragglers, launch gaps or communication, or with a rank like its peers.",
    .definition = R"(
step_time = length of a replay / steps; gain = recorded step_time - step_time. Links and order stay as recorded, so
step_time is a ceiling, and gain no more than can be gained. With every time as recorded the replay gives the recorded
times back exactly.

Example: a step of 100 ms takes 90 with no stragglers and 94 with rank 3 typical. The gain of rank 3 is 6 ms, its share
6 / 10 = 0.6. If the step takes 97 where only rank 3 stays as recorded, its slowdown is 97 / 90 = 1.08.

Graph: all chosen ranks on the run's clock, of the chosen steps (all without a term on steps, the whole window in traces
without): the graphs of critical-path, joined at every collective that counts for waits (see stragglers). Its kernels'
begins lead to the moment when all members are there, and that to the ends of its kernels, by what each took from then
on. In the same way a receive waits for its send and the send for it, unless it was over before; each other member of a
broadcast or scatter for the root; the root of a reduce or gather for all. Other collectives join nothing; the table
graph says how many. Events that the clocks' error puts before what they waited for are moved behind it first, and
counted.

Changes: free communication: transfers, and communication that joins nothing, take no time. no launch gaps: GPU work
waits for no launch and the step ends with it. rank typical: each of its times becomes the median over its peers of the
same event, and nothing where less than half of them have it. no stragglers: every time becomes that median, own
included; times without a partner on at least half of the peers stay as recorded (kept). gathers prefetched: transfers
of all_gather take no time. experts balanced: those of all_to_all take mean / largest bytes of their members. buckets 4
times as large: all_reduce and reduce_scatter pay a quarter of alpha of their line (link-model).

Peers are other ranks of the same pipeline stage with the same sequence of collectives (kind of group, operation,
bytes), in launch order, in the step. The same event has the same name and ordinal in the same stretch between two
collectives; kernels that most peers lack by name have the same ordinal among these. over=steps takes the same stretch
of all steps together.

given: all changes that the parameters say, at once. chosen is for the events that the filter's terms on name, class,
duration, stream and group choose. link divides the part of a transfer that goes with its size, S/B of the line in
link-model; all of it where there is no line. stages=balanced: the kernels of every stage take as much longer or less as
brings its compute to the mean of the stages. buckets, gathers and experts are the changes above.

Parts: of x (a rank, a step, a cause, an operation) step_time is with x typical; slowdown = no stragglers but x as
recorded / no stragglers; share = gain of x typical / gain of no stragglers. Shares do not add up to 1, can exceed it or
be negative. Cause host: operators, calls, the time between them and launch delays.

Timelines of a pipeline's schedule without kernels (one event per forward, backward, send, receive, reduction) are
replayed by their schedule, unless a stage computes two things at once. Typical is then the mean of compute and the
median of communication over replicas; over=stages,steps takes all events of one kind together and leaves gaps before
operations out, so that slowdowns are those of StragglerAnalysis. stages balanced: every stage computes as long as the
mean of the stages, and no operation begins later than what it waits for: the step that theory gives for equal stages.
The table stages has the bubble of each next to theory.
)",
    .params = what_if::kWhatIfParams,
    .chart = {.kind = ChartKind::Bars, .category = "change", .measures = what_if::kGain, .series = "of"},
    .comparable = true,
    .rank = what_if::rank,
    .merge = what_if::merge,
    .columns = what_if::columns,
    .tables = what_if::kTables,
    .lead = "gain",
    .of_cpu = true,
    .made_of = "operators, calls or GPU events",
};

}  // namespace core
