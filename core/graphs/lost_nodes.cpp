#include "core/graphs/lost_nodes.hpp"

#include "core/base/format.hpp"
#include "core/index/graph_sources.hpp"

#include <algorithm>
#include <utility>

namespace core {
namespace {

// Calls of the host that return once work of the GPU is done, by begin.
std::vector<RankRange> find_waiting_calls(const RankTrace& trace) {
    std::vector<bool> waits;
    for (std::uint32_t n = 0; n < trace.names.size(); ++n)
        waits.push_back(trace.text(NameId{n}).find("Synchronize") != std::string_view::npos);
    std::vector<RankRange> calls;
    if (std::ranges::find(waits, true) == waits.end()) return calls;
    for (std::uint32_t e = 0; e < trace.size(); ++e)
        if (waits[index_of(trace.name[e])] && is_launch_category(trace.category_kind(EventId{e})))
            calls.push_back(trace.range(EventId{e}));
    std::ranges::sort(calls, {}, &RankRange::begin);
    return calls;
}

bool is_waited_for(const std::vector<RankRange>& calls, RankTime end) {
    constexpr int kMostTried = 16;  // threads that wait at once
    auto after = std::ranges::upper_bound(calls, end, {}, &RankRange::begin);
    for (int tried = 0; after != calls.begin() && tried < kMostTried; ++tried)
        if ((--after)->end >= end) return true;
    return false;
}

RankTime end_of(const RankTrace& trace, std::span<const EventId> nodes) {
    RankTime end = RankTime::min();
    for (const EventId e : nodes) end = std::max(end, trace.end(e));
    return end;
}

}  // namespace

LostNodes::LostNodes(const RankIndex& rank) : known_(graph_attribution_of(rank, {})) {
    const RankTrace& trace = rank.trace();
    const GraphReplays& replays = known_->replays;
    const GraphList list = list_graphs(trace, *known_);
    places_.resize(replays.replays.size());
    std::vector<RankRange> waiting;
    const bool any_thin = std::ranges::any_of(list.replays, &ReplayTimes::is_thin);
    if (any_thin) waiting = find_waiting_calls(trace);
    std::uint32_t lacks = 0, whole = 0;
    const GraphTemplate* first = nullptr;
    for (const ReplayTimes& one : list.replays) {
        const std::span<const EventId> nodes = replays.nodes_of(replays.replays[one.replay]);
        const bool is_thin = one.is_thin() && is_waited_for(waiting, end_of(trace, nodes));
        if (one.lacks == 0 && !is_thin) continue;
        const GraphTemplate& made = known_->templates[known_->template_of[one.replay]];
        find_places(trace, one.replay, made, one.lacks == 0);
        if (replays_++ > 0) continue;
        const GraphReplay& replay = replays.replays[one.replay];
        example_ = replay.call != kNoEvent ? replay.call : nodes.front();
        lacks = one.lacks;
        whole = list.graphs[one.graph].nodes;
        first = &made;
    }
    if (replays_ == 0) return;
    ordinals_.assign(trace.size(), 0);
    for (std::uint32_t r = 0; r < places_.size(); ++r) {
        const std::span<const EventId> nodes = replays.nodes_of(replays.replays[r]);
        for (std::uint32_t k = 0; is_short(r) && k < nodes.size(); ++k) ordinals_[index_of(nodes[k])] = k;
    }
    text_ = format_count(replays_) + " of " + format_plural(places_.size(), "replay of a graph", "replays of graphs");
    text_ += replays_ == 1 ? " lacks " : " lack ";
    if (lacks == 0) {
        text_ += "most of its kernels: they fill less than half of the time that the host waited for";
        return;
    }
    text_ += format_count(std::uint64_t{lacks}) + " of " + format_plural(whole, "kernel", "kernels");
    for (std::size_t i = 0; i < first->missing.size(); ++i) text_ += (i == 0 ? ": " : ", ") + first->missing[i];
}

// Ordinals by node ids need not follow time, unless all nodes are on one stream.
void LostNodes::find_places(const RankTrace& trace, std::uint32_t replay, const GraphTemplate& made, bool is_thin) {
    const std::span<const EventId> nodes = known_->replays.nodes_of(known_->replays.replays[replay]);
    const auto starts = [&](EventId e) { return trace.start[index_of(e)]; };
    if (is_thin || made.lost_places.empty() || !std::ranges::is_sorted(nodes, {}, starts))
        places_[replay] = {kAnywhere};
    else
        places_[replay] = made.lost_places;
}

bool LostNodes::are_of_one_replay(EventId a, EventId b) const {
    if (a == kNoEvent || b == kNoEvent) return false;
    const std::uint32_t replay = known_->replays.replay_of(a);
    return replay != kNoReplay && replay == known_->replays.replay_of(b);
}

bool LostNodes::may_hide(EventId before, EventId next) const {
    if (replays_ == 0) return false;
    const std::uint32_t of_before = before == kNoEvent ? kNoReplay : known_->replays.replay_of(before);
    const std::uint32_t of_next = next == kNoEvent ? kNoReplay : known_->replays.replay_of(next);
    const auto any_place = [&](std::uint32_t replay, std::uint32_t least, std::uint32_t most) {
        return std::ranges::any_of(places_[replay], [&](std::uint32_t place) {
            return place == kAnywhere || (least <= place && place <= most);
        });
    };
    if (is_short(of_before) && any_place(of_before, ordinals_[index_of(before)] + 1,
                                         of_next == of_before ? ordinals_[index_of(next)] : kAnywhere))
        return true;
    return of_next != of_before && is_short(of_next) && any_place(of_next, 0, ordinals_[index_of(next)]);
}

std::shared_ptr<const LostNodes> lost_nodes_of(const RankIndex& rank) {
    return derived_with_graphs(rank).get<LostNodes>([&] { return std::make_shared<const LostNodes>(rank); });
}

}  // namespace core
