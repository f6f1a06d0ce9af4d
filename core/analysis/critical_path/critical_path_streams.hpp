#pragma once
// GPU events of a window by stream, with queries for the last launched and last ended event at a
// time. Part of building the critical-path graph.

#include "core/graphs/replay_edges.hpp"
#include "core/store/rank_trace.hpp"

#include <optional>
#include <vector>

namespace core {

// Times count from the window's begin.
struct StreamEvent {
    EventId event;
    std::int64_t launched;  // begin of its call, else its own begin; may precede the window
    std::int64_t begin;  // cut to the window
    std::int64_t end;
    std::uint32_t stream;  // queue number
    EventId call = kNoEvent;  // that launched it, alone or as a node of a graph
    std::uint32_t replay = kNoReplay;  // of a graph, into ReplayEdges
    bool is_callback = false;  // of the host, in a graph
    std::uint32_t begin_node = 0;
    std::uint32_t end_node = 0;
};

struct StreamQueue {
    std::uint32_t process = 0;
    std::int64_t stream = -1;
    std::vector<StreamEvent> events;  // by begin
    // Lookup tables built by seal().
    std::vector<std::uint32_t> by_end{};  // sorted by (end, position)
    std::vector<std::uint32_t> by_launch{};  // sorted by (launched, position)
    std::vector<std::uint32_t> last_end{};  // among by_launch[0 .. i] the one that ends last

    void seal();  // call once all events are added

    // The last-ended event when the i-th began.
    const StreamEvent* find_before(std::size_t i) const;
    // Among events launched before `moment`, the one that ends last.
    const StreamEvent* find_last_launched(std::int64_t moment) const;
    // Among events launched before `launched` and ended by `ended`, the one that ended last,
    // assuming the stream runs in launch order.
    const StreamEvent* find_ended(std::int64_t launched, std::int64_t ended) const;
    // The first event launched after `moment`.
    const StreamEvent* find_next_launched(std::int64_t moment) const;

    std::size_t count_launched_before(std::int64_t moment) const;
    std::size_t count_ended_before(std::size_t i) const;  // when the i-th began
};

// Events that overlap the window, and host callbacks of replays; where the order in a graph is known its records of
// events, too. An instant at the window's begin is inside.
std::vector<StreamQueue> collect_stream_queues(const RankTrace&, const ReplayEdges&, RankRange window);

}  // namespace core
