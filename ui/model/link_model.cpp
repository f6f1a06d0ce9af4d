#include "ui/model/link_model.hpp"

#include "core/base/format.hpp"
#include "core/store/event_above.hpp"

#include <algorithm>

namespace ui {
namespace {

constexpr std::size_t kMostListed = 16;
constexpr std::size_t kMostLinks = 64;  // per kind
constexpr std::size_t kMostCalls = 16;  // more arrows would be indistinguishable
constexpr std::string_view kPassCategory = "fwdbwd";

class LinkWalk {
public:
    LinkWalk(const core::Run& run, core::EventRef ref, const core::JobContext& job)
        : trace_(run.rank(ref.slot).trace()), slot_(ref.slot), event_(ref.event), job_(job) {}

    EventLinks run() && {
        for (const core::EventId gpu : trace_.launched_by(event_)) add(LinkKind::Launch, true, gpu, "launches");
        add_flows(true);
        const bool on_gpu = trace_.has(event_, core::kGpuEvent);
        const core::EventId parent = trace_.parent[core::index_of(event_)];
        if (on_gpu && parent != core::kNoEvent) add(LinkKind::Launch, false, parent, "launched by");
        add_flows(false);
        if (!on_gpu && parent != core::kNoEvent) add(LinkKind::Call, false, parent, "inside");
        if (!on_gpu) add_call_below();
        if (on_gpu && parent != core::kNoEvent) add_callers(parent);
        if (!on_gpu && trace_.launched_by(event_).empty()) add_kernels();
        return std::move(found_);
    }

private:
    void add(LinkKind kind, bool forward, core::EventId event, std::string word) {
        const auto same = std::ranges::count_if(
            found_.links, [&](const EventLink& link) { return link.kind == kind && link.forward == forward; });
        if (static_cast<std::size_t>(same) >= kMostLinks) {
            ++found_.more;
            return;
        }
        found_.links.push_back({kind, forward, {slot_, event}, std::move(word)});
    }

    void add_flow(const core::Flow& flow, bool forward) {
        const core::EventId other = forward ? flow.to : flow.from;
        if (trace_.text(trace_.categories[flow.category].text) == kPassCategory)
            return add(LinkKind::Pass, forward, other, forward ? "backward pass" : "forward pass");
        add(LinkKind::Arrow, forward, other,
            "arrow " + std::string(trace_.text(flow.name)) + (forward ? " to" : " from"));
    }

    // Adds arrows of the trace; forward and backward passes come first.
    void add_flows(bool forward) {
        const auto before = static_cast<std::ptrdiff_t>(found_.links.size());
        if (forward) {
            for (const core::Flow& flow : std::ranges::equal_range(trace_.flows, event_, {}, &core::Flow::from))
                add_flow(flow, true);
        } else {
            for (std::size_t i = 0; i < trace_.flows.size() && !stops_at(i); ++i)
                if (trace_.flows[i].to == event_) add_flow(trace_.flows[i], false);
        }
        std::ranges::stable_partition(found_.links.begin() + before, found_.links.end(),
                                      [](const EventLink& link) { return link.kind == LinkKind::Pass; });
    }

    // Range of events of a lane that start within the call.
    std::pair<core::EventId, core::EventId> find_starting_in(const core::Lane& lane, core::EventId call) const {
        const std::size_t first = core::index_of(lane.first);
        const auto starts = trace_.start.subspan(first, core::index_of(lane.last) - first);
        const auto place = [&](core::RankTime t) {
            return static_cast<core::EventId>(
                first + static_cast<std::size_t>(std::ranges::lower_bound(starts, t) - starts.begin()));
        };
        return {place(trace_.start[core::index_of(call)]), place(trace_.end(call))};
    }

    template <class Visit>
    bool any_lane_of(core::EventId call, const Visit& visit) const {
        const core::Track& track = trace_.track_of(call);
        const auto lanes = trace_.lanes.subspan(track.first_lane, track.lane_count);
        return std::ranges::any_of(lanes, visit);
    }

    bool leads_to_launch(core::EventId call) const {
        return any_lane_of(call, [&](const core::Lane& lane) {
            const auto [first, last] = find_starting_in(lane, call);
            const auto launch = std::ranges::lower_bound(trace_.launch_calls, first);
            return launch != trace_.launch_calls.end() && *launch < last;
        });
    }

