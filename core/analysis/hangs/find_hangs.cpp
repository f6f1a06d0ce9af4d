#include "core/analysis/hangs/find_hangs.hpp"

#include "core/analysis/hangs/call_mismatch.hpp"
#include "core/analysis/hangs/late_peers.hpp"
#include "core/analysis/hangs/waiting_graph.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

namespace core::hangs {
namespace {

// All parts of one collective on one rank.
struct Collective {
    std::vector<const RecordedCall*> parts;
    bool pending = true;  // no part is completed
    bool started = false;
};

// The collectives of one group on one rank that its dump still has.
struct MemberHistory {
    std::size_t rank = 0;  // position
    std::map<std::int64_t, Collective> collectives;
    std::optional<std::int64_t> first_pending, last;
    std::size_t recorded = 0;  // calls of the rank up to its last of the group; 0: none of the group
};

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();

// A root may complete before the others enter, and they after it.
bool is_rooted(std::string_view operation) {
    for (const std::string_view name : {"broadcast", "_broadcast_oop", "reduce", "_reduce_oop", "scatter", "gather"})
        if (operation == name) return true;
    return false;
}

bool is_rooted(const Collective& collective) {
    return std::ranges::all_of(collective.parts, [](const RecordedCall* call) { return is_rooted(call->operation); });
}

class HangFinder {
public:
    explicit HangFinder(const RecordedJob& job) : job_(job), graph_(job.ranks.size()), earliest_(job.ranks.size()) {
        for (std::size_t i = 0; i < job.ranks.size(); ++i) {
            position_of_[job.ranks[i].number] = i;
            earliest_[i] = std::numeric_limits<std::int64_t>::max();
            for (const RecordedCall& call : job.ranks[i].calls) {
                earliest_[i] = std::min(earliest_[i], call.created_ns);
                if (call.progress == CallProgress::Completed) found_.only_pending = false;
            }
        }
    }

    Hangs find() {
        collect_histories();
        for (std::uint32_t group = 0; group < job_.groups.size(); ++group) check_group(group);
        check_peers();
        graph_.close();
        name_suspects();
        finish();
        return std::move(found_);
    }

private:
    struct Candidate {
        Suspect suspect;
        std::size_t rank = 0;
        bool weak = false;  // named only if nobody else is
    };

    void collect_histories() {
        histories_.resize(job_.groups.size());
        for (std::uint32_t g = 0; g < job_.groups.size(); ++g) {
            for (const std::int32_t number : job_.groups[g].members)
                if (const auto known = position_of_.find(number); known != position_of_.end())
                    history_of(g, known->second);
        }
        for (std::size_t i = 0; i < job_.ranks.size(); ++i) {
            std::size_t recorded = 0;
            for (const RecordedCall& call : job_.ranks[i].calls) {
                ++recorded;
                if (call.is_peer_to_peer || call.group >= job_.groups.size()) continue;
                history_of(call.group, i).recorded = recorded;
                Collective& collective = history_of(call.group, i).collectives[call.number];
                collective.parts.push_back(&call);
                if (call.progress == CallProgress::Completed) collective.pending = false;
                if (call.progress != CallProgress::Scheduled) collective.started = true;
            }
        }
        for (auto& group : histories_) {
            for (auto& [position, history] : group) {
                if (!history.collectives.empty()) history.last = history.collectives.rbegin()->first;
                for (const auto& [number, collective] : history.collectives) {
                    if (!collective.pending) continue;
                    history.first_pending = number;
                    break;
                }
            }
        }
    }
    MemberHistory& history_of(std::uint32_t group, std::size_t position) {
        MemberHistory& history = histories_[group][position];
        history.rank = position;
        return history;
    }

    // The first pending collective of another member that this one has not entered, and when it was first entered.
    struct NotEntered {
        std::int64_t number = 0;
        std::int64_t since_ns = 0;
    };
    std::optional<NotEntered> find_not_entered(const std::map<std::size_t, MemberHistory>& members,
                                               const MemberHistory& self) const {
        std::optional<NotEntered> first;
        for (const auto& [position, other] : members) {
            if (position == self.rank) continue;
            const auto begin = self.last ? other.collectives.upper_bound(*self.last) : other.collectives.begin();
            for (auto at = begin; at != other.collectives.end(); ++at) {
                if (first && at->first > first->number) break;
                if (!at->second.pending) continue;
                const std::int64_t since = created_of(at->second);
                if (!first || at->first < first->number)
                    first = NotEntered{at->first, since};
                else
                    first->since_ns = std::min(first->since_ns, since);
                break;
            }
        }
        if (!first || self.last || found_.only_pending) return first;
        // Nothing of the group is in a dump that also has completed calls: it may have been overwritten.
        const RecordedRank& rank = job_.ranks[self.rank];
        const bool would_be_here = !rank.lost_calls || rank.calls.empty() || earliest_[self.rank] <= first->since_ns;
        return would_be_here ? first : std::nullopt;
    }
    static std::int64_t created_of(const Collective& collective) {
        return std::ranges::min(collective.parts, {}, &RecordedCall::created_ns)->created_ns;
    }

