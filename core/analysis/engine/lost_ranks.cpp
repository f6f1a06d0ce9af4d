#include "core/analysis/engine/lost_ranks.hpp"

#include "core/base/format.hpp"
#include "core/index/collective_calls.hpp"
#include "core/index/summary_rank.hpp"

#include <algorithm>

namespace core {
namespace {

// Least share of a rank's GPU events, or of all its events, that is lost.
constexpr double kLeastLost = 0.01;

// The missing end of a file has no count.
bool is_of_unknown_size(std::string_view kind) {
    return kind == "file-truncated" || kind == "file-gone" || kind == "packets-damaged";
}

double share_of(std::uint64_t lost, std::uint64_t recorded) {
    return static_cast<double>(lost) / static_cast<double>(std::max<std::uint64_t>(lost + recorded, 1));
}

// The greatest loss of the rank, if it is great enough; else null.
const Diagnostic* find_great_loss(const RankTrace& trace) {
    const Diagnostic* worst = nullptr;
    double share = kLeastLost;
    for (const Diagnostic& entry : trace.diagnostics.entries()) {
        if (!entry.kind->incomplete) continue;
        if (is_of_unknown_size(entry.kind->id)) return &entry;
        const bool is_of_gpu = entry.kind->id == "gpu-work-missing";
        const double lost = share_of(entry.count, is_of_gpu ? count_gpu_events(trace) : trace.size());
        if (lost < share) continue;
        worst = &entry;
        share = lost;
    }
    return worst;
}

LostRanksPtr find_lost_ranks(const Run& run) {
    auto lost = std::make_shared<LostRanks>();
    for (std::uint32_t slot = 0; slot < run.ranks().size(); ++slot) {
        if (const Diagnostic* const loss = find_great_loss(run.rank(slot).trace()))
            lost->ranks.push_back({slot, loss->describe()});
        else if (const std::uint64_t calls = find_unrecorded_collectives(*run.rank(slot).index).calls; calls > 0)
            lost->ranks.push_back({slot, format_plural(calls, "collective", "collectives") +
                                             " called by the CPU and no GPU event of communication"});
    }
    return lost;
}

}  // namespace

bool LostRanks::has(std::uint32_t slot) const { return std::ranges::find(ranks, slot, &LostRank::slot) != ranks.end(); }

std::vector<std::uint32_t> LostRanks::slots() const {
    std::vector<std::uint32_t> all;
    for (const LostRank& rank : ranks) all.push_back(rank.slot);
    return all;
}

std::string LostRanks::format(const Run& run) const {
    constexpr std::size_t kMostNamed = 4;
    if (ranks.size() > kMostNamed) return format_count(ranks.size()) + " ranks";
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    for (std::size_t i = 0; i < ranks.size(); ++i)
        text += (i == 0 ? "" : i + 1 == ranks.size() ? " and " : ", ") + format_rank(run.rank(ranks[i].slot).key);
    return text;
}

std::string LostRanks::caveat(const Run& run) const {
    if (ranks.empty()) return "";
    return "Records of " + format(run) + " are missing: nothing is said of " + (ranks.size() == 1 ? "it." : "them.");
}

LostRanksPtr lost_ranks_of(const Run& run) {
    return run.derived().get<LostRanks>([&] { return find_lost_ranks(run); });
}

}  // namespace core
