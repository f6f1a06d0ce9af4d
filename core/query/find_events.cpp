#include "core/query/find_events.hpp"

#include "core/base/jobs.hpp"
#include "core/index/summary_rank.hpp"
#include "core/query/argument_search.hpp"
#include "core/query/lane_range.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr std::size_t kNamesBetweenChecks = 256;
constexpr std::uint8_t kEveryClass = 0xFF;

EventId after(EventId e) { return static_cast<EventId>(index_of(e) + 1); }

RankRange cut(const RankSlot& rank, RankRange range, const std::optional<RunRange>& time) {
    if (!time) return range;
    const RankRange window = rank.to_rank(*time);
    return {std::max(range.begin, window.begin), std::min(range.end, window.end)};
}

}  // namespace

// One search; members in the order they run.
class EventSearch {
public:
    EventSearch(const FindQuery& query, const JobContext& job)
        : query_(query),
          job_(job),
          time_(query.filter.time_range(*query.run)),
          cells_per_ns_(FoundEvents::kCells /
                        static_cast<double>(std::max<std::int64_t>(query.run->window().length().count(), 1))) {}

    Result<FoundEventsPtr> run() && {
        if (query_.text.name.text.size() > kMostSearchBytes)
            return bad_input("search: " + std::to_string(query_.text.name.text.size()) + " bytes; at most " +
                             std::to_string(kMostSearchBytes) + " are read");
        if (query_.text.arguments.size() > kMostSearchTerms)
            return bad_input("search: " + std::to_string(query_.text.arguments.size()) + " terms; at most " +
                             std::to_string(kMostSearchTerms) + " are looked for");
        const Result<NameMatcher> matcher = NameMatcher::make(query_.text.name);
        if (!matcher) return Error(matcher.error());
        Result<ArgumentMatcher> arguments = ArgumentMatcher::make(query_.text);
        if (!arguments) return std::move(arguments).error();
        if (query_.text.reads_arguments()) arguments_ = std::move(*arguments);
        if (!match_names(*matcher)) return cancelled_error();
        begin();
        const std::size_t ranks = query_.run->ranks().size();
        for (std::size_t slot = 0; slot < ranks; ++slot) {
            found_->ranks_.emplace_back();
            if (!query_.filter.accepts_rank(query_.run->rank(slot).key)) continue;
            const Result<SelectionPtr> selection = find_selection(slot);
            if (!selection) return Error(selection.error());
            if (!search_rank(slot, wanted_names(query_.run->rank(slot)), selection->get())) return cancelled_error();
        }
        return FoundEventsPtr(std::move(found_));
    }

    Result<FoundEventsPtr> run(const std::vector<WantedNames>& wanted) && {
        begin();
        for (std::size_t slot = 0; slot < query_.run->ranks().size(); ++slot) {
            found_->ranks_.emplace_back();
            if (!search_rank(slot, wanted[slot], nullptr)) return cancelled_error();
        }
        return FoundEventsPtr(std::move(found_));
    }

private:
    void begin() {
        found_->run_ = query_.run;
        found_->time_ = time_;
        if (!arguments_ || job_.progress == nullptr) return;
        std::uint64_t events = 0;
        for (const RankSlot& rank : query_.run->ranks())
            if (query_.filter.accepts_rank(rank.key)) events += rank.trace().size();
        job_.progress->total = events;
    }

    // Tests every distinct name of the run once, however many ranks have it.
    bool match_names(const NameMatcher& matcher) {
        std::vector<bool> known;
        std::size_t decided = 0;
        for (const RankSlot& rank : query_.run->ranks()) {
            const std::vector<InternedName>& names = *rank.names;
            for (std::size_t local = 0; local < names.size(); ++local) {
                const std::size_t name = index_of(names[local]);
                if (name >= known.size()) known.resize(name + 1 + name / 2);
                if (known[name]) continue;
                known[name] = true;
                matches_.resize(known.size());
                matches_[name] = matcher.matches(rank.trace().text(static_cast<NameId>(local)));
                if (++decided % kNamesBetweenChecks == 0 && job_.cancelled()) return false;
            }
        }
        return true;
    }

    // Null if every event passes.
    Result<SelectionPtr> find_selection(std::size_t slot) const {
        if (query_.filter.without_time_and_rank().empty()) return SelectionPtr();
        if (slot < query_.selections.size() && query_.selections[slot]) return query_.selections[slot];
        return Selection::build(*query_.run, slot, query_.filter, job_);
    }

