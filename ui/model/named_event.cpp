#include "ui/model/named_event.hpp"

#include <algorithm>

namespace ui {
namespace {

std::vector<bool> find_names(const core::RankTrace& trace, const std::vector<std::string>& names) {
    std::vector<bool> wanted(trace.names.size());
    for (std::size_t i = 0; i < wanted.size(); ++i)
        wanted[i] = names.empty() || std::ranges::find(names, trace.text(static_cast<core::NameId>(i))) != names.end();
    return wanted;
}

// Keeps the best match so far, separately for GPU and CPU events.
class Search {
public:
    Search(const NamedEventQuery& query, const core::JobContext& job)
        : query_(query), job_(job), time_(query.filter.time_range(*query.run)) {}

    void add_rank(std::uint32_t slot) {
        const core::RankSlot& rank = query_.run->rank(slot);
        if (!query_.filter.accepts_rank(rank.key)) return;
        const core::RankTrace& trace = rank.trace();
        const std::vector<bool> wanted = find_names(trace, query_.names);
        if (std::ranges::find(wanted, true) == wanted.end()) return;
        core::SelectionPtr selection = slot < query_.selections.size() ? query_.selections[slot] : nullptr;
        if (!selection) {
            auto built = core::Selection::build(*query_.run, slot, query_.filter.without_time_and_rank(), job_);
            if (!built) return;
            selection = *std::move(built);
        }
        for (std::size_t i = 0; i < trace.size(); ++i) {
            if (i % core::kEventsBetweenChecks == 0 && job_.cancelled()) return;
            const auto event = static_cast<core::EventId>(i);
            if (wanted[core::index_of(trace.name[i])] && selection->passes(event)) add({slot, event}, rank);
        }
    }
    core::EventRef found() const { return gpu_.event.valid() ? gpu_.event : cpu_.event; }

private:
    struct Best {
        core::EventRef event;
        bool early = false;    // starts before `from`
        core::RunTime start{};
        core::Duration length{};
    };

    void add(core::EventRef event, const core::RankSlot& rank) {
        const core::RunRange range = rank.range_of(event.event);
        if (time_ && (range.begin >= time_->end || range.end <= time_->begin)) return;
        const Best found{.event = event,
                         .early = query_.from && range.begin < *query_.from,
                         .start = range.begin,
                         .length = range.length()};
        Best& best = rank.trace().has(event.event, core::kGpuEvent) ? gpu_ : cpu_;
        if (!best.event.valid() || is_better(found, best)) best = found;
    }
    bool is_better(const Best& a, const Best& b) const {
        if (!query_.from) return a.length > b.length;
        return a.early != b.early ? b.early : a.start < b.start;
    }

    const NamedEventQuery& query_;
    const core::JobContext& job_;
    std::optional<core::RunRange> time_;
    Best gpu_;
    Best cpu_;
};

}  // namespace

core::EventRef find_named_event(const NamedEventQuery& query, const core::JobContext& job) {
    const auto slots = static_cast<std::uint32_t>(query.run->ranks().size());
    if (query.slot && *query.slot < slots) {
        Search of_rank(query, job);
        of_rank.add_rank(*query.slot);
        if (of_rank.found().valid()) return of_rank.found();
    }
    Search search(query, job);
    for (std::uint32_t slot = 0; slot < slots; ++slot) search.add_rank(slot);
    return job.cancelled() ? core::EventRef{} : search.found();
}

}  // namespace ui
