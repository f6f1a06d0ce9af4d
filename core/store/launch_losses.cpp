#include "core/store/launch_losses.hpp"

#include "core/base/format.hpp"
#include "core/store/launch_names.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>

namespace core {
namespace {

// A rank with fewer is a hand-made or tiny trace, where one event is a large share.
constexpr std::size_t kFewLaunches = 3;
// Profilers lose records when a buffer runs full, never a few per thousand on purpose.
constexpr double kManyLostBetween = 0.002;
// The GPU is recorded a little later and a little shorter than the CPU.
constexpr double kManyLostAtEnds = 0.1;

class LaunchCount {
public:
    explicit LaunchCount(const RankTrace& trace) : trace_(trace), kinds_(trace.names.size(), kUnknown) {
        for (const CategoryEntry& category : trace.categories) {
            launch_category_.push_back(is_launch_category(category.kind));
            range_category_.push_back(trace.text(category.text) == "cuda_profiler_range");
        }
    }

    LaunchLosses run() && {
        collect();
        leave_out_outer_calls();
        const std::vector<RankTime> switches = find_capture_switches();
        std::erase_if(without_work_, [&](EventId e) { return is_captured(e, switches); });
        if (!without_work_.empty()) count();
        return losses_;
    }

private:
    enum Kind : std::uint8_t { kNone, kKernel, kGraph, kCopy, kBeginsCapture, kEndsCapture, kUnknown };

    Kind kind_of(NameId name) {
        std::uint8_t& known = kinds_[index_of(name)];
        if (known != kUnknown) return static_cast<Kind>(known);
        const std::string_view text = trace_.text(name);
        const LaunchKind kind = launch_kind(text);
        const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
        known = kind == LaunchKind::Kernel  ? kKernel
                : kind == LaunchKind::Graph ? kGraph
                : kind == LaunchKind::Copy  ? kCopy
                : has("BeginCapture")       ? kBeginsCapture
                : has("EndCapture")         ? kEndsCapture
                                            : kNone;
        return static_cast<Kind>(known);
    }

    EventId parent(EventId e) const { return trace_.parent[index_of(e)]; }
    RankTime start(EventId e) const { return trace_.start[index_of(e)]; }
    bool is_call(EventId e) const { return launch_category_[trace_.category[index_of(e)]]; }

    // Calls within another call are parts of it.
    void collect() {
        auto next_linked = trace_.launch_calls.begin();
        for (std::size_t i = 0; i < trace_.size(); ++i) {
            const auto e = static_cast<EventId>(i);
            if (range_category_[trace_.category[i]]) ++losses_.ranges;
            if (!launch_category_[trace_.category[i]] || trace_.has(e, kGpuEvent)) continue;
            const Kind kind = kind_of(trace_.name[i]);
            if (kind == kBeginsCapture || kind == kEndsCapture) captures_.push_back(e);
            if (parent(e) != kNoEvent && is_call(parent(e))) continue;
            if (kind == kCopy) ++losses_.copies;
            if (kind != kKernel && kind != kGraph) continue;
            while (next_linked != trace_.launch_calls.end() && *next_linked < e) ++next_linked;
            if (next_linked != trace_.launch_calls.end() && *next_linked == e)
                ++losses_.launches;
            else
                without_work_.push_back(e);
        }
    }

    // A runtime call whose driver call has the work.
    void leave_out_outer_calls() {
        std::set<EventId> outer;
        for (const EventId call : trace_.launch_calls)
            for (EventId e = parent(call); e != kNoEvent && is_call(e); e = parent(e)) outer.insert(e);
        if (outer.empty()) return;
        losses_.launches +=
            static_cast<std::size_t>(std::erase_if(without_work_, [&](EventId e) { return outer.contains(e); }));
    }

    // Moments at which the capture of a graph begins and ends: what is launched in between does not run yet.
    std::vector<RankTime> find_capture_switches() {
        std::ranges::sort(captures_, {}, [&](EventId e) { return std::pair(start(e), e); });
        std::vector<RankTime> switches;
        for (const EventId e : captures_) {
            const bool begins = kind_of(trace_.name[index_of(e)]) == kBeginsCapture;
            if (begins == (switches.size() % 2 == 0)) switches.push_back(start(e));
        }
        return switches;
    }
    bool is_captured(EventId e, std::span<const RankTime> switches) const {
        const auto after = std::ranges::upper_bound(switches, start(e));
        return (after - switches.begin()) % 2 == 1;
    }

