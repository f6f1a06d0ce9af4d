#include "core/analysis/engine/list_events.hpp"

#include "core/analysis/engine/analysis.hpp"

#include <algorithm>

namespace core {
namespace {

struct ListedEvent {
    EventRef event;
    Duration length{};
    Duration start{};
    bool operator<(const ListedEvent& other) const {  // true if listed earlier
        if (length != other.length) return length > other.length;
        if (start != other.start) return start < other.start;
        return event < other.event;
    }
};

// Keeps the longest of the added events.
class LongestEvents {
public:
    explicit LongestEvents(std::size_t most) : most_(most) {}

    std::uint64_t count() const { return count_; }
    void add(const ListedEvent& event) {
        ++count_;
        total_ += event.length;
        kept_.push_back(event);
        if (kept_.size() >= 2 * most_ + 1024) keep_longest();
    }

    EventListPtr make_list(const Run& run, Facet of_name) {
        keep_longest();
        std::ranges::sort(kept_, std::less<>());
        auto list = std::make_shared<EventList>();
        list->count = count_;
        list->total = total_;
        list->table =
            Table({{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
                   {"event", Unit::Event, Role::Key, Facet::None, "its number within the rank"},
                   {"track", Unit::Text, Role::Info, Facet::None, "the stream or thread it ran on"},
                   {"start", Unit::Ns, Role::Measure, Facet::None, "from the run's origin", false, {}, Better::Neither},
                   {"duration", Unit::Ns, Role::Measure, Facet::None, "what the time filter leaves of it"},
                   {"name", Unit::Text, Role::Info, of_name, "the full name"}});
        for (const ListedEvent& listed : kept_) {
            const RankSlot& rank = run.rank(listed.event.slot);
            const RankTrace& trace = rank.trace();
            list->table.add_row({rank.key.packed(), static_cast<std::int64_t>(index_of(listed.event.event)),
                                 trace.text(trace.track_of(listed.event.event).name), listed.start.count(),
                                 listed.length.count(), trace.name_text(listed.event.event)});
        }
        return list;
    }

private:
    void keep_longest() {
        if (kept_.size() <= most_) return;
        const auto end = kept_.begin() + static_cast<std::ptrdiff_t>(most_);
        std::ranges::nth_element(kept_, end, std::less<>());
        kept_.erase(end, kept_.end());
    }

    std::size_t most_;
    std::vector<ListedEvent> kept_;
    std::uint64_t count_ = 0;
    Duration total_{0};
};

class EventLister {
public:
    EventLister(const EventListQuery& query, const JobContext& job)
        : query_(query), job_(job), gpu_(query.most), threads_(query.most) {}

    Result<EventListPtr> run() && {
        for (std::uint32_t slot = 0; slot < query_.run->ranks().size(); ++slot) {
            if (!query_.filter.accepts_rank(query_.run->rank(slot).key)) continue;
            const Result<SelectionPtr> selection = find_selection(slot);
            if (!selection) return Error(selection.error());
            const RankView view = view_rank(*query_.run, slot, query_.filter, *selection);
            if (!(query_.names.empty() ? add_gpu_events(view) : add_named(view))) return cancelled_error();
        }
        if (threads_.count() > 0) return threads_.make_list(*query_.run, Facet::None);
        return gpu_.make_list(*query_.run, Facet::Kernel);
    }

private:
    Result<SelectionPtr> find_selection(std::size_t slot) const {
        if (slot < query_.selections.size() && query_.selections[slot]) return query_.selections[slot];
        return Selection::build(*query_.run, slot, query_.filter.without_time_and_rank(), job_);
    }

    bool add_gpu_events(const RankView& view) {
        std::size_t seen = 0;
        for (const EventId event : view.gpu_events()) {
            if (seen++ % kEventsBetweenChecks == 0 && job_.cancelled()) return false;
            add(view, event, gpu_);
        }
        return true;
    }

    // Skips annotations and stream waits, which repeat the names of other events.
    bool add_named(const RankView& view) {
        const RankTrace& trace = view.trace();
        std::vector<bool> wanted(trace.names.size());
        for (std::size_t i = 0; i < wanted.size(); ++i)
            wanted[i] = std::ranges::find(query_.names, trace.text(static_cast<NameId>(i))) != query_.names.end();
        if (std::ranges::find(wanted, true) == wanted.end()) return true;
        for (const Lane& lane : trace.lanes) {
            const bool on_thread = query_.threads_first && trace.tracks[lane.track].kind == TrackKind::Thread;
            for (std::size_t i = index_of(lane.first); i < index_of(lane.last); ++i) {
                if (i % kEventsBetweenChecks == 0 && job_.cancelled()) return false;
                const auto event = static_cast<EventId>(i);
                if (!wanted[index_of(trace.name[i])] || !(on_thread || trace.has(event, kGpuEvent))) continue;
                if (view.passes(event)) add(view, event, on_thread ? threads_ : gpu_);
            }
        }
        return true;
    }

    static void add(const RankView& view, EventId event, LongestEvents& found) {
        found.add({.event = {static_cast<std::uint32_t>(view.slot), event},
                   .length = view.visible(event).length(),
                   .start = view.since_origin(view.trace().start[index_of(event)])});
    }

    const EventListQuery& query_;
    const JobContext& job_;
    LongestEvents gpu_;
    LongestEvents threads_;
};

}  // namespace

Result<EventListPtr> list_events(const EventListQuery& query, const JobContext& job) {
    return EventLister(query, job).run();
}

Result<EventListPtr> list_found(const FoundListQuery& query, const JobContext& job) {
    const Run& run = *query.found->run();
    LongestEvents longest(query.most);
    for (std::uint32_t slot = 0; slot < run.ranks().size(); ++slot) {
        const RankSlot& rank = run.rank(slot);
        const RankTrace& trace = rank.trace();
        if (query.rank && rank.key != *query.rank) continue;
        std::vector<bool> wanted(trace.names.size(), query.names.empty());
        for (std::size_t i = 0; !query.names.empty() && i < wanted.size(); ++i)
            wanted[i] = std::ranges::find(query.names, trace.text(static_cast<NameId>(i))) != query.names.end();
        std::size_t seen = 0;
        const bool whole = query.found->events(slot).visit_each([&](EventId event) {
            if (++seen % kEventsBetweenChecks == 0 && job.cancelled()) return false;
            if (!wanted[index_of(trace.name[index_of(event)])]) return true;
            if (query.on_gpu && trace.has(event, kGpuEvent) != *query.on_gpu) return true;
            const RunTime start = rank.start_of(event);
            longest.add({.event = {slot, event},
                         .length = query.found->length_of({slot, event}),
                         .start = start - run.origin()});
            return true;
        });
        if (!whole) return cancelled_error();
    }
    return longest.make_list(run, Facet::None);
}

}  // namespace core