    // The last collective that this member has certainly completed.
    std::int64_t completed_by(const MemberHistory& member) const {
        if (member.first_pending) return *member.first_pending - 1;
        return found_.only_pending || !member.last ? kNever : *member.last;
    }

    // Another member completed a collective that needs this one, which still waits in it.
    bool is_behind(const std::map<std::size_t, MemberHistory>& members, const MemberHistory& self) const {
        if (!self.first_pending) return false;
        std::int64_t done = kNever;
        for (const auto& [position, other] : members)
            if (position != self.rank) done = std::max(done, completed_by(other));
        for (auto at = self.collectives.find(*self.first_pending); at != self.collectives.end() && at->first <= done;
             ++at)
            if (at->second.pending && !is_rooted(at->second)) return true;
        return false;
    }

    std::map<std::size_t, NotEntered> collect_not_entered(const std::map<std::size_t, MemberHistory>& members) const {
        std::map<std::size_t, NotEntered> not_entered;
        for (const auto& [position, member] : members)
            if (const std::optional<NotEntered> next = find_not_entered(members, member))
                not_entered.emplace(position, *next);
        return not_entered;
    }

    // A later entry of the member's dump, unread or of an unknown group, may be the call that is not there.
    bool may_be_unread(std::uint32_t g, const MemberHistory& member) const {
        const RecordedRank& rank = job_.ranks[member.rank];
        if (rank.before_unread && member.recorded <= *rank.before_unread) return true;
        return rank.before_unplaced && !job_.groups[g].members.empty() && member.recorded <= *rank.before_unplaced;
    }

    // The first collective that a member has not entered whose dump can, or cannot, tell.
    std::optional<std::int64_t> find_first(std::uint32_t g, const std::map<std::size_t, NotEntered>& not_entered,
                                           bool unread) const {
        std::optional<std::int64_t> first;
        for (const auto& [position, next] : not_entered)
            if (may_be_unread(g, histories_[g].at(position)) == unread)
                first = std::min(first.value_or(next.number), next.number);
        return first;
    }

    void add_absent(std::uint32_t g, const MemberHistory& member, std::int64_t number, std::int64_t of_group) {
        if (may_be_unread(g, member)) {
            if (number <= of_group) add(g, member, Verdict::Incomplete, of_group, false);
        } else if (number == of_group) {
            add(g, member, Verdict::Missing, of_group, member.first_pending.has_value());
        }
    }

    void check_group(std::uint32_t g) {
        const std::map<std::size_t, MemberHistory>& members = histories_[g];
        std::optional<std::int64_t> first_pending;
        for (const auto& [position, member] : members)
            if (member.first_pending)
                first_pending = std::min(first_pending.value_or(*member.first_pending), *member.first_pending);
        if (!first_pending) return;

        const std::map<std::size_t, NotEntered> not_entered = collect_not_entered(members);
        std::optional<std::int64_t> first = find_first(g, not_entered, false);
        if (!first) first = find_first(g, not_entered, true);
        GroupState state;
        state.group = g;
        state.all_entered = !first;
        state.number = first.value_or(*first_pending);
        state.since_ns = std::numeric_limits<std::int64_t>::max();
        describe_group(members, state);
        for (const auto& [position, next] : not_entered) {
            if (may_be_unread(g, members.at(position))) continue;
            if (next.number == state.number) state.missing.push_back(number_of(position));
        }
        for (const auto& [position, member] : members) {
            const auto absent = not_entered.find(position);
            if (is_behind(members, member)) {
                state.behind.push_back(number_of(position));
                add(g, member, Verdict::Behind, *member.first_pending, false);
            } else if (absent != not_entered.end()) {
                add_absent(g, member, absent->second.number, state.number);
            }
        }
        add_mismatches(g, members);
        add_not_started(g, members, *first_pending);
        add_without_dump(g, state);
        add_waits(g, members, state);
        found_.groups.push_back(std::move(state));
    }

