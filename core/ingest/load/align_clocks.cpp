#include "core/ingest/load/align_clocks.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace core {
namespace {

constexpr Duration kSmallestGap = std::chrono::seconds{10};
constexpr std::int64_t kSpans = 20;  // a gap of so many times the longest window is not a late start

using Group = std::vector<std::size_t>;

// Windows by begin, cut where nothing happens for very long.
std::vector<Group> group_windows(std::span<const RankWindow> windows) {
    Group order;
    Duration longest{0};
    for (std::size_t i = 0; i < windows.size(); ++i) {
        if (windows[i].window.empty()) continue;
        order.push_back(i);
        longest = std::max(longest, windows[i].window.length());
    }
    std::ranges::sort(order, {}, [&](std::size_t i) { return windows[i].window.begin; });
    const Duration gap =
        longest > Duration::max() / kSpans ? Duration::max() : std::max(kSmallestGap, longest * kSpans);
    std::vector<Group> groups;
    RankTime end{};
    for (const std::size_t i : order) {
        if (groups.empty() || windows[i].window.begin - end > gap) groups.emplace_back();
        end = groups.back().empty() ? windows[i].window.end : std::max(end, windows[i].window.end);
        groups.back().push_back(i);
    }
    return groups;
}

}  // namespace

std::vector<ClockMap> align_clocks(std::span<const RankWindow> windows, Diagnostics& diagnostics) {
    std::vector<ClockMap> clocks(windows.size());
    const std::vector<Group> groups = group_windows(windows);
    if (groups.size() < 2) return clocks;
    const auto lowest_rank = [&](const Group& group) {
        return std::ranges::min(group, {}, [&](std::size_t i) { return windows[i].key; });
    };
    const Group& reference = *std::ranges::max_element(groups, [&](const Group& a, const Group& b) {
        if (a.size() != b.size()) return a.size() < b.size();
        return windows[lowest_rank(b)].key < windows[lowest_rank(a)].key;
    });
    std::set<std::int32_t> reference_ranks;
    for (const std::size_t i : reference) reference_ranks.insert(windows[i].key.number);
    for (const Group& group : groups) {
        const bool captures =
            std::ranges::any_of(group, [&](std::size_t i) { return reference_ranks.contains(windows[i].key.number); });
        if (captures) continue;  // the reference itself, too
        for (const std::size_t i : group) {
            clocks[i].offset = windows[reference.front()].window.begin - windows[group.front()].window.begin;
            diagnostics.add("clock-guessed", windows[i].file);
        }
    }
    return clocks;
}

}  // namespace core
