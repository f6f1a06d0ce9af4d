#include "ui/model/shown_times.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ui {
namespace {

constexpr double kRestSeconds = 0.4;                        // between two motions
constexpr double kSamePixels = 0.75;

bool looks_equal(const core::ShownTime& a, const core::ShownTime& b, double px_per_ns) {
    if (a.whole || b.whole) return a.whole == b.whole;
    const auto apart_px = [&](core::RunTime x, core::RunTime y) {
        return std::fabs(static_cast<double>((x - y).count())) * px_per_ns;
    };
    // Ends are whole nanoseconds, rounded outwards.
    const double allowed = std::max(kSamePixels, 2 * px_per_ns);
    return apart_px(a.range.begin, b.range.begin) <= allowed && apart_px(a.range.end, b.range.end) <= allowed;
}

}  // namespace

void ShownTimesKeeper::follow(core::Session& session, States states) {
    if (session.shown() == noted_) return;
    noted_ = session.shown();
    for (const core::Side side : core::kSides) {
        const core::RunPtr& run = session.run(side);
        const std::optional<core::ShownTime>& shown = noted_[side];
        if (!run || !shown) continue;
        if (shown->whole)
            show_whole(*run, *states[side]);
        else
            states[side]->time.fit(shown->range, 0);
    }
}

void ShownTimesKeeper::note(core::Session& session, States states, bool by_hand, double seconds) {
    rest_seconds_ += seconds;
    const bool alone = std::exchange(commits_, session.commits()) == session.commits();
    if (session.shown() != noted_) return;  // undone or redone just now: the next frame follows
    core::ShownTimes now;
    bool known = true;
    for (const core::Side side : core::kSides) {
        if (!session.run(side)) continue;
        const UiState& state = *states[side];
        now[side] = core::ShownTime{state.time.range(), shows_whole(state)};
        known &= noted_[side].has_value();
        if (noted_[side] && looks_equal(*noted_[side], *now[side], state.time.px_per_ns)) now[side] = noted_[side];
    }
    if (now == noted_) return;
    if (rest_seconds_ > kRestSeconds) ++gesture_;
    rest_seconds_ = 0;
    session.set_shown(now, known && by_hand && alone ? gesture_ : 0);
    noted_ = session.shown();
    commits_ = session.commits();
}

}  // namespace ui