    void describe_group(const std::map<std::size_t, MemberHistory>& members, GroupState& state) const {
        for (const auto& [position, member] : members) {
            const auto call = member.collectives.find(state.number);
            const bool entered = call != member.collectives.end() || (member.last && *member.last >= state.number);
            if (entered) state.entered.push_back(number_of(position));
            if (call == member.collectives.end()) continue;
            state.since_ns = std::min(state.since_ns, created_of(call->second));
            if (state.operation.empty()) state.operation = call->second.parts.back()->operation;
        }
        std::ranges::sort(state.entered);
    }

    std::int32_t number_of(std::size_t position) const { return job_.ranks[position].number; }

    void add(std::uint32_t group, const MemberHistory& member, Verdict verdict, std::int64_t number, bool weak,
             std::string mismatch = {}) {
        Suspect suspect;
        suspect.group = group;
        suspect.rank = number_of(member.rank);
        suspect.verdict = verdict;
        suspect.number = number;
        suspect.last = member.last;
        suspect.mismatch = std::move(mismatch);
        suspect.event = find_event(member, number);
        describe_number(group, suspect);
        candidates_.push_back({std::move(suspect), member.rank, weak});
    }

    void describe_number(std::uint32_t group, Suspect& suspect) const {
        for (const auto& [position, member] : histories_[group]) {
            const auto call = member.collectives.find(suspect.number);
            if (call == member.collectives.end()) continue;
            const std::int64_t created = created_of(call->second);
            suspect.since_ns = suspect.operation.empty() ? created : std::min(suspect.since_ns, created);
            if (suspect.operation.empty()) suspect.operation = call->second.parts.back()->operation;
            if (call->second.pending && position != position_of_.at(suspect.rank)) ++suspect.waiting;
        }
    }

    std::optional<std::uint32_t> find_event(const MemberHistory& member, std::int64_t number) const {
        if (const auto call = member.collectives.find(number); call != member.collectives.end())
            return call->second.parts.back()->event;
        if (!member.collectives.empty()) return member.collectives.rbegin()->second.parts.back()->event;
        const std::vector<RecordedCall>& calls = job_.ranks[member.rank].calls;
        if (calls.empty()) return std::nullopt;
        return std::ranges::max(calls, {}, &RecordedCall::created_ns).event;
    }

    // First collective with differing calls, among those that somebody waits in.
    void add_mismatches(std::uint32_t g, const std::map<std::size_t, MemberHistory>& members) {
        std::set<std::int64_t> pending;
        for (const auto& [position, member] : members)
            for (const auto& [number, collective] : member.collectives)
                if (collective.pending) pending.insert(number);
        for (const std::int64_t number : pending) {
            std::vector<std::vector<const RecordedCall*>> calls;
            std::vector<const MemberHistory*> callers;
            for (const auto& [position, member] : members) {
                const auto call = member.collectives.find(number);
                if (call == member.collectives.end()) continue;
                calls.push_back(call->second.parts);
                callers.push_back(&member);
            }
            const std::vector<std::string> differences = find_mismatches(calls);
            bool found = false;
            for (std::size_t i = 0; i < differences.size(); ++i) {
                if (differences[i].empty()) continue;
                found = true;
                add(g, *callers[i], Verdict::Mismatch, number, false, differences[i]);
            }
            if (found) return;
        }
    }

    // Everyone entered the first pending one, and some GPUs have started it.
    void add_not_started(std::uint32_t g, const std::map<std::size_t, MemberHistory>& members, std::int64_t number) {
        bool any_started = false;
        for (const auto& [position, member] : members) {
            const auto call = member.collectives.find(number);
            if (call == member.collectives.end()) return;
            any_started = any_started || call->second.started;
        }
        if (!any_started) return;
        for (const auto& [position, member] : members) {
            const Collective& call = member.collectives.at(number);
            if (call.pending && !call.started && job_.ranks[position].knows_starts)
                add(g, member, Verdict::NotStarted, number, true);
        }
    }

