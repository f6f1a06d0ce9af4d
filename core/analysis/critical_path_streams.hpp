#pragma once
// The GPU events of a window, stream by stream: what was last launched, and what had last ended, at some moment. Part of
// building the graph of the critical path.

#include "core/store/rank_trace.hpp"

#include <optional>
#include <vector>

namespace core {

// Times count from the window's begin.
struct StreamEvent {
    EventId event;
    std::int64_t launched;  // begin of its call, of its own where the call is unknown; may lie before the window
    std::int64_t begin;  // cut to the window
    std::int64_t end;
    std::uint32_t stream;  // which queue
    std::uint32_t begin_node = 0;
    std::uint32_t end_node = 0;
};

struct StreamQueue {
    std::uint32_t process = 0;
    std::int64_t stream = -1;
    std::vector<StreamEvent> events;  // by begin
    // For looking up, made by seal().
    std::vector<std::uint32_t> by_end{};  // by (end, place)
    std::vector<std::uint32_t> by_launch{};  // by (launched, place)
    std::vector<std::uint32_t> last_end{};  // of by_launch[0 .. i]: the one that ends last

    void seal();  // once all events are there

    // The one that had ended last when the i-th began.
    const StreamEvent* find_before(std::size_t i) const;
    // Of those launched before `moment`: the one that ends last.
    const StreamEvent* find_last_launched(std::int64_t moment) const;
    // Of those launched before `launched` and ended by `ended`: the one that ended last, as long as the stream works in
    // the order of the launches.
    const StreamEvent* find_ended(std::int64_t launched, std::int64_t ended) const;
    // The first that was launched after `moment`.
    const StreamEvent* find_next_launched(std::int64_t moment) const;

    std::size_t count_launched_before(std::int64_t moment) const;
};

// Those that are inside the window at some moment; a moment at its begin is inside.
std::vector<StreamQueue> collect_stream_queues(const RankTrace&, RankRange window);

}  // namespace core
