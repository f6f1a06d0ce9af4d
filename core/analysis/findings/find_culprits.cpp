#include "core/analysis/findings/find_culprits.hpp"

#include "core/analysis/collectives/causes.hpp"
#include "core/analysis/collectives/clock_share.hpp"
#include "core/analysis/collectives/straggler_sums.hpp"
#include "core/analysis/findings/finding_thresholds.hpp"
#include "core/base/format.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace core {
namespace {

std::string_view plural_of(Operation operation) {
    switch (operation) {
        case Operation::AllReduce:
            return "all-reduces";
        case Operation::AllGather:
            return "all-gathers";
        case Operation::ReduceScatter:
            return "reduce-scatters";
        case Operation::AllToAll:
            return "all-to-alls";
        case Operation::Barrier:
            return "barriers";
        default:
            return "collectives";
    }
}

// Collectives that a rank was last in, and the ranks that waited for it.
struct LastIn {
    std::vector<std::uint32_t> collectives;  // the costliest first
    std::set<Operation> operations;          // of all that count and that it took part in
    std::set<std::uint32_t> waiting;         // slots with a wait that is rooted in it
};

LastIn collect_last(const ChosenMembers& chosen, std::uint32_t slot) {
    LastIn last;
    const MatchedRun& matches = chosen.matches();
    for (const std::uint32_t number : chosen.collectives) {
        const CollectiveTimes& times = chosen.waits->times[number];
        const Collective& c = matches.collectives[number];
        if (!times.counts) continue;
        const auto members = matches.members_of(c);
        if (std::ranges::find(members, slot, &MemberRef::slot) != members.end()) last.operations.insert(c.operation);
        const auto blame = chosen.waits->blame_of(number);
        const bool is_rooted = std::ranges::find(blame, slot, &BlameShare::slot) != blame.end();
        for (std::uint32_t i = c.first; is_rooted && i < c.first + c.count; ++i)
            if (matches.members[i].slot != slot && chosen.waits->wait_of(i) > 0)
                last.waiting.insert(matches.members[i].slot);
        if (times.last_slot == slot && times.resolved) last.collectives.push_back(number);
    }
    std::ranges::stable_sort(last.collectives, [&](std::uint32_t a, std::uint32_t b) {
        return chosen.waits->times[a].wait > chosen.waits->times[b].wait;
    });
    return last;
}

// A clause about the late rank, by the name of its cause; the name itself where there is none.
std::string describe_cause(std::string_view name) {
    constexpr std::array<std::array<std::string_view, 2>, 13> kClauses = {
        {{"slower kernels", "its kernels are slower"},
         {kClocksCause, "its GPU's clock is lower"},
         {kSameClockCause, "its kernels are slower at the same clock"},
         {"more work", "it has more work"},
         {"same work, later", "it does the same work later"},
         {"copies", "its copies take longer"},
         {"other communication", "its other communication takes longer"},
         {"data loading", "it loads data"},
         {"allocation", "it allocates memory"},
         {"synchronisation", "its host waits for the GPU"},
         {"launch call", "its launches take longer"},
         {"host", "its host is late"},
         {"inherited", "an earlier collective left it late"}}};
    const auto clause = std::ranges::find(kClauses, name, [](const auto& row) { return row[0]; });
    return std::string(clause == kClauses.end() ? name : (*clause)[1]);
}

std::string format_cause(const MainCause& main, std::int64_t rooted) {
    const Cause& cause = main.cause;
    if (!cause.shows) return "its cause lies before the trace begins";
    const bool has_clock = cause.clock && cause.clock->known;
    std::string text = has_clock ? format_clock_share(*cause.clock, cause.kernel_ratio) : describe_cause(cause.name);
    if (main.wait < rooted - rooted / 10)
        text += " (" + format_duration(Duration{main.wait}) + " of " + format_duration(Duration{rooted}) + ")";
    const std::string& what = has_clock ? cause.kernels : cause.what;
    if (!what.empty()) text += ": " + what;
    if (main.unseen > rooted / 10)
        text += "; " + format_duration(Duration{main.unseen}) + " of the waiting began before the trace";
    return text;
}

std::string format_evidence(const StragglerSums& sums, const LastIn& last, const std::string& recurrence) {
    const Operation operation = last.operations.size() == 1 ? *last.operations.begin() : Operation::Unknown;
    return (recurrence.empty() ? "" : "; late " + recurrence) + "; last in " + format_count(sums.last) + " of " +
           format_count(sums.collectives) + " " + std::string(plural_of(operation)) + ", " +
           format_plural(last.waiting.size(), "rank waits", "ranks wait") + " " +
           format_duration(Duration{sums.wait_rooted}) + (last.waiting.size() > 1 ? " together" : "");
}

std::vector<EventId> collect_events(const ChosenMembers& chosen, const LastIn& last, std::uint32_t slot,
                                    const Cause& cause) {
    std::vector<EventId> events;
    if (cause.example != kNoEvent) events.push_back(cause.example);
    for (const std::uint32_t number : last.collectives) {
        if (events.size() == thresholds::kMostEvents) break;
        for (const MemberRef ref : chosen.matches().members_of(chosen.matches().collectives[number]))
            if (ref.slot == slot) events.push_back(chosen.matches().member(ref).event);
    }
    return events;
}

}  // namespace

std::vector<Culprit> find_culprits(std::span<const Partial* const> partials, const Run& run) {
    std::vector<const Partial*> with_members;
    for (const Partial* const partial : partials)
        if (partial->find(kMembersTable) != nullptr) with_members.push_back(partial);
    std::vector<Culprit> culprits;
    if (with_members.size() < 2) return culprits;
    const ChosenMembers chosen = choose_members(with_members, run);
    const StragglerRun sums = sum_stragglers(chosen);
    if (std::ranges::none_of(sums.ranks, &StragglerSums::flagged)) return culprits;
    std::set<std::uint32_t> flagged;
    for (std::size_t i = 0; i < chosen.ranks.size(); ++i)
        if (sums.ranks[i].flagged) flagged.insert(chosen.ranks[i].slot);
    const std::map<std::uint32_t, MainCause> causes = find_main_causes(chosen, &flagged);
    for (std::size_t i = 0; i < chosen.ranks.size(); ++i) {
        if (!sums.ranks[i].flagged) continue;
        const std::uint32_t slot = chosen.ranks[i].slot;
        const LastIn last = collect_last(chosen, slot);
        const auto cause = causes.find(slot);
        const MainCause known = cause == causes.end() ? MainCause{} : cause->second;
        Culprit culprit;
        culprit.slot = slot;
        culprit.wait = sums.ranks[i].wait_rooted;
        culprit.gain = culprit.wait / static_cast<std::int64_t>(std::max<std::size_t>(1, last.waiting.size()));
        const bool has_clock = known.cause.clock && known.cause.clock->known;
        culprit.evidence = format_cause(known, culprit.wait) +
                           format_evidence(sums.ranks[i], last,
                                           has_clock ? format_recurrence(recurrence_of(run, slot)) : std::string());
        culprit.events = collect_events(chosen, last, slot, known.cause);
        culprits.push_back(std::move(culprit));
    }
    std::ranges::stable_sort(culprits, [](const Culprit& a, const Culprit& b) { return a.wait > b.wait; });
    return culprits;
}

}  // namespace core
