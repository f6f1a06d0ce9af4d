#include "core/analysis/collectives/nccl_choices.hpp"

#include "core/analysis/collectives/bandwidths.hpp"

#include <algorithm>
#include <utility>

namespace core {

std::vector<NcclSource> collect_nccl_sources(const Run& run) {
    std::vector<NcclSource> sources;
    for (const Companion& companion : run.companions())
        if (is_nccl_source(companion.trace().info.trace_name))
            sources.push_back({.facts = &companion.trace().info.nccl, .rank = companion.rank});
    for (const RankSlot& rank : run.ranks()) {
        const RankInfo& info = rank.trace().info;
        if (!is_nccl_source(info.trace_name)) continue;
        const bool known = rank.source != RankSource::Order;
        sources.push_back({.facts = &info.nccl, .rank = known ? std::optional(rank.key.number) : std::nullopt});
    }
    return sources;
}

std::string NcclChoice::text() const {
    return algorithm + (algorithm.empty() || protocol.empty() ? "" : " ") + protocol;
}

std::string NcclChoice::channels() const {
    if (first_channel < 0 || last_channel < first_channel) return {};
    return std::to_string(first_channel) + (last_channel > first_channel ? "-" + std::to_string(last_channel) : "");
}

NcclChoices::NcclChoices(const Run& run) {
    const std::vector<NcclSource> sources = collect_nccl_sources(run);
    const auto key_of = [](std::uint64_t id, std::size_t source) {
        return std::pair(id, id == 0 ? source + 1 : std::size_t{0});
    };
    for (std::size_t i = 0; i < sources.size(); ++i)
        for (const NcclCommunicator& one : sources[i].facts->communicators) {
            if (one.id == 0) continue;  // cannot be told from others of the process
            Communicator& communicator = communicators_[key_of(one.id, i)];
            communicator.size = std::max(communicator.size, one.size);
            if (sources[i].rank && one.rank >= 0) communicator.ranks[one.rank] = *sources[i].rank;
        }
    for (std::size_t i = 0; i < sources.size(); ++i)
        for (const NcclCalls& calls : sources[i].facts->calls) {
            const Operation operation = parse_operation(calls.operation);
            if (calls.algorithm.empty() || calls.bytes < 0 || operation == Operation::Unknown) continue;
            const auto communicator = communicators_.find(key_of(calls.communicator, i));
            const bool known = calls.communicator != 0 && communicator != communicators_.end();
            choices_[{operation, calls.bytes}].push_back({.choice = {.algorithm = calls.algorithm,
                                                                     .protocol = calls.protocol,
                                                                     .first_channel = calls.first_channel,
                                                                     .last_channel = calls.last_channel},
                                                          .communicator = known ? &communicator->second : nullptr,
                                                          .rank = sources[i].rank});
        }
}

// PyTorch numbers the ranks of a group in rising order, so rank i of its communicator is the i-th member.
bool NcclChoices::can_be(const Row& row, const RunGroup& group, std::optional<std::int64_t> members) {
    if (row.communicator == nullptr) return group.members.empty() || !row.rank || group.members.front() == *row.rank;
    const Communicator& communicator = *row.communicator;
    if (communicator.size > 0 && members && communicator.size != *members) return false;
    if (group.members.empty()) return true;
    return std::ranges::all_of(communicator.ranks, [&](const auto& known) {
        const auto at = static_cast<std::size_t>(known.first);
        return at < group.members.size() && group.members[at] == known.second;
    });
}

std::optional<NcclChoice> NcclChoices::find(const RunGroup& group, std::optional<std::int64_t> members,
                                            Operation operation, std::int64_t bytes) const {
    const auto rows = choices_.find({operation, bytes});
    if (rows == choices_.end()) return std::nullopt;
    std::optional<NcclChoice> found;
    for (const Row& row : rows->second) {
        if (!can_be(row, group, members)) continue;
        if (!found) {
            found = row.choice;
            continue;
        }
        if (found->algorithm != row.choice.algorithm || found->protocol != row.choice.protocol) return std::nullopt;
        if (found->first_channel != row.choice.first_channel || found->last_channel != row.choice.last_channel)
            found->first_channel = found->last_channel = -1;
    }
    return found;
}

std::shared_ptr<const NcclChoices> nccl_choices_of(const Run& run) {
    return run.derived().get<NcclChoices>([&] { return std::make_shared<const NcclChoices>(run); });
}

std::optional<NcclChoice> find_nccl_choice(const Run& run, EventRef event) {
    if (nccl_choices_of(run)->empty()) return std::nullopt;
    const MatchedRunPtr matches = matched(run);
    const std::optional<MemberRef> member = matches->find_member(event);
    if (!member) return std::nullopt;
    const Collective& collective = matches->collectives[matches->collective_of(*member)];
    const std::optional<std::int64_t> bytes = size_of(*matches, collective);
    if (!bytes) return std::nullopt;
    return nccl_choices_of(run)->find(matches->groups[collective.group], members_in_group(*matches, collective),
                                      collective.operation, *bytes);
}

}  // namespace core