    // Adds the first event that has this one as its parent, preferring one that leads to a launch.
    void add_call_below() {
        core::EventId found = core::kNoEvent;
        const bool leads = any_lane_of(event_, [&](const core::Lane& lane) {
            const auto [first, last] = find_starting_in(lane, event_);
            for (std::size_t i = core::index_of(first); i < core::index_of(last); ++i) {
                const auto call = static_cast<core::EventId>(i);
                if (stops_at(i)) return true;
                if (trace_.parent[i] != event_) continue;
                if (found == core::kNoEvent) found = call;
                if (!leads_to_launch(call)) continue;
                found = call;
                return true;
            }
            return false;
        });
        if (leads || found != core::kNoEvent) add(LinkKind::Call, true, found, "calls");
    }

    void add_callers(core::EventId launch) {
        core::EventId callee = launch;
        for (core::EventId caller = core::event_above(trace_, launch); caller != core::kNoEvent;
             caller = core::event_above(trace_, caller)) {
            if (found_.all_calls++ < kMostCalls) found_.calls.push_back({{slot_, caller}, {slot_, callee}});
            callee = caller;
        }
    }

    // Adds kernels launched within the call. Nested calls are in the call's row of the track or in a lower one.
    void add_kernels() {
        const core::Lane& own = trace_.lanes[trace_.find_lane(event_)];
        std::vector<core::EventId> launches;
        any_lane_of(event_, [&](const core::Lane& lane) {
            if (lane.row < own.row) return false;
            const auto [first, last] = find_starting_in(lane, event_);
            const auto from = std::ranges::lower_bound(trace_.launch_calls, first);
            const auto to = std::ranges::lower_bound(trace_.launch_calls, last);
            launches.insert(launches.end(), from, to);
            return stops_at(0);
        });
        // Lower rows also hold events that only overlap the call.
        std::erase_if(launches, [&, seen = std::size_t{0}](core::EventId launch) mutable {
            return stops_at(seen++) || !is_below(launch);
        });
        std::ranges::sort(launches, {}, [&](core::EventId launch) { return trace_.start[core::index_of(launch)]; });
        for (const core::EventId launch : launches) {
            const auto kernels = trace_.launched_by(launch);
            const std::size_t room = kMostCalls - found_.calls.size();
            for (const core::EventId kernel : kernels.first(std::min(kernels.size(), room)))
                found_.calls.push_back({{slot_, event_}, {slot_, kernel}});
            found_.all_calls += kernels.size();
        }
    }

    bool is_below(core::EventId call) const {
        while (call != event_ && call != core::kNoEvent) call = core::event_above(trace_, call);
        return call == event_;
    }

    bool stops_at(std::size_t i) const { return i % core::kEventsBetweenChecks == 0 && job_.cancelled(); }

    const core::RankTrace& trace_;
    const std::uint32_t slot_;
    const core::EventId event_;
    const core::JobContext& job_;
    EventLinks found_;
};

}  // namespace

EventLinks collect_own_links(const core::Run& run, core::EventRef ref, const core::JobContext& job) {
    return LinkWalk(run, ref, job).run();
}

OtherLinks describe_other_links(const core::Run& run, core::EventRef ref, const EventLinks& found) {
    OtherLinks others;
    for (const EventLink& link : found.links) {
        if (link.kind == LinkKind::Launch || link.kind == LinkKind::Call) continue;
        if (others.links.size() == kMostListed) {
            ++others.more;
            continue;
        }
        const core::RankSlot& rank = run.rank(link.event.slot);
        std::string label = link.word;
        if (link.kind == LinkKind::Collective) label = "On rank " + core::format_rank(rank.key);
        label.front() = static_cast<char>(std::toupper(label.front()));
        const core::Duration later = run.start_of(link.event) - run.start_of(ref);
        others.links.push_back({std::move(label), std::string(rank.trace().name_text(link.event.event)),
                                (later.count() >= 0 ? "+" : "") + core::format_duration(later), link.event});
    }
    return others;
}

core::Result<EventLinks> collect_links(const core::Run& run, core::EventRef ref, const core::JobContext& job) {
    EventLinks found = collect_own_links(run, ref, job);
    if (job.cancelled()) return core::cancelled_error();
    core::Result<core::CollectivePeers> peers = core::find_peers(run, ref, job);
    if (!peers) return std::move(peers).error();
    found.match = peers->match;
    std::ranges::stable_partition(peers->others, [&](core::EventRef other) { return other.slot > ref.slot; });
    for (const core::EventRef other : peers->others)
        found.links.push_back({LinkKind::Collective, true, other, "same collective"});
    return found;
}

}  // namespace ui
