#include "core/analysis/list_events.hpp"

#include "core/analysis/analysis.hpp"

#include <algorithm>

namespace core {
namespace {

struct ListedEvent {
    EventRef event;
    Duration length{};
    Duration start{};
    bool operator<(const ListedEvent& other) const {  // comes first
        if (length != other.length) return length > other.length;
        if (start != other.start) return start < other.start;
        return event < other.event;
    }
};

class EventLister {
public:
    EventLister(const EventListQuery& query, const JobContext& job) : query_(query), job_(job) {}

    Result<EventListPtr> run() && {
        for (std::uint32_t slot = 0; slot < query_.run->ranks().size(); ++slot) {
            if (!query_.filter.accepts_rank(query_.run->rank(slot).key)) continue;
            const Result<SelectionPtr> selection = find_selection(slot);
            if (!selection) return Error(selection.error());
            const RankView view = view_rank(*query_.run, slot, query_.filter, *selection);
            if (!(query_.names.empty() ? add_gpu_events(view) : add_named(view))) return cancelled_error();
        }
        Found& found = threads_.count > 0 ? threads_ : gpu_;
        keep_longest(found.kept);
        std::ranges::sort(found.kept, std::less<>());
        return make_list(found);
    }

private:
    struct Found {
        std::vector<ListedEvent> kept;
        std::uint64_t count = 0;
        Duration total{0};
    };

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

    // Annotations and waits on streams bear the names of what they are about: they are left out.
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

    void add(const RankView& view, EventId event, Found& found) {
        const Duration length = view.visible(event).length();
        ++found.count;
        found.total += length;
        found.kept.push_back({{static_cast<std::uint32_t>(view.slot), event},
                              length,
                              view.since_origin(view.trace().start[index_of(event)])});
        if (found.kept.size() >= 2 * query_.most + 1024) keep_longest(found.kept);
    }

    void keep_longest(std::vector<ListedEvent>& kept) const {
        if (kept.size() <= query_.most) return;
        const auto end = kept.begin() + static_cast<std::ptrdiff_t>(query_.most);
        std::ranges::nth_element(kept, end, std::less<>());
        kept.erase(end, kept.end());
    }

    EventListPtr make_list(const Found& found) const {
        auto list = std::make_shared<EventList>();
        list->count = found.count;
        list->total = found.total;
        const Facet of_name = &found == &gpu_ ? Facet::Kernel : Facet::None;
        list->table = Table({{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
                             {"event", Unit::Event, Role::Key, Facet::None, "its number within the rank"},
                             {"track", Unit::Text, Role::Info, Facet::None, "the stream or thread it ran on"},
                             {"start", Unit::Ns, Role::Measure, Facet::None, "from the run's origin"},
                             {"duration", Unit::Ns, Role::Measure, Facet::None, "what the time filter leaves of it"},
                             {"name", Unit::Text, Role::Info, of_name, "the full name"}});
        for (const ListedEvent& listed : found.kept) {
            const RankSlot& rank = query_.run->rank(listed.event.slot);
            const RankTrace& trace = rank.trace();
            list->table.add_row({rank.key.packed(), static_cast<std::int64_t>(index_of(listed.event.event)),
                                 trace.text(trace.track_of(listed.event.event).name), listed.start.count(),
                                 listed.length.count(), trace.name_text(listed.event.event)});
        }
        return list;
    }

    const EventListQuery& query_;
    const JobContext& job_;
    Found gpu_;
    Found threads_;
};

}  // namespace

Result<EventListPtr> list_events(const EventListQuery& query, const JobContext& job) {
    return EventLister(query, job).run();
}

}  // namespace core
