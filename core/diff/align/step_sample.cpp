#include "core/diff/align/step_sample.hpp"

#include "core/base/range_set.hpp"
#include "core/index/rank_count.hpp"
#include "core/query/selection.hpp"
#include "core/stats/moments.hpp"
#include "core/store/launch_names.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace core {
namespace {

constexpr double kSteady = 0.1;            // of the median of the later steps
constexpr std::size_t kLeastSteadySteps = 3;
constexpr double kLostMore = 0.01;         // share of launches without GPU work beyond that of the other steps

// One step number over all ranks, from a trace or several.
struct Gathered {
    std::int64_t ns = 0;
    std::size_t slowest = 0;
    std::size_t ranks = 0;
    RunTime begin = RunTime::max();
    std::size_t window = 0;   // slot of the first rank's capture that has it
    bool is_selected = true;  // on every rank that has it
};
using Steps = std::map<std::int64_t, Gathered>;

void gather(Steps& steps, const Run& run, std::size_t slot, const Filter& filter) {
    const RankSlot& rank = run.rank(slot);
    std::set<std::int64_t> selected;
    for (const Step& step : collect_selected_steps(rank.trace(), filter)) selected.insert(step.number);
    const std::optional<RunRange> time = filter.time_range(run);
    std::map<std::int64_t, std::vector<RankRange>> ranges;
    for (const Step& step : rank.trace().steps) ranges[step.number].push_back(step.range);
    for (auto& [number, of_step] : ranges) {
        Gathered& step = steps[number];
        step.is_selected &= selected.contains(number);
        for (const RankRange& range : of_step) {
            const RunRange at = rank.to_run(range);
            step.begin = std::min(step.begin, at.begin);
            if (time) step.is_selected &= time->begin <= at.begin && at.end <= time->end;
        }
        const std::int64_t ns = total_length(merge_ranges(without_empty_ranges(std::move(of_step)))).count();
        if (step.ranks == 0 || ns > step.ns) {
            step.ns = ns;
            step.slowest = slot;
        }
        ++step.ranks;
    }
}

// Whether the work of the last step of a rank is missing: its mark has no end, or more of its launches than elsewhere
// have no GPU event.
bool is_cut_short(const RankTrace& trace, std::int64_t last) {
    struct Launches {
        std::uint64_t all = 0, lost = 0;
        double share() const { return all == 0 ? 0 : static_cast<double>(lost) / static_cast<double>(all); }
    };
    for (const Step& step : trace.steps)
        if (step.number == last && trace.has(step.event, kUnclosed)) return true;
    if (trace.gpu_events.empty()) return false;
    std::vector<bool> launches(trace.names.size());
    for (std::uint32_t name = 0; name < launches.size(); ++name)
        launches[name] = launches_kernels(launch_kind(trace.text(NameId{name})));
    std::vector<bool> is_call;
    for (const CategoryEntry& category : trace.categories) is_call.push_back(is_launch_category(category.kind));
    std::map<std::int64_t, Launches> of_step;
    for (std::uint32_t e = 0; e < trace.size(); ++e) {
        if (!launches[index_of(trace.name[e])] || !is_call[trace.category[e]]) continue;
        const Step* const step = trace.find_step(trace.start[e]);
        if (!step) continue;
        Launches& counts = of_step[step->number];
        ++counts.all;
        counts.lost += trace.launched_by(EventId{e}).empty() ? 1 : 0;
    }
    double elsewhere = 0;
    for (const auto& [number, counts] : of_step)
        if (number != last) elsewhere = std::max(elsewhere, counts.share());
    const auto it = of_step.find(last);
    return it != of_step.end() && it->second.share() > elsewhere + kLostMore;
}

std::size_t count_warm_up(std::span<const StepValue> steps, std::int64_t warmup) {
    if (warmup != kAutoWarmUp) return std::min(steps.size(), static_cast<std::size_t>(warmup));
    std::vector<double> values;
    for (const StepValue& step : steps) values.push_back(static_cast<double>(step.ns));
    return count_unsteady(values);
}

// Gathers the steps of one capture, or of all where they are windows of one job, which share no step.
Steps gather_all(const Run& run, const Filter& filter, StepSample& sample) {
    Steps steps;
    std::set<std::int32_t> numbers;  // of ranks that have a capture already
    std::set<std::int32_t> without_steps;
    std::vector<std::size_t> with_steps;
    for (std::size_t slot = 0; slot < run.ranks().size(); ++slot) {
        const RankSlot& rank = run.rank(slot);
        if (!filter.accepts_rank(rank.key)) continue;
        if (rank.trace().steps.empty()) {
            if (!is_beside(rank.trace().info)) without_steps.insert(rank.key.number);
            continue;
        }
        with_steps.push_back(slot);
    }
    ComparedSlots compared = choose_compared(run, std::move(with_steps));
    sample.slots = std::move(compared.slots);
    sample.other_captures = compared.left_out;
    for (const std::size_t slot : sample.slots) {
        const RankSlot& rank = run.rank(slot);
        numbers.insert(rank.key.number);
        gather(steps, run, slot, filter);
        if (numbers.size() > 1) continue;
        // The windows of one rank part the steps: a step that counts is on all ranks.
        for (const Step& step : rank.trace().steps) steps.at(step.number).window = slot;
    }
    sample.ranks = numbers.size();
    sample.ranks_without_steps = static_cast<std::size_t>(
        std::ranges::count_if(without_steps, [&](std::int32_t number) { return !numbers.contains(number); }));
    return steps;
}

// Last steps whose work is missing on a rank: that of the run, or of each window.
std::set<std::int64_t> find_cut_short(const Run& run, const StepSample& sample, std::int64_t last) {
    std::set<std::int64_t> cut;
    for (const std::size_t slot : sample.slots) {
        const RankTrace& trace = run.rank(slot).trace();
        const bool has_windows = sample.slots.size() > sample.ranks;
        const std::int64_t of_trace = has_windows ? trace.steps.back().number : last;
        if (is_cut_short(trace, of_trace)) cut.insert(of_trace);
    }
    return cut;
}

}  // namespace

