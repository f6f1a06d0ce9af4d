#include "core/store/assemble_track.hpp"

#include "core/store/track_order.hpp"

#include <algorithm>

namespace core {
namespace {

class TrackAssembly {
public:
    TrackAssembly(const TrackTask& task, std::vector<std::uint32_t>& rows)
        : task_(task), rows_(rows), walk_(task.points, task.flow_event) {}

    AssembledTrack run() && {
        sort_track(task_.staged, rows_);
        const std::vector<std::uint32_t> lanes = assign_lanes(task_.staged, rows_);
        lay_lanes(lanes);
        const bool walks = task_.keeps_parents || !task_.points.empty();
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const StagedEvent& event = task_.staged[rows_[i]];
            const EventId id{next_[lanes[i]]++};
            task_.event_of_row[rows_[i]] = id;
            write(id, event, walks ? walk_.enter(id, event.start_ns, event.end_ns()) : TrackWalk::Place{});
        }
        walk_.finish();
        release(rows_);
        return std::move(result_);
    }

private:
    // One below the other.
    void lay_lanes(std::span<const std::uint32_t> lanes) {
        next_.assign(lanes.empty() ? 1 : 1 + *std::ranges::max_element(lanes), 0);
        for (const std::uint32_t lane : lanes) ++next_[lane];
        auto first = static_cast<std::uint32_t>(task_.first_event);
        for (std::uint32_t row = 0; row < next_.size(); ++row) {
            const std::uint32_t last = first + next_[row];
            result_.lanes.push_back({0, row, EventId{first}, EventId{last}});
            next_[row] = first;
            first = last;
        }
    }

    void write(EventId id, const StagedEvent& event, const TrackWalk::Place& place) {
        const std::size_t e = index_of(id);
        const EventColumns& to = task_.columns;
        std::uint8_t flags = event.flags;
        if (task_.keeps_parents && place.cut) {
            flags |= kCutInTree;
            if (result_.cut++ == 0) result_.first_cut = id;
        }
        if (task_.step_names[index_of(event.name)] && task_.step_categories[event.category]) {
            flags |= kStepMark;
            result_.steps.push_back(id);
        }
        to.start[e] = rank_time(event.start_ns);
        to.duration[e] = Duration{event.duration_ns};
        to.name[e] = event.name;
        to.category[e] = event.category;
        to.flags[e] = flags;
        to.parent[e] = task_.keeps_parents ? place.parent : kNoEvent;
        to.order[e] = event.order;
    }

    const TrackTask& task_;
    std::vector<std::uint32_t>& rows_;
    TrackWalk walk_;
    std::vector<std::uint32_t> next_;  // event of each lane
    AssembledTrack result_;
};

}  // namespace

AssembledTrack assemble_track(const TrackTask& task, std::vector<std::uint32_t>& rows) {
    return TrackAssembly(task, rows).run();
}

}  // namespace core
