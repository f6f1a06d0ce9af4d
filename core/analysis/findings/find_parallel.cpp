#include "core/analysis/findings/find_parallel.hpp"

#include "core/analysis/collectives/bandwidths.hpp"
#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/findings/finding_thresholds.hpp"
#include "core/analysis/parallelism/parallel_members.hpp"
#include "core/analysis/parallelism/parallelism_analyses.hpp"
#include "core/base/format.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace core {
namespace {

std::string time_text(Wide ns) { return format_duration(Duration{clamped(ns)}); }
std::string count_text(std::size_t count) { return format_count(static_cast<std::int64_t>(count)); }
std::string share_text(Wide part, Wide whole) {
    return format_ratio(whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0);
}

// Members with what each costs, of one rank.
struct CostlyMembers {
    std::vector<std::pair<std::int64_t, EventId>> members;
    Wide gain = 0;

    void add(std::int64_t cost, EventId event) {
        gain += cost;
        members.emplace_back(-cost, event);
    }
    Finding make(FindingKind kind, std::string evidence) && {
        std::ranges::stable_sort(members);
        if (members.size() > thresholds::kMostEvents) members.resize(thresholds::kMostEvents);
        Finding finding{.kind = kind, .gain = clamped(gain), .evidence = std::move(evidence), .events = {}};
        for (const auto& [cost, event] : members) finding.events.push_back(event);
        return finding;
    }
};

class ParallelFinder {
public:
    ParallelFinder(std::span<const Partial* const> partials, const Run& run)
        : partials_(partials),
          run_(run),
          chosen_(choose_members(partials, run)),
          places_(partials),
          backward_(read_backward_windows(partials)) {}

    std::vector<FindingOfRank> find_last_buckets() const {
        struct Sum {
            CostlyMembers members;
            Wide exposed = 0, waiting = 0;
            std::set<std::size_t> buckets;  // numbers per step
            std::size_t steps = 0;
        };
        std::map<std::uint32_t, Sum> ranks;
        for (const auto& [key, all] : collect_buckets(chosen_, places_, backward_)) {
            Sum& sum = ranks[key.first];
            ++sum.steps;
            if (!is_last_bucket_exposed(all)) continue;
            const MemberPlace& last = *all.back();
            sum.members.add(last.exposed, event_of(last));
            sum.waiting += std::min(last.exposed, chosen_.waits->find_wait(last.member).value_or(0));
            for (const MemberPlace* const one : all) sum.exposed += one->exposed;
            sum.buckets.insert(all.size());
        }
        std::vector<FindingOfRank> found;
        for (auto& [slot, sum] : ranks) {
            if (sum.members.gain <= 0) continue;
            const std::size_t steps = sum.members.members.size();
            std::string text = "the last of " +
                               (sum.buckets.size() == 1 ? count_text(*sum.buckets.begin()) : std::string("several")) +
                               " buckets is exposed for " + time_text(sum.members.gain) + " in " + count_text(steps) +
                               " of " + format_plural(sum.steps, "step", "steps") + ", " +
                               share_text(sum.members.gain, sum.exposed) + " of what all buckets are there";
            if (sum.waiting > 0) text += "; " + time_text(sum.waiting) + " of it is waiting for a later rank";
            found.push_back({slot, std::move(sum.members).make(FindingKind::LastBucket, std::move(text))});
        }
        return found;
    }

    std::vector<FindingOfRank> find_late_gathers() const {
        if (!has(Operation::AllGather)) return {};
        struct Sum {
            CostlyMembers members;
            std::size_t gathers = 0;
        };
        std::map<std::uint32_t, Sum> ranks;
        for (const auto& [key, all] : collect_sharding(chosen_, places_)) {
            Sum& sum = ranks[key.first];
            for (const MemberPlace* const one : all) {
                if (collective_of(*one).operation == Operation::AllGather) ++sum.gathers;
                if (is_late_gather(matches(), *one)) sum.members.add(one->stall, event_of(*one));
            }
        }
        std::vector<FindingOfRank> found;
        for (auto& [slot, sum] : ranks) {
            if (sum.members.gain <= 0) continue;
            const std::size_t late = sum.members.members.size();
            std::string text = "kernels wait " + time_text(sum.members.gain) + " for " + count_text(late) + " of " +
                               format_plural(sum.gathers, "all-gather", "all-gathers") + " of shards";
            found.push_back({slot, std::move(sum.members).make(FindingKind::PrefetchLate, std::move(text))});
        }
        return found;
    }