    WantedNames wanted_names(const RankSlot& rank) const {
        WantedNames wanted(rank.trace().names.size());
        for (std::size_t i = 0; i < wanted.size(); ++i)
            wanted[i] = matches_[index_of((*rank.names)[i])] ? kEveryClass : std::uint8_t{0};
        return wanted;
    }

    bool search_rank(std::size_t slot, const WantedNames& wanted, const Selection* selection) {
        const RankSlot& rank = query_.run->rank(slot);
        const RankTrace& trace = rank.trace();
        FoundEvents::FoundRank& found = found_->ranks_[slot];
        found.events = EventSet(trace.size());
        if (arguments_ && !match_arguments(rank, wanted, selection)) return false;
        for (const Lane& lane : trace.lanes) {
            const FoundEvents::FoundLane inside = cut_to_time(rank, lane);
            const std::size_t before = found_->count_;
            if (!search_lane(rank, inside, wanted, selection, found.events)) return false;
            if (found_->count_ != before) found.lanes.push_back(inside);
        }
        found.events.seal();
        return true;
    }

    // Fills by_arguments_; if an argument may match instead of the name, with events that match by
    // either.
    bool match_arguments(const RankSlot& rank, const WantedNames& wanted, const Selection* selection) {
        const RankTrace& trace = rank.trace();
        std::vector<bool> name_holds(trace.size());
        std::vector<bool> candidates(trace.size());
        for (const Lane& lane : trace.lanes) {
            const FoundEvents::FoundLane inside = cut_to_time(rank, lane);
            for (std::size_t i = index_of(inside.first); i < index_of(inside.last); ++i) {
                if (i % kEventsBetweenChecks == 0 && job_.cancelled()) return false;
                name_holds[i] = wanted[index_of(trace.name[i])] != 0;
                if (!arguments_->can_match(name_holds[i])) continue;
                candidates[i] = selection == nullptr || selection->passes(static_cast<EventId>(i));
            }
        }
        if (!search_arguments(trace, *arguments_, candidates, name_holds, job_, by_arguments_)) return false;
        if (!query_.text.arguments.empty()) return true;
        for (std::size_t i = 0; i < trace.size(); ++i)
            if (name_holds[i]) by_arguments_[i] = true;
        return true;
    }

    FoundEvents::FoundLane cut_to_time(const RankSlot& rank, const Lane& lane) const {
        if (!time_) return {lane.first, lane.last};
        const LaneRange inside = find_events_in(rank, lane, *time_);
        return {inside.first, inside.last};
    }

    bool search_lane(const RankSlot& rank, const FoundEvents::FoundLane& lane, const WantedNames& wanted,
                     const Selection* selection, EventSet& events) {
        const RankTrace& trace = rank.trace();
        for (std::size_t i = index_of(lane.first); i < index_of(lane.last); ++i) {
            if (i % kEventsBetweenChecks == 0 && job_.cancelled()) return false;
            const auto event = static_cast<EventId>(i);
            const unsigned classes = !arguments_        ? wanted[index_of(trace.name[i])]
                                     : by_arguments_[i] ? kEveryClass
                                                        : 0u;
            if (classes == 0) continue;
            if ((classes >> static_cast<unsigned>(rank.index->classes().of(event)) & 1) == 0) continue;
            if (selection != nullptr && !selection->passes(event)) continue;
            events.add(event);
            ++found_->count_;
            const RankRange visible = cut(rank, trace.range(event), time_);
            found_->total_ += std::max(visible.length(), Duration{0});
            mark_cells(rank.to_run(visible));
        }
        return true;
    }

    void mark_cells(RunRange range) {
        const auto cell = [&](RunTime t) {
            const double at = static_cast<double>((t - query_.run->origin()).count()) * cells_per_ns_;
            return static_cast<std::size_t>(std::clamp(at, 0.0, FoundEvents::kCells - 1.0));
        };
        const std::size_t last = cell(std::max(range.begin, range.end - Duration{1}));
        for (std::size_t i = cell(range.begin); i <= last; ++i) found_->cells_.set(i);
    }

