#include "core/store/event_columns.hpp"

namespace core {
namespace {

// Calls write(row, event) for every row that is an event.
template <class Write>
void for_each_event(const Staged& staged, std::span<const EventId> event_of_row, const JobContext& job,
                    const Write& write) {
    share_rows(job, staged.events.size(), [&](std::size_t first, std::size_t last) {
        for (std::size_t row = first; row < last; ++row) {
            if (becomes_event(staged.events[row].phase)) write(row, index_of(event_of_row[row]));
        }
    });
}

}  // namespace

void move_to_columns(Staged& staged, std::span<const EventId> event_of_row, const EventColumns& columns,
                     const JobContext& job) {
    for_each_event(staged, event_of_row, job,
                   [&](std::size_t row, std::size_t e) { columns.start[e] = rank_time(staged.times.start_ns[row]); });
    release(staged.times.start_ns);
    for_each_event(staged, event_of_row, job, [&](std::size_t row, std::size_t e) {
        columns.duration[e] = Duration{staged.times.duration_ns[row]};
    });
    release(staged.times.duration_ns);
    for_each_event(staged, event_of_row, job, [&](std::size_t row, std::size_t e) {
        const StagedEvent& event = staged.events[row];
        columns.name[e] = event.name;
        columns.category[e] = event.category;
        columns.flags[e] = event.flags;
        columns.order[e] = event.order;
    });
    release(staged.events);
}

}  // namespace core
