#include "core/analysis/findings/find_desynchronised.hpp"

#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/findings/finding_thresholds.hpp"
#include "core/base/format.hpp"
#include "core/collectives/desynchronised.hpp"

#include <algorithm>
#include <map>

namespace core {
namespace {

// Collectives in which one rank differs from the others.
struct OutOfStep {
    std::int64_t differing = 0, unjoined = 0;
    std::string first_differing, first_unjoined;
    std::vector<EventId> events;
    std::optional<RankRange> missed;  // the first collective that it never came to, on its own clock
    Wide time = 0;                    // of the others, and its own, in these collectives
};

class DesyncFinder {
public:
    explicit DesyncFinder(const ChosenMembers& chosen) : chosen_(chosen), matches_(chosen.matches()) {}

    std::map<std::uint32_t, OutOfStep> find() {
        for (const DifferingCollective& one : find_differing(matches_))
            if (chosen_.collective[one.collective])
                for (const MemberRef ref : one.odd) add_differing(one, ref);
        for (const UnjoinedCollective& one : find_unjoined(matches_))
            if (chosen_.collective[one.collective]) add_unjoined(one);
        return std::move(ranks_);
    }

private:
    void add_differing(const DifferingCollective& one, MemberRef ref) {
        OutOfStep& rank = ranks_[ref.slot];
        const Collective& c = matches_.collectives[one.collective];
        if (rank.differing++ == 0)
            rank.first_differing = format_number_of(matches_, c) + ": " + format_statement(matches_.member(ref)) +
                                   " here, " + format_statement(matches_.member(one.usual)) + " on rank " +
                                   format_rank(chosen_.run->rank(one.usual.slot).key);
        if (rank.events.size() < thresholds::kMostEvents) rank.events.push_back(matches_.member(ref).event);
        rank.time += matches_.member(ref).duration.count();
    }

    void add_unjoined(const UnjoinedCollective& one) {
        OutOfStep& rank = ranks_[one.slot];
        const Collective& c = matches_.collectives[one.collective];
        std::int64_t longest = 0;
        std::optional<RunRange> range;
        for (const MemberRef ref : matches_.members_of(c)) {
            const MemberEvent& member = matches_.member(ref);
            longest = std::max(longest, member.duration.count());
            const RankSlot& slot = chosen_.run->rank(ref.slot);
            const RunRange own{slot.to_run(member.start), slot.to_run(member.end())};
            range = range ? RunRange{std::min(range->begin, own.begin), std::max(range->end, own.end)} : own;
        }
        rank.time += longest;
        if (rank.unjoined++ > 0) return;
        rank.first_unjoined = format_number_of(matches_, c);
        if (range) rank.missed = chosen_.run->rank(one.slot).to_rank(*range);
    }

    const ChosenMembers& chosen_;
    const MatchedRun& matches_;
    std::map<std::uint32_t, OutOfStep> ranks_;
};

std::string format_out_of_step(const OutOfStep& rank) {
    std::string text;
    if (rank.differing > 0)
        text = format_plural(static_cast<std::size_t>(rank.differing), "collective", "collectives") +
               " with another operation or size than on the other ranks, the first is " + rank.first_differing;
    if (rank.unjoined > 0)
        text += (text.empty() ? "" : "; ") +
                format_plural(static_cast<std::size_t>(rank.unjoined), "collective", "collectives") +
                " that the rank never came to, though its work goes on, the first is " + rank.first_unjoined;
    return text;
}

}  // namespace

std::vector<DesynchronisedRank> find_desynchronised(std::span<const Partial* const> partials, const Run& run) {
    std::vector<const Partial*> with_members;
    for (const Partial* const partial : partials)
        if (partial->find(kMembersTable) != nullptr) with_members.push_back(partial);
    std::vector<DesynchronisedRank> found;
    if (with_members.size() < 2) return found;
    const ChosenMembers chosen = choose_members(with_members, run);
    for (const auto& [slot, rank] : DesyncFinder(chosen).find()) {
        if (!chosen.has_rank(slot)) continue;
        found.push_back({slot, Finding{.kind = FindingKind::Desynchronised,
                                       .gain = clamped(rank.time),
                                       .evidence = format_out_of_step(rank),
                                       .events = rank.events,
                                       .gap = rank.events.empty() ? rank.missed : std::nullopt}});
    }
    return found;
}

}  // namespace core
