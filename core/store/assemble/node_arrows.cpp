#include "core/store/assemble/node_arrows.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace core {
namespace {

constexpr std::int64_t kGrain = 1;  // ns: of microseconds since the boot of a machine, in a double
constexpr std::size_t kMostAtOnce = 64;  // nodes of a row that begin or end together

// A node of a graph, by the moment at which it begins or ends.
struct NodeAt {
    std::int64_t moment;
    EventId event;
    std::int64_t correlation;
};

struct NodeRow {
    std::vector<NodeAt> begins, ends;
};

class ArrowBinding {
public:
    ArrowBinding(const Staged& staged, const EventColumns& columns, std::span<const LaidTrack> tracks,
                 std::span<const Lane> lanes, std::span<const EventId> event_of_row, std::span<EventId> flow_event)
        : staged_(staged),
          columns_(columns),
          tracks_(tracks),
          lanes_(lanes),
          event_of_row_(event_of_row),
          flow_event_(flow_event) {}

    void run() {
        std::vector<std::uint32_t> arrows;
        for (std::uint32_t f = 0; f < staged_.flows.size(); ++f)
            if (staged_.flows[f].id >= kFirstNodeArrow) arrows.push_back(f);
        if (arrows.empty()) return;
        collect_rows();
        std::ranges::sort(arrows, {}, [&](std::uint32_t f) { return std::pair(staged_.flows[f].id, f); });
        for (std::size_t i = 0; i < arrows.size();) {
            const std::size_t first = i;
            while (i < arrows.size() && staged_.flows[arrows[i]].id == staged_.flows[arrows[first]].id) ++i;
            if (i - first == 2) bind(arrows[first], arrows[first + 1]);
        }
    }

private:
    void collect_rows() {
        const auto& ids = staged_.integers[static_cast<std::size_t>(Arg::GraphId)];
        const auto& numbers = staged_.integers[static_cast<std::size_t>(Arg::Correlation)];
        std::vector<std::int64_t> correlation_of(columns_.start.size(), 0);
        for (std::size_t i = 0; i < numbers.rows.size(); ++i)
            if (const EventId e = event_of_row_[numbers.rows[i]]; e != kNoEvent)
                correlation_of[index_of(e)] = numbers.values[i];
        for (std::size_t i = 0; i < ids.rows.size(); ++i) {
            const EventId e = event_of_row_[ids.rows[i]];
            if (ids.values[i] == 0 || e == kNoEvent) continue;
            NodeRow& row = rows_[thread_of(e)];
            const std::int64_t begin = columns_.start_ns(e), end = begin + columns_.duration[index_of(e)].count();
            row.begins.push_back({begin, e, correlation_of[index_of(e)]});
            row.ends.push_back({end, e, correlation_of[index_of(e)]});
        }
        for (auto& [thread, row] : rows_) {
            std::ranges::sort(row.begins, {}, [](const NodeAt& at) { return std::pair(at.moment, at.event); });
            std::ranges::sort(row.ends, {}, [](const NodeAt& at) { return std::pair(at.moment, at.event); });
        }
    }

    std::uint32_t thread_of(EventId e) const {
        const auto after = std::ranges::upper_bound(lanes_, e, {}, &Lane::first);
        return tracks_[std::prev(after)->track].thread;
    }

    // The node at the arrow's moment, the nearest, and of these one of the other end's launch; null: none.
    const NodeAt* find(const std::vector<NodeAt>& nodes, std::int64_t moment,
                       std::optional<std::int64_t> correlation) const {
        const NodeAt* best = nullptr;
        auto at = std::ranges::lower_bound(nodes, moment - kGrain, {}, &NodeAt::moment);
        for (std::size_t n = 0; at != nodes.end() && at->moment <= moment + kGrain && n < kMostAtOnce; ++at, ++n)
            if (!best || rank(*at, moment, correlation) < rank(*best, moment, correlation)) best = &*at;
        return best;
    }
    static std::pair<bool, std::int64_t> rank(const NodeAt& at, std::int64_t moment,
                                              std::optional<std::int64_t> correlation) {
        return {correlation && at.correlation != *correlation,
                at.moment < moment ? moment - at.moment : at.moment - moment};
    }

    void bind(std::uint32_t start, std::uint32_t end) {
        if (staged_.flows[start].phase != FlowPhase::Start) std::swap(start, end);
        const StagedFlow &s = staged_.flows[start], &f = staged_.flows[end];
        const auto from = rows_.find(s.thread), to = rows_.find(f.thread);
        if (s.phase != FlowPhase::Start || f.phase != FlowPhase::End || from == rows_.end() || to == rows_.end())
            return;
        const NodeAt* first = find(from->second.ends, s.time_ns, std::nullopt);
        const NodeAt* const then =
            find(to->second.begins, f.time_ns, first ? std::optional(first->correlation) : std::nullopt);
        if (then && first && then->correlation != first->correlation)
            first = find(from->second.ends, s.time_ns, then->correlation);
        const bool bound = first && then && first->event != then->event;
        flow_event_[start] = bound ? first->event : kNoEvent;
        flow_event_[end] = bound ? then->event : kNoEvent;
    }

    const Staged& staged_;
    const EventColumns& columns_;
    std::span<const LaidTrack> tracks_;
    std::span<const Lane> lanes_;
    std::span<const EventId> event_of_row_;
    std::span<EventId> flow_event_;
    std::map<std::uint32_t, NodeRow> rows_;  // by thread
};

}  // namespace

bool has_graph_nodes(const Staged& staged) {
    return std::ranges::any_of(staged.integers[static_cast<std::size_t>(Arg::GraphId)].values,
                               [](std::int64_t id) { return id != 0; });
}

void bind_node_arrows(const Staged& staged, const EventColumns& columns, std::span<const LaidTrack> tracks,
                      std::span<const Lane> lanes, std::span<const EventId> event_of_row,
                      std::span<EventId> flow_event) {
    if (has_graph_nodes(staged)) ArrowBinding(staged, columns, tracks, lanes, event_of_row, flow_event).run();
}

}  // namespace core
