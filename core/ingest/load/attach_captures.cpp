#include "core/ingest/load/attach_captures.hpp"

#include "core/graphs/graph_captures.hpp"
#include "core/index/graph_sources.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

namespace core {
namespace {

struct IsCapture {
    bool value;
};

// Judged once per file: a run is assembled anew at each that arrives.
bool is_capture(const RankIndex& index) {
    return index.derived()
        .get<IsCapture>([&] { return std::make_shared<const IsCapture>(IsCapture{is_capture_trace(index.trace(), {})}); })
        ->value;
}

}  // namespace

std::vector<FoundCapture> take_captures(RunParts& parts, std::vector<RankClaim>& claims) {
    std::vector<bool> captures;
    bool any_rank = false;
    for (std::size_t i = 0; i < claims.size(); ++i) {
        const bool is_trace = !claims[i].is_dump && !claims[i].is_log && !claims[i].is_one_of_several;
        captures.push_back(is_trace && is_capture(*parts.ranks[i].index));
        any_rank = any_rank || (!captures.back() && !claims[i].is_dump && !claims[i].is_log && !claims[i].only_captures);
    }
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
        found.push_back({.index = parts.ranks[i].index,
                         .rank = claims[i].stated ? claims[i].stated : find_rank_in_name(name)});
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
