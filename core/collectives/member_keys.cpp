#include "core/collectives/member_keys.hpp"

#include "core/index/replay_numbers.hpp"

#include <optional>

namespace core {
namespace {

std::uint64_t pair_of(std::int32_t source, std::int32_t destination) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(source)) << 32 |
           static_cast<std::uint32_t>(destination);
}

std::optional<MemberKey> key_of(std::int32_t rank, const MemberEvent& member, std::span<const KeyGroup> groups) {
    const KeyGroup group = member.group == kNoGroup ? KeyGroup{} : groups[member.group];
    if (is_pairwise(member.operation)) {
        if (member.peer == kNoPeer) return std::nullopt;
        const bool sends = member.operation == Operation::Send;
        return MemberKey{.kind = KeyKind::Pair,
                         .group = group.number,
                         .key = sends ? pair_of(rank, member.peer) : pair_of(member.peer, rank)};
    }
    if (is_replay_number(member.number))
        return MemberKey{
            .kind = KeyKind::Replay, .group = group.number, .key = static_cast<std::uint64_t>(member.number)};
    if (member.number != kNoNumber && (group.known || member.comms_id == 0))
        return MemberKey{
            .kind = KeyKind::Number, .group = group.number, .key = static_cast<std::uint64_t>(member.number)};
    if (member.comms_id == 0) return std::nullopt;
    return MemberKey{.kind = KeyKind::Comms, .key = member.comms_id, .number = member.number};
}

std::uint64_t mixed(std::uint64_t x) {
    x ^= x >> 30;
    x *= 0xBF58476D1CE4E5B9ULL;
    x ^= x >> 27;
    x *= 0x94D049BB133111EBULL;
    return x ^ x >> 31;
}

}  // namespace

std::uint64_t hash_of(const MemberKey& key) {
    const std::uint64_t where = std::uint64_t{key.group} << 8 | static_cast<std::uint64_t>(key.kind);
    return mixed(mixed(mixed(where) ^ key.key) ^ static_cast<std::uint64_t>(key.number));
}

std::vector<KeyGroup> collect_key_groups(const RankMembers& rank, std::span<const RunGroup> groups) {
    std::vector<KeyGroup> of_rank;
    for (const std::uint32_t group : rank.groups) of_rank.push_back({group, is_known(groups[group])});
    return of_rank;
}

std::uint32_t KeyBook::number(const MemberKey& key) {
    const auto [it, is_new] = numbers_.try_emplace(key, static_cast<std::uint32_t>(kinds_.size()));
    if (is_new) kinds_.push_back(key.kind);
    return it->second;
}

std::vector<MemberKey> KeyBook::keys() const {
    std::vector<MemberKey> keys(numbers_.size());
    for (const auto& [key, number] : numbers_) keys[number] = key;
    return keys;
}

std::vector<std::uint32_t> KeyBook::number(std::int32_t rank, std::span<const MemberEvent> events,
                                           std::span<const KeyGroup> groups) {
    std::vector<std::uint32_t> keys;
    keys.reserve(events.size());
    for (const MemberEvent& member : events) {
        const std::optional<MemberKey> key = key_of(rank, member, groups);
        if (!key) {
            keys.push_back(kNoKey);
            continue;
        }
        keys.push_back(number(*key));
    }
    looked_up_ += events.size();
    return keys;
}

}  // namespace core
