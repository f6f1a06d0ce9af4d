#include "ui/model/view.hpp"

#include "core/index/work_window.hpp"
#include "core/session/paged_run.hpp"

#include <algorithm>
#include <cmath>

namespace ui {

bool exists(const core::RunPtr& run, core::EventRef event) {
    return run && event.valid() && event.slot < run->ranks().size() &&
           core::index_of(event.event) < run->rank(event.slot).trace().size();
}

namespace {

const core::Run& summary_or_self(const core::Run& run) { return run.summary() ? *run.summary() : run; }

bool are_of_one_summary(const core::Run& a, const core::Run& b) {
    return summary_or_self(a).id() == summary_or_self(b).id();
}

// Finds the event after a rank changed between thin and whole.
core::EventRef find_again(core::EventRef event, const core::Run& before, const core::Run& after) {
    const core::EventId e =
        core::find_same_event(before.rank(event.slot).trace(), event.event, after.rank(event.slot).trace());
    return e == core::kNoEvent ? core::EventRef{} : core::EventRef{event.slot, e};
}

}  // namespace

core::EventRef carry_over_event(core::EventRef event, const core::Run* before, const core::Run* after) {
    if (!event.valid() || !before || !after || event.slot >= before->ranks().size()) return {};
    const core::RankIndexPtr& index = before->rank(event.slot).index;
    const auto found = std::ranges::find(after->ranks(), index, &core::RankSlot::index);
    if (found == after->ranks().end())
        return are_of_one_summary(*before, *after) ? find_again(event, *before, *after) : core::EventRef{};
    event.slot = static_cast<std::uint32_t>(found - after->ranks().begin());
    return event;
}

bool shows_whole(const View& view) {
    return view.time.t0 == view.whole.t0 && view.time.fraction_ns == view.whole.fraction_ns &&
           view.time.px_per_ns == view.whole.px_per_ns;
}

void show_whole(const core::Run& run, core::RunRange work, View& view) {
    view.time.fit(work.empty() ? core::find_work_window(run) : work);
    view.whole = view.time;
    view.fitted = true;
}

void show_event(const core::Run& run, core::EventRef event, TimeView& time) {
    const core::RunRange range = run.range_of(event);
    const double length_px = static_cast<double>(range.length().count()) * time.px_per_ns;
    if (length_px > 0.9 * static_cast<double>(time.width_px) || length_px < 3) {
        const core::Duration room = std::max(range.length() * 3, core::Duration{1000});
        time.fit({range.begin - room, range.end + room}, 0);
    }
    const double middle = (time.to_px(range.begin) + time.to_px(range.end)) / 2;
    if (time.to_px(range.begin) < 0 || time.to_px(range.end) > static_cast<double>(time.width_px))
        time.pan(middle - static_cast<double>(time.width_px) / 2);
}

bool show_same_time(const View& a, const View& b) {
    constexpr double kSamePixels = 0.75;
    if (shows_whole(a) || shows_whole(b)) return shows_whole(a) == shows_whole(b);
    const double px_per_ns = b.time.px_per_ns;
    const auto apart_px = [&](core::RunTime x, core::RunTime y) {
        return std::fabs(static_cast<double>((x - y).count())) * px_per_ns;
    };
    // Allows two pixels: ends are whole nanoseconds, rounded outwards.
    const double allowed = std::max(kSamePixels, 2 * px_per_ns);
    const core::RunRange first = a.time.range();
    const core::RunRange second = b.time.range();
    return apart_px(first.begin, second.begin) <= allowed && apart_px(first.end, second.end) <= allowed;
}

}  // namespace ui
