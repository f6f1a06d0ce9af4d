#include "core/analysis/collectives/member_exposure.hpp"

#include <algorithm>

namespace core {

std::optional<MemberExposure> find_exposure(const Run& run, const Waits& waits, std::uint32_t collective,
                                            std::uint32_t position) {
    if (!waits.knows_wait(collective, position)) return std::nullopt;
    const MemberRef ref = waits.matched->members[position];
    const RankSlot& rank = run.rank(ref.slot);
    const std::int64_t wait = std::max<std::int64_t>(0, waits.wait_of(position));
    const std::int64_t transfer = std::max<std::int64_t>(0, waits.transfer_of(position));
    if (const SummaryFacts* const facts = summary_of(rank.trace())) {
        const std::span<const HiddenTimes> hidden = hidden_times_of(rank.trace());
        const bool holds = is_as_summarised(run, ref.slot) && facts->ranks == run.ranks().size();
        if (!holds || ref.index >= hidden.size()) return std::nullopt;
        return MemberExposure{
            .waiting = wait - std::clamp<std::int64_t>(hidden[ref.index].waiting, 0, wait),
            .transferring = transfer - std::clamp<std::int64_t>(hidden[ref.index].transferring, 0, transfer)};
    }
    const MemberEvent& member = waits.matched->member(ref);
    const RankTime last_arrived = member.start + Duration{waits.wait_of(position)};
    const auto exposed = [&](RankRange range) {
        return range.empty() ? std::int64_t{0} : rank.index->partition().times(range).exposed_communication().count();
    };
    return MemberExposure{.waiting = exposed({member.start, last_arrived}),
                          .transferring = exposed({last_arrived, member.end()})};
}

HiddenTimes find_hidden_times(const Run& run, const Waits& waits, MemberRef ref) {
    const std::uint32_t number = waits.matched->collective_of(ref);
    const Collective& c = waits.matched->collectives[number];
    const auto members = waits.matched->members_of(c);
    const auto place = static_cast<std::uint32_t>(std::ranges::lower_bound(members, ref) - members.begin());
    const std::uint32_t position = c.first + place;
    const std::optional<MemberExposure> exposed = find_exposure(run, waits, number, position);
    if (!exposed) return {};
    return {.waiting = std::max<std::int64_t>(0, waits.wait_of(position)) - exposed->waiting,
            .transferring = std::max<std::int64_t>(0, waits.transfer_of(position)) - exposed->transferring};
}

}  // namespace core
