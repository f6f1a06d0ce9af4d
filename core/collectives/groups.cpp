#include "core/collectives/group_book.hpp"

#include <charconv>
#include <map>
#include <tuple>

namespace core {
namespace {

constexpr std::int64_t kMostMembers = 1 << 20;

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

RankList GroupBook::sorted_members(const RankList& stated) {
    const auto [at, fresh] = sorted_.try_emplace(&stated.get());
    if (!fresh) return at->second.members;
    std::vector<std::int32_t> ranks = stated;
    std::ranges::sort(ranks);
    const auto [first, last] = std::ranges::unique(ranks);
    ranks.erase(first, last);
    at->second = {.stated = stated, .members = std::move(ranks)};
    return at->second.members;
}

RankList GroupBook::find_members(const RankTrace& trace, const MemberGroup& group, std::string_view name) {
    const bool sized = group.size > 0 && group.size <= kMostMembers;
    for (const ProcessGroup& stated : trace.info.groups) {
        if (name.empty() || stated.name != name || stated.ranks.empty()) continue;
        const auto count = static_cast<std::int64_t>(stated.ranks.size());
        if ((sized && count != group.size) || (stated.size > 0 && count != stated.size)) continue;
        return sorted_members(stated.ranks);
    }
    if (group.ranks != kNoName) {
        RankList listed = sorted_members(parse_ranks(trace.text(group.ranks)));
        if (!listed.empty() && (!sized || static_cast<std::int64_t>(listed.size()) == group.size)) return listed;
    }
    if (!sized || group.first < 0 || group.first > INT32_MAX || group.stride <= 0) return {};
    const RankStretch members{.first = static_cast<std::int32_t>(group.first),
                              .step = static_cast<std::int32_t>(group.stride % kMostMembers),
                              .count = static_cast<std::uint32_t>(group.size)};
    return RankList::of({members}).value_or(RankList());
}

RankGroups GroupBook::read(const RankSlot& slot) {
    RankGroups read = read_groups(slot);
    read_operations(slot, read);
    return read;
}

RankGroups GroupBook::read_groups(const RankSlot& slot) {
    const RankTrace& trace = slot.trace();
    const MemberTable& table = slot.index->members();
    RankGroups read;
    for (const MemberGroup& stated : table.groups()) {
        const std::string name = text_or_none(trace, stated.name);
        const RankList members = find_members(trace, stated, name);
        const std::string cut_members = members.empty() ? text_or_none(trace, stated.ranks) : std::string();
        if (name.empty() && members.empty() && cut_members.empty()) {
            read.groups.push_back({});
            continue;
        }
        const std::int64_t stated_size = std::max<std::int64_t>(stated.size, 0);
        const auto [it, is_new] =
            numbers_.try_emplace({&members.get(), name, cut_members, members.empty() ? stated_size : 0},
                                 static_cast<std::uint32_t>(groups_.size()));
        if (is_new) {
            lists_.push_back(members);
            RunGroup group;
            group.name = name;
            group.members = members;
            group.cut_members = cut_members;
            group.size = stated_size != 0 ? stated_size : static_cast<std::int64_t>(members.size());
            groups_.push_back(std::move(group));
        }
        read.groups.push_back({it->second, is_known(groups_[it->second])});
    }
    read.operations.assign(read.groups.size() + 1, 0);
    return read;
}

void GroupBook::read_operations(const RankSlot& slot, RankGroups& read) const {
    for (const MemberEvent& member : slot.index->members().events()) {
        std::uint32_t& uses = read.operations[std::min<std::size_t>(member.group, read.groups.size())];
        uses |= 1U << static_cast<unsigned>(member.operation);
        if (member.group == kNoGroup || !is_pairwise(member.operation)) continue;
        const bool sends = member.operation == Operation::Send;
        const std::int32_t own = slot.key.number;
        const std::vector<std::int32_t>& members = groups_[read.groups[member.group].number].members;
        if (members.size() > 2 && (sends ? own : member.peer) == members.back() &&
            (sends ? member.peer : own) == members.front())
            uses |= kRing;
    }
}

std::vector<RunGroup> GroupBook::collect(const Run& run, std::span<const RankGroups* const> by_slot,
                                         std::vector<RankMembers>& ranks) const {
    std::vector<RunGroup> groups(1);
    std::vector<std::uint32_t> operations(1, 0);
    std::vector<std::uint32_t> of_run(groups_.size(), kNoKey);
    of_run[0] = 0;
    for (std::size_t slot = 0; slot < ranks.size(); ++slot) {
        const RankTrace& trace = run.rank(slot).trace();
        const std::span<const MemberGroup> stated = run.rank(slot).index->members().groups();
        const RankGroups& own = *by_slot[slot];
        for (std::size_t g = 0; g < own.groups.size(); ++g) {
            std::uint32_t& number = of_run[own.groups[g].number];
            if (number == kNoKey) {
                number = static_cast<std::uint32_t>(groups.size());
                RunGroup group = groups_[own.groups[g].number];
                group.description = text_or_none(trace, stated[g].description);
                if (stated[g].size > 0) group.size = stated[g].size;
                groups.push_back(std::move(group));
                operations.push_back(0);
            }
            operations[number] |= own.operations[g];
            ranks[slot].groups.push_back(number);
        }
        operations[0] |= own.operations.back();
    }
    if (std::ranges::none_of(groups, has_description)) name_axes(groups, operations);
    label_groups(groups);
    return groups;
}

}  // namespace core
