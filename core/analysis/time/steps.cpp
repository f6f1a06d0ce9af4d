#include "core/analysis/engine/exposed_split.hpp"
#include "core/analysis/time/step_windows.hpp"
#include "core/analysis/time/time_analyses.hpp"
#include "core/query/lost_launches.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace core::steps {
namespace {

RankRange overlap(RankRange a, RankRange b) {
    const RankTime begin = std::max(a.begin, b.begin);
    return {begin, std::max(begin, std::min(a.end, b.end))};
}

// How much of a range some disjoint ranges cover: two binary searches, so overlapping steps cost no more than others.
class Coverage {
public:
    explicit Coverage(std::vector<RankRange> disjoint) : ranges_(std::move(disjoint)) {
        for (const RankRange& range : ranges_) before_.push_back(before_.back() + range.length());
    }
    bool empty() const { return ranges_.empty(); }
    Duration inside(std::span<const RankRange> step) const {
        Duration sum{};
        for (const RankRange& range : step) sum += until(range.end) - until(range.begin);
        return sum;
    }

private:
    Duration until(RankTime time) const {
        const auto ends_by = [&](const RankRange& range) { return range.end <= time; };
        const auto next = std::ranges::partition_point(ranges_, ends_by);
        const Duration whole = before_[static_cast<std::size_t>(next - ranges_.begin())];
        return next == ranges_.end() ? whole : whole + std::max(Duration{}, time - next->begin);
    }

    std::vector<RankRange> ranges_;
    std::vector<Duration> before_{Duration{}};  // summed length of the ranges before each
};

// Per step number: time from the end of all earlier steps of the trace, selected or not, to its
// first begin; cut to the time range.
std::map<std::int64_t, Cell> collect_gaps_before(const RankView& view) {
    std::map<std::int64_t, Cell> gaps;
    std::optional<RankTime> end;
    for (const Step& step : view.trace().steps) {
        const auto [gap, fresh] = gaps.try_emplace(step.number);
        if (fresh && end) {
            const RankRange between{*end, std::max(*end, step.range.begin)};
            gap->second = (view.time ? overlap(between, *view.time) : between).length().count();
        }
        end = std::max(end.value_or(step.range.end), step.range.end);
    }
    return gaps;
}

// Times when a GPU event runs that the filter chooses among the work of its steps and streams; none if nothing is
// chosen.
std::optional<Coverage> cover_chosen(const RankView& view, const Selection& selection) {
    const Filter filter = view.filter->without_time_and_rank();
    const auto chooses_events = [](const FilterTerm& term) { return !chooses_work(term); };
    if (std::ranges::none_of(filter.terms, chooses_events)) return std::nullopt;
    std::vector<RankRange> ranges;
    for (const EventId event : selection.gpu_events()) ranges.push_back(view.trace().range(event));
    return Coverage(merge_ranges(std::move(ranges)));
}

}  // namespace

