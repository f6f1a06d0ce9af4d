#include "core/analysis/verdict/time_facts.hpp"

#include "core/analysis/efficiency/device_peaks.hpp"
#include "core/analysis/efficiency/executed_calls.hpp"
#include "core/analysis/engine/exposed_split.hpp"
#include "core/analysis/engine/record_table.hpp"
#include "core/analysis/time/idle_gaps.hpp"
#include "core/analysis/time/step_windows.hpp"

#include <algorithm>
#include <map>

namespace core {
namespace {

constexpr Duration kShortIdle{30'000};  // as device-idle has it

// Whether a call at its device's peaks is bound by memory; absent where that is not known.
std::optional<bool> is_memory_bound(const OperatorWork& work, Precision precision, const Peaks& peaks) {
    const std::optional<double> peak = peaks.of_precision(precision);
    if (!peak || !work.bytes || !peaks.bytes_per_s) return std::nullopt;
    return static_cast<double>(work.flop) / *peak < static_cast<double>(*work.bytes) / *peaks.bytes_per_s;
}

struct FactWindow {
    std::optional<std::int64_t> step;
    std::vector<RankRange> ranges;  // disjoint, sorted
};

class FactCollector {
public:
    FactCollector(const RankView& view, const JobContext& context) : view_(view), context_(context) {
        const RankRange window = view.window();
        windows_.push_back({std::nullopt, {window}});
        for (StepWindow& step : collect_step_windows(view)) {
            place_of_step_[step.number] = windows_.size();
            windows_.push_back({step.number, std::move(step.ranges)});
        }
        facts_.resize(windows_.size());
    }

    Result<std::vector<TimeFacts>> run() && {
        add_times();
        add_gaps();
        if (!add_kernels() || !add_flop()) return cancelled_error();
        return std::move(facts_);
    }

private:
    // Calls add(facts) for the window and for the step, if it is chosen.
    template <class Add>
    void add_to(std::optional<std::int64_t> step, const Add& add) {
        add(facts_.front());
        if (!step) return;
        if (const auto place = place_of_step_.find(*step); place != place_of_step_.end()) add(facts_[place->second]);
    }

    void add_times() {
        const std::vector<RankRange> loading = collect_data_loading(view_.trace());
        std::vector<StepWindow> hull;
        for (const FactWindow& window : windows_) hull.push_back({0, window.ranges});
        const ExposedSplitter splitter(view_, *view_.selection, hull_of(hull));
        for (std::size_t i = 0; i < windows_.size(); ++i) {
            TimeFacts& facts = facts_[i];
            facts.slot = static_cast<std::uint32_t>(view_.slot);
            facts.rank = view_.key();
            facts.step = windows_[i].step;
            const ClassTimes times = times_in(view_.selection->partition(), windows_[i].ranges);
            facts.duration = times.total().count();
            facts.compute = times.compute().count();
            facts.exposed = times.exposed_communication().count();
            facts.copies = times.exposed_memory().count();
            facts.idle = times.idle().count();
            facts.communication = times.with(KernelClass::Communication).count();
            const ExposedSplit split = splitter.in(windows_[i].ranges);
            if (split.known) facts.wait = split.wait - split.unopened;
            // The step begins for this rank when it could begin for all.
            facts.exposed -= split.unopened;
            facts.duration -= split.unopened;
            if (!loading.empty()) add_loading(loading, windows_[i].ranges, facts);
        }
    }

    void add_loading(std::span<const RankRange> loading, std::span<const RankRange> ranges, TimeFacts& facts) {
        facts.loading = 0;
        for (const RankRange& range : ranges) {
            const auto ends_by = [&](const RankRange& one) { return one.end <= range.begin; };
            for (auto one = std::ranges::partition_point(loading, ends_by);
                 one != loading.end() && one->begin < range.end; ++one) {
                const RankRange part{std::max(range.begin, one->begin), std::min(range.end, one->end)};
                *facts.loading += part.length().count();
                facts.loading_idle += view_.selection->partition().times(part).idle().count();
            }
        }
    }

    void add_gaps() {
        const std::vector<Gap> gaps = collect_device_gaps(view_, kShortIdle);
        for (std::size_t i = 0; i < windows_.size(); ++i) {
            std::int64_t longest = 0;
            for (const RankRange& range : windows_[i].ranges) {
                const auto ends_by = [&](const Gap& gap) { return gap.visible.end <= range.begin; };
                for (auto gap = std::ranges::partition_point(gaps, ends_by);
                     gap != gaps.end() && gap->visible.begin < range.end; ++gap) {
                    const std::int64_t part =
                        (std::min(range.end, gap->visible.end) - std::max(range.begin, gap->visible.begin)).count();
                    if (gap->cause == GapCause::HostWait) facts_[i].host_wait += part;
                    if (part <= longest || gap->next == kNoEvent) continue;
                    longest = part;
                    facts_[i].idle_event = gap->next;
                }
            }
        }
    }

    std::optional<std::int64_t> step_of(EventId event) const {
        const Step* const step = view_.trace().step_of(event);
        return step ? std::optional(step->number) : std::nullopt;
    }

    void keep_longest(EventId event, EventId& longest) const {
        const std::span<const Duration> duration = view_.trace().duration;
        if (longest == kNoEvent || duration[index_of(event)] > duration[index_of(longest)]) longest = event;
    }

    bool add_kernels() {
        work_ = work_of(*view_.rank().index, context_);
        if (!work_) return false;
        find_short_replays();
        const RankTrace& trace = view_.trace();
        const Peaks peaks = peaks_of(*view_.run, view_.slot, kNoEvent);
        std::vector<std::optional<bool>> memory_bound;
        for (const WorkCall& call : work_->calls)
            memory_bound.push_back(is_memory_bound(work_->work_of(call), work_->precision_of(call), peaks));
        for (std::size_t i = 0; i < trace.gpu_events.size(); ++i) {
            if (i % kEventsBetweenChecks == 0 && context_.cancelled()) return false;
            const EventId e = trace.gpu_events[i];
            if (!view_.passes(e)) continue;
            const std::uint32_t owner = work_->owners[i];
            const bool is_by_memory =
                owner == RankWork::kNoCall ? work_->kinds[i] == WorkKind::None : memory_bound[owner].value_or(false);
            add_to(step_of(e), [&](TimeFacts& facts) { add_kernel(e, work_->kinds[i], is_by_memory, facts); });
        }
        return true;
    }

    void add_kernel(EventId e, WorkKind kind, bool is_by_memory, TimeFacts& facts) const {
        if (kind == WorkKind::NoCompute) {
            const bool communicates = view_.class_of(e) == KernelClass::Communication;
            return keep_longest(e, communicates ? facts.communication_event : facts.copy_event);
        }
        keep_longest(e, facts.compute_event);
        const std::int64_t time = view_.visible(e).length().count();
        const auto add = [&](std::int64_t& sum) { sum = clamped(Wide{sum} + time); };  // streams run side by side
        add(facts.kernels);
        if (kind == WorkKind::Matrix) add(facts.matrix);
        if (kind == WorkKind::Uncounted) add(facts.uncounted);
        if (is_launch_bound(e))
            add(facts.launch_bound);
        else if (is_by_memory)
            add(facts.memory_bound);
    }

    // A node of a graph has no launch that it could be shorter than; the graph as a whole has.
    bool is_launch_bound(EventId e) const {
        const std::uint32_t replay = work_->graphs->replays.replay_of(e);
        return replay == kNoReplay ? view_.trace().duration[index_of(e)].count() < kShortKernel
                                   : short_replays_[replay];
    }

    void find_short_replays() {
        const RankTrace& trace = view_.trace();
        for (const GraphReplay& replay : work_->graphs->replays.replays) {
            Wide time = 0;
            for (const EventId node : work_->graphs->replays.nodes_of(replay))
                time += trace.duration[index_of(node)].count();
            short_replays_.push_back(replay.call != kNoEvent && time < trace.duration[index_of(replay.call)].count());
        }
    }

    bool add_flop() {
        const Result<ChosenCalls> chosen = choose_calls(view_, context_);
        if (!chosen) return false;
        const Peaks peaks = peaks_of(*view_.run, view_.slot, kNoEvent);
        std::vector<bool> unknown(facts_.size());
        for (const ChosenCall& one : chosen->calls) {
            if (!one.executed) continue;
            const WorkCall& call = work_->calls[one.call];
            const std::optional<double> peak = peaks.of_precision(work_->precision_of(call));
            add_to(one.step, [&](TimeFacts& facts) {
                if (!peak) unknown[static_cast<std::size_t>(&facts - facts_.data())] = true;
                if (peak)
                    facts.floor =
                        facts.floor.value_or(0) + static_cast<double>(work_->work_of(call).flop) / *peak * 1e9;
            });
        }
        for (std::size_t i = 0; i < facts_.size(); ++i)
            if (unknown[i]) facts_[i].floor.reset();
        return true;
    }

    const RankView& view_;
    const JobContext& context_;
    std::vector<FactWindow> windows_;
    std::map<std::int64_t, std::size_t> place_of_step_;
    std::vector<TimeFacts> facts_;
    RankWorkPtr work_;
    std::vector<bool> short_replays_;
};

// The facts of a view, kept with its selection: verdict, health and others ask for the same.
struct KeptFacts {
    std::uint64_t run_id = 0;  // waits are those of all ranks
    std::size_t slot = 0;
    std::optional<RankRange> time;
    std::vector<TimeFacts> facts;
    bool is_of(const RankView& view) const {
        return run_id == view.run->id() && slot == view.slot && time == view.time;
    }
};
Result<std::shared_ptr<const KeptFacts>> facts_of(const RankView& view, const JobContext& context) {
    const Derived& derived = view.selection->derived();
    if (auto kept = derived.find<KeptFacts>(); kept && kept->is_of(view)) return kept;
    Result<std::vector<TimeFacts>> facts = FactCollector(view, context).run();
    if (!facts) return std::move(facts).error();
    auto made = std::make_shared<const KeptFacts>(
        KeptFacts{.run_id = view.run->id(), .slot = view.slot, .time = view.time, .facts = *std::move(facts)});
    derived.put<KeptFacts>(made);
    return made;
}

}  // namespace

Result<Table> collect_time_facts(const RankView& view, const JobContext& context) {
    Table table(record_columns<TimeFacts>());
    if (!view.has_gpu_work() || view.window().empty()) return table;
    const Result<std::shared_ptr<const KeptFacts>> all = facts_of(view, context);
    if (!all) return all.error();
    for (const TimeFacts& facts : (*all)->facts) add_record(table, facts);
    return table;
}

void leave_out_lost(std::vector<TimeFacts>& facts, const LostRanks& lost) {
    const auto is_lost = [&](const TimeFacts& one) { return lost.has(one.slot); };
    if (!std::ranges::all_of(facts, is_lost)) std::erase_if(facts, is_lost);
}

}  // namespace core
