#include "core/collectives/matched_run.hpp"

#include <charconv>
#include <map>
#include <tuple>

namespace core {
namespace {

constexpr std::int64_t kMostMembers = 1 << 20;

using GroupKey = std::tuple<std::vector<std::int32_t>, std::string, std::string, std::int64_t>;

std::string text_or_none(const RankTrace& trace, NameId id) { return id == kNoName ? "" : std::string(trace.text(id)); }

// Ranks of a list as written; nothing if it is cut or no list of numbers.
std::vector<std::int32_t> parse_ranks(std::string_view list) {
    std::vector<std::int32_t> ranks;
    for (const std::string_view item : split_list(list)) {
        std::int32_t rank = 0;
        const auto parsed = std::from_chars(item.data(), item.data() + item.size(), rank);
        if (parsed.ec != std::errc() || parsed.ptr != item.data() + item.size()) return {};
        ranks.push_back(rank);
    }
    return ranks;
}

std::vector<std::int32_t> sorted_members(std::vector<std::int32_t> ranks) {
    std::ranges::sort(ranks);
    const auto [first, last] = std::ranges::unique(ranks);
    ranks.erase(first, last);
    return ranks;
}

std::vector<std::int32_t> find_members(const RankTrace& trace, const MemberGroup& group, std::string_view name) {
    const bool sized = group.size > 0 && group.size <= kMostMembers;
    for (const ProcessGroup& stated : trace.info.groups) {
        if (name.empty() || stated.name != name || stated.ranks.empty()) continue;
        const auto count = static_cast<std::int64_t>(stated.ranks.size());
        if ((sized && count != group.size) || (stated.size > 0 && count != stated.size)) continue;
        return sorted_members(stated.ranks);
    }
    if (group.ranks != kNoName) {
        std::vector<std::int32_t> listed = sorted_members(parse_ranks(trace.text(group.ranks)));
        if (!listed.empty() && (!sized || static_cast<std::int64_t>(listed.size()) == group.size)) return listed;
    }
    std::vector<std::int32_t> members;
    if (!sized || group.first < 0 || group.stride <= 0) return members;
    for (std::int64_t k = 0; k < group.size; ++k) {
        const std::int64_t rank = group.first + group.stride % kMostMembers * k;
        if (rank > INT32_MAX) return {};
        members.push_back(static_cast<std::int32_t>(rank));
    }
    return members;
}

std::string format_members(std::span<const std::int32_t> members) {
    std::string text;
    for (std::size_t first = 0, last = 0; first < members.size(); first = last) {
        for (last = first + 1; last < members.size() && members[last] == members[last - 1] + 1;) ++last;
        if (!text.empty()) text += ",";
        text += std::to_string(members[first]);
        if (last - first > 1) text += "-" + std::to_string(members[last - 1]);
        if (text.size() > 40) return text + ",…";
    }
    return text;
}

bool has_description(const RunGroup& group) {
    return !group.description.empty() && group.description != "undefined" && group.description != group.name;
}

// Description, else the axis and how it was told, else size and members; the name where nothing else is known.
std::string format_familiar(const RunGroup& group) {
    if (has_description(group)) return group.description;
    if (group.axis != GroupAxis::None) return std::string(name_of(group.axis)) + " by ranks";
    if (!group.members.empty())
        return std::to_string(group.members.size()) + " ranks [" + format_members(group.members) + "]";
    return group.name;
}

void label_groups(std::vector<RunGroup>& groups) {
    std::map<std::string, std::size_t> uses;
    for (const RunGroup& group : groups) ++uses[group.name];
    for (RunGroup& group : groups) {
        group.label = group.name;
        group.familiar = format_familiar(group);
        if (has_description(group) || group.axis != GroupAxis::None)
            group.label += (group.label.empty() ? "" : " ") + ("(" + group.familiar + ")");
        if (uses[group.name] < 2 || group.members.empty()) continue;
        group.label += (group.label.empty() ? "" : " ") + ("[" + format_members(group.members) + "]");
    }
}

}  // namespace

std::vector<RunGroup> resolve_groups(const Run& run, std::vector<RankMembers>& ranks) {
    std::vector<RunGroup> groups(1);
    std::map<GroupKey, std::uint32_t> known;
    for (std::size_t slot = 0; slot < ranks.size(); ++slot) {
        const RankTrace& trace = run.rank(slot).trace();
        for (const MemberGroup& stated : run.rank(slot).index->members().groups()) {
            RunGroup group;
            group.name = text_or_none(trace, stated.name);
            group.description = text_or_none(trace, stated.description);
            group.members = find_members(trace, stated, group.name);
            if (group.members.empty()) group.cut_members = text_or_none(trace, stated.ranks);
            group.size = std::max<std::int64_t>(stated.size, 0);
            if (group.size == 0) group.size = static_cast<std::int64_t>(group.members.size());
            const bool says_nothing = group.name.empty() && group.members.empty() && group.cut_members.empty();
            if (says_nothing) {
                ranks[slot].groups.push_back(0);
                continue;
            }
            const std::int64_t size = group.members.empty() ? group.size : 0;
            const auto [it, is_new] = known.try_emplace({group.members, group.name, group.cut_members, size},
                                                        static_cast<std::uint32_t>(groups.size()));
            if (is_new) groups.push_back(group);
            ranks[slot].groups.push_back(it->second);
        }
    }
    std::vector<std::uint32_t> operations(groups.size(), 0);
    for (const RankMembers& rank : ranks)
        for (std::uint32_t i = 0; i < rank.events.size(); ++i)
            operations[rank.group(i)] |= 1U << static_cast<unsigned>(rank.events[i].operation);
    if (std::ranges::none_of(groups, has_description)) name_axes(groups, operations);
    label_groups(groups);
    return groups;
}

}  // namespace core
