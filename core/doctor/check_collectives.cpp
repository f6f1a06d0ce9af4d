// Collectives on which ranks do not agree: a job that ran out of step, or its records.

#include "core/base/format.hpp"
#include "core/collectives/matched_run.hpp"
#include "core/doctor/examine_run.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace core::doctor {
namespace {

constexpr std::int64_t kGoesOn = 10'000'000;  // ns of work after a collective that a rank lacks: it was not cut off

std::string name_of_collective(const MatchedRun& matches, const Collective& c) {
    const std::string& group = matches.groups[c.group].label;
    return "number " + std::to_string(c.number) + (group.empty() ? "" : " of group " + group);
}

std::string describe_member(const FindingSink& sink, const MatchedRun& matches, MemberRef ref) {
    const MemberEvent& member = matches.member(ref);
    std::string text = "rank " + format_rank(sink.key(ref.slot)) + " " + std::string(name_of(member.operation));
    if (member.in_bytes != kNoBytes) text += " of " + format_bytes(member.in_bytes);
    return text;
}

// The first member that states something else than the first of all.
MemberRef find_other(const MatchedRun& matches, const Collective& c) {
    const std::span<const MemberRef> members = matches.members_of(c);
    const MemberEvent& first = matches.member(members.front());
    const auto other = std::ranges::find_if(members, [&](MemberRef ref) {
        const MemberEvent& one = matches.member(ref);
        return one.operation != first.operation || one.in_bytes != first.in_bytes || one.out_bytes != first.out_bytes;
    });
    return other == members.end() ? members.back() : *other;
}

void report_differing(FindingSink& sink, const MatchedRun& matches) {
    std::uint64_t count = 0;
    const Collective* first = nullptr;
    for (const Collective& c : matches.collectives) {
        constexpr std::uint8_t kDiffer = bit_of(Doubt::Operations) | bit_of(Doubt::Sizes);
        if (c.by != MatchedBy::Number || c.count < 2 || (c.doubts & kDiffer) == 0) continue;
        if (!first) first = &c;
        ++count;
    }
    if (!first) return;
    const MemberRef one = matches.members_of(*first).front();
    const MemberRef other = find_other(matches, *first);
    DoctorFinding& finding =
        sink.add("collectives-differ", count,
                 count_of(count, "collective") + " with other operations or sizes on some ranks; " +
                     name_of_collective(matches, *first) + ": " + describe_member(sink, matches, one) + ", " +
                     describe_member(sink, matches, other));
    finding.ranks = {sink.key(one.slot), sink.key(other.slot)};
}

// Last numbers of each (group, slot), and of each group.
struct LastNumbers {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> of_slot;
    void add(std::uint32_t group, std::uint32_t slot, std::int64_t number) {
        std::int64_t& last = of_slot.try_emplace({group, slot}, number).first->second;
        last = std::max(last, number);
    }
};

std::int64_t end_of(const MatchedRun& matches, const Collective& c) {
    std::int64_t end = INT64_MIN;
    for (const MemberRef ref : matches.members_of(c)) end = std::max(end, matches.ranks[ref.slot].end(ref.index));
    return end;
}

void report_unjoined(FindingSink& sink, const MatchedRun& matches) {
    LastNumbers last;
    for (const Collective& c : matches.collectives)
        if (c.by == MatchedBy::Number)
            for (const MemberRef ref : matches.members_of(c)) last.add(c.group, ref.slot, c.number);
    std::uint64_t count = 0;
    const Collective* first = nullptr;
    std::set<RankKey> ranks;
    for (const Collective& c : matches.collectives) {
        if (c.by != MatchedBy::Number || c.missing == 0 || c.count == 0) continue;
        bool counts = false;
        for (const std::uint32_t slot : matches.missing_of(c)) {
            const auto own = last.of_slot.find({c.group, slot});
            const bool was_there = own != last.of_slot.end() && own->second < c.number;
            if (!was_there || matches.ranks[slot].work_end - kGoesOn < end_of(matches, c)) continue;
            ranks.insert(sink.key(slot));
            counts = true;
        }
        if (!counts) continue;
        if (!first) first = &c;
        ++count;
    }
    if (!first) return;
    DoctorFinding& finding =
        sink.add("collectives-unjoined", count,
                 count_of(count, "collective") + " that rank " + format_rank(*ranks.begin()) +
                     (ranks.size() > 1 ? " and " + count_of(ranks.size() - 1, "other") : "") +
                     " never came to, though work goes on there; the first is " + name_of_collective(matches, *first));
    finding.ranks.assign(ranks.begin(), ranks.end());
}

}  // namespace

void check_collectives(FindingSink& sink) {
    const MatchedRunPtr matches = matched(sink.run);
    report_differing(sink, *matches);
    report_unjoined(sink, *matches);
}

}  // namespace core::doctor
