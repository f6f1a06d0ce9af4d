#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/findings/diagnosis.hpp"
#include "core/analysis/findings/finding_analyses.hpp"
#include "core/analysis/findings/finding_replays.hpp"
#include "core/analysis/whatif/change.hpp"
#include "core/analysis/whatif/run_window.hpp"
#include "core/base/format.hpp"

#include <algorithm>
#include <map>

namespace core::what_to_do {
namespace {

constexpr std::size_t kMostKernels = 8;
constexpr std::string_view kKernel = "kernel";  // what half of a kernel's time would save is no fix: a table of its own
constexpr float kHalf = 0.5F;

// One thing that could be done.
struct Deed {
    std::string what;
    std::string of;
    std::optional<std::int64_t> length;  // of the replay; nothing where it cannot be replayed
    std::string helps;
    std::string advice;
    std::string certainty;
    std::string replayed;
    std::string evidence;
    std::optional<std::uint32_t> slot;
    EventId event = kNoEvent;
};

class DeedFinder {
public:
    DeedFinder(const Run& run, const Diagnosis& diagnosis, std::span<const Partial* const> partials,
               const Answer& found, const JobContext& context)
        : run_(run), graph_(*diagnosis.graph), found_(found), replays_(run, diagnosis, partials, context) {}

    Result<std::vector<Deed>> find() {
        if (const Result<bool> done = add_findings(); !done) return done.error();
        if (const Result<bool> done = add_kernels(); !done) return done.error();
        const auto saves = [&](const Deed& deed) { return deed.length ? graph_.length() - *deed.length : -1; };
        std::ranges::stable_sort(deeds_, std::greater{}, saves);
        put_theory_after_causes();
        return std::move(deeds_);
    }

private:
    std::size_t edges() const { return graph_.graph.edges.size(); }
    const GraphEdge& edge(std::uint32_t e) const { return graph_.graph.edges[e]; }

    // Rows that a replay confirms come before what theory says of few microbatches.
    void put_theory_after_causes() {
        const auto is_theory = [](const Deed& deed) { return deed.what == rule_of(FindingKind::FewMicrobatches).id; };
        const auto theory = std::ranges::find_if(deeds_, is_theory);
        auto after = theory;
        for (auto deed = theory; deed != deeds_.end(); ++deed) {
            const std::optional<FindingKind> kind = find_finding_kind(deed->what);
            if (kind && is_cause(*kind)) after = deed + 1;
        }
        if (after > theory) std::rotate(theory, theory + 1, after);
    }

    std::string helps(std::size_t ranks) const {
        if (graph_.parts.size() < 2) return "the rank";
        if (ranks >= graph_.parts.size()) return "all " + std::to_string(graph_.parts.size()) + " ranks";
        return std::to_string(ranks) + " of " + std::to_string(graph_.parts.size()) + " ranks";
    }

    Result<bool> add_finding(const Table& table, const std::vector<std::size_t>& rows) {
        const auto text = [&](std::string_view column) {
            return std::string(table.text(rows.front(), table.find_column(column)));
        };
        std::vector<std::uint32_t> slots;
        for (const std::size_t row : rows)
            if (const auto slot = find_slot(table.integer(row, table.find_column("rank")))) slots.push_back(*slot);
        if (slots.empty()) return true;
        Deed deed;
        deed.what = text("finding");
        const bool late =
            deed.what == rule_of(FindingKind::LateRank).id || deed.what == rule_of(FindingKind::UnevenWork).id;
        deed.of = late || rows.size() == 1 ? format_slots(slots) : helps(rows.size());
        const std::size_t others = graph_.parts.size() - std::min(slots.size(), graph_.parts.size());
        deed.helps =
            late && others > 0 ? format_plural(others, "rank that waits", "ranks that wait") : helps(rows.size());
        deed.advice = text("advice");
        deed.certainty = text("certainty");
        deed.evidence = text("evidence");
        deed.slot = slots.front();
        if (const std::size_t event = table.find_column("event"); !table.absent(rows.front(), event))
            deed.event = EventId{static_cast<std::uint32_t>(table.integer(rows.front(), event))};
        const Result<std::optional<Replay>> replay = replays_.replay(*find_finding_kind(deed.what), slots);
        if (!replay) return replay.error();
        if (*replay) {
            deed.length = graph_.length() - (*replay)->saved;
            deed.replayed = (*replay)->how;
        } else {
            const bool is_risk = table.absent(rows.front(), table.find_column("gain"));
            deed.replayed = is_risk ? "not replayed: it costs no time"
                                    : "not replayed: the graph does not know what it would change";
        }
        deeds_.push_back(std::move(deed));
        return true;
    }

    // "rank 3", "ranks 0, 2, 6"
    std::string format_slots(std::vector<std::uint32_t> slots) const {
        std::ranges::sort(slots, {}, [&](std::uint32_t slot) { return run_.rank(slot).key.packed(); });
        std::string text = slots.size() == 1 ? "rank " : "ranks ";
        for (std::size_t i = 0; i < slots.size(); ++i)
            text += (i == 0 ? "" : ", ") + format_rank(run_.rank(slots[i]).key);
        return text;
    }

