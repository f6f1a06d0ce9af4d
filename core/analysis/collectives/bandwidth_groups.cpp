#include "core/analysis/collectives/bandwidth_groups.hpp"

#include "core/analysis/engine/link_speeds.hpp"
#include "core/analysis/engine/rounding.hpp"

#include <algorithm>

namespace core {
namespace {

bool is_measured(const ChosenMembers& chosen, std::uint32_t number) {
    const std::optional<std::int64_t> transfer = chosen.waits->find_transfer(number);
    const bool together = waits_for_last(chosen.matches().collectives[number].operation);
    return transfer && *transfer > 0 && !(together && chosen.waits->times[number].left_early);
}

// Sends and receives are one operation, whichever of the two ranks comes first.
Operation operation_for_bandwidth(const Collective& c) {
    return c.by == MatchedBy::Pair ? Operation::SendRecv : c.operation;
}

// Time of [begin, end) on one rank during which another of its members ran; the table is nearly in order of start.
std::int64_t measure_overlap(std::span<const MemberEvent> events, std::uint32_t own, RankRange range) {
    constexpr std::uint32_t kMostNeighbours = 64;
    const std::uint32_t first = own > kMostNeighbours ? own - kMostNeighbours : 0;
    const auto last = static_cast<std::uint32_t>(std::min<std::size_t>(events.size(), own + kMostNeighbours));
    std::vector<RankRange> others;
    for (std::uint32_t i = first; i < last; ++i) {
        const RankRange cut{std::max(range.begin, events[i].start), std::min(range.end, events[i].end())};
        if (i != own && !cut.empty()) others.push_back(cut);
    }
    std::ranges::sort(others, {}, &RankRange::begin);
    std::int64_t sum = 0;
    RankTime at = range.begin;
    for (const RankRange& other : others) {
        if (other.end <= at) continue;
        sum += (other.end - std::max(at, other.begin)).count();
        at = other.end;
    }
    return sum;
}

// The device that every file of these ranks lists alone; empty where they list several kinds or none.
std::string_view device_of(const ChosenMembers& chosen, std::span<const MemberRef> members) {
    std::string_view name;
    for (const MemberRef ref : members) {
        for (const Device& device : chosen.run->rank(ref.slot).trace().info.devices) {
            if (!name.empty() && name != device.name) return {};
            name = device.name;
        }
    }
    return name;
}

// Members share a host if the files say so or, where they say nothing, if each lists as many devices as there are
// members.
bool is_on_one_host(const ChosenMembers& chosen, std::span<const MemberRef> members, std::int64_t size) {
    const auto info = [&](MemberRef ref) -> const RankInfo& { return chosen.run->rank(ref.slot).trace().info; };
    const std::string& host = info(members.front()).host;
    return static_cast<std::int64_t>(members.size()) == size && std::ranges::all_of(members, [&](MemberRef ref) {
               if (info(ref).host != host) return false;
               return !host.empty() || static_cast<std::int64_t>(info(ref).devices.size()) >= size;
           });
}

}  // namespace

std::string algorithm_in_name(std::string_view kernel) {
    constexpr std::string_view kAlgorithms[] = {"RING", "TREE", "COLLNET", "NVLS", "PAT", "MULTIMEM"};
    constexpr std::string_view kProtocols[] = {"LL128", "LL", "SIMPLE"};
    constexpr auto kNpos = std::string_view::npos;
    std::string algorithm, protocol;
    const std::string_view name = kernel.substr(0, kernel.find('('));
    for (std::size_t begin = 0; begin < name.size();) {
        const std::size_t end = std::min(name.find_first_of("_ <>:", begin), name.size());
        std::string word(name.substr(begin, end - begin));
        for (char& c : word) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
        // NVLS_TREE and COLLNET_DIRECT are two words.
        for (const std::string_view one : kAlgorithms)
            if (word == one || (one == "COLLNET" && word.find(one) != kNpos)) {
                algorithm += (algorithm.empty() ? "" : " ") + word;
                break;
            }
        if (protocol.empty() && std::ranges::find(kProtocols, word) != std::end(kProtocols)) protocol = word;
        begin = end + 1;
    }
    return algorithm + (algorithm.empty() || protocol.empty() ? "" : " ") + protocol;
}

double concurrent_share(const ChosenMembers& chosen, std::uint32_t collective) {
    const MatchedRun& matches = chosen.matches();
    const Collective& c = matches.collectives[collective];
    Wide all = 0, shared = 0;
    for (std::uint32_t i = c.first; i < c.first + c.count; ++i) {
        const MemberRef ref = matches.members[i];
        const MemberEvent& member = matches.member(ref);
        const RankRange range{member.start + Duration{chosen.waits->wait_of(i)}, member.end()};
        all += range.length().count();
        shared += measure_overlap(matches.ranks[ref.slot].events, ref.index, range);
    }
    return all > 0 ? static_cast<double>(shared) / static_cast<double>(all) : 0;
}

std::vector<OperationGroup> collect_bandwidth_groups(const ChosenMembers& chosen, const LineLimits& limits) {
    const MatchedRun& matches = chosen.matches();
    std::map<std::pair<std::string, Operation>, OperationGroup> groups;
    for (const std::uint32_t number : chosen.collectives) {
        if (!is_measured(chosen, number)) continue;
        const Collective& c = matches.collectives[number];
        const std::optional<std::int64_t> bytes = size_of(matches, c);
        if (!bytes || *bytes <= 0) continue;
        OperationGroup& group = groups[{chosen.group_of(c), operation_for_bandwidth(c)}];
        group.group = chosen.group_of(c);
        group.operation = operation_for_bandwidth(c);
        group.members = members_in_group(matches, c);
        group.sizes[*bytes].collectives.push_back(number);
    }
    std::vector<OperationGroup> result;
    for (auto& [key, group] : groups) {
        std::vector<SizePoint> points;
        for (auto& [bytes, size] : group.sizes) {
            std::vector<std::int64_t> transfers;
            for (const std::uint32_t number : size.collectives) {
                transfers.push_back(*chosen.waits->find_transfer(number));
                size.concurrent += concurrent_share(chosen, number) / static_cast<double>(size.collectives.size());
            }
            size.transfer = take_median(transfers);
            points.push_back({static_cast<double>(bytes), static_cast<double>(size.transfer)});
        }
        group.line = fit_link_line(std::move(points), limits);
        result.push_back(std::move(group));
    }
    return result;
}

std::optional<double> find_link_speed(const ChosenMembers& chosen, std::uint32_t collective, std::int64_t size) {
    const std::span<const MemberRef> members = chosen.matches().members_of(chosen.matches().collectives[collective]);
    if (!is_on_one_host(chosen, members, size)) return std::nullopt;
    return link_speeds_of(*chosen.run)->find(device_of(chosen, members));
}

}  // namespace core
