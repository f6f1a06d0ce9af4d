#include "core/analysis/whatif/live_what_if.hpp"

#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/whatif/kernel_schedule.hpp"
#include "core/analysis/whatif/pipeline_stages.hpp"
#include "core/analysis/whatif/run_window.hpp"
#include "core/analysis/whatif/schedule_what_if.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr std::int64_t kOverSteps = 2;  // and later choices of `over`

void add_time(std::int64_t& sum, std::int64_t value) { sum = clamped(Wide{sum} + value); }

std::array<std::int64_t, kBoundBy> add_up_kinds(const RunPath& path) {
    std::array<std::int64_t, kBoundBy> times{};
    for (const RunStretch& stretch : path.stretches)
        add_time(times[static_cast<std::size_t>(stretch.bound_by)], stretch.length);
    return times;
}

// Slots of the ranks, chosen in parallel as the analysis chooses them.
std::vector<std::uint32_t> choose_slots(const Run& run, const Filter& filter) {
    std::vector<std::uint32_t> slots;
    for (std::uint32_t slot = 0; slot < run.ranks().size(); ++slot)
        if (filter.accepts_rank(run.rank(slot).key)) slots.push_back(slot);
    return slots;
}

Result<ChosenParts> choose_parts(const Run& run, const Filter& filter, bool with_events, const JobContext& context) {
    const std::vector<std::uint32_t> slots = choose_slots(run, filter);
    std::vector<Partial> partials(slots.size());
    std::vector<std::optional<Error>> failed(slots.size());
    Executor::instance().parallel_for(
        Priority::Answer, slots.size(), Executor::instance().threads(), [&](std::size_t i) {
            const Result<RankView> view = build_rank_view(run, slots[i], filter, context);
            const Result<bool> made =
                view ? add_part(*view, WithoutStepTerm::AllSteps, with_events, partials[i], context)
                     : Result<bool>(view.error());
            if (!made) failed[i] = made.error();
        });
    for (std::optional<Error>& error : failed)
        if (error) return *std::move(error);
    std::vector<const Partial*> given;
    for (const Partial& partial : partials) given.push_back(&partial);
    ChosenParts parts = collect_parts(given, run);
    leave_out_lost(parts, run);
    return parts;
}

std::vector<std::int64_t> collect_numbers(const Run& run, std::span<const PartWindow> parts) {
    std::vector<std::int64_t> numbers;
    for (const PartWindow& part : parts)
        for (const Step& step : run.rank(part.slot).trace().steps)
            if (std::ranges::binary_search(part.window.steps, step.event)) numbers.push_back(step.number);
    std::ranges::sort(numbers);
    numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
    return numbers;
}

}  // namespace

Result<LiveWhatIf> LiveWhatIf::build(const Run& run, const Filter& filter, const Params& params,
                                     const JobContext& context) {
    Result<Schedule> schedule = read_schedule(run, choose_slots(run, filter), context);
    if (!schedule) return std::move(schedule).error();
    LiveWhatIf live;
    if (!schedule->overlapping.empty()) {
        live.why_not_ = kStagesOverlap;
        return live;
    }
    if (!schedule->steps.empty()) return build_of_schedule(*std::move(schedule), context);
    const bool with_events = params[what_if::kChosen] != kAsItIs;
    Result<ChosenParts> parts = choose_parts(run, filter, with_events, context);
    if (!parts) return std::move(parts).error();
    if (parts->parts.empty()) {
        if (filter.empty()) live.why_not_ = "The ranks have no work that could be replayed.";
        return live;
    }
    const WaitsPtr waits = waits_of(run);  // not kept: it holds the ranks
    const bool over_stages = pool_over_of(params).stages;
    if (over_stages) {
        Result<KernelSchedule> read = read_kernel_schedule(run, *waits, parts->parts, context);
        if (!read) return std::move(read).error();
        if (!read->schedule.steps.empty() && read->schedule.overlapping.empty())
            return build_of_schedule(std::move(read->schedule), context);
    }
    ChosenEvents chosen;
    if (with_events) chosen = [&](std::uint32_t slot, EventId event) { return parts->takes(slot, event); };
    const std::vector<std::vector<PartWindow>> split = split_by_steps(run, parts->parts, kMostLiveEvents);
    const std::vector<PartWindow>& some = split[split.size() / 2];
    Result<RunGraph> graph = build_run_graph(run, *waits, some, chosen, context);
    if (!graph) return std::move(graph).error();
    if (params[what_if::kStages] != 0 && !over_stages && !shows_waits_for_messages(*waits, *graph)) {
        Result<KernelSchedule> read = read_kernel_schedule(run, *waits, parts->parts, context);
        if (!read) return std::move(read).error();
        if (!read->schedule.steps.empty() && read->schedule.overlapping.empty())
            return build_of_schedule(std::move(read->schedule), context);
    }
    live.has_stages_ = !what_if::ParallelFactors(*waits, *graph).of_stages(run).empty();
    live.all_steps_ = parts->steps;
    for (const PartWindow& part : some)
        live.steps_ = std::max(live.steps_, static_cast<std::int64_t>(part.window.steps.size()));
    live.numbers_ = collect_numbers(run, some);
    const TypicalOver over = params[what_if::kOver] >= kOverSteps ? TypicalOver::Steps : TypicalOver::Ranks;
    Result<Partners> partners = find_partners(run, *waits, *graph, over, context);
    if (!partners) return std::move(partners).error();
    live.shares_ = find_bandwidth_shares(run, *waits, *graph);
    live.partners_ = std::make_shared<const Partners>(*std::move(partners));
    live.graph_ = std::make_shared<const RunGraph>(*std::move(graph));
    live.recorded_ = live.per_step(live.graph_->length());
    const Result<RunPath> path = find_run_path(*live.graph_, recorded_weights(*live.graph_), context);
    if (!path) return path.error();
    live.bound_by_ = add_up_kinds(*path);
    for (std::int64_t& time : live.bound_by_) time = live.per_step(time);
    live.part_waits_ = live.add_up_waits(live.graph_->graph.time);
    live.part_path_ = live.add_up_path(*path);
    return live;
}

