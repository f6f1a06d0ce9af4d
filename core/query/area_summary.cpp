#include "core/query/area_summary.hpp"

#include "core/base/jobs.hpp"
#include "core/index/summary_rank.hpp"
#include "core/query/lane_range.hpp"
#include "core/query/lost_launches.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr std::size_t kLongest = 3;

// Calls a visitor for each event in the area, rank by rank.
class AreaWalk {
public:
    AreaWalk(const AreaQuery& query, const JobContext& job)
        : query_(query), job_(job), lanes_(choose_lanes(*query.run, query.rows)) {
        if (const auto time = query.filter.time_range(*query.run))
            range_ = {std::max(range_.begin, time->begin), std::min(range_.end, time->end)};
    }

    // visit.begin_rank(slot, selection, window, lanes), visit.add(event), visit.end_rank(): false ends the walk.
    // visit.add_work(event), where there is one: GPU events that pass the step and stream terms.
    template <class Visit>
    std::optional<Error> run(Visit& visit) {
        for (std::uint32_t slot = 0; slot < query_.run->ranks().size() && !range_.empty(); ++slot) {
            const RankSlot& rank = query_.run->rank(slot);
            if (!query_.filter.accepts_rank(rank.key) || !is_chosen(slot)) continue;
            const Result<SelectionPtr> selection = find_selection(slot);
            if (!selection) return selection.error();
            visit.begin_rank(slot, selection->get(), rank.to_rank(range_));
            if (!walk_rank(slot, selection->get(), visit)) return cancelled_error();
            visit.end_rank();
        }
        if (job_.cancelled()) return cancelled_error();
        return std::nullopt;
    }
    bool is_chosen(std::uint32_t slot) const {
        return lanes_.empty() || std::ranges::find(lanes_[slot], true) != lanes_[slot].end();
    }
    bool is_chosen(std::uint32_t slot, std::size_t lane) const { return lanes_.empty() || lanes_[slot][lane]; }

private:
    // Null if every event passes.
    Result<SelectionPtr> find_selection(std::size_t slot) const {
        if (query_.filter.without_time_and_rank().empty()) return SelectionPtr();
        if (slot < query_.selections.size() && query_.selections[slot]) return query_.selections[slot];
        return Selection::build(*query_.run, slot, query_.filter, job_);
    }

    template <class Visit>
    bool walk_rank(std::uint32_t slot, const Selection* selection, Visit& visit) {
        const RankSlot& rank = query_.run->rank(slot);
        const RankTrace& trace = rank.trace();
        for (std::size_t lane = 0; lane < trace.lanes.size(); ++lane) {
            if (!is_chosen(slot, lane)) continue;
            const LaneRange inside = find_events_in(rank, trace.lanes[lane], range_);
            for (std::size_t i = index_of(inside.first); i < index_of(inside.last); ++i) {
                if (i % kEventsBetweenChecks == 0 && job_.cancelled()) return false;
                const auto event = static_cast<EventId>(i);
                if (selection == nullptr || selection->passes(event)) visit.add(event);
                if constexpr (requires { visit.add_work(event); }) {
                    if (trace.has(event, kGpuEvent) && (selection == nullptr || selection->is_in_window(event)))
                        visit.add_work(event);
                }
            }
        }
        return true;
    }

    const AreaQuery& query_;
    const JobContext& job_;
    const LaneChoice lanes_;
    RunRange range_ = query_.range;
};

class AreaTotals {
public:
    AreaTotals(const AreaQuery& query, const AreaWalk& walk) : query_(query), walk_(walk), names_(*query.run) {}

