#include "core/ingest/load/attach_captures.hpp"

#include "core/graphs/graph_captures.hpp"
#include "core/index/graph_sources.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace core {
namespace {

// Judged once per file: a run is assembled anew at each that arrives.
CaptureTrace judge(const RankIndex& index) {
    return *index.derived().get<CaptureTrace>(
        [&] { return std::make_shared<const CaptureTrace>(judge_capture_trace(index.trace(), {})); });
}

bool is_trace(const RankClaim& claim) { return !claim.is_dump && !claim.is_log && !claim.is_one_of_several; }

std::optional<int> rank_of(const RankClaim& claim) {
    return claim.stated ? claim.stated : find_rank_in_name(claim.path.filename().string());
}

// For each claim whether it is a recording of captures. One that also replays them is, next to another trace of its
// rank.
std::vector<bool> find_capture_traces(const RunParts& parts, std::span<const RankClaim> claims) {
    std::vector<CaptureTrace> judged;
    std::set<std::optional<int>> others;
    for (std::size_t i = 0; i < claims.size(); ++i) {
        judged.push_back(is_trace(claims[i]) ? judge(*parts.ranks[i].index) : CaptureTrace::No);
        if (is_trace(claims[i]) && judged.back() == CaptureTrace::No) others.insert(rank_of(claims[i]));
    }
    std::vector<bool> captures;
    for (std::size_t i = 0; i < claims.size(); ++i)
        captures.push_back(judged[i] == CaptureTrace::Yes ||
                           (judged[i] == CaptureTrace::WithReplays && others.contains(rank_of(claims[i]))));
    return captures;
}

}  // namespace

std::vector<FoundCapture> take_captures(RunParts& parts, std::vector<RankClaim>& claims) {
    const std::vector<bool> captures = find_capture_traces(parts, claims);
    bool any_rank = false;
    for (std::size_t i = 0; i < claims.size(); ++i)
        any_rank = any_rank || (!captures[i] && !claims[i].is_dump && !claims[i].is_log && !claims[i].only_captures);
    const bool any_left_out = std::ranges::any_of(claims, &RankClaim::only_captures);
    if (!any_rank || (!any_left_out && std::ranges::find(captures, true) == captures.end())) return {};
    std::vector<FoundCapture> found;
    std::vector<RankSlot> ranks;
    std::vector<RankClaim> left;
    for (std::size_t i = 0; i < claims.size(); ++i) {
        const std::string name = claims[i].path.filename().string();
        if (!captures[i] && claims[i].only_captures) {
            parts.diagnostics.add("no-rank", name + ": is in a folder of captures and holds none");
            continue;
        }
        if (!captures[i]) {
            ranks.push_back(std::move(parts.ranks[i]));
            left.push_back(std::move(claims[i]));
            continue;
        }
        found.push_back({.index = parts.ranks[i].index, .rank = rank_of(claims[i])});
        parts.diagnostics.add("graph-capture-left-out", name);
    }
    parts.ranks = std::move(ranks);
    claims = std::move(left);
    return found;
}

void attach_captures(std::span<const FoundCapture> captures, std::span<const RankSlot> ranks) {
    if (captures.empty()) return;
    std::set<std::int32_t> numbers;
    for (const RankSlot& rank : ranks) numbers.insert(rank.key.number);
    for (const RankSlot& rank : ranks) {
        std::vector<RankIndexPtr> own;
        bool are_own = true;
        const auto add = [&](const auto& is_wanted) {
            for (const FoundCapture& capture : captures)
                if (is_wanted(capture)) own.push_back(capture.index);
        };
        add([&](const FoundCapture& capture) {
            return capture.rank ? *capture.rank == rank.key.number : numbers.size() == 1;
        });
        if (own.empty()) {
            are_own = numbers.size() == 1;
            add([](const FoundCapture&) { return true; });
        }
        set_graph_sources(*rank.index, std::move(own), are_own);
    }
}

}  // namespace core