    // On the stage that is longest without work: only the mean over all stages compares with theory.
    Result<std::vector<FindingOfRank>> find_bubbles(const JobContext& context) const {
        std::vector<const Partial*> of_stages;
        for (const Partial* const partial : partials_)
            if (partial->find(kStepsOfStage) != nullptr) of_stages.push_back(partial);
        if (of_stages.empty()) return std::vector<FindingOfRank>{};
        const Result<Answer> stages = kPipeline.merge(of_stages, run_, *make_params(kPipeline, {}), context);
        if (!stages) return stages.error();
        const Table& table = stages->main();
        std::map<std::int64_t, Bubbles> pipelines;  // by number of stages
        for (std::size_t row = 0; row < table.rows(); ++row) {
            if (table.absent(row, table.find_column("stages"))) continue;
            pipelines[table.integer(row, table.find_column("stages"))].add(table, row);
        }
        std::vector<FindingOfRank> found;
        for (const auto& [count, bubbles] : pipelines) {
            if (!bubbles.is_complete(count)) continue;
            const double rows = static_cast<double>(bubbles.rows);
            const auto gain =
                static_cast<std::int64_t>(bubbles.excess_ns * static_cast<double>(bubbles.steps.size()) / rows);
            const std::optional<std::uint32_t> slot = find_slot(bubbles.idlest);
            if (gain <= 0 || !slot) continue;
            found.push_back(
                {*slot, Finding{.kind = FindingKind::BubbleExcess,
                                .gain = gain,
                                .evidence = "the " + format_count(count) + " stages are without work for " +
                                            format_ratio(bubbles.share / rows) + " of the step on average, where " +
                                            bubbles.format_microbatches() + " leave " +
                                            format_ratio(bubbles.theory / rows) + "; stage " +
                                            format_count(bubbles.idlest_stage) + " is longest without work, stage " +
                                            format_count(bubbles.busiest_stage()) + " computes longest",
                                .events = {}}});
        }
        return found;
    }

    std::vector<FindingOfRank> find_uneven_experts() const {
        if (!has(Operation::AllToAll)) return {};
        struct Sum {
            CostlyMembers members;
            double imbalance = 0;
            std::map<std::uint32_t, std::size_t> fullest;  // exchanges in which a slot takes most
        };
        std::map<std::uint32_t, Sum> ranks;
        for (const auto& [key, all] : collect_exchanges(chosen_, places_)) {
            for (const MemberPlace* const one : all) {
                const Exchange exchange = measure_exchange(matches(), collective_of(*one));
                const std::optional<double> imbalance = exchange.imbalance();
                if (!imbalance || *imbalance <= 0) continue;
                Sum& sum = ranks[key.first];
                const auto time = static_cast<double>(matches().member(one->member).duration.count());
                sum.members.add(static_cast<std::int64_t>(time * *imbalance / (1 + *imbalance)), event_of(*one));
                sum.imbalance = std::max(sum.imbalance, *imbalance);
                ++sum.fullest[*exchange.fullest];
            }
        }
        std::vector<FindingOfRank> found;
        for (auto& [slot, sum] : ranks) {
            if (sum.members.gain <= 0) continue;
            const auto most = std::ranges::max_element(sum.fullest, {}, [](const auto& entry) { return entry.second; });
            const std::size_t exchanges = sum.members.members.size();
            std::string text = "one rank takes up to " + format_number(1 + sum.imbalance) +
                               " times the mean of an exchange, rank " + format_rank(run_.rank(most->first).key) +
                               " the most in " + count_text(most->second) + " of " +
                               format_plural(exchanges, "exchange", "exchanges");
            found.push_back({slot, std::move(sum.members).make(FindingKind::ExpertImbalance, std::move(text))});
        }
        return found;
    }

    std::vector<float> transfers_if_mended(FindingKind kind) const {
        std::vector<float> kept(matches().collectives.size(), 1);
        const auto remove = [&](const MemberPlace& place) { kept[matches().collective_of(place.member)] = 0; };
        if (kind == FindingKind::LastBucket) {
            for (const auto& [key, all] : collect_buckets(chosen_, places_, backward_))
                if (is_last_bucket_exposed(all)) remove(*all.back());
        } else if (kind == FindingKind::PrefetchLate) {
            for (const auto& [key, all] : collect_sharding(chosen_, places_))
                for (const MemberPlace* const one : all)
                    if (is_late_gather(matches(), *one)) remove(*one);
        } else {
            return {};
        }
        return kept;
    }

private:
    // Rows of the analysis pipeline whose pipelines have equally many stages.
    struct Bubbles {
        std::size_t rows = 0;
        bool is_known = true;  // theory, of every row
        double excess_ns = 0, share = 0, theory = 0;  // sums
        std::set<std::int64_t> steps, microbatches;
        std::map<std::int64_t, std::size_t> rows_of_stage;
        std::map<std::int64_t, Wide> busy_of_stage;
        std::map<std::int64_t, Wide> idle_of_rank;
        std::int64_t idlest = 0, idlest_stage = 0;

