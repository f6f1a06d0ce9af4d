#include "core/store/assemble/assemble_track.hpp"

#include "core/base/ascii.hpp"
#include "core/store/assemble/track_order.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr std::size_t kFewCovered = 3;   // events of a stream that begin during another one
constexpr std::size_t kManyCovered = 8;
constexpr std::int64_t kLeastImpossibleNs = 1'000'000;
constexpr std::int64_t kFarBeyond = 10;  // multiples of what all starts of a stream span

class TrackAssembly {
public:
    TrackAssembly(const TrackTask& task, std::vector<std::uint32_t>& rows, const JobContext& job)
        : task_(task), rows_(rows), job_(job), walk_(task.points, task.flow_event) {}

    AssembledTrack run() && {
        sort_track(task_.times, rows_, job_);
        if (task_.in_order) shorten_impossible();
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
    std::int64_t start(std::size_t i) const { return task_.times.start_ns[rows_[i]]; }
    std::int64_t end(std::size_t i) const { return task_.times.end_ns(rows_[i]); }
    std::int64_t duration(std::size_t i) const { return task_.times.duration_ns[rows_[i]]; }

    // A stream works in order, apart from kernels that launch early and branches of a graph. What covers many that
    // come after it, and either outlasts all of the stream or all others of its name by far, was never that long: it
    // ended before the next began.
    void shorten_impossible() {
        std::vector<std::size_t> long_ones;
        for (std::size_t i = 0; i + kFewCovered < rows_.size(); ++i)
            if (start(i + kFewCovered) < end(i) && duration(i) >= kLeastImpossibleNs) long_ones.push_back(i);
        if (long_ones.empty()) return;
        const std::int64_t last = start(rows_.size() - 1);
        const std::int64_t span = last - start(0);
        std::vector<std::size_t> impossible;
        for (const std::size_t i : long_ones)
            if (!waits(i) && ((end(i) - last) / kFarBeyond > span || outlasts_its_name(i, long_ones)))
                impossible.push_back(i);
        for (const std::size_t i : impossible) shorten(i);
        if (!impossible.empty()) sort_track(task_.times, rows_, job_);
    }

    // Collectives wait for other ranks: that they last is no sign.
    bool waits(std::size_t i) const {
        const std::string_view text = task_.pool.text(task_.events[rows_[i]].name);
        return contains_any_case(text, "ccl") || contains_any_case(text, "allreduce");
    }

    bool outlasts_its_name(std::size_t i, std::span<const std::size_t> long_ones) const {
        if (i + kManyCovered >= rows_.size() || start(i + kManyCovered) >= end(i)) return false;
        const NameId name = task_.events[rows_[i]].name;
        std::vector<std::int64_t> others;
        for (std::size_t k = 0; k < rows_.size(); ++k)
            if (task_.events[rows_[k]].name == name && !std::ranges::binary_search(long_ones, k))
                others.push_back(duration(k));
        if (others.size() < kFewCovered) return false;
        const auto middle = others.begin() + std::ssize(others) / 2;
        const std::int64_t longest = std::ranges::max(others);
        std::ranges::nth_element(others, middle);
        return duration(i) / 100 > *middle && duration(i) / 10 > longest;
    }

    void shorten(std::size_t i) {
        std::size_t next = i + 1;
        while (next < rows_.size() && start(next) == start(i)) ++next;
        if (next == rows_.size()) return;
        if (result_.shortened++ == 0) {
            result_.first_shortened_row = rows_[i];
            result_.first_shortened_ns = duration(i);
        }
        task_.times.duration_ns[rows_[i]] = start(next) - start(i);
    }

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
