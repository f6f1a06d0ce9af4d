#include "core/analysis/engine/host_calls.hpp"
#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/findings/diagnosis.hpp"
#include "core/analysis/findings/find_inefficiency.hpp"
#include "core/analysis/findings/find_parallel.hpp"
#include "core/analysis/whatif/change.hpp"
#include "core/analysis/whatif/given_change.hpp"
#include "core/analysis/whatif/run_window.hpp"
#include "core/base/format.hpp"

#include <algorithm>
#include <map>

namespace core::findings {
Result<Partial> rank(const RankView&, const Params&, const JobContext&);
}  // namespace core::findings

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

// How a kind of finding is replayed as if it were fixed.
struct Replayed {
    Change change;
    std::string how;
};

class DeedFinder {
public:
    DeedFinder(const Run& run, const Diagnosis& diagnosis, std::span<const Partial* const> partials,
               const Answer& found, const JobContext& context)
        : run_(run),
          diagnosis_(diagnosis),
          waits_(*diagnosis.waits),
          graph_(*diagnosis.graph),
          partners_(diagnosis.partners),
          partials_(partials),
          found_(found),
          context_(context) {}

    Result<std::vector<Deed>> find() {
        if (const Result<bool> done = add_findings(); !done) return done.error();
        if (const Result<bool> done = add_kernels(); !done) return done.error();
        const auto saves = [&](const Deed& deed) { return deed.length ? graph_.length() - *deed.length : -1; };
        std::ranges::stable_sort(deeds_, std::greater{}, saves);
        return std::move(deeds_);
    }

private:
    std::size_t edges() const { return graph_.graph.edges.size(); }
    const GraphEdge& edge(std::uint32_t e) const { return graph_.graph.edges[e]; }

    Result<std::int64_t> replay(const Change& change) const {
        const Result<NodeTimes> times = replay_times(graph_.graph, weights_under(graph_, change, facts_), context_);
        if (!times) return times.error();
        return (*times)[graph_.sink];
    }

    const RankTrace& trace_of(const GraphEdge& one) const {
        return run_.rank(graph_.parts[graph_.part_of(one)].slot).trace();
    }
    bool has_owner(const GraphEdge& one) const {
        return one.event != kNoEvent && graph_.part_of(one) < graph_.parts.size();
    }

    template <class Takes>
    std::vector<float> factor_where(float factor, const Takes& takes) const {
        std::vector<float> all(edges(), 1);
        for (std::uint32_t e = 0; e < all.size(); ++e)
            if (has_owner(edge(e)) && takes(edge(e))) all[e] = factor;
        return all;
    }
    // These ranks like those that are not among them.
    Change like_peers(std::span<const std::uint32_t> slots, bool compute_only) const {
        std::vector<bool> named(graph_.parts.size());
        for (std::size_t p = 0; p < named.size(); ++p)
            named[p] = std::ranges::find(slots, graph_.parts[p].slot) != slots.end();
        Change change = change_to(make_typical(graph_, partners_, named));
        for (std::uint32_t e = 0; compute_only && e < change.typical.size(); ++e)
            if (edge(e).bound_by != BoundBy::Compute) change.typical[e] = false;
        return change;
    }

    bool is_small_message(const GraphEdge& one) const {
        if (one.kind != EdgeKind::Transfer) return false;
        const Collective& c = waits_.matched->collectives[graph_.collective_of(one.from)];
        for (const MemberRef ref : waits_.matched->members_of(c))
            if (const std::int64_t bytes = waits_.matched->member(ref).in_bytes; bytes > kSmallMessageBytes)
                return false;
        return true;
    }

    std::vector<float> factor_if_mended(FindingKind kind, std::span<const std::uint32_t> slots) const {
        std::map<std::uint32_t, std::vector<float>> of_slots;
        for (const std::uint32_t slot : slots) of_slots[slot] = factors_if_mended(kind, run_, slot, context_);
        std::vector<float> all(edges(), 1);
        for (std::uint32_t e = 0; e < all.size(); ++e) {
            if (edge(e).kind != EdgeKind::Run || !has_owner(edge(e))) continue;
            const auto of_slot = of_slots.find(graph_.parts[graph_.part_of(edge(e))].slot);
            if (of_slot != of_slots.end()) all[e] = of_slot->second[index_of(edge(e).event)];
        }
        return all;
    }

    // Empty: no transfer would change.
    std::vector<float> factor_of_transfers(FindingKind kind) const {
        const std::vector<float> kept = transfers_if_mended(kind, partials_, run_);
        if (kept.empty()) return {};
        std::map<std::pair<std::uint32_t, EventId>, float> of_members;  // for those that join nothing
        for (std::uint32_t c = 0; c < kept.size(); ++c)
            for (const MemberRef ref : waits_.matched->members_of(waits_.matched->collectives[c]))
                if (kept[c] != 1) of_members[{ref.slot, waits_.matched->member(ref).event}] = kept[c];
        std::vector<float> all(edges(), 1);
        for (std::uint32_t e = 0; e < all.size(); ++e) {
            if (edge(e).kind == EdgeKind::Transfer) all[e] = kept[graph_.collective_of(edge(e).from)];
            if (edge(e).kind != EdgeKind::Run || !has_owner(edge(e))) continue;
            const auto own = of_members.find({graph_.parts[graph_.part_of(edge(e))].slot, edge(e).event});
            if (own != of_members.end()) all[e] = own->second;
        }
        return all;
    }