    std::optional<std::uint32_t> find_slot(std::int64_t key) const {
        const auto has = [&](const GraphPart& part) { return run_.rank(part.slot).key.packed() == key; };
        const auto it = std::ranges::find_if(graph_.parts, has);
        if (it == graph_.parts.end()) return std::nullopt;
        return it->slot;
    }

    // One deed per kind of finding, on all ranks that have it: ranks may be late by turns.
    Result<bool> add_findings() {
        const Table& table = found_.main();
        std::vector<std::pair<std::string, std::vector<std::size_t>>> groups;
        const std::size_t finding = table.find_column("finding");
        for (std::size_t row = 0; row < table.rows(); ++row) {
            std::string id(table.text(row, finding));
            auto group = std::ranges::find(groups, id, [](const auto& entry) { return entry.first; });
            if (group == groups.end()) {
                groups.emplace_back(std::move(id), std::vector<std::size_t>{});
                group = std::prev(groups.end());
            }
            group->second.push_back(row);
        }
        for (auto& [id, rows] : groups) {
            const std::size_t gain = table.find_column("gain");
            std::ranges::stable_sort(rows, std::greater{}, [&](std::size_t row) { return table.integer(row, gain); });
            if (Result<bool> done = add_finding(table, rows); !done) return done;
        }
        return true;
    }

    struct KernelTime {
        Wide time = 0;
        std::int64_t count = 0;
        std::uint32_t longest = 0;
        std::vector<bool> parts;
    };

    Result<bool> add_kernels() {
        std::map<std::string_view, KernelTime> kernels;
        for (std::uint32_t e = 0; e < edges(); ++e) {
            if (edge(e).kind != EdgeKind::Run || edge(e).bound_by != BoundBy::Compute || !replays_.has_owner(edge(e)))
                continue;
            KernelTime& kernel = kernels[replays_.trace_of(edge(e)).name_text(edge(e).event)];
            if (kernel.count++ == 0 || edge(e).weight > edge(kernel.longest).weight) kernel.longest = e;
            kernel.time += edge(e).weight;
            kernel.parts.resize(graph_.parts.size(), false);
            kernel.parts[graph_.part_of(edge(e))] = true;
        }
        std::vector<decltype(kernels)::const_iterator> order;
        for (auto it = kernels.begin(); it != kernels.end(); ++it) order.push_back(it);
        std::ranges::stable_sort(order, std::greater{}, [](const auto& it) { return it->second.time; });
        if (order.size() > kMostKernels) order.resize(kMostKernels);
        for (const auto& it : order) {
            const auto named = [&](const GraphEdge& one) {
                return one.kind == EdgeKind::Run && replays_.trace_of(one).name_text(one.event) == it->first;
            };
            const Result<std::int64_t> length = replays_.length_under({.factor = replays_.factor_where(kHalf, named)});
            if (!length) return length.error();
            if (*length >= graph_.length()) continue;
            const KernelTime& kernel = it->second;
            const GraphEdge& longest = edge(kernel.longest);
            Deed deed;
            deed.what = kKernel;
            deed.of = std::string(it->first);
            deed.length = *length;
            deed.helps = helps(static_cast<std::size_t>(std::ranges::count(kernel.parts, true)));
            deed.advice =
                "Fuse it, lower its precision, or choose another algorithm; op-efficiency says what a perfect "
                "one would take.";
            deed.certainty = "possible";
            deed.replayed = "it takes half its time";
            deed.evidence = format_plural(static_cast<std::size_t>(kernel.count), "kernel", "kernels") + ", together " +
                            format_duration(Duration{clamped(kernel.time)});
            deed.slot = graph_.parts[graph_.part_of(longest)].slot;
            deed.event = longest.event;
            deeds_.push_back(std::move(deed));
        }
        return true;
    }

