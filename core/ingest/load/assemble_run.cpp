#include "core/ingest/load/assemble_run.hpp"

#include "core/index/joined_groups.hpp"
#include "core/index/rank_count.hpp"
#include "core/ingest/index_file/thin_rank.hpp"
#include "core/ingest/load/align_clocks.hpp"
#include "core/ingest/load/attach_captures.hpp"
#include "core/ingest/load/find_other_runs.hpp"
#include "core/ingest/load/identify_ranks.hpp"
#include "core/ingest/load/leave_out_copies.hpp"
#include "core/ingest/load/local_pages.hpp"
#include "core/ingest/load/place_logs.hpp"
#include "core/store/main_process.hpp"
#include "core/store/memory_names.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr auto kMostRankSource = static_cast<std::uint32_t>(RankSource::Order);

// Chosen for each rank by itself.
void note_step_marks(std::span<const RankSlot> ranks, Diagnostics& diagnostics) {
    for (const RankSlot& rank : ranks) {
        const std::string& first = ranks.front().trace().info.step_marks;
        const std::string& own = rank.trace().info.step_marks;
        if (own != first)
            diagnostics.add("step-marks-differ", rank.trace().info.path.filename().string() + ": \"" + own +
                                                     "\" instead of \"" + first + "\"");
    }
}

void note_joined_groups(std::span<const RankSlot> ranks, Diagnostics& diagnostics) {
    for (const RankSlot& rank : ranks)
        if (const std::uint64_t count = count_joined(rank.index->members()); count > 0)
            diagnostics.add("groups-joined", rank.trace().info.path.filename().string(), count);
}

// Ranks of one summary are what they were in the run that was summarised. True if these are.
bool restore_summarised(std::span<RankSlot> ranks) {
    const auto is_of_first = [&](const RankSlot& rank) {
        return summary_of(rank.trace()) && rank.trace().info.path == ranks.front().trace().info.path;
    };
    if (ranks.empty() || !std::ranges::all_of(ranks, is_of_first)) return false;
    for (RankSlot& rank : ranks) {
        const SummaryFacts& facts = *summary_of(rank.trace());
        rank.key = facts.key();
        rank.source = static_cast<RankSource>(std::min<std::uint32_t>(facts.source, kMostRankSource));
        rank.clock = facts.clock.map();
        rank.recorded = facts.aligned == 1 ? std::optional(facts.recorded.map()) : std::nullopt;
    }
    return true;
}

}  // namespace

RunPtr assemble_run(RunParts parts, std::span<const FoundFile> files, std::span<const std::vector<LoadedRank>> loaded) {
    std::vector<RankClaim> claims;
    for (std::size_t i = 0; i < files.size(); ++i) {
        for (const LoadedRank& rank : loaded[i]) {
            const RankTrace& trace = rank.index->trace();
            claims.push_back({.path = files[i].path,
                              .stated = trace.info.rank,
                              .is_one_of_several = loaded[i].size() > 1,
                              .is_device = trace.diagnostics.count("device-ranks") > 0,
                              .is_dump = is_beside(trace.info),
                              .is_snapshot = is_memory_snapshot(trace.info),
                              .is_log = is_log(trace.info),
                              .process = find_main_process(trace),
                              .window = trace.window,
                              .gpus = find_gpus(trace),
                              .only_captures = files[i].only_captures,
                              .group_size = find_group_size(*rank.index)});
            parts.ranks.push_back({{}, {}, rank.index, {}, rank.names});
        }
    }
    note_joined_groups(parts.ranks, parts.diagnostics);
    if (restore_summarised(parts.ranks)) {
        if (!parts.pages) parts.pages = pages_beside(parts.ranks.front().trace().info.path);
        return std::make_shared<const Run>(std::move(parts));
    }
    const std::vector<FoundCapture> captures = take_captures(parts, claims);
    leave_out_copies(parts, claims);
    leave_out_strangers(parts, claims);
    place_logs(parts, claims);
    apply_identities(identify_ranks(claims, parts.diagnostics), parts.ranks);
    attach_captures(captures, parts.ranks);
    std::vector<RankWindow> windows;
    for (std::size_t i = 0; i < parts.ranks.size(); ++i)
        windows.push_back({parts.ranks[i].key, parts.ranks[i].trace().window, claims[i].path.filename().string()});
    note_step_marks(parts.ranks, parts.diagnostics);
    const std::vector<ClockMap> clocks = align_clocks(windows, parts.diagnostics);
    for (std::size_t i = 0; i < parts.ranks.size(); ++i) parts.ranks[i].clock = clocks[i];
    if (are_windows(parts.ranks)) {
        for (const std::string_view kind : {"rank-duplicate", "runs-apart"})
            parts.diagnostics.move_to("rank-windows", kind);
    }
    return std::make_shared<const Run>(std::move(parts));
}

}  // namespace core
