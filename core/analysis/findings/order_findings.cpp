#include "core/analysis/findings/order_findings.hpp"

#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/findings/finding_thresholds.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

namespace core::findings {
namespace {

constexpr std::size_t kFindingColumn = 0, kRankColumn = 1;

FindingKind kind_of(const Table& table, std::size_t row) { return *find_finding_kind(table.text(row, kFindingColumn)); }

// Those that no replay limits: causes are replays themselves, the others have no gain, or none that the graph knows.
bool is_limited(FindingKind kind) {
    constexpr std::array kFree = {FindingKind::UnbalancedKernels, FindingKind::FewMicrobatches,
                                  FindingKind::Desynchronised,    FindingKind::Incomplete,
                                  FindingKind::OutOfMemory,       FindingKind::ClocksLowRank,
                                  FindingKind::ClocksLowAll,      FindingKind::GpuErrors,
                                  FindingKind::PcieNarrow,        FindingKind::MemoryClockLow};
    return !is_cause(kind) && std::ranges::find(kFree, kind) == kFree.end();
}

bool is_symptom_of_waiting(FindingKind kind) {
    constexpr std::array kSymptoms = {FindingKind::ExposedCommunication, FindingKind::LowOverlap,
                                      FindingKind::SmallMessages, FindingKind::LastBucket, FindingKind::PrefetchLate};
    return std::ranges::find(kSymptoms, kind) != kSymptoms.end();
}

class Ordering {
public:
    Ordering(const OrderingOfFindings& of, const FindingReplays* replays, std::span<const Culprit> culprits,
             Answer& answer)
        : of_(of), replays_(replays), answer_(answer), all_(std::move(answer.tables.front().table)) {
        for (const Culprit& culprit : culprits) captures_.insert(of.run.rank(culprit.slot).key.capture);
    }

    Result<bool> run() && {
        if (const Result<bool> done = replay_kinds(); !done) return done.error();
        Table kept(all_.columns()), explained(all_.columns()), minor(all_.columns());
        for (std::size_t row = 0; row < all_.rows(); ++row) place(row, kept, explained, minor);
        sort(kept);
        answer_.tables.front().table = std::move(kept);
        if (explained.rows() > 0) answer_.tables.push_back({"explained", std::move(explained)});
        if (minor.rows() > 0) answer_.tables.push_back({"minor", std::move(minor)});
        return true;
    }

private:
    struct Saved {
        std::int64_t beyond_causes = 0;
        std::int64_t alone = 0;
    };

    std::optional<std::uint32_t> find_covered(std::size_t row) const {
        const auto facts = std::ranges::find(of_.ranks, all_.integer(row, kRankColumn), &RankFacts::rank);
        if (facts == of_.ranks.end() || !of_.diagnosis.covers(facts->slot)) return std::nullopt;
        return facts->slot;
    }

    Result<bool> replay_kinds() {
        if (!replays_) return true;
        std::map<FindingKind, std::vector<std::uint32_t>> slots;
        for (std::size_t row = 0; row < all_.rows(); ++row) {
            if (!is_limited(kind_of(all_, row)) || all_.absent(row, gain_column())) continue;
            if (const auto slot = find_covered(row)) slots[kind_of(all_, row)].push_back(*slot);
        }
        for (const auto& [kind, of_kind] : slots) {
            Result<std::optional<Replay>> replay = replays_->replay(kind, of_kind);
            if (!replay) return replay.error();
            if (!*replay) continue;
            saved_[kind] = {of_.diagnosis.of_all_steps((*replay)->saved),
                            of_.diagnosis.of_all_steps((*replay)->saved_alone)};
        }
        return true;
    }

    void place(std::size_t row, Table& kept, Table& explained, Table& minor) const {
        std::vector<Cell> cells;
        for (std::size_t column = 0; column < all_.columns().size(); ++column) cells.push_back(all_.cell(row, column));
        // A property of the trace, not of the run: nothing is gained by it.
        if (kind_of(all_, row) == FindingKind::Uncounted) return minor.add_row(cells);
        const std::optional<Saved> saved = find_saved(row);
        if (!saved) return (is_waiting(row) ? explained : kept).add_row(cells);
        const std::int64_t whole = all_.integer(row, gain_column());
        const std::int64_t gain = std::min(whole, saved->beyond_causes);
        const std::int64_t alone = is_waiting(row) ? whole : std::min(whole, saved->alone);
        if (gain < alone - gain && is_enough(row, alone)) return explained.add_row(cells);
        if (!is_enough(row, gain)) return minor.add_row(cells);
        const double share = share_of(row, gain);
        cells[gain_column()] = gain;
        cells[all_.find_column("gain_share")] = share;
        cells[all_.find_column("severity")] = severity_of_share(share);
        kept.add_row(cells);
    }