    const FindQuery& query_;
    const JobContext& job_;
    const std::optional<RunRange> time_;
    const double cells_per_ns_;
    std::vector<bool> matches_;  // by InternedName
    std::optional<ArgumentMatcher> arguments_;
    std::vector<bool> by_arguments_;  // rank being searched, by event
    std::shared_ptr<FoundEvents> found_{new FoundEvents};
};

Result<FoundEventsPtr> FoundEvents::search(const FindQuery& query, const JobContext& job) {
    if (is_summary(*query.run)) return needs_events(*query.run, "which a search goes through");
    return EventSearch(query, job).run();
}

Result<FoundEventsPtr> FoundEvents::collect(const RunPtr& run, const std::vector<WantedNames>& wanted,
                                            const JobContext& job) {
    if (is_summary(*run)) return needs_events(*run, "which a search goes through");
    const FindQuery everything{.run = run, .text = {}, .filter = {}, .selections = {}};
    return EventSearch(everything, job).run(wanted);
}

Duration FoundEvents::length_of(EventRef ref) const {
    const RankSlot& rank = run_->rank(ref.slot);
    return std::max(cut(rank, rank.trace().range(ref.event), time_).length(), Duration{0});
}

bool FoundEvents::contains(EventRef ref) const {
    return ref.valid() && ref.slot < ranks_.size() && ranks_[ref.slot].events.contains(ref.event);
}

FoundEvents::Place FoundEvents::place_of(EventRef ref) const { return {run_->start_of(ref), ref}; }

// The first event of the lane at or after the place.
EventId FoundEvents::split(std::size_t slot, const FoundLane& lane, const Place& place) const {
    std::size_t low = index_of(lane.first);
    std::size_t high = index_of(lane.last);
    while (low < high) {
        const std::size_t middle = (low + high) / 2;
        if (place_of({static_cast<std::uint32_t>(slot), static_cast<EventId>(middle)}) < place)
            low = middle + 1;
        else
            high = middle;
    }
    return static_cast<EventId>(low);
}

EventRef FoundEvents::next_from(const Place& place) const {
    std::optional<Place> nearest;
    for (std::uint32_t slot = 0; slot < ranks_.size(); ++slot) {
        const EventSet& events = ranks_[slot].events;
        for (const FoundLane& lane : ranks_[slot].lanes) {
            const std::size_t at = events.count_before(split(slot, lane, place));
            if (at == events.count_before(lane.last)) continue;
            const Place found = place_of({slot, events.nth(at)});
            if (!nearest || found < *nearest) nearest = found;
        }
    }
    return nearest ? nearest->ref : EventRef{};
}

EventRef FoundEvents::last_before(const Place& place) const {
    std::optional<Place> nearest;
    for (std::uint32_t slot = 0; slot < ranks_.size(); ++slot) {
        const EventSet& events = ranks_[slot].events;
        for (const FoundLane& lane : ranks_[slot].lanes) {
            const std::size_t end = events.count_before(split(slot, lane, place));
            if (end == events.count_before(lane.first)) continue;
            const Place found = place_of({slot, events.nth(end - 1)});
            if (!nearest || *nearest < found) nearest = found;
        }
    }
    return nearest ? nearest->ref : EventRef{};
}

EventRef FoundEvents::first_from(RunTime t) const {
    const EventRef found = next_from({t, {0, EventId{0}}});
    return found.valid() || count_ == 0 ? found : next_from({RunTime::min(), {0, EventId{0}}});
}

EventRef FoundEvents::next_after(EventRef ref) const {
    Place place = place_of(ref);
    place.ref.event = after(ref.event);
    const EventRef found = next_from(place);
    return found.valid() || count_ == 0 ? found : next_from({RunTime::min(), {0, EventId{0}}});
}

EventRef FoundEvents::previous_before(EventRef ref) const {
    const EventRef found = last_before(place_of(ref));
    return found.valid() ? found : last_before({RunTime::max(), EventRef{}});
}

std::size_t FoundEvents::position_of(EventRef ref) const {
    const Place place = place_of(ref);
    std::size_t before = 0;
    for (std::uint32_t slot = 0; slot < ranks_.size(); ++slot) {
        const EventSet& events = ranks_[slot].events;
        for (const FoundLane& lane : ranks_[slot].lanes)
            before += events.count_before(split(slot, lane, place)) - events.count_before(lane.first);
    }
    return before;
}

}  // namespace core
