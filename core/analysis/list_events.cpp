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
        keep_longest(query_.most);
        std::ranges::sort(kept_, std::less<>());
        return make_list();
    }

private:
    Result<SelectionPtr> find_selection(std::size_t slot) const {
        if (slot < query_.selections.size() && query_.selections[slot]) return query_.selections[slot];
        return Selection::build(*query_.run, slot, query_.filter.without_time_and_rank(), job_);
    }

    bool add_gpu_events(const RankView& view) {
        for (const EventId event : view.gpu_events()) add(view, event);
        return !job_.cancelled();
    }

    // Annotations and waits on streams bear the names of what they are about.
    bool add_named(const RankView& view) {
        const RankTrace& trace = view.trace();
        std::vector<bool> wanted(trace.names.size());
        for (std::size_t i = 0; i < wanted.size(); ++i)
            wanted[i] = std::ranges::find(query_.names, trace.text(static_cast<NameId>(i))) != query_.names.end();
        if (std::ranges::find(wanted, true) == wanted.end()) return true;
        for (const Lane& lane : trace.lanes) {
            const bool on_thread = trace.tracks[lane.track].kind == TrackKind::Thread;
            for (std::size_t i = index_of(lane.first); i < index_of(lane.last); ++i) {
                if (i % kEventsBetweenChecks == 0 && job_.cancelled()) return false;
                const auto event = static_cast<EventId>(i);
                if (!wanted[index_of(trace.name[i])] || !(on_thread || trace.has(event, kGpuEvent))) continue;
                if (view.passes(event)) add(view, event);
            }
        }
        return true;
    }

    void add(const RankView& view, EventId event) {
        const Duration length = view.visible(event).length();
        ++list_->count;
        list_->total += length;
        all_gpu_ = all_gpu_ && view.trace().has(event, kGpuEvent);
        kept_.push_back({{static_cast<std::uint32_t>(view.slot), event},
                         length,
                         view.since_origin(view.trace().start[index_of(event)])});
        if (kept_.size() >= 2 * query_.most + 1024) keep_longest(query_.most);
    }

    void keep_longest(std::size_t most) {
        if (kept_.size() <= most) return;
        const auto end = kept_.begin() + static_cast<std::ptrdiff_t>(most);
        std::ranges::nth_element(kept_, end, std::less<>());
        kept_.erase(end, kept_.end());
    }

    EventListPtr make_list() {
        list_->table =
            Table({{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
                   {"event", Unit::Event, Role::Key, Facet::None, "its number within the rank"},
                   {"track", Unit::Text, Role::Info, Facet::None, "the stream or thread it ran on"},
                   {"start", Unit::Ns, Role::Measure, Facet::None, "from the run's origin"},
                   {"duration", Unit::Ns, Role::Measure, Facet::None, "what the time filter leaves of it"},
                   {"name", Unit::Text, Role::Info, all_gpu_ ? Facet::Kernel : Facet::None, "the full name"}});
        for (const ListedEvent& listed : kept_) {
            const RankSlot& rank = query_.run->rank(listed.event.slot);
            const RankTrace& trace = rank.trace();
            list_->table.add_row({rank.key.packed(), static_cast<std::int64_t>(index_of(listed.event.event)),
                                  trace.text(trace.track_of(listed.event.event).name), listed.start.count(),
                                  listed.length.count(), trace.name_text(listed.event.event)});
        }
        return std::move(list_);
    }

    const EventListQuery& query_;
    const JobContext& job_;
    std::vector<ListedEvent> kept_;
    bool all_gpu_ = true;
    std::shared_ptr<EventList> list_ = std::make_shared<EventList>();
};

}  // namespace

Result<EventListPtr> list_events(const EventListQuery& query, const JobContext& job) {
    return EventLister(query, job).run();
}

}  // namespace core