    // A pipeline idles longer for late ranks and uneven stages: no replay changes the idle time alone, so it loses what
    // the causes save.
    std::optional<Saved> find_saved(std::size_t row) const {
        const FindingKind kind = kind_of(all_, row);
        if (!find_covered(row)) return std::nullopt;
        if (kind == FindingKind::BubbleExcess && !of_.diagnosis.name_causes().empty()) {
            const std::int64_t whole = all_.integer(row, gain_column());
            const std::int64_t causes = of_.diagnosis.of_all_steps(of_.diagnosis.saved_by_causes());
            return Saved{std::max<std::int64_t>(whole - causes, 0), whole};
        }
        const auto saved = saved_.find(kind);
        return saved == saved_.end() ? std::nullopt : std::optional(saved->second);
    }

    std::size_t gain_column() const { return all_.find_column("gain"); }
    // As the rank's share of the whole gain.
    double share_of(std::size_t row, std::int64_t gain) const {
        const double whole = static_cast<double>(all_.integer(row, gain_column()));
        return all_.number(row, all_.find_column("gain_share")) * (static_cast<double>(gain) / whole);
    }
    bool is_enough(std::size_t row, std::int64_t gain) const {
        return gain > 0 && share_of(row, gain) * 100 >= static_cast<double>(of_.params[0]);
    }
    static std::string_view severity_of_share(double share) {
        constexpr std::int64_t kWhole = 1'000'000;
        return severity_of(static_cast<std::int64_t>(share * kWhole), kWhole);
    }

    // Communication of a rank that is exposed mostly while it waits for a culprit.
    bool is_waiting(std::size_t row) const {
        if (!is_symptom_of_waiting(kind_of(all_, row))) return false;
        const auto facts = std::ranges::find(of_.ranks, all_.integer(row, kRankColumn), &RankFacts::rank);
        return facts != of_.ranks.end() && captures_.contains(facts->capture()) &&
               Wide{facts->exposed_wait} * 2 > facts->exposed;
    }

    static std::size_t order_of(std::string_view severity) {
        return severity == "high" ? 0 : severity == "medium" ? 1 : 2;
    }

    // The gravest first, among them jobs out of step, then causes, then by gain. What theory says of few microbatches
    // comes after the causes that a replay confirms.
    static void sort(Table& table) {
        std::vector<std::size_t> order(table.rows());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        const std::size_t severity = table.find_column("severity"), gain = table.find_column("gain");
        std::size_t last_cause = 0;
        for (std::size_t row = 0; row < table.rows(); ++row)
            if (is_cause(kind_of(table, row))) last_cause = std::max(last_cause, order_of(table.text(row, severity)));
        std::ranges::stable_sort(order, {}, [&](std::size_t row) {
            const FindingKind kind = kind_of(table, row);
            const bool few = kind == FindingKind::FewMicrobatches;
            const std::size_t own = order_of(table.text(row, severity));
            const std::int64_t by_gain = is_cause(kind) || few ? 0 : -table.integer(row, gain);
            return std::tuple(few ? std::max(own, last_cause) : own, !is_grave(kind), !is_cause(kind), !few, by_gain);
        });
        table.sort_rows(order);
    }

    const OrderingOfFindings& of_;
    const FindingReplays* replays_;
    Answer& answer_;
    Table all_;
    std::set<std::int32_t> captures_;  // with culprits
    std::map<FindingKind, Saved> saved_;
};

}  // namespace

// A job out of step, or out of memory, is not a matter of time.
bool is_grave(FindingKind kind) { return kind == FindingKind::Desynchronised || kind == FindingKind::OutOfMemory; }

std::string_view severity_of(std::int64_t gain, std::int64_t window) {
    if (Wide{gain} * 100 >= Wide{window} * thresholds::kHighSeverity) return "high";
    return Wide{gain} * 100 >= Wide{window} * thresholds::kMediumSeverity ? "medium" : "low";
}

bool is_worth_telling(std::int64_t gain, std::int64_t window, const Params& params) {
    return gain > 0 && Wide{gain} * 100 >= Wide{window} * params[0];
}

Result<bool> order_findings(const OrderingOfFindings& of, const FindingReplays* replays,
                            std::span<const Culprit> culprits, Answer& answer) {
    return Ordering(of, replays, culprits, answer).run();
}

}  // namespace core::findings
