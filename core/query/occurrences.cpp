#include "core/query/occurrences.hpp"

#include "core/query/lane_range.hpp"

#include <algorithm>
#include <tuple>

namespace core {
namespace {

class OccurrenceSearch {
public:
    OccurrenceSearch(const OccurrenceQuery& query, const JobContext& job)
        : query_(query),
          job_(job),
          name_(query.run->rank(query.from.slot).trace().name_text(query.from.event)),
          on_gpu_(query.run->rank(query.from.slot).trace().has(query.from.event, kGpuEvent)),
          time_(query.filter.time_range(*query.run)) {}

    Result<EventRef> run() && {
        const bool by_length = query_.which == Occurrence::Longest || query_.which == Occurrence::LongestOfWorstRank;
        return by_length ? find_longest() : find_beside();
    }

private:
    // Ordered by track, then start, as lanes are rows of one track.
    using Place = std::tuple<std::uint32_t, RankTime, EventId>;

    // Calls visit(event, track) for every passing event with the name; false if cancelled.
    template <class Visit>
    Result<bool> visit_rank(std::uint32_t slot, const Visit& visit) {
        const RankSlot& rank = query_.run->rank(slot);
        const RankTrace& trace = rank.trace();
        if (!query_.filter.accepts_rank(rank.key)) return true;
        std::vector<bool> wanted(trace.names.size());
        for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = trace.text(static_cast<NameId>(i)) == name_;
        if (std::ranges::find(wanted, true) == wanted.end()) return true;
        const Result<SelectionPtr> selection = find_selection(slot);
        if (!selection) return selection.error();
        for (const Lane& lane : trace.lanes) {
            const LaneRange inside = time_ ? find_events_in(rank, lane, *time_) : LaneRange{lane.first, lane.last};
            for (std::size_t i = index_of(inside.first); i < index_of(inside.last); ++i) {
                if (i % kEventsBetweenChecks == 0 && job_.cancelled()) return cancelled_error();
                const auto event = static_cast<EventId>(i);
                if (!wanted[index_of(trace.name[i])] || trace.has(event, kGpuEvent) != on_gpu_) continue;
                if (*selection == nullptr || (*selection)->passes(event)) visit(event, lane.track);
            }
        }
        return true;
    }

    Result<SelectionPtr> find_selection(std::size_t slot) const {
        if (query_.filter.without_time_and_rank().empty()) return SelectionPtr();
        if (slot < query_.selections.size() && query_.selections[slot]) return query_.selections[slot];
        return Selection::build(*query_.run, slot, query_.filter, job_);
    }

    Result<EventRef> find_longest() {
        EventRef longest;
        Duration most{-1};
        Duration most_total{-1};
        for (std::uint32_t slot = 0; slot < query_.run->ranks().size(); ++slot) {
            const RankTrace& trace = query_.run->rank(slot).trace();
            EventRef own;
            std::tuple<Duration, Duration> best{};  // longest, then earliest
            Duration total{0};
            const Result<bool> done = visit_rank(slot, [&](EventId event, std::uint32_t) {
                const Duration length = trace.duration[index_of(event)];
                const std::tuple<Duration, Duration> rating{length, trace.window.begin - trace.start[index_of(event)]};
                total += length;
                if (own.valid() && rating <= best) return;
                best = rating;
                own = {slot, event};
            });
            if (!done) return done.error();
            if (!own.valid()) continue;
            const Duration length = std::get<0>(best);
            const bool better = query_.which == Occurrence::Longest ? length > most : total > most_total;
            if (!better) continue;
            longest = own;
            most = length;
            most_total = total;
        }
        return longest;
    }

    Result<EventRef> find_beside() {
        const bool forward = query_.which == Occurrence::Next;
        const auto ranks = static_cast<std::uint32_t>(query_.run->ranks().size());
        // The rank itself comes first and, for events on its other side, last.
        for (std::uint32_t i = 0; i <= ranks; ++i) {
            const std::uint32_t slot = (query_.from.slot + (forward ? i : ranks * 2 - i)) % ranks;
            Result<EventRef> found = find_in_rank(slot, i == 0, forward);
            if (!found || found->valid()) return found;
        }
        return EventRef{};
    }

    Result<EventRef> find_in_rank(std::uint32_t slot, bool beyond_from, bool forward) {
        const RankTrace& trace = query_.run->rank(slot).trace();
        const RankTrace& own = query_.run->rank(query_.from.slot).trace();
        const Place from{own.lanes[own.find_lane(query_.from.event)].track, own.start[index_of(query_.from.event)],
                         query_.from.event};
        std::optional<Place> nearest;
        const Result<bool> done = visit_rank(slot, [&](EventId event, std::uint32_t track) {
            const Place place{track, trace.start[index_of(event)], event};
            if (beyond_from && (forward ? place <= from : place >= from)) return;
            if (!nearest || (forward ? place < *nearest : place > *nearest)) nearest = place;
        });
        if (!done) return done.error();
        return nearest ? EventRef{slot, std::get<2>(*nearest)} : EventRef{};
    }

    const OccurrenceQuery& query_;
    const JobContext& job_;
    const std::string_view name_;
    const bool on_gpu_;
    const std::optional<RunRange> time_;
};

}  // namespace

Result<EventRef> find_occurrence(const OccurrenceQuery& query, const JobContext& job) {
    if (!query.from.valid()) return EventRef{};
    return OccurrenceSearch(query, job).run();
}

}  // namespace core
