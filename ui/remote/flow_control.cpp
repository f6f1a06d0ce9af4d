#include "ui/remote/flow_control.hpp"

#include <algorithm>

namespace ui::remote {

std::size_t FlowControl::limit() const { return std::max(kLeastBytes, static_cast<std::size_t>(rate_ * kSeconds)); }

void FlowControl::note_sent(std::uint64_t frame, std::size_t bytes, Time now) {
    sent_.push_back({.frame = frame, .bytes = bytes, .at = now});
    bytes_ += bytes;
}

// Frames that were on the way together share the time since the frame drawn before them.
void FlowControl::note_drawn(std::uint64_t frame, Time now) {
    constexpr double kLeastElapsed = 0.001;
    constexpr double kWeight = 0.3;
    constexpr double kMostRate = 1e9;
    std::size_t drawn = 0;
    Time since = last_drawn_;
    while (!sent_.empty() && sent_.front().frame <= frame) {
        if (drawn == 0) since = std::max(since, sent_.front().at);
        drawn += sent_.front().bytes;
        sent_.pop_front();
    }
    if (drawn == 0) return;
    bytes_ -= drawn;
    last_drawn_ = now;
    const double elapsed = std::max(kLeastElapsed, std::chrono::duration<double>(now - since).count());
    const double measured = std::min(kMostRate, static_cast<double>(drawn) / elapsed);
    rate_ += (measured - rate_) * kWeight;
}

}  // namespace ui::remote
