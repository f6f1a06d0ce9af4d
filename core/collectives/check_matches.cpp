#include "core/collectives/check_matches.hpp"

#include <array>
#include <map>
#include <ranges>
#include <tuple>

namespace core {
namespace {

const MemberEvent& member_of(const MatchInput& input, MemberRef ref) { return input.ranks[ref.slot].events[ref.index]; }

template <class Value, class Get>
bool differs(const MatchInput& input, const Match& match, Value none, const Get& get) {
    Value first = none;
    for (const MemberRef ref : match.members) {
        const Value value = get(ref);
        if (value == none) continue;
        if (first != none && value != first) return true;
        first = value;
    }
    static_cast<void>(input);
    return false;
}

bool is_vague(Operation operation) { return operation == Operation::Unknown || operation == Operation::SendRecv; }

bool sizes_differ(const MatchInput& input, const Match& match) {
    const bool equal = std::ranges::all_of(
        match.members, [&](MemberRef ref) { return has_equal_bytes(member_of(input, ref).operation); });
    return equal && differs(input, match, kNoBytes, [&](MemberRef ref) { return moved_bytes(member_of(input, ref)); });
}

bool steps_differ(const MatchInput& input, const Match& match) {
    std::optional<std::int64_t> first;
    for (const MemberRef ref : match.members) {
        const std::uint16_t step = member_of(input, ref).step;
        if (step == kNoStep) continue;
        const std::int64_t number = input.ranks[ref.slot].steps[step];
        if (first && *first != number) return true;
        first = number;
    }
    return false;
}

// Ranks that take part in each group: members whose file is here. Of a group without known members, who took part in
// it at all; of the unnamed group, everyone of the cohort.
class Attendance {
public:
    explicit Attendance(const MatchInput& input) : input_(input), of_group_(input.groups.size()) {
        for (const std::uint32_t slot : input.cohort->slots) by_rank_[input.ranks[slot].rank] = slot;
        std::vector<std::vector<std::uint32_t>> took_part(input.groups.size());
        const auto is_unknown = [](const RunGroup& group) { return group.members.empty(); };
        const bool reads = std::ranges::any_of(input.groups | std::views::drop(1), is_unknown);
        for (std::size_t place = 0; reads && place < input.cohort->slots.size(); ++place) {
            const std::uint32_t slot = input.cohort->slots[place];
            for (std::uint32_t i = 0; i < input.ranks[slot].events.size(); ++i) {
                std::vector<std::uint32_t>& list = took_part[input.ranks[slot].group(i)];
                if (list.empty() || list.back() != slot) list.push_back(slot);
            }
        }
        for (std::size_t g = 0; g < of_group_.size(); ++g) find(g, std::move(took_part[g]));
    }
    const std::vector<std::uint32_t>& here(std::uint32_t group) const { return of_group_[group].here; }
    std::uint32_t absent(std::uint32_t group) const { return of_group_[group].absent; }

private:
    struct Group {
        std::vector<std::uint32_t> here;
        std::uint32_t absent = 0;
    };

    void find(std::size_t g, std::vector<std::uint32_t> took_part) {
        Group& group = of_group_[g];
        const std::vector<std::int32_t>& members = input_.groups[g].members;
        for (const std::int32_t rank : members) {
            const auto it = by_rank_.find(rank);
            if (it == by_rank_.end())
                ++group.absent;
            else
                group.here.push_back(it->second);
        }
        if (!members.empty()) return;
        if (g == 0)
            group.here = input_.cohort->slots;
        else
            group.here = std::move(took_part);
        const std::int64_t size = g == 0 ? input_.cohort->world_size : input_.groups[g].size;
        const auto here = static_cast<std::int64_t>(group.here.size());
        group.absent = static_cast<std::uint32_t>(std::clamp<std::int64_t>(size - here, 0, UINT32_MAX));
    }

    const MatchInput& input_;
    std::map<std::int32_t, std::uint32_t> by_rank_;
    std::vector<Group> of_group_;
};

Confidence confidence_of(const Match& match, std::uint8_t doubts) {
    if (match.members.size() < 2) return Confidence::Alone;
    if (doubts != 0) return Confidence::Doubtful;
    const bool keyed = match.by == MatchedBy::Number || match.by == MatchedBy::CommsId || match.by == MatchedBy::Replay;
    return keyed && !match.repeated ? Confidence::Certain : Confidence::Probable;
}

class CollectiveWriter {
public:
    CollectiveWriter(const MatchInput& input, std::uint32_t cohort, MatchedRun& to)
        : input_(input), cohort_(cohort), attendance_(input), to_(to) {}

    void add(const Match& match, const std::vector<bool>& shifted) {
        Collective c;
        c.cohort = cohort_;
        c.first = static_cast<std::uint32_t>(to_.members.size());
        c.count = static_cast<std::uint32_t>(match.members.size());
        c.group = input_.ranks[match.members.front().slot].group(match.members.front().index);
        c.operation = match.operation;
        c.number = match.by == MatchedBy::Replay ? kNoNumber : member_of(input_, match.members.front()).number;
        c.by = match.by;
        c.doubts = match.members.size() < 2 ? std::uint8_t{0} : doubts_of(input_, match, shifted);
        c.confidence = confidence_of(match, c.doubts);
        to_.members.insert(to_.members.end(), match.members.begin(), match.members.end());
        add_missing(match, c);
        to_.collectives.push_back(c);
    }

private:
    void add_missing(const Match& match, Collective& c) {
        c.first_missing = static_cast<std::uint32_t>(to_.missing_slots.size());
        if (match.by == MatchedBy::Pair) {
            add_missing_partner(match, c);
        } else {
            c.absent = attendance_.absent(c.group);
            const std::vector<std::uint32_t>& here = attendance_.here(c.group);
            const bool is_whole = std::ranges::equal(here, match.members, {}, {}, &MemberRef::slot);
            for (const std::uint32_t slot : is_whole ? std::span<const std::uint32_t>() : std::span(here)) {
                const bool is_here = std::ranges::binary_search(match.members, slot, {}, &MemberRef::slot);
                if (!is_here) to_.missing_slots.push_back(slot);
            }
        }
        c.missing = static_cast<std::uint32_t>(to_.missing_slots.size()) - c.first_missing;
    }