    void begin_rank(std::uint32_t slot, const Selection* selection, RankRange window) {
        slot_ = slot;
        selection_ = selection;
        window_ = window;
        trace_ = &query_.run->rank(slot).trace();
        gpu_events_.clear();
        names_.begin_rank(slot);
    }
    void add(EventId event) {
        const RankRange range = trace_->range(event);
        ++summary_.events;
        if (trace_->has(event, kGpuEvent)) ++summary_.gpu_events;
        names_.add(event,
                   std::max(std::min(range.end, window_.end) - std::max(range.begin, window_.begin), Duration{0}));
    }
    // Shares of time are of all work in the filter's steps and streams.
    void add_work(EventId event) {
        if (!query_.rows.empty()) gpu_events_.push_back(event);
    }
    void end_rank() {
        if (const RankTotals rank = names_.end_rank(); rank.count > 0) summary_.ranks.push_back(rank);
        add_times();
    }
    AreaSummary take() {
        summary_.names = names_.take();
        return std::move(summary_);
    }

private:
    void add_times() {
        std::size_t streams = 0;
        std::vector<std::size_t> chosen;
        for (std::size_t lane = 0; lane < trace_->lanes.size(); ++lane) {
            if (trace_->tracks[trace_->lanes[lane].track].kind != TrackKind::Stream) continue;
            ++streams;
            if (walk_.is_chosen(slot_, lane)) chosen.push_back(lane);
        }
        if (chosen.empty()) return;
        const RankSlot& rank = query_.run->rank(slot_);
        ClassTimes times;
        RankRange work{};
        if (chosen.size() == streams) {
            const ClassPartition& partition = selection_ ? selection_->partition() : rank.index->partition();
            times = partition.times(window_);
            work = selection_ ? selection_->window() : partition.range();
        } else {
            std::ranges::sort(gpu_events_, {}, [&](EventId e) { return trace_->start[index_of(e)]; });
            times = ClassPartition(*trace_, rank.index->classes(), gpu_events_).times(window_);
            work = find_work(chosen);
        }
        const RankRange seen{std::max(work.begin, window_.begin), std::min(work.end, window_.end)};
        const bool hidden = !seen.empty() && lost_launches_of(*rank.index)->hide(seen);
        if (hidden) times.by_set[0] = Duration{0};  // not idle, but unknown
        for (std::size_t set = 0; set < kClassSets; ++set) summary_.times.by_set[set] += times.by_set[set];
        summary_.times_of_ranks.push_back({slot_, times, seen.empty() || hidden ? Duration{0} : seen.length()});
    }
    // First start to last end of these lanes' work in the filter's steps and streams, inside the area or not.
    RankRange find_work(std::span<const std::size_t> lanes) const {
        const auto counts = [&](std::size_t i) {
            const auto event = static_cast<EventId>(i);
            return trace_->has(event, kGpuEvent) && (!selection_ || selection_->is_in_window(event));
        };
        RankRange work{};
        bool any = false;
        for (const std::size_t lane : lanes) {
            std::size_t first = index_of(trace_->lanes[lane].first);
            std::size_t last = index_of(trace_->lanes[lane].last);
            while (first < last && !counts(first)) ++first;
            while (first < last && !counts(last - 1)) --last;
            if (first == last) continue;
            const RankRange own{trace_->range(static_cast<EventId>(first)).begin,
                                trace_->range(static_cast<EventId>(last - 1)).end};
            work = any ? RankRange{std::min(work.begin, own.begin), std::max(work.end, own.end)} : own;
            any = true;
        }
        return work;
    }

    const AreaQuery& query_;
    const AreaWalk& walk_;
    TotalsByName names_;
    std::uint32_t slot_ = 0;
    const Selection* selection_ = nullptr;
    const RankTrace* trace_ = nullptr;
    RankRange window_{};
    std::vector<EventId> gpu_events_;
    AreaSummary summary_;
};

class DurationsOfName {
public:
    DurationsOfName(const Run& run, std::string_view name, bool on_gpu) : run_(run), name_(name), on_gpu_(on_gpu) {}

    void begin_rank(std::uint32_t slot, const Selection*, RankRange) {
        trace_ = &run_.rank(slot).trace();
        wanted_.assign(trace_->names.size(), false);
        for (std::size_t i = 0; i < wanted_.size(); ++i) wanted_[i] = trace_->text(static_cast<NameId>(i)) == name_;
    }
    void add(EventId event) {
        if (wanted_[index_of(trace_->name[index_of(event)])] && trace_->has(event, kGpuEvent) == on_gpu_)
            durations.push_back(trace_->duration[index_of(event)]);
    }
    void end_rank() {}

    std::vector<Duration> durations;

private:
    const Run& run_;
    const std::string_view name_;
    const bool on_gpu_;
    const RankTrace* trace_ = nullptr;
    std::vector<bool> wanted_;
};

}  // namespace

std::vector<NameTotals> AreaSummary::longest() const {
    std::vector<NameTotals> first;
    for (const NameTotals& name : names)
        if (first.size() < kLongest && name.on_gpu == (gpu_events > 0)) first.push_back(name);
    return first;
}

Result<AreaSummary> summarize_area(const AreaQuery& query, const JobContext& job) {
    if (is_summary(*query.run)) return needs_events(*query.run, "which an area is summed up from");
    AreaWalk walk(query, job);
    AreaTotals totals(query, walk);
    if (std::optional<Error> error = walk.run(totals)) return *std::move(error);
    return totals.take();
}

Result<std::vector<Duration>> collect_durations(const AreaQuery& query, std::string_view name, bool on_gpu,
                                                const JobContext& job) {
    if (is_summary(*query.run)) return needs_events(*query.run, "which an area is summed up from");
    AreaWalk walk(query, job);
    DurationsOfName durations(*query.run, name, on_gpu);
    if (std::optional<Error> error = walk.run(durations)) return *std::move(error);
    return std::move(durations.durations);
}

}  // namespace core
