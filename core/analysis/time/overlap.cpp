#include "core/analysis/engine/exposed_split.hpp"
#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/time/step_windows.hpp"
#include "core/analysis/time/time_analyses.hpp"

#include <algorithm>

namespace core::overlap {
namespace {

// 1 if the shorter of the two is fully hidden, 0 if nothing is.
Cell overlap_efficiency(const ClassTimes& times) {
    const Duration compute = times.compute();
    const Duration communication = times.with(KernelClass::Communication);
    const Duration either = compute + times.exposed_communication();
    const Duration shorter = std::min(compute, communication);
    if (shorter == Duration::zero()) return {};
    return ratio_cell(shorter - (either - std::max(compute, communication)), shorter);
}

// As often written, with wall time instead of the time in which either runs: idle time counts as lack of overlap, and
// nothing bounds it from below.
Cell overlap_by_wall_time(const ClassTimes& times, Duration wall) {
    const Duration compute = times.compute();
    const Duration communication = times.with(KernelClass::Communication);
    const Duration shorter = std::min(compute, communication);
    if (shorter == Duration::zero()) return {};
    return ratio_cell(shorter - (wall - std::max(compute, communication)), shorter);
}

// Times within the chosen steps' own ranges, and their length; of the window where the trace has no steps.
std::pair<ClassTimes, Duration> times_of_steps(const RankView& view, const Selection& all_steps) {
    const std::vector<StepWindow> steps = collect_step_windows(view);
    if (steps.empty()) return {view.selection->partition().times(view.window()), view.window().length()};
    ClassTimes sum;
    for (const StepWindow& step : steps) {
        const ClassTimes times = times_in(all_steps.partition(), step.ranges);
        for (std::size_t set = 0; set < kClassSets; ++set) sum.by_set[set] += times.by_set[set];
    }
    return {sum, sum.total()};
}

// The most that could still be hidden: of exposed communication and of compute without communication the shorter.
Duration overlap_gain(const ClassTimes& times) {
    const Duration exposed = times.exposed_communication();
    const Duration hidden = times.with(KernelClass::Communication) - exposed;
    return std::min(exposed, times.compute() - hidden);
}

}  // namespace

std::vector<Column> columns() {
    std::vector<Column> columns{
        {"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
        {"communication", Unit::Ns, Role::Measure, Facet::None, "some communication kernel runs", true},
        {"overlapped",
         Unit::Ns,
         Role::Measure,
         Facet::None,
         "communication and compute run together",
         true,
         {},
         Better::More},
        {"exposed", Unit::Ns, Role::Measure, Facet::None, "communication runs and no compute", true},
        {"overlap",
         Unit::Ratio,
         Role::Measure,
         Facet::None,
         "overlapped / communication; absent without communication",
         false,
         {},
         Better::More},
        {"overlap_efficiency",
         Unit::Ratio,
         Role::Measure,
         Facet::None,
         "of the shorter of compute and communication, the part hidden under the other",
         false,
         {},
         Better::More}};
    add_split_columns(columns);
    columns.push_back({"overlap_gain", Unit::Ns, Role::Measure, Facet::None,
                       "the most that could still be hidden: exposed, or compute without communication if shorter",
                       true});
    columns.push_back({"overlap_wall",
                       Unit::Ratio,
                       Role::Measure,
                       Facet::None,
                       "1 - (wall time of the steps - longer) / shorter: charges idle time to overlap, may be negative",
                       false,
                       {},
                       Better::More});
    return columns;
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext& context) {
    Partial partial{{{"main", Table(columns())}}, {}, {}, view.collect_excluded()};
    Table& table = partial.tables.front().table;
    if (!view.has_gpu_work()) {
        table.add_row({view.key(), {}, {}, {}, {}, {}, {}, {}, {}, {}, {}});
        return partial;
    }
    const ClassTimes times = view.selection->partition().times(view.window());
    const Duration communication = times.with(KernelClass::Communication);
    const Duration overlapped = communication - times.exposed_communication();
    const ExposedSplit split = split_exposed(view);
    const auto [wait, transfer, other] = split_cells(split);
    const Result<SelectionPtr> all_steps = view.build_selection_of_all_steps(context);
    if (!all_steps) return all_steps.error();
    const auto [of_steps, wall] = times_of_steps(view, **all_steps);
    table.add_row({view.key(), communication.count(), overlapped.count(), times.exposed_communication().count(),
                   ratio_cell(overlapped, communication), overlap_efficiency(times), wait, transfer, other,
                   overlap_gain(times).count(), overlap_by_wall_time(of_steps, wall)});
    note_split(split, partial);
    return partial;
}

constexpr std::string_view kOverlapParts[] = {"overlapped", "exposed"};

}  // namespace core::overlap

namespace core {

constinit const Analysis kOverlap{
    .id = "overlap",
    .title = "Overlap of communication and compute",
    .summary = "How much of each rank's communication is hidden under compute.",
    .definition = R"(
C and M are the unions of the rank's compute and communication events in the window. communication = |M|; overlapped
= |C and M|; exposed = |M without C|; overlap = overlapped / communication, absent without communication.

overlap_efficiency = 1 - (|C or M| - max(|C|, |M|)) / min(|C|, |M|): 1 when the shorter of the two is hidden
entirely, 0 when nothing is, absent when one of them is missing. Times in nanoseconds. Copies do not enter.
overlap_gain = the shorter of |M without C| and |C without M|: at most this can still be hidden. overlap_wall is
what is often written, with the wall time of the chosen steps (the window without steps) in place of |C or M|: idle
time then counts as lack of overlap, and the value has no lower bound. Terms of the filter on name, class, duration,
group or collectives change nothing.

exposed_wait, exposed_transfer and exposed_other are parts of the exposed communication, by `exposed-communication`:
they add up to it exactly, and are absent where no collective of the rank is matched.
)",
    .chart = {.kind = ChartKind::StackedBars, .category = "rank", .measures = overlap::kOverlapParts},
    .comparable = true,
    .rank = overlap::rank,
    .columns = overlap::columns,
    .lead = "exposed",
    .of_run = true,
    .in_summary = InSummary::OfRank,
};

}  // namespace core
