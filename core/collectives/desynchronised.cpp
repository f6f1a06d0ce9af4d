#include "core/collectives/desynchronised.hpp"

#include "core/base/format.hpp"

#include <map>

namespace core {
namespace {

constexpr std::int64_t kGoesOn = 10'000'000;  // ns of work after a collective that a rank lacks

// Members are compared by this: their operation and, where sizes have to be equal, their bytes.
using Statement = std::pair<Operation, std::int64_t>;
Statement statement_of(const MemberEvent& member, bool of_size) {
    return {member.operation, of_size ? moved_bytes(member) : kNoBytes};
}

bool says_no_operation(const MemberEvent& member) {
    return member.operation == Operation::Unknown || member.operation == Operation::SendRecv;
}

// The latest collective of each group that a slot came to together with others.
std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> collect_last_joined(const MatchedRun& run) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> last;
    for (std::uint32_t i = 0; i < run.collectives.size(); ++i) {
        const Collective& c = run.collectives[i];
        if (c.by != MatchedBy::Number || c.count < 2) continue;
        for (const MemberRef ref : run.members_of(c)) {
            std::uint32_t& at = last.try_emplace({c.group, ref.slot}, i).first->second;
            if (run.collectives[at].number < c.number) at = i;
        }
    }
    return last;
}

std::int64_t latest_end_of(const MatchedRun& run, const Collective& c) {
    std::int64_t end = std::numeric_limits<std::int64_t>::min();
    for (const MemberRef ref : run.members_of(c)) end = std::max(end, run.ranks[ref.slot].end(ref.index));
    return end;
}

// How far a slot's clock is ahead of the others', by the end of one collective: windows on clocks of other origin
// would else seem to go on for hours.
std::int64_t clock_ahead(const MatchedRun& run, const Collective& c, std::uint32_t slot) {
    std::int64_t own = 0, others = std::numeric_limits<std::int64_t>::min();
    for (const MemberRef ref : run.members_of(c)) {
        const std::int64_t end = run.ranks[ref.slot].end(ref.index);
        if (ref.slot == slot)
            own = end;
        else
            others = std::max(others, end);
    }
    std::int64_t ahead = 0;
    return __builtin_sub_overflow(own, others, &ahead) ? 0 : ahead;
}

}  // namespace

std::vector<DifferingCollective> find_differing(const MatchedRun& run) {
    constexpr std::uint8_t kDiffer = bit_of(Doubt::Operations) | bit_of(Doubt::Sizes);
    std::vector<DifferingCollective> found;
    for (std::uint32_t number = 0; number < run.collectives.size(); ++number) {
        const Collective& c = run.collectives[number];
        if (c.by != MatchedBy::Number || c.count < 2 || (c.doubts & kDiffer) == 0) continue;
        const std::span<const MemberRef> members = run.members_of(c);
        const bool of_size = (c.doubts & bit_of(Doubt::Sizes)) != 0;
        const auto statement = [&](MemberRef ref) { return statement_of(run.member(ref), of_size); };
        std::map<Statement, std::size_t> counts;
        for (const MemberRef ref : members)
            if (!says_no_operation(run.member(ref))) ++counts[statement(ref)];
        const auto votes = [&](MemberRef ref) {
            const auto it = counts.find(statement(ref));
            return it == counts.end() ? std::size_t{0} : it->second;
        };
        DifferingCollective one{
            .collective = number, .usual = *std::ranges::max_element(members, {}, votes), .odd = {}};
        for (const MemberRef ref : members)
            if (!says_no_operation(run.member(ref)) && statement(ref) != statement(one.usual)) one.odd.push_back(ref);
        if (!one.odd.empty()) found.push_back(std::move(one));
    }
    return found;
}

std::vector<UnjoinedCollective> find_unjoined(const MatchedRun& run) {
    std::vector<UnjoinedCollective> found;
    const bool any_missing = std::ranges::any_of(
        run.collectives, [](const Collective& c) { return c.by == MatchedBy::Number && c.missing > 0; });
    if (!any_missing) return found;
    const auto last = collect_last_joined(run);
    for (std::uint32_t number = 0; number < run.collectives.size(); ++number) {
        const Collective& c = run.collectives[number];
        if (c.by != MatchedBy::Number || c.missing == 0 || c.count == 0) continue;
        for (const std::uint32_t slot : run.missing_of(c)) {
            const auto own = last.find({c.group, slot});
            if (own == last.end() || run.collectives[own->second].number >= c.number) continue;
            const std::int64_t ahead = clock_ahead(run, run.collectives[own->second], slot);
            std::int64_t left = 0;
            if (__builtin_add_overflow(latest_end_of(run, c), ahead, &left)) continue;
            if (run.ranks[slot].work_end - kGoesOn >= left) found.push_back({number, slot});
        }
    }
    return found;
}

std::string format_number_of(const MatchedRun& run, const Collective& c) {
    const std::string& group = run.groups[c.group].label;
    return "number " + std::to_string(c.number) + (group.empty() ? "" : " of group " + group);
}

std::string format_statement(const MemberEvent& member) {
    std::string text(name_of(member.operation));
    if (member.in_bytes != kNoBytes) text += " of " + format_bytes(member.in_bytes);
    return text;
}

}  // namespace core
