#include "core/store/track_walk.hpp"

#include "core/store/staged_events.hpp"

namespace core {
namespace {

struct Open {
    std::int64_t end_ns;  // cut to the parent's
    std::uint32_t position;
};

class Walk {
public:
    Walk(std::span<const TrackKey> keys, std::span<const FlowPoint> points) : keys_(keys), points_(points) {
        result_.parent.assign(keys.size(), kNoRow);
        result_.cut.assign(keys.size(), false);
        result_.bound.assign(points.size(), kNoRow);
    }

    WalkResult run() && {
        for (std::uint32_t i = 0; i < keys_.size(); ++i) {
            bind_before(keys_[i].start_ns);
            for (const std::size_t point : waiting_) result_.bound[point] = i;
            waiting_.clear();
            enter(i);
        }
        while (next_point_ < points_.size()) bind(next_point_++);
        return std::move(result_);
    }

private:
    void enter(std::uint32_t i) {
        const TrackKey& key = keys_[i];
        while (!open_.empty() && open_.back().end_ns <= key.start_ns) open_.pop_back();
        std::int64_t end_ns = key.end_ns();
        if (!open_.empty()) {
            result_.parent[i] = open_.back().position;
            if (end_ns > open_.back().end_ns) {
                end_ns = open_.back().end_ns;
                result_.cut[i] = true;
            }
        }
        open_.push_back({end_ns, i});
    }

    void bind_before(std::int64_t time_ns) {
        for (; next_point_ < points_.size(); ++next_point_) {
            const FlowPoint& point = points_[next_point_];
            if (point.time_ns > time_ns || (point.time_ns == time_ns && !point.next_event)) return;
            bind(next_point_);
        }
    }

    void bind(std::size_t p) {
        const FlowPoint& point = points_[p];
        if (point.next_event) {
            waiting_.push_back(p);
            return;
        }
        while (!open_.empty() && open_.back().end_ns <= point.time_ns &&
               keys_[open_.back().position].start_ns != point.time_ns) {
            open_.pop_back();
        }
        if (!open_.empty()) result_.bound[p] = open_.back().position;
    }

    std::span<const TrackKey> keys_;
    std::span<const FlowPoint> points_;
    std::size_t next_point_ = 0;
    std::vector<std::size_t> waiting_;
    std::vector<Open> open_;
    WalkResult result_;
};

}  // namespace

WalkResult walk_track(std::span<const TrackKey> keys, std::span<const FlowPoint> points) {
    return Walk(keys, points).run();
}

}  // namespace core
