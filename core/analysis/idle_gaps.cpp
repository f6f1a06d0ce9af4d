#include "core/analysis/idle_gaps.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr std::array<std::string_view, kGapCauses> kCauseNames = {"host_wait", "kernel_wait", "other"};

GapCause find_cause(const RankTrace& trace, RankRange gap, EventId next, Duration short_gap) {
    const EventId call = next == kNoEvent ? kNoEvent : trace.parent[index_of(next)];
    if (call == kNoEvent) return GapCause::Other;
    if (trace.start[index_of(call)] > gap.begin) return GapCause::HostWait;
    return gap.length() < short_gap ? GapCause::KernelWait : GapCause::Other;
}

}  // namespace

std::string_view name_of(GapCause cause) { return kCauseNames[static_cast<std::size_t>(cause)]; }

std::vector<Gap> collect_gaps(const RankView& view, std::span<const EventId> events, RankRange window,
                              Duration short_gap) {
    const RankTrace& trace = view.trace();
    std::vector<Gap> gaps;
    const auto add = [&](RankRange whole, EventId next) {
        RankRange visible = whole;
        if (view.time) visible = {std::max(whole.begin, view.time->begin), std::min(whole.end, view.time->end)};
        if (!visible.empty()) gaps.push_back({whole, visible, next, find_cause(trace, whole, next, short_gap)});
    };
    RankTime end = window.begin;
    for (const EventId e : events) {
        add({end, trace.start[index_of(e)]}, e);
        end = std::max(end, trace.end(e));
    }
    add({end, window.end}, kNoEvent);
    return gaps;
}

Wide total_time(const GapsByCause& gaps) {
    Wide sum = 0;
    for (const GapSums& of_cause : gaps) sum += of_cause.time;
    return sum;
}

}  // namespace core