    void add_without_dump(std::uint32_t g, GroupState& state) {
        for (const std::int32_t number : job_.groups[g].members) {
            if (position_of_.contains(number) || std::ranges::binary_search(job_.left_out, number)) continue;
            state.no_dump.push_back(number);
            Suspect suspect;
            suspect.group = g;
            suspect.rank = number;
            suspect.verdict = Verdict::NoDump;
            suspect.number = state.number;
            suspect.operation = state.operation;
            suspect.since_ns = state.since_ns;
            suspect.waiting = std::ssize(state.entered);
            found_.suspects.push_back(std::move(suspect));
        }
        std::ranges::sort(state.no_dump);
    }

    // Ranks that wait in this group wait for those that are missing or behind in it.
    void add_waits(std::uint32_t g, const std::map<std::size_t, MemberHistory>& members, const GroupState&) {
        for (const Candidate& candidate : candidates_) {
            if (candidate.suspect.group != g || candidate.suspect.verdict == Verdict::Mismatch) continue;
            for (const auto& [position, member] : members)
                if (member.first_pending && position != candidate.rank) graph_.add(position, candidate.rank);
        }
    }

    // Numbers of sends and receives are each rank's own: that of a suspect is the waiting rank's.
    void check_peers() {
        for (const LatePeer& peer : find_late_peers(job_)) {
            const std::size_t late = position_of_.at(peer.late);
            graph_.add(position_of_.at(peer.waits), late);
            Suspect suspect;
            suspect.group = peer.group;
            suspect.rank = peer.late;
            suspect.number = peer.call->number;
            suspect.operation = peer.call->operation;
            suspect.since_ns = peer.call->created_ns;
            suspect.waiting = 1;
            suspect.event = find_event(MemberHistory{.rank = late, .collectives = {}, .first_pending = {}, .last = {}},
                                       peer.call->number);
            candidates_.push_back({.suspect = std::move(suspect), .rank = late, .weak = true});
        }
    }

    // Strong evidence first: a rank that is behind or calls something else; a missing rank that waits for nobody who is
    // named. Weak evidence counts only without any of it.
    void name_suspects() {
        const auto is_certain = [](const Candidate& one) {
            return one.suspect.verdict == Verdict::Behind || one.suspect.verdict == Verdict::Mismatch;
        };
        const auto name = [&](bool weak) {
            bool any = false;
            for (Candidate& one : candidates_) {
                if (one.weak != weak || one.suspect.verdict == Verdict::Incomplete) continue;
                one.suspect.named = is_certain(one) || graph_.is_end(one.rank);
                any = any || one.suspect.named;
            }
            return any;
        };
        if (!name(false)) name(true);
        std::set<std::int32_t> named;
        for (const Candidate& one : candidates_)
            if (one.suspect.named) named.insert(one.suspect.rank);
        for (Candidate& one : candidates_) {
            if (!one.suspect.named && named.contains(one.suspect.rank)) continue;
            if (!one.suspect.named && one.suspect.verdict != Verdict::Incomplete) one.suspect.verdict = Verdict::HeldUp;
            found_.suspects.push_back(std::move(one.suspect));
        }
    }

    void finish() {
        const auto strength = [](const Suspect& one) {
            constexpr Verdict kOrder[] = {Verdict::Mismatch, Verdict::Behind, Verdict::Missing, Verdict::NotStarted,
                                          Verdict::Incomplete};
            return std::ranges::find(kOrder, one.verdict) - std::begin(kOrder);
        };
        std::ranges::stable_sort(found_.suspects, {},
                                 [&](const Suspect& one) { return std::tuple(one.group, one.rank, strength(one)); });
        const auto repeated =
            std::ranges::unique(found_.suspects, {}, [](const Suspect& one) { return std::pair(one.group, one.rank); });
        found_.suspects.erase(repeated.begin(), repeated.end());
        std::ranges::stable_sort(found_.groups, {}, &GroupState::since_ns);
    }

    const RecordedJob& job_;
    WaitingGraph graph_;
    std::vector<std::int64_t> earliest_;  // time of each rank's first call that is still there
    std::map<std::int32_t, std::size_t> position_of_;
    std::vector<std::map<std::size_t, MemberHistory>> histories_;  // per group
    std::vector<Candidate> candidates_;
    Hangs found_{.suspects = {}, .groups = {}, .only_pending = true};
};

}  // namespace

std::string_view name_of(Verdict verdict) {
    constexpr std::string_view kNames[] = {"missing", "behind",          "mismatch", "not-started",
                                           "no-dump", "incomplete-dump", "held-up"};
    return kNames[static_cast<std::size_t>(verdict)];
}

Hangs find_hangs(const RecordedJob& job) { return HangFinder(job).find(); }

}  // namespace core::hangs