Result<LiveWhatIf> LiveWhatIf::build_of_schedule(Schedule schedule, const JobContext& context) {
    LiveWhatIf live;
    live.has_stages_ = true;
    for (const ScheduleStep& step : schedule.steps) live.numbers_.push_back(step.number);
    std::ranges::sort(live.numbers_);
    live.steps_ = live.all_steps_ = static_cast<std::int64_t>(live.numbers_.size());
    const Result<ScheduleReplay> recorded = replay_given_schedule(schedule, {}, {}, context);
    if (!recorded) return recorded.error();
    live.recorded_ = recorded->recorded;
    live.schedule_ = std::make_shared<const Schedule>(std::move(schedule));
    return live;
}

Result<LiveReplay> LiveWhatIf::replay_of_schedule(const Params& params, const JobContext& context) const {
    const Result<ScheduleScales> scales = schedule_scales_of(params);
    if (!scales) return scales.error();
    Result<ScheduleReplay> given = replay_given_schedule(*schedule_, pool_over_of(params), *scales, context);
    if (!given) return std::move(given).error();
    LiveReplay replayed;
    replayed.change = std::move(given->change);
    replayed.step_time = given->step_time;
    replayed.gain = recorded_ - given->step_time;
    return replayed;
}

std::int64_t LiveWhatIf::per_step(std::int64_t length) const {
    return rounded_mean(length, std::max<std::int64_t>(steps_, 1));
}

std::vector<std::int64_t> LiveWhatIf::add_up_waits(std::span<const std::int64_t> times) const {
    std::vector<std::int64_t> waits(graph_->parts.size(), 0);
    for (const GraphEdge& edge : graph_->graph.edges)
        if (edge.kind == EdgeKind::Arrival)
            add_time(waits[graph_->part_of(edge.from)], times[edge.to] - times[edge.from]);
    return waits;
}

std::vector<std::int64_t> LiveWhatIf::add_up_path(const RunPath& path) const {
    std::vector<std::int64_t> sums(graph_->parts.size(), 0);
    for (const RunStretch& stretch : path.stretches) {
        const auto part = std::ranges::lower_bound(graph_->parts, stretch.slot, {}, &GraphPart::slot);
        add_time(sums[static_cast<std::size_t>(part - graph_->parts.begin())], stretch.length);
    }
    return sums;
}

Result<LiveReplay> LiveWhatIf::replay(const Run& run, const Params& params, const JobContext& context) const {
    if (schedule_) return replay_of_schedule(params, context);
    Result<what_if::GivenChange> given = what_if::make_given_change(run, *waits_of(run), *graph_, *partners_, params);
    if (!given) return std::move(given).error();
    const ChangeFacts facts{.bandwidth_share = shares_};
    const EdgeWeights weights = weights_under(*graph_, given->change, facts);
    Result<RunPath> path = find_run_path(*graph_, weights, context);
    if (!path) return std::move(path).error();
    const Result<NodeTimes> times = replay_times(graph_->graph, weights, context);
    if (!times) return times.error();
    LiveReplay replayed;
    replayed.change = std::move(given->text);
    replayed.step_time = per_step(path->length);
    replayed.gain = recorded_ - replayed.step_time;
    const std::vector<std::int64_t> waits = add_up_waits(*times), on_path = add_up_path(*path);
    for (std::size_t p = 0; p < graph_->parts.size(); ++p)
        replayed.ranks.push_back({.slot = graph_->parts[p].slot,
                                  .waits = per_step(part_waits_[p]),
                                  .waits_replayed = per_step(waits[p]),
                                  .on_path = per_step(part_path_[p]),
                                  .on_path_replayed = per_step(on_path[p])});
    replayed.bound_by = add_up_kinds(*path);
    for (std::int64_t& time : replayed.bound_by) time = per_step(time);
    replayed.path = *std::move(path);
    replayed.path.edges = {};
    return replayed;
}

}  // namespace core
