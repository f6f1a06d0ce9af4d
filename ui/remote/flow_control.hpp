#pragma once
// How much may be on its way to a page. A frame can be dropped only before it is encoded, so the
// window draws on and encodes its newest state once the page has drawn enough of those before.
// Pure; one thread at a time.

#include <chrono>
#include <cstdint>
#include <deque>

namespace ui::remote {

class FlowControl {
public:
    using Time = std::chrono::steady_clock::time_point;
    static constexpr std::size_t kMostFrames = 8;
    static constexpr std::size_t kLeastBytes = 65'536;  // always allowed
    static constexpr double kSeconds = 0.15;            // of the measured rate

    bool may_send() const { return sent_.size() < kMostFrames && bytes_ < limit(); }
    void note_sent(std::uint64_t frame, std::size_t bytes, Time now);
    // The page has drawn it, and all before it. Numbers that were never sent change nothing.
    void note_drawn(std::uint64_t frame, Time now);
    std::size_t limit() const;  // bytes
    std::size_t bytes_on_the_way() const { return bytes_; }

private:
    struct Sent {
        std::uint64_t frame = 0;
        std::size_t bytes = 0;
        Time at{};
    };
    std::deque<Sent> sent_;
    std::size_t bytes_ = 0;
    Time last_drawn_{};
    double rate_ = 0;  // bytes a second
};

}  // namespace ui::remote
