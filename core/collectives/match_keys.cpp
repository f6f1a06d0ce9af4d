#include "core/collectives/match_keys.hpp"

#include <map>
#include <tuple>

namespace core {
namespace {

enum class KeyKind : std::uint8_t { Number, Comms, None };

struct Keyed {
    KeyKind kind = KeyKind::None;
    std::uint32_t group = 0;
    std::uint64_t key = 0;
    std::int64_t number = 0;  // beside a Comms Id, which should differ with it
    std::uint32_t place = 0;  // of the slot in its session
    std::uint32_t index = 0;
    auto order() const { return std::tuple(kind, group, key, number, place, index); }
    bool same_key(const Keyed& other) const {
        return kind == other.kind && group == other.group && key == other.key && number == other.number;
    }
};

Keyed key_of(const MatchInput& input, const RankMembers& rank, std::uint32_t index) {
    const MemberEvent& member = rank.events[index];
    Keyed keyed;
    keyed.index = index;
    const std::uint32_t group = rank.group(index);
    const RunGroup& info = input.groups[group];
    const bool is_known = !info.name.empty() && (!info.members.empty() || !info.cut_members.empty());
    if (is_pairwise(member.operation)) return keyed;
    if (member.number != kNoNumber && (is_known || member.comms_id == 0)) {
        keyed.kind = KeyKind::Number;
        keyed.group = group;
        keyed.key = static_cast<std::uint64_t>(member.number);
    } else if (member.comms_id != 0) {
        keyed.kind = KeyKind::Comms;
        keyed.key = member.comms_id;
        keyed.number = member.number;
    }
    return keyed;
}

// Members of one key: the k-th from the end of each rank with the k-th from the end of the others.
void add_matches(const MatchInput& input, std::span<const Keyed> same, std::vector<Match>& matches) {
    std::vector<Match> from_end;
    for (std::size_t first = 0, last = 0; first < same.size(); first = last) {
        while (last < same.size() && same[last].place == same[first].place) ++last;
        for (std::size_t k = 0; first + k < last; ++k) {
            if (k == from_end.size()) from_end.emplace_back();
            const Keyed& keyed = same[last - 1 - k];
            from_end[k].members.push_back({input.session->slots[keyed.place], keyed.index});
        }
    }
    for (Match& match : from_end) {
        match.by = same.front().kind == KeyKind::Number ? MatchedBy::Number : MatchedBy::CommsId;
        match.repeated = from_end.size() > 1;
        matches.push_back(std::move(match));
    }
}

struct PairLists {
    std::vector<MemberRef> sends;
    std::vector<MemberRef> receives;
};

class PairMatcher {
public:
    void add(std::uint32_t group, std::int32_t rank, const MemberEvent& member, MemberRef ref) {
        const bool sends = member.operation == Operation::Send;
        const std::int32_t source = sends ? rank : member.peer;
        const std::int32_t destination = sends ? member.peer : rank;
        PairLists& lists = lists_[{group, source, destination}];
        (sends ? lists.sends : lists.receives).push_back(ref);
    }

    void finish(std::vector<Match>& matches) const {
        for (const auto& [key, lists] : lists_) {
            const std::size_t most = std::max(lists.sends.size(), lists.receives.size());
            for (std::size_t k = 0; k < most; ++k) {
                Match match;
                match.by = MatchedBy::Pair;
                if (k < lists.sends.size()) match.members.push_back(lists.sends[lists.sends.size() - 1 - k]);
                if (k < lists.receives.size()) match.members.push_back(lists.receives[lists.receives.size() - 1 - k]);
                std::ranges::sort(match.members);
                // A rank that sends to itself has both on one slot.
                if (match.members.size() == 2 && match.members[0].slot == match.members[1].slot) {
                    Match own;
                    own.by = MatchedBy::Pair;
                    own.members = {match.members[1]};
                    matches.push_back(std::move(own));
                    match.members.pop_back();
                }
                matches.push_back(std::move(match));
            }
        }
    }

private:
    std::map<std::tuple<std::uint32_t, std::int32_t, std::int32_t>, PairLists> lists_;
};

}  // namespace

void match_by_keys(const MatchInput& input, std::vector<Match>& matches,
                   std::vector<std::vector<std::uint32_t>>& rest) {
    const std::vector<std::uint32_t>& slots = input.session->slots;
    rest.assign(slots.size(), {});
    std::vector<Keyed> keyed;
    PairMatcher pairs;
    for (std::uint32_t place = 0; place < slots.size(); ++place) {
        const RankMembers& rank = input.ranks[slots[place]];
        for (std::uint32_t i = 0; i < rank.events.size(); ++i) {
            const MemberEvent& member = rank.events[i];
            Keyed one = key_of(input, rank, i);
            one.place = place;
            if (is_pairwise(member.operation) && member.peer != kNoPeer)
                pairs.add(rank.group(i), rank.rank, member, {slots[place], i});
            else if (one.kind == KeyKind::None)
                rest[place].push_back(i);
            else
                keyed.push_back(one);
        }
    }
    std::ranges::sort(keyed, {}, &Keyed::order);
    for (std::size_t first = 0, last = 0; first < keyed.size(); first = last) {
        while (last < keyed.size() && keyed[last].same_key(keyed[first])) ++last;
        add_matches(input, std::span(keyed).subspan(first, last - first), matches);
    }
    pairs.finish(matches);
}

}  // namespace core
