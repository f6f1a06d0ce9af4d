#include "core/analysis/verdict/health.hpp"

#include "core/analysis/efficiency/efficiency_analyses.hpp"
#include "core/analysis/engine/record_table.hpp"
#include "core/analysis/findings/diagnosis.hpp"
#include "core/analysis/findings/findings_of_rank.hpp"
#include "core/analysis/findings/limits.hpp"
#include "core/analysis/verdict/health_facts.hpp"
#include "core/analysis/verdict/verdict_analyses.hpp"
#include "core/base/format.hpp"
#include "core/graphs/graph_attribution.hpp"

#include <algorithm>
#include <array>

namespace core {
namespace {

constexpr std::array<std::string_view, 4> kHealthNames = {"ok", "warn", "bad", "unknown"};

}  // namespace

std::string_view name_of(Health health) { return kHealthNames[static_cast<std::size_t>(health)]; }

Health parse_health(std::string_view name) {
    const auto* const found = std::ranges::find(kHealthNames, name);
    if (found == kHealthNames.end()) return Health::Unknown;
    return static_cast<Health>(static_cast<std::uint8_t>(found - kHealthNames.begin()));
}

}  // namespace core

namespace core::health {
namespace {

constexpr std::string_view kMfuPrefix = "mfu/";  // of the tables of the analysis mfu in a rank's partial

Params params_of_mfu() { return *make_params(kMfu, {}); }

// The partials of mfu, out of those of health.
Result<Answer> merge_mfu(std::span<const Partial* const> partials, const Run& run, const JobContext& context) {
    std::vector<Partial> inner(partials.size());
    std::vector<const Partial*> places;
    for (std::size_t i = 0; i < partials.size(); ++i) {
        for (const NamedTable& table : partials[i]->tables)
            if (table.name.starts_with(kMfuPrefix))
                inner[i].tables.push_back({table.name.substr(kMfuPrefix.size()), table.table});
        places.push_back(&inner[i]);
    }
    return kMfu.merge(places, run, params_of_mfu(), context);
}

Result<HealthFacts> gather_facts(std::span<const Partial* const> partials, const Run& run, const JobContext& context) {
    HealthFacts facts;
    facts.run = &run;
    for (const Partial* const partial : partials) {
        for (const TimeFacts& one : read_records<TimeFacts>(*partial->find(kFactsTable)))
            (one.step ? facts.steps : facts.windows).push_back(one);
        for (const RankHealth& one : read_records<RankHealth>(*partial->find(kRankHealthTable)))
            facts.ranks.push_back(one);
    }
    const LostRanksPtr lost = lost_ranks_of(run);
    leave_out_lost(facts.windows, *lost);
    leave_out_lost(facts.steps, *lost);
    facts.members = choose_members(partials, run);
    Result<Answer> used = merge_mfu(partials, run, context);
    if (!used) return std::move(used).error();
    facts.mfu = *std::move(used);
    return facts;
}

bool is_beyond(double value, double limit, bool is_least) { return is_least ? value < limit : value > limit; }

Health judge_reading(const Reading& reading, std::size_t check, const Limits& limits) {
    if (reading.is_fine) return Health::Ok;
    if (!reading.value) return Health::Unknown;
    const bool is_least = health_checks()[check].is_least;
    const auto exceeds = [&](const std::optional<double>& limit) {
        return limit && is_beyond(*reading.value, *limit, is_least);
    };
    Health health = Health::Ok;
    if (exceeds(limits.warn_of(check))) health = Health::Warn;
    if (exceeds(limits.bad_of(check))) health = Health::Bad;
    // A lower bound may be on the good side of a limit that it does not reach.
    if (health != Health::Ok && reading.is_lower_bound && is_least) return Health::Unknown;
    return health;
}

// "warn above 10 %, bad above 25 %".
std::string format_limit(std::size_t check, const Limits& limits) {
    const std::string_view side = health_checks()[check].is_least ? " below " : " above ";
    std::string text;
    if (const std::optional<double> warn = limits.warn_of(check))
        text = "warn" + std::string(side) + format_ratio(*warn);
    if (const std::optional<double> bad = limits.bad_of(check))
        text += (text.empty() ? "bad" : ", bad") + std::string(side) + format_ratio(*bad);
    return text;
}

std::string format_source(std::size_t check) {
    const std::size_t first = static_cast<std::size_t>(Limit::FirstOfHealth) + 2 * check;
    return "warn: " + std::string(limit_rows()[first].source) +
           "; bad: " + std::string(limit_rows()[first + 1].standard < 0 ? "none" : limit_rows()[first + 1].source);
}

}  // namespace

std::vector<Column> columns() {
    return {{"check", Unit::Text, Role::Key, Facet::None, "what is checked"},
            {"status", Unit::Text, Role::Info, Facet::None, "ok, warn, bad, or unknown: no data"},
            {"value",
             Unit::Ratio,
             Role::Measure,
             Facet::None,
             "what `of` says; absent if unknown",
             false,
             {},
             Better::Neither},
            {"of", Unit::Text, Role::Info, Facet::None, "what the value is"},
            {"limit", Unit::Text, Role::Info, Facet::None, "from where on it warns; --limit changes it"},
            {"source", Unit::Text, Role::Info, Facet::None, "where the standard limits come from"},
            {"evidence", Unit::Text, Role::Info, Facet::None, "the numbers behind it, or why it is unknown"},
            {"advice", Unit::Text, Role::Info, Facet::None, "what to try"},
            {"see", Unit::Text, Role::Info, Facet::None, "the analysis with the details"},
            {"rank", Unit::Rank, Role::Info, Facet::Rank, "where it shows"},
            {"event", Unit::Event, Role::Info, Facet::None, "to look at there"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext& context) {
    Partial partial{{{"main", Table(columns())}}, {}, {}, view.collect_excluded()};
    const Result<RankView> all = view_for_findings(view, context);
    if (!all) return all.error();
    Result<Table> times = collect_time_facts(*all, context);
    if (!times) return std::move(times).error();
    Result<Table> health = collect_rank_health(*all, context);
    if (!health) return std::move(health).error();
    partial.tables.push_back({std::string(kFactsTable), *std::move(times)});
    partial.tables.push_back({std::string(kRankHealthTable), *std::move(health)});
    Result<Partial> used = kMfu.rank(*all, params_of_mfu(), context);
    if (!used) return std::move(used).error();
    for (NamedTable& table : used->tables)
        partial.tables.push_back({std::string(kMfuPrefix) + table.name, std::move(table.table)});
    add_members(*all, partial);
    if (const Result<bool> added = add_part(view, WithoutStepTerm::AllSteps, false, partial, context); !added)
        return added.error();
    return partial;
}

Result<Answer> merge(std::span<const Partial* const> partials, const Run& run, const Params&,
                     const JobContext& context) {
    const Result<HealthFacts> facts = gather_facts(partials, run, context);
    if (!facts) return facts.error();
    const std::shared_ptr<const Limits> limits = limits_of(run);
    Table table(columns());
    std::vector<Mark> marks;
    const LostRanksPtr lost = lost_ranks_of(run);
    const bool all_lost =
        std::ranges::all_of(facts->windows, [&](const TimeFacts& one) { return lost->has(one.slot); });
    const std::string undecided = all_lost && !lost->ranks.empty()
                                      ? "records of " + lost->format(run) + " are missing: " + lost->ranks.front().what
                                      : std::string();
    for (std::size_t i = 0; i < health_checks().size() && !facts->windows.empty(); ++i) {
        const HealthCheck& check = health_checks()[i];
        Reading reading = all_lost ? Reading{.evidence = undecided} : read_check(i, *facts);
        Health health = judge_reading(reading, i, *limits);
        if (check.id == kStragglersCheck && (health == Health::Warn || health == Health::Bad)) {
            const Result<ConfirmedRanks> confirmed = confirm_late_ranks(partials, run, context);
            if (!confirmed) return confirmed.error();
            reading = read_confirmed(*facts, *confirmed, std::move(reading));
            health = judge_reading(reading, i, *limits);
        }
        const std::string limit = format_limit(i, *limits), source = format_source(i);
        std::string evidence = reading.evidence;
        if (reading.value && reading.is_lower_bound) evidence = "a lower bound: " + evidence;
        const bool replays = !check.graph_advice.empty() && is_mostly_replayed(run, reading.slot);
        const bool has_event = reading.slot && reading.event != kNoEvent;
        table.add_row({check.id, name_of(health), optional_cell(reading.value), check.checks, std::string_view(limit),
                       std::string_view(source), std::string_view(evidence),
                       replays ? check.graph_advice : check.advice, check.analysis,
                       reading.slot ? Cell{run.rank(*reading.slot).key.packed()} : Cell{},
                       has_event ? Cell{static_cast<std::int64_t>(index_of(reading.event))} : Cell{}});
        if (has_event && (health == Health::Warn || health == Health::Bad))
            marks.push_back({{*reading.slot, reading.event}, std::string(check.id)});
    }
    Answer answer = make_answer(facts->members, std::move(table), partials);
    if (facts->members.collectives.empty()) answer.tables.resize(1);  // clocks matter to nothing
    answer.marks = std::move(marks);
    return answer;
}

}  // namespace core::health

namespace core {

constinit const Analysis kHealth{
    .id = "health",
    .title = "Health",
    .summary = "Sixteen checks of the run: ok, warn, bad or unknown, each with its value, limit, evidence and advice.",
    .definition = R"(
One row per check over all ranks that the filter takes; terms on name, class, duration and group are not asked.
Of captures that are not windows of one job those of one count, which most ranks have.
unknown: the traces do not tell; it never counts as ok. Windows are those of temporal-breakdown. The limits in
brackets are warn and bad; --limit 'host.warn=0.2' and limits.json change them. Ranks that lost records, as findings
has them, are left out; where all did, everything is unknown.

steps (0.1, 0.25): (p90 - p10) / median over steps of the longest rank's duration, without the first step; five are
needed. stragglers (0.1, 0.3): the largest of the ranks' means of step duration - exposed_wait (window where there
are no steps) / the mean of them - 1: own work, as steps are equally long where ranks wait for each other. Beyond a
limit only ranks count that findings has as late-rank, and it is ok where there are none.
utilisation (below 0.3, 0.1): median mfu over ranks and steps; unknown without a backward pass, and where less than
95 % of the matrix time is counted and the value, a lower bound then, is below the limit. tensor-cores (0.1, 0.5):
matrix FLOP in fp32 without tf32 / all, on devices with a peak in tf32 or bf16. mixed-precision (below 0.5): matrix
FLOP in 16 bits or less / all. batch (0.2, 0.4): time of compute kernels shorter than 5 us / of all compute kernels.
host (0.1, 0.25): idle time that device-idle puts down to the host / window. data-loading (0.05, 0.15): idle time
inside marks of a data loader / window. overlap (below 0.5, 0.2): overlap_efficiency of ranks whose exposed
communication is 5 % of the window or more; ok where no rank has as much. communication (below 0.5, 0.25): median
bus bandwidth of the largest messages / stated bandwidth of the links, of the operation with the largest messages.
memory-pressure (0.9, 0.95): peak_reserved / device memory. slack (0.3, 0.5): 1 - peak_allocated / reserved_at_peak.
allocations (any, 0.01): time of calls that allocate or free device memory after the first step / time of the later
steps. coverage: counted of flop-coverage; unknown below 0.95, which is a property of the trace. clocks (0.03):
clock_ratio of the rank with the lowest SM clock against the others over the run, less 1; where all clocks are within
2 % of each other and below 90 % of the highest (see telemetry), highest / median clock - 1. errors (bad: any): GPUs
with Xid 48, 63, 64, 79, 94 or 95, or with a growing count of uncorrected memory errors / all. Both are unknown without
logs of GPUs or such counters. Checks that are of one rank take the worst one, which
evidence names.
)",
    .comparable = true,
    .rank = health::rank,
    .merge = health::merge,
    .columns = health::columns,
    .tables = kClocksOnly,
    .lead = "value",
    .of_cpu = true,
    .of_run = true,
    .one_capture = true,
    .in_summary = InSummary::OfRun,
};

}  // namespace core