std::vector<Column> columns() {
    std::vector<Column> columns{
        {"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
        {"step", Unit::Step, Role::Key, Facet::Step, "N of ProfilerStep#N"},
        {"start", Unit::Ns, Role::Measure, Facet::None, "from the run's earliest event", false, {}, Better::Neither},
        {"duration", Unit::Ns, Role::Measure, Facet::None, "of the step's own range; the parts add up to it", true},
        {"compute", Unit::Ns, Role::Measure, Facet::None, "at least one compute kernel runs", true},
        {"exposed_communication", Unit::Ns, Role::Measure, Facet::None, "communication runs and no compute", true},
        {"exposed_memory", Unit::Ns, Role::Measure, Facet::None, "copies run and neither compute nor communication",
         true},
        {"idle", Unit::Ns, Role::Measure, Facet::None, "no GPU event runs", true},
        {"data_loading", Unit::Ns, Role::Measure, Facet::None, "the host waits for data, whatever the GPU does", true},
        {"gap", Unit::Ns, Role::Measure, Facet::None, "from the end of the step before to the start", true}};
    add_split_columns(columns);
    columns.push_back(
        {"chosen", Unit::Ns, Role::Measure, Facet::None,
         "a GPU event runs that the filter's name, class, duration or group chooses; absent without such a "
         "term",
         true});
    return columns;
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext& context) {
    Partial partial{{{"main", Table(columns())}}, {}, {}, {}};
    Table& table = partial.tables.front().table;
    const std::vector<StepWindow> steps = collect_step_windows(view);
    const Result<SelectionPtr> selection = view.build_selection_of_all_steps(context);
    if (!selection) return selection.error();
    const Coverage loading(collect_data_loading(view.trace()));
    const std::map<std::int64_t, Cell> gaps = collect_gaps_before(view);
    const bool has_gpu = !view.trace().gpu_events.empty();
    const std::optional<Coverage> chosen = cover_chosen(view, **selection);
    const LostLaunchesPtr lost = lost_launches_of(*view.rank().index);
    std::uint64_t hidden = 0;
    ExposedSplit all;
    const ExposedSplitter splitter(view, **selection, hull_of(steps));
    for (const StepWindow& step : steps) {
        const ExposedSplit split = splitter.in(step.ranges);
        all += split;
        const bool is_known = has_gpu && std::ranges::none_of(step.ranges, [&](RankRange r) { return lost->hide(r); });
        if (has_gpu && !is_known) ++hidden;
        const auto [wait, transfer, other] = is_known ? split_cells(split) : std::array<Cell, 3>{};
        const ClassTimes times = times_in((*selection)->partition(), step.ranges);
        const auto part = [&](Duration time) { return is_known ? Cell{time.count()} : Cell{}; };
        table.add_row({view.key(), step.number, view.since_origin(step.ranges.front().begin).count(),
                       times.total().count(), part(times.compute()), part(times.exposed_communication()),
                       part(times.exposed_memory()), part(times.idle()),
                       loading.empty() ? Cell{} : Cell{loading.inside(step.ranges).count()}, gaps.at(step.number), wait,
                       transfer, other, chosen && is_known ? Cell{chosen->inside(step.ranges).count()} : Cell{}});
    }
    note_split(all, partial);
    if (hidden > 0) partial.excluded.push_back({std::string(kStepsWithLostLaunches), hidden});
    if (view.selection->steps().empty()) partial.excluded.push_back({"ranks without a selected step", 1});
    return partial;
}

constexpr std::string_view kParts[] = {"compute", "exposed_communication", "exposed_memory", "idle"};

}  // namespace core::steps

namespace core {

constinit const Analysis kSteps{
    .id = "steps",
    .title = "Steps",
    .summary = "Duration and parts of every step on every rank.",
    .definition = R"(
One row per rank and step, from the ranges named ProfilerStep#N on CPU threads (their copies on GPU rows do not
count); a number that occurs twice is one row over the union of its ranges. start counts from the run's earliest
event.

compute, exposed_communication, exposed_memory and idle are those of all GPU work inside the step's own range: work
of an earlier step that still runs counts where it runs. They add up to duration exactly. A time range cuts steps to
their visible part; steps outside it are left out. Without GPU events the parts are absent; so they are in a step
of which at least 1 % of the launches have no GPU event. Terms of the filter on name, class, duration, group or
collectives change nothing but chosen: the time in which a GPU event runs that they choose, on any stream, once where
several run.

data_loading = length of the union of the marks that a data loader leaves on CPU threads, inside the step: names
that begin with enumerate(DataLoader)# or enumerate(DataPipe)#, or ## data_load ##; it runs beside the GPU and is
none of the parts; absent where the trace has no such mark. gap = time from the latest end of all steps that began
before to the step's own begin, whatever the filter chooses; 0 where they touch or overlap, absent for the first of
the trace, cut to the time range. HTA has no table of steps.

exposed_wait, exposed_transfer and exposed_other are parts of the exposed communication, by `exposed-communication`:
they add up to it exactly, and are absent where no collective of the rank is matched.
)",
    .chart = {.kind = ChartKind::StackedBars, .category = "step", .measures = steps::kParts},
    .comparable = true,
    .rank = steps::rank,
    .columns = steps::columns,
    .lead = "duration",
    .of_cpu = true,
    .made_of = "step marks (ProfilerStep#N)",
    .of_run = true,
    .in_summary = InSummary::OfRank,
};

}  // namespace core
