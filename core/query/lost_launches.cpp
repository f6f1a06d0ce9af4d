#include "core/query/lost_launches.hpp"

#include "core/store/launch_losses.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr double kLeastHidden = 0.01;  // of the launches; as for ranks of which nothing is said

bool is_work_missing(const RankTrace& trace) { return trace.diagnostics.count("gpu-work-missing") > 0; }

// Events that never got a time may be of the GPU.
bool may_miss_work(const RankTrace& trace) {
    return is_work_missing(trace) || trace.diagnostics.count("time-not-recorded") > 0;
}

double count_within(const std::vector<RankTime>& times, RankRange range) {
    return static_cast<double>(std::ranges::lower_bound(times, range.end) -
                               std::ranges::lower_bound(times, range.begin));
}

}  // namespace

LostLaunches::LostLaunches(const RankTrace& trace) {
    if (!may_miss_work(trace)) return;
    const auto starts_of = [&](auto&& calls) {
        std::vector<RankTime> times;
        for (const EventId call : calls) times.push_back(trace.start[index_of(call)]);
        std::ranges::sort(times);
        return times;
    };
    lost_ = starts_of(find_launch_losses(trace).without_work);
    linked_ = starts_of(trace.launch_calls);
    all_ = is_work_missing(trace) && lost_.empty();
}

bool LostLaunches::hide(RankRange range) const {
    if (all_) return true;
    const double lost = count_within(lost_, range);
    return lost > 0 && lost >= kLeastHidden * (lost + count_within(linked_, range));
}

bool LostLaunches::any_in(RankRange range) const { return all_ || count_within(lost_, range) > 0; }

LostLaunchesPtr lost_launches_of(const RankIndex& index) {
    return index.derived().get<LostLaunches>([&] { return std::make_shared<const LostLaunches>(index.trace()); });
}

bool are_launches_lost(const RankIndex& index, RankRange range) {
    if (!may_miss_work(index.trace())) return false;
    const LostLaunchesPtr made = index.derived().find<LostLaunches>();
    return !made || made->hide(range);
}

}  // namespace core