std::string_view name_of(StepDrop why) {
    constexpr std::array<std::string_view, 3> kNames = {"warmup", "not_on_every_rank", "incomplete"};
    return kNames[static_cast<std::size_t>(why)];
}

std::vector<double> StepSample::values() const {
    std::vector<double> values;
    for (const StepValue& step : steps) values.push_back(static_cast<double>(step.ns));
    return values;
}

std::size_t StepSample::count(StepDrop why) const {
    return static_cast<std::size_t>(std::ranges::count(dropped, why, &DroppedStep::why));
}

std::size_t count_unsteady(std::span<const double> values) {
    std::size_t first = 0;
    while (values.size() - first > kLeastSteadySteps) {
        const double later = stats::median(values.subspan(first + 1));
        if (std::abs(values[first] - later) <= kSteady * std::abs(later)) break;
        ++first;
    }
    return first;
}

StepSample collect_step_sample(const Run& run, const Filter& filter, std::int64_t warmup) {
    StepSample sample;
    const Steps gathered = gather_all(run, filter, sample);
    std::vector<std::pair<RunTime, std::int64_t>> order;
    for (const auto& [number, step] : gathered) order.emplace_back(step.begin, number);
    std::ranges::sort(order);
    std::map<std::int64_t, StepDrop> why;
    for (const auto& [number, step] : gathered)
        if (step.ranks < sample.ranks) why[number] = StepDrop::NotOnEveryRank;
    if (order.size() > 1)
        for (const std::int64_t number : find_cut_short(run, sample, order.back().second))
            why[number] = StepDrop::Incomplete;
    std::vector<StepValue> whole;
    for (const auto& [begin, number] : order) {
        const Gathered& step = gathered.at(number);
        if (!why.contains(number)) whole.push_back({number, step.ns, step.slowest});
    }
    const auto window_of = [&](const StepValue& step) { return gathered.at(step.number).window; };
    for (std::size_t first = 0, end = 0; first < whole.size(); first = end) {
        while (end < whole.size() && window_of(whole[end]) == window_of(whole[first])) ++end;
        const std::size_t cold = count_warm_up(std::span(whole).subspan(first, end - first), warmup);
        for (std::size_t i = first; i < first + cold; ++i) why[whole[i].number] = StepDrop::WarmUp;
    }
    for (const auto& [begin, number] : order) {
        const Gathered& step = gathered.at(number);
        if (!step.is_selected) continue;
        const StepValue value{.number = number, .ns = step.ns, .slowest = step.slowest};
        if (const auto it = why.find(number); it != why.end())
            sample.dropped.push_back({value, it->second});
        else
            sample.steps.push_back(value);
    }
    return sample;
}

}  // namespace core