    void add_missing_partner(const Match& match, Collective& c) {
        if (match.members.size() != 1) return;
        const std::int32_t partner = member_of(input_, match.members.front()).peer;
        for (const std::uint32_t slot : input_.cohort->slots)
            if (input_.ranks[slot].rank == partner) to_.missing_slots.push_back(slot);
        if (to_.missing_slots.size() == c.first_missing) c.absent = 1;
    }

    const MatchInput& input_;
    std::uint32_t cohort_;
    Attendance attendance_;
    MatchedRun& to_;
};

// latest: of each of the collectives from `first` on.
void number_sequences(MatchedRun& run, std::size_t first, std::span<const std::int64_t> latest) {
    const std::span<Collective> own = std::span(run.collectives).subspan(first);
    std::vector<std::pair<std::int64_t, Collective>> timed;
    for (std::size_t i = 0; i < own.size(); ++i) timed.emplace_back(latest[i], own[i]);
    std::ranges::stable_sort(
        timed, {}, [](const auto& one) { return std::tuple(one.second.group, one.second.operation, one.first); });
    for (std::size_t i = 0; i < own.size(); ++i) {
        own[i] = timed[i].second;
        const bool same = i > 0 && own[i].group == own[i - 1].group && own[i].operation == own[i - 1].operation;
        own[i].sequence = same ? own[i - 1].sequence + 1 : 0;
    }
}

Operation find_operation(const MatchInput& input, const Match& match) {
    if (!is_vague(match.operation)) return match.operation;
    std::array<std::uint32_t, kOperations> counts{};
    for (const MemberRef ref : match.members) ++counts[static_cast<std::size_t>(member_of(input, ref).operation)];
    Operation most = member_of(input, match.members.front()).operation;
    for (const MemberRef ref : match.members) {
        const Operation one = member_of(input, ref).operation;
        const bool better = counts[static_cast<std::size_t>(one)] > counts[static_cast<std::size_t>(most)];
        if (is_vague(most) ? !is_vague(one) : (!is_vague(one) && better)) most = one;
    }
    return most;
}

std::uint8_t find_doubts(const MatchInput& input, const Match& match) {
    std::uint8_t doubts = 0;
    const auto doubt_if = [&](bool condition, Doubt doubt) {
        if (condition) doubts = static_cast<std::uint8_t>(doubts | bit_of(doubt));
    };
    const bool pair = match.by == MatchedBy::Pair;
    doubt_if(!pair && differs(input, match, Operation::Unknown,
                              [&](MemberRef ref) {
                                  const Operation own = member_of(input, ref).operation;
                                  return is_vague(own) ? Operation::Unknown : own;
                              }),
             Doubt::Operations);
    doubt_if(differs(input, match, std::uint8_t{0}, [&](MemberRef ref) { return member_of(input, ref).type; }),
             Doubt::Types);
    doubt_if(sizes_differ(input, match), Doubt::Sizes);
    doubt_if(differs(input, match, std::uint8_t{0}, [&](MemberRef ref) { return member_of(input, ref).parts; }),
             Doubt::Parts);
    doubt_if(steps_differ(input, match), Doubt::Steps);
    doubt_if(match.by == MatchedBy::Number &&
                 differs(input, match, std::uint64_t{0}, [&](MemberRef ref) { return member_of(input, ref).comms_id; }),
             Doubt::Ids);
    return doubts;
}

}  // namespace

std::int64_t latest_end(const MatchedRun& run, const Collective& c) {
    std::int64_t latest = std::numeric_limits<std::int64_t>::min();
    for (const MemberRef ref : run.members_of(c))
        latest = std::max(latest, run.clock(ref.slot).to_true(run.ranks[ref.slot].end(ref.index)));
    return latest;
}

void check_match(const MatchInput& input, Match& match) {
    match.operation = find_operation(input, match);
    match.doubts = find_doubts(input, match);
    match.in_parts = std::ranges::any_of(match.members, [&](MemberRef ref) { return member_of(input, ref).parts > 1; });
}

std::uint8_t doubts_of(const MatchInput& input, const Match& match, const std::vector<bool>& shifted) {
    if (match.by != MatchedBy::Order || shifted.empty()) return match.doubts;
    const std::vector<std::uint32_t>& slots = input.cohort->slots;
    const bool any = std::ranges::any_of(match.members, [&](MemberRef ref) {
        return shifted[static_cast<std::size_t>(std::ranges::lower_bound(slots, ref.slot) - slots.begin())];
    });
    return any ? static_cast<std::uint8_t>(match.doubts | bit_of(Doubt::Shifted)) : match.doubts;
}

void add_collectives(const MatchInput& input, std::uint32_t cohort, std::span<const Match> matches,
                     const std::vector<bool>& shifted, KeyedMatches& keyed, MatchedRun& to) {
    const std::size_t first = to.collectives.size();
    CollectiveWriter writer(input, cohort, to);
    for (const Match& match : matches) writer.add(match, shifted);
    number_sequences(to, first, keyed.latest_ends(to, first));
}

}  // namespace core
