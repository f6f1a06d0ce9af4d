#pragma once
// Keys that say which member events belong together: number, Comms Id, or the pair of a send. Equal keys of any ranks
// have one number, found once per member: a rank that arrives costs its own members. Knows no order and no times.

#include "core/collectives/rank_members.hpp"

#include <unordered_map>

namespace core {

inline constexpr std::uint32_t kNoKey = 0xFFFFFFFFu;

enum class KeyKind : std::uint8_t { Number, Comms, Pair, Replay };

struct MemberKey {
    KeyKind kind = KeyKind::Number;
    std::uint32_t group = 0;
    std::uint64_t key = 0;    // number, Comms Id, or source and destination
    std::int64_t number = 0;  // beside a Comms Id, which should differ with it
    bool operator==(const MemberKey&) const = default;
};

// Part of a group that a key needs, by the rank's own number of the group.
struct KeyGroup {
    std::uint32_t number = 0;  // equal for equal groups of all ranks
    bool known = false;        // its name and members are
};

std::vector<KeyGroup> collect_key_groups(const RankMembers&, std::span<const RunGroup>);
std::uint64_t hash_of(const MemberKey&);  // equal in all processes

class KeyBook {
public:
    // By member; kNoKey where only the order places it. O(members) expected.
    std::vector<std::uint32_t> number(std::int32_t rank, std::span<const MemberEvent>, std::span<const KeyGroup>);
    std::uint32_t number(const MemberKey&);
    std::vector<MemberKey> keys() const;                       // by number
    std::span<const KeyKind> kinds() const { return kinds_; }  // by key
    std::size_t looked_up() const { return looked_up_; }       // members so far: a count of work

private:
    struct Hash {
        std::size_t operator()(const MemberKey& key) const { return hash_of(key); }
    };
    std::unordered_map<MemberKey, std::uint32_t, Hash> numbers_;
    std::vector<KeyKind> kinds_;
    std::size_t looked_up_ = 0;
};

}  // namespace core