        void add(const Table& table, std::size_t row) {
            const auto number = [&](std::string_view column) { return table.integer(row, table.find_column(column)); };
            ++rows;
            const std::size_t excess = table.find_column("excess");
            is_known = is_known && !table.absent(row, excess) && !table.absent(row, table.find_column("stage"));
            if (!is_known) return;
            excess_ns += table.number(row, excess) * static_cast<double>(number("duration"));
            share += table.number(row, table.find_column("bubble_share"));
            theory += table.number(row, table.find_column("theory"));
            steps.insert(number("step"));
            microbatches.insert(number("microbatches"));
            ++rows_of_stage[number("stage")];
            busy_of_stage[number("stage")] += number("busy");
            Wide& idle = idle_of_rank[number("rank")];
            idle += number("bubble");
            if (rows > 1 && idle <= idle_of_rank[idlest]) return;
            idlest = number("rank");
            idlest_stage = number("stage");
        }
        // Whether all stages are open, each as often as the others.
        bool is_complete(std::int64_t stages) const {
            return is_known && stages > 1 && std::ssize(rows_of_stage) == stages &&
                   std::ranges::all_of(
                       rows_of_stage, [&](const auto& entry) { return entry.second == rows_of_stage.begin()->second; });
        }
        std::int64_t busiest_stage() const {
            return std::ranges::max_element(busy_of_stage, {}, [](const auto& entry) { return entry.second; })->first;
        }
        std::string format_microbatches() const {
            if (microbatches.size() != 1) return "their microbatches";
            return format_plural(static_cast<std::size_t>(*microbatches.begin()), "microbatch", "microbatches");
        }
    };

    const MatchedRun& matches() const { return chosen_.matches(); }
    bool has(Operation operation) const {
        return std::ranges::any_of(chosen_.collectives, [&](std::uint32_t number) {
            return matches().collectives[number].operation == operation;
        });
    }
    const Collective& collective_of(const MemberPlace& place) const {
        return matches().collectives[matches().collective_of(place.member)];
    }
    EventId event_of(const MemberPlace& place) const { return matches().member(place.member).event; }
    std::optional<std::uint32_t> find_slot(std::int64_t rank) const {
        const auto found = std::ranges::find(chosen_.ranks, rank, &ChosenRank::key);
        return found == chosen_.ranks.end() ? std::nullopt : std::optional(found->slot);
    }

    std::span<const Partial* const> partials_;
    const Run& run_;
    ChosenMembers chosen_;
    MemberPlaces places_;
    BackwardWindows backward_;
};

std::vector<const Partial*> with_places(std::span<const Partial* const> partials) {
    std::vector<const Partial*> some;
    for (const Partial* const partial : partials)
        if (partial->find(kPlacesTable) != nullptr) some.push_back(partial);
    return some;
}

}  // namespace

Result<bool> add_parallel_tables(const RankView& view, Partial& partial, const JobContext& context) {
    const auto is_message = [](const MemberEvent& member) {
        return member.operation == Operation::Send || member.operation == Operation::Recv ||
               member.operation == Operation::SendRecv;
    };
    const bool may_be_stage = std::ranges::any_of(view.rank().index->members().events(), is_message);
    Result<Partial> own = may_be_stage ? kPipeline.rank(view, {}, context) : collect_places(view, {}, context);
    if (!own) return own.error();
    for (std::size_t i = 1; i < own->tables.size(); ++i) partial.tables.push_back(std::move(own->tables[i]));
    return add_backward_windows(view, partial, context);
}

Result<std::vector<FindingOfRank>> find_parallel(std::span<const Partial* const> partials, const Run& run,
                                                 const JobContext& context) {
    std::vector<FindingOfRank> found;
    const std::vector<const Partial*> some = with_places(partials);
    if (some.empty()) return found;
    const ParallelFinder finder(some, run);
    const auto add = [&](std::vector<FindingOfRank> more) { std::ranges::move(more, std::back_inserter(found)); };
    add(finder.find_last_buckets());
    add(finder.find_late_gathers());
    if (context.cancelled()) return cancelled_error();
    Result<std::vector<FindingOfRank>> bubbles = finder.find_bubbles(context);
    if (!bubbles) return bubbles;
    add(*std::move(bubbles));
    add(finder.find_uneven_experts());
    return found;
}

std::vector<float> transfers_if_mended(FindingKind kind, std::span<const Partial* const> partials, const Run& run) {
    const std::vector<const Partial*> some = with_places(partials);
    if (some.empty()) return {};
    return ParallelFinder(some, run).transfers_if_mended(kind);
}

}  // namespace core
