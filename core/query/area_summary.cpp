#include "core/query/area_summary.hpp"

#include "core/base/jobs.hpp"
#include "core/query/lane_range.hpp"

#include <algorithm>
#include <unordered_map>

namespace core {
namespace {

constexpr std::size_t kLongest = 3;

class AreaWalk {
public:
    AreaWalk(const AreaQuery& query, const JobContext& job) : query_(query), job_(job) {
        if (const auto time = query.filter.time_range(*query.run))
            range_ = {std::max(range_.begin, time->begin), std::min(range_.end, time->end)};
    }

    Result<AreaSummary> run() && {
        for (std::uint32_t slot = 0; slot < query_.run->ranks().size() && !range_.empty(); ++slot) {
            if (!query_.filter.accepts_rank(query_.run->rank(slot).key)) continue;
            const Result<SelectionPtr> selection = find_selection(slot);
            if (!selection) return Error(selection.error());
            if (!add_rank(slot, selection->get())) return cancelled_error();
        }
        take_longest(summary_.gpu_events > 0 ? gpu_ : cpu_);
        return std::move(summary_);
    }

private:
    using Totals = std::unordered_map<std::uint32_t, NameTotal>;  // by SessionName

    // Null where every event passes.
    Result<SelectionPtr> find_selection(std::size_t slot) const {
        if (query_.filter.without_time_and_rank().empty()) return SelectionPtr();
        if (slot < query_.selections.size() && query_.selections[slot]) return query_.selections[slot];
        return Selection::build(*query_.run, slot, query_.filter, job_);
    }

    bool add_rank(std::uint32_t slot, const Selection* selection) {
        const RankSlot& rank = query_.run->rank(slot);
        window_ = rank.clock.to_rank(range_);
        const ClassPartition& partition = selection ? selection->partition() : rank.index->partition();
        const ClassTimes times = partition.times(window_);
        for (std::size_t set = 0; set < kClassSets; ++set) summary_.times.by_set[set] += times.by_set[set];
        for (const Lane& lane : rank.trace().lanes) {
            const LaneRange inside = find_events_in(rank, lane, range_);
            for (std::size_t i = index_of(inside.first); i < index_of(inside.last); ++i) {
                if (i % kEventsBetweenChecks == 0 && job_.cancelled()) return false;
                const auto event = static_cast<EventId>(i);
                if (selection == nullptr || selection->passes(event)) add_event({slot, event});
            }
        }
        return !job_.cancelled();
    }

    void add_event(EventRef ref) {
        const RankSlot& rank = query_.run->rank(ref.slot);
        const RankTrace& trace = rank.trace();
        const bool on_gpu = trace.has(ref.event, kGpuEvent);
        ++summary_.events;
        if (on_gpu) ++summary_.gpu_events;
        const std::size_t name = index_of((*rank.names)[index_of(trace.name[index_of(ref.event)])]);
        NameTotal& total = (on_gpu ? gpu_ : cpu_)[static_cast<std::uint32_t>(name)];
        if (total.count++ == 0) total.example = ref;
        const RankRange range = trace.range(ref.event);
        total.total += std::max(std::min(range.end, window_.end) - std::max(range.begin, window_.begin), Duration{0});
    }

    void take_longest(const Totals& totals) {
        for (const auto& [name, total] : totals) summary_.longest.push_back(total);
        std::ranges::sort(summary_.longest, [](const NameTotal& a, const NameTotal& b) {
            return a.total != b.total ? a.total > b.total : a.example < b.example;
        });
        summary_.longest.resize(std::min(summary_.longest.size(), kLongest));
    }

    const AreaQuery& query_;
    const JobContext& job_;
    RunRange range_ = query_.range;
    RankRange window_{};  // the same on the rank's clock
    AreaSummary summary_;
    Totals gpu_;
    Totals cpu_;
};

}  // namespace

Result<AreaSummary> summarize_area(const AreaQuery& query, const JobContext& job) { return AreaWalk(query, job).run(); }

}  // namespace core
