#include "core/store/assemble/assemble_track.hpp"

#include "core/store/assemble/track_order.hpp"

#include <algorithm>

namespace core {
namespace {

class TrackAssembly {
public:
    TrackAssembly(const TrackTask& task, std::vector<std::uint32_t>& rows, const JobContext& job)
        : task_(task), rows_(rows), job_(job), walk_(task.points, task.flow_event) {}

    AssembledTrack run() && {
        sort_track(task_.times, rows_, job_);
        const std::vector<std::uint32_t> lanes = assign_lanes(task_.times, rows_, job_);
        lay_lanes(lanes);
        const bool walks = task_.keeps_parents || !task_.points.empty();
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            if (i % kEventsBetweenChecks == 0 && job_.checkpoint()) return {};
            const std::uint32_t row = rows_[i];
            const EventId id{next_[lanes[i]]++};
            task_.event_of_row[row] = id;
            place(id, row,
                  walks ? walk_.enter(id, task_.times.start_ns[row], task_.times.end_ns(row)) : TrackWalk::Place{});
        }
        walk_.finish();
        release(rows_);
        return std::move(result_);
    }

private:
    // Places lanes one below the other.
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

    void place(EventId id, std::uint32_t row, const TrackWalk::Place& place) {
        StagedEvent& event = task_.events[row];
        if (task_.keeps_parents && place.cut) {
            event.flags |= kCutInTree;
            if (result_.cut++ == 0) result_.first_cut_row = row;
        }
        if (task_.step_names[index_of(event.name)] && task_.step_categories[event.category]) {
            event.flags |= kStepMark;
            result_.steps.push_back(id);
        }
        task_.parent[index_of(id)] = task_.keeps_parents ? place.parent : kNoEvent;
    }

    const TrackTask& task_;
    std::vector<std::uint32_t>& rows_;
    const JobContext& job_;
    TrackWalk walk_;
    std::vector<std::uint32_t> next_;  // event of each lane
    AssembledTrack result_;
};

}  // namespace

AssembledTrack assemble_track(const TrackTask& task, std::vector<std::uint32_t>& rows, const JobContext& job) {
    return TrackAssembly(task, rows, job).run();
}

}  // namespace core