    std::optional<Replayed> replay_of(std::string_view finding, std::span<const std::uint32_t> slots) const {
        const auto is = [&](FindingKind kind) { return finding == rule_of(kind).id; };
        if (is(FindingKind::LateRank) || is(FindingKind::UnevenWork))
            return Replayed{like_peers(slots, false),
                            slots.size() == 1 ? "the rank like its peers" : "these ranks like their peers"};
        if (is(FindingKind::StageImbalance))
            return Replayed{{.factor = balance_stages(graph_, diagnosis_.stages)},
                            "every stage computes as long as the mean"};
        if (is(FindingKind::UnbalancedKernels))
            return Replayed{like_peers(slots, true), "compute kernels as on the peers"};
        if (is(FindingKind::ExposedCommunication) || is(FindingKind::LowOverlap))
            return Replayed{{.scales = {.communication = 0}}, "transfers take no time"};
        if (is(FindingKind::ExposedCopies)) return Replayed{{.scales = {.memory = 0}}, "copies take no time"};
        if (is(FindingKind::Idle) || is(FindingKind::ShortKernels))
            return Replayed{{.launch_gaps = false}, "GPU work waits for no launch"};
        if (is(FindingKind::HostSyncs)) return Replayed{{.syncs = false}, "no call waits for GPU work"};
        if (is(FindingKind::Allocations)) {
            const auto allocating = [&](const GraphEdge& one) {
                return one.kind == EdgeKind::Thread && allocates(kind_of_call(trace_of(one).name_text(one.event)));
            };
            return Replayed{{.factor = factor_where(0, allocating)}, "allocating calls take no time"};
        }
        if (is(FindingKind::NoTensorCores)) {
            const auto slow = [&](const GraphEdge& one) {
                const std::uint32_t slot = graph_.parts[graph_.part_of(one)].slot;
                return one.kind == EdgeKind::Run && std::ranges::find(slots, slot) != slots.end() &&
                       is_simt_matrix_kernel(trace_of(one).name_text(one.event));
            };
            return Replayed{{.factor = factor_where(kHalf, slow)}, "these kernels take half their time"};
        }
        constexpr std::pair<FindingKind, std::string_view> kMended[] = {
            {FindingKind::LowPrecisionUnused, "matrix kernels in fp32 are as much faster as the peak of 16 bits is"},
            {FindingKind::SlowMatrix, "these kernels take no longer than their floor"},
            {FindingKind::BadShapes, "these kernels take no longer than their floor"},
            {FindingKind::Recompute, "kernels of recomputed operators take no time"}};
        for (const auto& [kind, how] : kMended)
            if (is(kind)) return Replayed{{.factor = factor_if_mended(kind, slots)}, std::string(how)};
        constexpr std::pair<FindingKind, std::string_view> kTransfers[] = {
            {FindingKind::LastBucket, "transfers of last buckets take no time"},
            {FindingKind::PrefetchLate, "transfers of late all-gathers take no time"}};
        for (const auto& [kind, how] : kTransfers)
            if (is(kind)) return Replayed{{.factor = factor_of_transfers(kind)}, std::string(how)};
        if (is(FindingKind::ExpertImbalance))
            return Replayed{{.factor = what_if::ParallelFactors(waits_, graph_).of_experts()},
                            "transfers of all-to-alls take as long as with even amounts"};
        if (is(FindingKind::SmallMessages)) {
            const auto small = [&](const GraphEdge& one) { return is_small_message(one); };
            return Replayed{{.factor = factor_where(0, small)}, "small transfers take no time"};
        }
        return std::nullopt;
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
        if (deed.what == rule_of(FindingKind::FewMicrobatches).id) {
            const double left = 1 - diagnosis_.share_of_few_microbatches();
            deed.length = static_cast<std::int64_t>(left * static_cast<double>(graph_.length()));
            deed.replayed = "by theory, with four times the microbatches";
        } else if (std::optional<Replayed> replayed = replay_of(deed.what, slots)) {
            const Result<std::int64_t> length = replay(replayed->change);
            if (!length) return length.error();
            deed.length = *length;
            deed.replayed = std::move(replayed->how);
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
            if (edge(e).kind != EdgeKind::Run || edge(e).bound_by != BoundBy::Compute || !has_owner(edge(e))) continue;
            KernelTime& kernel = kernels[trace_of(edge(e)).name_text(edge(e).event)];
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
                return one.kind == EdgeKind::Run && trace_of(one).name_text(one.event) == it->first;
            };
            const Result<std::int64_t> length = replay({.factor = factor_where(kHalf, named)});
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
    const Diagnosis& diagnosis_;
    const Waits& waits_;
    const RunGraph& graph_;
    const Partners& partners_;
    std::span<const Partial* const> partials_;
    const Answer& found_;
    const JobContext& context_;
    ChangeFacts facts_;
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
    return findings::rank(view, params, context);
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

}  // namespace core::what_to_do
