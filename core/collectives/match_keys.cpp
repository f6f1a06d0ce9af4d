#include "core/collectives/match_keys.hpp"

#include "core/collectives/check_matches.hpp"

namespace core {
namespace {

// The members of one key: a range of all that have one.
struct Bucket {
    std::uint32_t key = 0;
    std::size_t first = 0;
    std::size_t count = 0;
};

struct Buckets {
    std::vector<Bucket> buckets;     // in the order in which ranks first launch their keys
    std::vector<MemberRef> members;  // by bucket, by slot, in launch order
    std::span<const MemberRef> members_of(const Bucket& bucket) const {
        return std::span(members).subspan(bucket.first, bucket.count);
    }
};

Buckets collect_buckets(const MatchInput& input, const MatchKeys& match_keys, std::vector<std::uint32_t>& scratch,
                        OrderedMembers& rest) {
    const std::vector<std::uint32_t>& slots = input.cohort->slots;
    Buckets made;
    for (std::uint32_t place = 0; place < slots.size(); ++place) {
        const SlotKeys& own = match_keys.slots[slots[place]];
        const std::span<const std::uint32_t> keys = own.keys;
        for (std::uint32_t i = 0; i < keys.size(); ++i) {
            if (keys[i] == kNoKey) {
                rest[place].push_back(own.member(i));
                continue;
            }
            std::uint32_t& bucket = scratch[keys[i]];
            if (bucket == kNoKey) {
                bucket = static_cast<std::uint32_t>(made.buckets.size());
                made.buckets.push_back({.key = keys[i], .first = 0, .count = 0});
            }
            ++made.buckets[bucket].count;
        }
    }
    std::size_t total = 0;
    for (Bucket& bucket : made.buckets) {
        bucket.first = total;
        total += std::exchange(bucket.count, 0);
    }
    made.members.resize(total);
    for (const std::uint32_t slot : slots) {
        const SlotKeys& own = match_keys.slots[slot];
        for (std::uint32_t i = 0; i < own.keys.size(); ++i) {
            if (own.keys[i] == kNoKey) continue;
            Bucket& bucket = made.buckets[scratch[own.keys[i]]];
            made.members[bucket.first + bucket.count++] = {slot, own.member(i)};
        }
    }
    for (const Bucket& bucket : made.buckets) scratch[bucket.key] = kNoKey;
    return made;
}

// Members of one key: the k-th from the end of each rank with the k-th from the end of the others.
void add_matches(MatchedBy by, std::span<const MemberRef> same, std::vector<Match>& matches) {
    const std::size_t before = matches.size();
    for (std::size_t first = 0, last = 0; first < same.size(); first = last) {
        while (last < same.size() && same[last].slot == same[first].slot) ++last;
        for (std::size_t k = 0; first + k < last; ++k) {
            if (before + k == matches.size()) {
                matches.emplace_back().by = by;
                if (k == 0) matches.back().members.reserve(same.size());
            }
            matches[before + k].members.push_back(same[last - 1 - k]);
        }
    }
    const bool repeated = matches.size() > before + 1;
    for (std::size_t k = before; k < matches.size(); ++k) matches[k].repeated = repeated;
}

void add_pair_match(std::vector<MemberRef> members, std::vector<Match>& matches) {
    matches.emplace_back().by = MatchedBy::Pair;
    matches.back().members = std::move(members);
}

// Sends and receives of one pair: first in, first out, from the end.
void add_pair_matches(const MatchInput& input, std::span<const MemberRef> same, std::vector<Match>& matches) {
    std::vector<MemberRef> sends, receives;
    for (const MemberRef ref : same) {
        const bool is_send = input.ranks[ref.slot].events[ref.index].operation == Operation::Send;
        (is_send ? sends : receives).push_back(ref);
    }
    for (std::size_t k = 0; k < std::max(sends.size(), receives.size()); ++k) {
        std::vector<MemberRef> members;
        if (k < sends.size()) members.push_back(sends[sends.size() - 1 - k]);
        if (k < receives.size()) members.push_back(receives[receives.size() - 1 - k]);
        std::ranges::sort(members);
        // A rank that sends to itself has both on one slot.
        if (members.size() == 2 && members[0].slot == members[1].slot) {
            add_pair_match({members[1]}, matches);
            members.pop_back();
        }
        add_pair_match(std::move(members), matches);
    }
}

MatchedBy matched_by(KeyKind kind) {
    if (kind == KeyKind::Replay) return MatchedBy::Replay;
    return kind == KeyKind::Number ? MatchedBy::Number : MatchedBy::CommsId;
}

}  // namespace

std::vector<KeyMatches> match_by_keys(const MatchInput& input, const MatchKeys& keys,
                                      std::vector<std::uint32_t>& scratch, std::vector<Match>& matches,
                                      OrderedMembers& rest) {
    rest.assign(input.cohort->slots.size(), {});
    const Buckets made = collect_buckets(input, keys, scratch, rest);
    std::vector<KeyMatches> by_key;
    by_key.reserve(made.buckets.size());
    for (const Bucket& bucket : made.buckets) {
        const std::size_t before = matches.size();
        const KeyKind kind = keys.kinds[bucket.key];
        if (kind == KeyKind::Pair)
            add_pair_matches(input, made.members_of(bucket), matches);
        else
            add_matches(matched_by(kind), made.members_of(bucket), matches);
        for (std::size_t m = before; m < matches.size(); ++m) check_match(input, matches[m]);
        by_key.push_back({made.members[bucket.first], matches.size() - before});
    }
    return by_key;
}

void OwnMatches::find(const MatchInput& input, std::uint32_t, std::vector<Match>& matches, OrderedMembers& rest) {
    static_cast<void>(match_by_keys(input, keys_, scratch_, matches, rest));
}

std::vector<std::int64_t> OwnMatches::latest_ends(const MatchedRun& run, std::size_t first) {
    std::vector<std::int64_t> latest;
    for (const Collective& c : std::span(run.collectives).subspan(first)) latest.push_back(latest_end(run, c));
    return latest;
}

}  // namespace core
