#include "core/analysis/engine/call_tree.hpp"

#include "core/base/jobs.hpp"
#include "core/graphs/graph_attribution.hpp"
#include "core/store/event_above.hpp"

#include <algorithm>
#include <utility>

namespace core {
namespace {

class AttributedCalls {
public:
    AttributedCalls(const RankView& view, std::shared_ptr<const GraphAttribution> graphs, const JobContext& context)
        : view_(view), graphs_(std::move(graphs)), trace_(graphs_->trace()), context_(context) {}

    Result<OperatorCalls> run() && {
        const std::vector<EventId> order = collect_parents_first(trace_);
        if (!place_calls(order)) return cancelled_error();
        for (const EventId e : view_.gpu_events()) add_gpu_event(e);
        add_replays();
        for (std::size_t i = found_.calls.size(); i-- > 0;) {
            const OperatorCall& call = found_.calls[i];
            if (call.parent != kNoCall && !call.is_captured) found_.calls[call.parent].below.add(call.below);
        }
        return std::move(found_);
    }

private:
    // Finds the nearest operator of each event and the self time of each operator. False if
    // cancelled.
    bool place_calls(const std::vector<EventId>& order) {
        nearest_.assign(trace_.size(), kNoCall);
        cut_end_.assign(trace_.start.begin(), trace_.start.end());
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (i % kEventsBetweenChecks == 0 && context_.cancelled()) return false;
            place(order[i]);
        }
        return true;
    }

    void place(EventId e) {
        const EventId parent = trace_.parent[index_of(e)];
        const std::uint32_t above = parent == kNoEvent ? kNoCall : nearest_[index_of(parent)];
        nearest_[index_of(e)] = above;
        if (trace_.has(e, kGpuEvent)) return;
        if (!graphs_->is_own(e)) return place_captured(e, above);
        RankTime& end = cut_end_[index_of(e)];
        end = parent == kNoEvent ? trace_.end(e) : std::min(trace_.end(e), cut_end_[index_of(parent)]);
        const Duration inside = view_.visible({trace_.start[index_of(e)], end}).length();
        if (parent != kNoEvent && above != kNoCall && found_.calls[above].event == parent)
            found_.calls[above].self -= inside;
        if (!is_operator(trace_, e)) return;
        nearest_[index_of(e)] = static_cast<std::uint32_t>(found_.calls.size());
        found_.calls.push_back({.event = e, .parent = above, .self = inside, .below = {}});
    }

    void place_captured(EventId e, std::uint32_t above) {
        if (!is_operator(trace_, e)) return;
        nearest_[index_of(e)] = static_cast<std::uint32_t>(found_.calls.size());
        found_.calls.push_back({.event = e, .parent = above, .below = {}, .is_captured = true});
    }

    void add_gpu_event(EventId e) {
        const RankRange visible = view_.visible(e);
        const std::uint32_t call = nearest_[index_of(e)];
        if (const std::uint32_t replay = graphs_->replays.replay_of(e); replay != kNoReplay) {
            const EventId launch = view_.trace().parent[index_of(e)];
            const std::uint32_t around = launch == kNoEvent ? kNoCall : nearest_[index_of(launch)];
            if (around != kNoCall) found_.calls[around].below.add(visible);
            if (call != kNoCall && found_.calls[call].is_captured) {
                replayed_.emplace_back(replay, e);
                return;
            }
        }
        if (call == kNoCall) return found_.unattributed.add(visible);
        found_.calls[call].self_kernel_time += visible.length().count();
        found_.calls[call].below.add(visible);
    }

    // One call of a capture ran once in each replay.
    void add_replays() {
        std::ranges::sort(replayed_);
        std::vector<GpuWork> below(replayed_.empty() ? 0 : found_.calls.size());
        std::vector<std::uint32_t> touched;
        for (std::size_t i = 0; i < replayed_.size(); ++i) {
            const EventId e = replayed_[i].second;
            const RankRange visible = view_.visible(e);
            std::uint32_t call = nearest_[index_of(e)];
            found_.calls[call].self_kernel_time += visible.length().count();
            for (; call != kNoCall; call = found_.calls[call].parent) {
                if (below[call].kernels == 0) touched.push_back(call);
                below[call].add(visible);
            }
            if (i + 1 < replayed_.size() && replayed_[i + 1].first == replayed_[i].first) continue;
            for (const std::uint32_t at : touched) {
                OperatorCall& one = found_.calls[at];
                ++one.replays;
                one.replay_spans += below[at].span();
                one.below.add(std::exchange(below[at], GpuWork{}));
            }
            touched.clear();
        }
    }

    const RankView& view_;
    std::shared_ptr<const GraphAttribution> graphs_;
    const RankTrace& trace_;
    const JobContext& context_;
    std::vector<std::pair<std::uint32_t, EventId>> replayed_;  // replay, node
    std::vector<std::uint32_t> nearest_;  // by event: the operator at or above it
    std::vector<RankTime> cut_end_;       // by event: its end in the tree
    OperatorCalls found_;
};

}  // namespace

const RankTrace& call_trace_of(const RankView& view) { return graph_attribution_of(*view.rank().index, {})->trace(); }

std::vector<EventId> collect_parents_first(const RankTrace& trace) {
    std::vector<std::uint32_t> children(trace.size(), 0);
    for (const EventId parent : trace.parent) {
        if (parent != kNoEvent) ++children[index_of(parent)];
    }
    std::vector<EventId> order;
    order.reserve(trace.size());
    for (std::uint32_t e = 0; e < trace.size(); ++e) {
        if (children[e] == 0) order.push_back(EventId{e});
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
        const EventId parent = trace.parent[index_of(order[i])];
        if (parent != kNoEvent && --children[index_of(parent)] == 0) order.push_back(parent);
    }
    std::ranges::reverse(order);
    return order;
}

bool is_operator(const RankTrace& trace, EventId e) {
    return trace.category_kind(e) == Category::CpuOp && !trace.has(e, kStepMark) && !trace.has(e, kInstant);
}

EventId OperatorsAbove::find(EventId e) {
    EventId found = kNoEvent;
    EventId last = kNoEvent;  // event for which `found` was computed
    for (EventId at = event_above(trace_, e); at != kNoEvent && found == kNoEvent; at = event_above(trace_, at)) {
        last = at;
        const EventId known = nearest_[index_of(at)];
        if (known == kNoEvent) break;
        if (known != kUnknown)
            found = known;
        else if (is_operator(trace_, at))
            found = at;
    }
    for (EventId at = event_above(trace_, e); at != kNoEvent; at = event_above(trace_, at)) {
        nearest_[index_of(at)] = found;
        if (at == last) break;
    }
    return found;
}

void GpuWork::add(RankRange visible) {
    ++kernels;
    time += visible.length().count();
    begin = std::min(begin, visible.begin);
    end = std::max(end, visible.end);
}

void GpuWork::add(const GpuWork& other) {
    kernels += other.kernels;
    time += other.time;
    begin = std::min(begin, other.begin);
    end = std::max(end, other.end);
}

Wide GpuWork::span() const { return kernels == 0 ? 0 : Wide{ns_of(end)} - ns_of(begin); }

Result<OperatorCalls> collect_operator_calls(const RankView& view, const JobContext& context) {
    std::shared_ptr<const GraphAttribution> graphs = graph_attribution_of(*view.rank().index, context);
    if (!graphs) return cancelled_error();
    return AttributedCalls(view, std::move(graphs), context).run();
}

}  // namespace core