    const Run& run_;
    const RunGraph& graph_;
    const Answer& found_;
    FindingReplays replays_;
    std::vector<Deed> deeds_;
};

}  // namespace

std::vector<Column> columns() {
    return {{"what", Unit::Text, Role::Key, Facet::None, "a finding, or kernel: one that takes much time"},
            {"of", Unit::Text, Role::Key, Facet::None, "the ranks that have it, or the kernel's name"},
            {"saved", Unit::Ns, Role::Measure, Facet::None,
             "per step, by replay as if it were fixed; no more than this; absent where it cannot be replayed"},
            {"saved_share", Unit::Ratio, Role::Measure, Facet::None, "of the recorded step"},
            {"helps", Unit::Text, Role::Info, Facet::None, "who gains"},
            {"advice", Unit::Text, Role::Info, Facet::None, "what to try"},
            {"certainty", Unit::Text, Role::Info, Facet::None, "measured, likely or possible"},
            {"replayed", Unit::Text, Role::Info, Facet::None, "what the replay changed"},
            {"evidence", Unit::Text, Role::Info, Facet::None, "the numbers behind it"},
            {"rank", Unit::Rank, Role::Info, Facet::Rank, "where to look"},
            {"event", Unit::Event, Role::Info, Facet::None, "what to look at there"}};
}

Result<Partial> rank(const RankView& view, const Params& params, const JobContext& context) {
    return kFindings.rank(view, params, context);
}

Result<Answer> merge(std::span<const Partial* const> partials, const Run& run, const Params& params,
                     const JobContext& context) {
    Answer answer;
    answer.tables.push_back({"main", Table(columns())});
    answer.tables.push_back({"kernels", Table(columns())});
    const Result<Diagnosis> diagnosis = diagnose(partials, run, context);
    if (!diagnosis) return diagnosis.error();
    answer.excluded = diagnosis->parts.excluded;
    if (!diagnosis->graph) return answer;
    const Result<Answer> found = findings::merge_diagnosed(partials, run, params, *diagnosis, context);
    if (!found) return found.error();
    const Result<std::vector<Deed>> deeds = DeedFinder(run, *diagnosis, partials, *found, context).find();
    if (!deeds) return deeds.error();
    const std::int64_t steps = diagnosis->steps;
    if (diagnosis->is_cut)
        answer.excluded.push_back(
            {"steps that are too many to replay at once; those in the middle were",
             static_cast<std::uint64_t>(std::max<std::int64_t>(diagnosis->parts.steps - steps, 0))});
    const std::int64_t recorded = rounded_mean(diagnosis->graph->length(), steps);
    for (const Deed& deed : *deeds) {
        const std::int64_t saved = deed.length ? recorded - rounded_mean(*deed.length, steps) : 0;
        answer.tables[deed.what == kKernel ? 1 : 0].table.add_row(
            {std::string_view(deed.what), std::string_view(deed.of), deed.length ? Cell{saved} : Cell{},
             deed.length ? ratio_cell(Wide{saved}, Wide{recorded}) : Cell{}, std::string_view(deed.helps),
             std::string_view(deed.advice), std::string_view(deed.certainty), std::string_view(deed.replayed),
             std::string_view(deed.evidence), deed.slot ? Cell{run.rank(*deed.slot).key.packed()} : Cell{},
             deed.event == kNoEvent ? Cell{} : Cell{static_cast<std::int64_t>(index_of(deed.event))}});
        if (deed.slot && deed.event != kNoEvent) answer.marks.push_back({{*deed.slot, deed.event}, deed.what});
    }
    return answer;
}

constexpr std::string_view kSaved[] = {"saved"};
constexpr SecondaryTable kTables[] = {{"kernels", columns}};

}  // namespace core::what_to_do

namespace core {

constinit const Analysis kWhatToDo{
    .id = "what-to-do",
    .title = "What to do first",
    .summary = "Every finding by the step time that fixing it would save, and the kernels that take most time.",
    .definition = R"(
saved = recorded step - step replayed as if it were fixed, on the graph of what-if: no more than this can be gained,
gains of several rows overlap and do not add up, and a row that saves nothing is not on what the step waits for,
however large its share. Rows other than late-rank, uneven-work and stage-imbalance say what they save beyond these,
once no rank is late and stages are even; few-microbatches comes after them. replayed says what the replay changed: late-rank and uneven-work: ranks named like their
peers; stage-imbalance: stages compute as long as their mean; few-microbatches: by theory, with four times as many;
unbalanced-kernels: its compute kernels like those of its peers; exposed-communication and low-overlap: transfers
take no time; exposed-copies: memory operations take none; idle and short-kernels: GPU work waits for no launch;
host-syncs: no call waits for GPU work; allocations: allocating calls take no time; no-tensor-cores: kernels take
half their time there; small-messages: transfers of at most 256 KiB take no time; low-precision-unused: matrix
kernels in fp32 are as much faster as the peak of 16 bits is; slow-matrix and bad-shapes: kernels take no longer
than their floor; recompute: kernels of recomputed operators take no time; last-bucket: transfers of last buckets
take no time; prefetch-late: those of late all-gathers take none; expert-imbalance: what-if's experts=balanced.
unused-memory and bubble-excess are not replayed, nor what has no gain. One row per kind of finding. The table
kernels: the 8 compute kernels with most time, each at half its time; those that save nothing are left out.

Findings, their evidence and their least gain are those of findings; the steps are those of what-if. helps: the
ranks that have the finding, or wait for the one that has.
)",
    .params = kFindingParams,
    .chart = {.kind = ChartKind::Bars, .category = "what", .measures = what_to_do::kSaved, .series = "of"},
    .rank = what_to_do::rank,
    .merge = what_to_do::merge,
    .columns = what_to_do::columns,
    .tables = what_to_do::kTables,
    .lead = "saved",
    .of_cpu = true,
    .input = Input::Outliers,
    .of_run = true,
};

}  // namespace core