    void count() {
        RankTime first = RankTime::max(), last = RankTime::min();
        for (const EventId e : trace_.launch_calls) {
            first = std::min(first, start(e));
            last = std::max(last, start(e));
        }
        leave_out_pending(last);
        const auto is_between = [&](EventId e) { return first <= start(e) && start(e) <= last; };
        std::uint64_t between = static_cast<std::uint64_t>(std::ranges::count_if(without_work_, is_between));
        std::uint64_t at_ends = without_work_.size() - between;
        const double all = static_cast<double>(losses_.launches + without_work_.size());
        const auto is_many = [&](std::uint64_t some, double share) {
            return some > kFewLaunches && static_cast<double>(some) > share * all;
        };
        // If many are lost in between, those at the ends are lost for the same reason.
        if (!trace_.launch_calls.empty() && !loses_step() && !is_many(at_ends, kManyLostAtEnds) &&
            !is_many(between, kManyLostAtEnds)) {
            std::erase_if(without_work_, std::not_fn(is_between));
            at_ends = 0;
        }
        if (without_work_.empty()) return;
        losses_.launches += without_work_.size();
        const std::uint64_t surplus = count_surplus();
        if (surplus >= without_work_.size()) return;
        const std::uint64_t lost = without_work_.size() - surplus;
        if (trace_.gpu_events.empty() && losses_.ranges >= lost) return;
        losses_.without_work = std::move(without_work_);
        if (!trace_.gpu_events.empty() && !is_many(lost, kManyLostBetween)) return;
        losses_.lost = lost;
        losses_.at_ends = std::min(at_ends, lost);
        losses_.example = losses_.without_work.front();
    }

    // Work launched before the last recorded work begins is behind it in the queue, and runs after the end of the
    // recording: queues may be long.
    void leave_out_pending(RankTime last_linked) {
        RankTime last_begin = RankTime::min();
        for (const EventId e : trace_.gpu_events)
            if (parent(e) != kNoEvent) last_begin = std::max(last_begin, start(e));
        std::erase_if(without_work_, [&](EventId e) { return start(e) > last_linked && start(e) <= last_begin; });
    }

    // A step that launches work, none of which is here.
    bool loses_step() const {
        std::map<const Step*, std::size_t> of_step;
        for (const EventId e : without_work_)
            if (const Step* const step = trace_.find_step(start(e))) ++of_step[step];
        std::erase_if(of_step, [](const auto& entry) { return entry.second <= kFewLaunches; });
        for (const EventId call : trace_.launch_calls) {
            if (of_step.empty()) return false;
            of_step.erase(trace_.find_step(start(call)));
        }
        return !of_step.empty();
    }

    // Kernels that no call owns by number, or that one owns besides its own: they are the work of other calls.
    std::uint64_t count_surplus() {
        std::uint64_t surplus = 0;
        for (std::size_t k = 0; k < trace_.launch_calls.size(); ++k) {
            const std::uint64_t owned = trace_.launch_first[k + 1] - trace_.launch_first[k];
            if (owned > 1 && kind_of(trace_.name[index_of(trace_.launch_calls[k])]) != kGraph) surplus += owned - 1;
        }
        for (const EventId e : trace_.gpu_events)
            if (parent(e) == kNoEvent && trace_.category_kind(e) == Category::Kernel && !trace_.was_launched_before(e))
                ++surplus;
        return surplus;
    }

    const RankTrace& trace_;
    std::vector<std::uint8_t> kinds_;  // by name
    std::vector<bool> launch_category_, range_category_;
    std::vector<EventId> without_work_;
    std::vector<EventId> captures_;
    LaunchLosses losses_;
};

}  // namespace

std::string LaunchLosses::text() const {
    std::string text = format_count(lost) + " of " + format_plural(launches, "launch", "launches") +
                       " of kernels and graphs have no GPU event";
    if (at_ends == lost && lost < launches)
        text += ", before the first or after the last that has one";
    else if (at_ends == 0)
        text += ", between others that have";
    return text;
}

LaunchLosses find_launch_losses(const RankTrace& trace) { return LaunchCount(trace).run(); }

}  // namespace core
