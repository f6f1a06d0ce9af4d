#include "core/analysis/critical_path/critical_path_threads.hpp"

#include "core/base/jobs.hpp"

#include <algorithm>

namespace core {
namespace {

struct Open {
    EventId event;
    RankTime end;       // cut at the parent's end
    bool has_nodes;
    // Over this event and all that enclose it.
    EventId innermost;  // operator, call or data loader mark
    bool loads_data;
    bool chosen;
};

class ThreadSweep {
public:
    ThreadSweep(const ThreadRules& rules, std::uint32_t track, GraphDraft& draft, EventNodes& nodes)
        : rules_(rules), trace_(*rules.trace), draft_(draft), nodes_(nodes) {
        chain_.track = track;
    }

    Result<ThreadChain> run(const JobContext& context) && {
        chain_.first_node = static_cast<std::uint32_t>(draft_.time.size());
        const std::vector<EventId> events = collect_events();
        for (std::size_t i = 0; i < events.size(); ++i) {
            if (i % kEventsBetweenChecks == 0 && context.cancelled()) return cancelled_error();
            while (!open_.empty() && open_.back().end <= trace_.start[index_of(events[i])]) close();
            stop_before(trace_.start[index_of(events[i])]);
            open(events[i]);
        }
        while (!open_.empty()) close();
        stop_before(RankTime::max());
        chain_.last_node = static_cast<std::uint32_t>(draft_.time.size());
        if (chain_.last_node == chain_.first_node) chain_.first_node = chain_.last_node = kNoNode;
        return std::move(chain_);
    }

private:
    bool is_operator_or_call(EventId e) const {
        if (trace_.has(e, kStepMark)) return false;
        const Category category = trace_.category_kind(e);
        return category == Category::CpuOp || is_launch_category(category) || rules_.launches[index_of(e)];
    }
    bool loads_data(EventId e) const {
        const Category category = trace_.category_kind(e);
        return (category == Category::CpuOp || category == Category::UserAnnotation) &&
               rules_.data_loading[index_of(trace_.name[index_of(e)])];
    }

    // Events of all lanes that overlap the window, outer ones first.
    std::vector<EventId> collect_events() const {
        std::vector<EventId> events;
        const Track& track = trace_.tracks[chain_.track];
        for (std::uint32_t l = track.first_lane; l < track.first_lane + track.lane_count; ++l) {
            const auto [first, last] = find_events_inside(trace_, trace_.lanes[l], rules_.window);
            nodes_.add_events(first, last);
            for (std::size_t e = first; e < last; ++e) {
                const EventId event{static_cast<std::uint32_t>(e)};
                if (!trace_.has(event, kInstant)) events.push_back(event);
            }
        }
        const auto place = [&](EventId e) {
            return std::tuple(trace_.start[index_of(e)], -trace_.duration[index_of(e)], trace_.order[index_of(e)]);
        };
        if (!std::ranges::is_sorted(events, {}, place)) std::ranges::sort(events, {}, place);
        return events;
    }

    void open(EventId e) {
        const Open around = open_.empty() ? Open{.event = kNoEvent,
                                                 .end = rules_.window.end,
                                                 .has_nodes = false,
                                                 .innermost = kNoEvent,
                                                 .loads_data = false,
                                                 .chosen = false}
                                          : open_.back();
        Open opened{.event = e,
                    .end = std::min(trace_.end(e), around.end),
                    .has_nodes = is_operator_or_call(e),
                    .innermost = around.innermost,
                    .loads_data = around.loads_data,
                    .chosen = around.chosen || (rules_.is_chosen && rules_.is_chosen(e))};
        const bool is_mark = loads_data(e);
        if (opened.has_nodes || is_mark) opened.innermost = e;
        opened.loads_data = around.loads_data || is_mark;
        opened.has_nodes = opened.has_nodes || is_mark || opened.chosen != around.chosen;
        chain_.has_backward = chain_.has_backward || rules_.backward[index_of(trace_.name[index_of(e)])];
        chain_.has_launches = chain_.has_launches || rules_.launches[index_of(e)];
        chain_.has_steps = chain_.has_steps || trace_.has(e, kStepMark);
        if (opened.has_nodes) nodes_.set_begin(e, put_node(std::max(trace_.start[index_of(e)], rules_.window.begin)));
        open_.push_back(opened);
    }

    void stop_before(RankTime next) {
        if (chain_.has_steps && chain_.stop_node == kNoNode && next > rules_.stop)
            chain_.stop_node = put_node(rules_.stop);
    }

    void close() {
        stop_before(open_.back().end);
        const Open& closed = open_.back();
        if (closed.has_nodes) nodes_.set_end(closed.event, put_node(closed.end));
        open_.pop_back();
    }

    std::uint32_t put_node(RankTime at) {
        const std::uint32_t node = draft_.add_node((at - rules_.window.begin).count());
        GraphEdge edge{.from = last_, .to = node, .weight = draft_.time[node] - draft_.time[last_]};
        const Open* const inside = open_.empty() ? nullptr : &open_.back();
        edge.event = inside ? inside->innermost : kNoEvent;
        edge.chosen = inside && inside->chosen;
        edge.bound_by = inside && inside->loads_data ? BoundBy::DataLoading
                        : edge.event != kNoEvent     ? BoundBy::Cpu
                                                     : BoundBy::HostOther;
        if (edge.bound_by == BoundBy::HostOther && edge.weight > 0)
            chain_.gaps.push_back(static_cast<std::uint32_t>(draft_.edges.size()));
        draft_.thread_edge[node] = static_cast<std::uint32_t>(draft_.edges.size());
        draft_.edges.push_back(edge);
        last_ = node;
        return node;
    }

    const ThreadRules& rules_;
    const RankTrace& trace_;
    GraphDraft& draft_;
    EventNodes& nodes_;
    ThreadChain chain_{};
    std::vector<Open> open_;
    std::uint32_t last_ = 0;
};

}  // namespace

void EventNodes::add_events(std::size_t first, std::size_t last) {
    if (first == last) return;
    stretches_.push_back({.first = first, .last = last, .place = nodes_.size()});
    nodes_.resize(nodes_.size() + last - first);
}

std::optional<std::size_t> EventNodes::find(EventId e) const {
    const auto after = std::ranges::upper_bound(stretches_, index_of(e), {}, &Stretch::first);
    if (after == stretches_.begin() || std::prev(after)->last <= index_of(e)) return std::nullopt;
    return std::prev(after)->place + index_of(e) - std::prev(after)->first;
}

std::pair<std::size_t, std::size_t> find_events_inside(const RankTrace& trace, const Lane& lane, RankRange window) {
    const std::size_t begin = index_of(lane.first), size = index_of(lane.last) - begin;
    const auto starts = trace.start.subspan(begin, size);
    const auto end = static_cast<std::size_t>(std::ranges::lower_bound(starts, window.end) - starts.begin());
    auto first = static_cast<std::size_t>(std::ranges::lower_bound(starts, window.begin) - starts.begin());
    while (first > 0 && trace.end(EventId{static_cast<std::uint32_t>(begin + first - 1)}) > window.begin) --first;
    return {begin + first, begin + std::max(first, end)};
}

Result<ThreadChain> build_thread_chain(const ThreadRules& rules, std::uint32_t track, GraphDraft& draft,
                                       EventNodes& nodes, const JobContext& context) {
    return ThreadSweep(rules, track, draft, nodes).run(context);
}

}  // namespace core
