#include "core/analysis/time/step_parts.hpp"

#include "core/analysis/engine/call_tree.hpp"
#include "core/analysis/engine/exposed_split.hpp"
#include "core/analysis/time/step_windows.hpp"
#include "core/analysis/time/time_analyses.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace core::step_parts {
namespace {

// The ranges of one step number, or the one window; each disjoint and sorted.
using Windows = std::vector<std::vector<RankRange>>;

Windows collect_windows(const RankView& view, bool of_steps) {
    Windows windows;
    if (of_steps) {
        for (StepWindow& step : collect_step_windows(view)) windows.push_back(std::move(step.ranges));
    } else if (view.has_gpu_work()) {
        windows.push_back({view.window()});
    }
    return windows;
}

using Key = std::pair<NameId, NameId>;  // operator or kNoName, kernel
using Kernels = std::map<Key, Wide>;

// How much of a range lies in windows; overlapping windows each count. Two binary searches per range, also with many
// overlapping windows.
class WindowOverlap {
public:
    explicit WindowOverlap(const Windows& windows) {
        for (const std::vector<RankRange>& window : windows) {
            for (const RankRange& range : window) {
                begins_.add(range.begin);
                ends_.add(range.end);
            }
        }
        begins_.finish();
        ends_.finish();
    }
    Wide of(RankRange range) const { return until(range.end) - until(range.begin); }

private:
    // Sums, over many moments, the time since each of them.
    struct Moments {
        std::vector<RankTime> times;
        std::vector<Wide> sums{0};  // prefix sums of the times

        void add(RankTime time) { times.push_back(time); }
        void finish() {
            std::ranges::sort(times);
            for (const RankTime time : times) sums.push_back(sums.back() + ns_of(time));
        }
        Wide summed_age(RankTime now) const {
            const auto passed = static_cast<std::size_t>(std::ranges::upper_bound(times, now) - times.begin());
            return static_cast<Wide>(passed) * ns_of(now) - sums[passed];
        }
    };
    Wide until(RankTime time) const { return begins_.summed_age(time) - ends_.summed_age(time); }

    Moments begins_;
    Moments ends_;
};

Kernels collect_kernel_times(const RankView& view, const Selection& selection, const Windows& windows) {
    const RankTrace& trace = call_trace_of(view);
    const WindowOverlap overlap(windows);
    OperatorsAbove operators(trace);
    Kernels times;
    for (const Stretch& stretch : collect_stretches(view, selection)) {
        const Wide inside = overlap.of(stretch.range);
        if (inside == 0) continue;
        const EventId above = operators.find(stretch.kernel);
        const NameId operator_name = above == kNoEvent ? kNoName : trace.name[index_of(above)];
        times[{operator_name, trace.name[index_of(stretch.kernel)]}] += inside;
    }
    return times;
}

void add_kernels(Table& table, const RankView& view, std::int64_t windows, const Kernels& times) {
    const RankTrace& trace = call_trace_of(view);
    const auto operator_text = [&](NameId name) { return name == kNoName ? kUnattributed : trace.text(name); };
    std::vector<std::pair<Key, Wide>> rows(times.begin(), times.end());
    std::ranges::sort(rows, {}, [&](const std::pair<Key, Wide>& row) {
        return std::tuple(-row.second, operator_text(row.first.first), trace.text(row.first.second));
    });
    for (const auto& [key, time] : rows)
        table.add_row({view.key(),
                       kCompute,
                       operator_text(key.first),
                       trace.text(key.second),
                       windows,
                       clamped(time),
                       {},
                       {},
                       {}});
}

RankRange hull_of_windows(const Windows& windows) {
    std::optional<RankRange> hull;
    for (const std::vector<RankRange>& window : windows)
        for (const RankRange& range : window)
            hull = hull ? RankRange{std::min(hull->begin, range.begin), std::max(hull->end, range.end)} : range;
    return hull.value_or(RankRange{});
}

// Total length of the windows.
Wide length_of(const Windows& windows) {
    Wide length = 0;
    for (const std::vector<RankRange>& window : windows) {
        for (const RankRange& range : window) length += range.length().count();
    }
    return length;
}

}  // namespace

std::vector<Stretch> collect_stretches(const RankView& view, const Selection& selection) {
    std::vector<Stretch> stretches;
    RankTime covered = RankTime::min();
    for (const EventId e : selection.window_events()) {
        if (view.class_of(e) != KernelClass::Compute) continue;
        const RankRange range = view.trace().range(e);
        if (range.end <= std::max(covered, range.begin)) continue;
        stretches.push_back({{std::max(covered, range.begin), range.end}, e});
        covered = range.end;
    }
    return stretches;
}

std::vector<Column> columns() {
    std::vector<Column> columns{
        {"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
        {"part", Unit::Text, Role::Key, Facet::None,
         "compute, exposed_communication, exposed_memory, idle; not_recorded: of a trace without GPU events"},
        {"operator", Unit::Text, Role::Key, Facet::Operator, "of compute: what launched the kernel"},
        {"kernel", Unit::Text, Role::Key, Facet::Kernel, "of compute: the full name"},
        {"windows", Unit::Count, Role::Info, Facet::None, "how many steps (or windows) the time is the sum of"},
        {"time", Unit::Ns, Role::Measure, Facet::None, "the rows of a rank add up to its steps exactly", true}};
    add_split_columns(columns);
    return columns;
}

Result<Partial> rank(const RankView& view, const Params& params, const JobContext& context) {
    const bool of_steps = params[0] == kWindowOfSteps;
    Partial partial{{{"main", Table(columns())}}, {}, {}, {}};
    Table& table = partial.tables.front().table;
    const Windows windows = collect_windows(view, of_steps);
    const auto count = static_cast<std::int64_t>(windows.size());
    if (windows.empty()) {
        partial.excluded.push_back({of_steps ? "ranks without a selected step" : "ranks without GPU events", 1});
        return partial;
    }
    const auto add_part = [&](std::string_view part, Wide time, const std::array<Cell, 3>& split = {}) {
        table.add_row({view.key(), part, std::string_view(), std::string_view(), count, clamped(time), split[0],
                       split[1], split[2]});
    };
    if (view.trace().gpu_events.empty()) {
        add_part(kNotRecorded, length_of(windows));
        return partial;
    }
    const Result<SelectionPtr> selection = of_steps ? view.build_selection_of_all_steps(context) : view.selection;
    if (!selection) return selection.error();
    Wide communication = 0, memory = 0, idle = 0;
    ExposedSplit split;
    const ExposedSplitter splitter(view, **selection, hull_of_windows(windows));
    for (const std::vector<RankRange>& window : windows) {
        if (context.cancelled()) return cancelled_error();
        const ClassTimes times = times_in((*selection)->partition(), window);
        communication += times.exposed_communication().count();
        memory += times.exposed_memory().count();
        idle += times.idle().count();
        split += splitter.in(window);
    }
    note_split(split, partial);
    if (context.cancelled()) return cancelled_error();
    add_kernels(table, view, count, collect_kernel_times(view, **selection, windows));
    add_part(kExposedCommunication, communication, split_cells(split));
    add_part(kExposedMemory, memory);
    add_part(kIdle, idle);
    return partial;
}

constexpr std::string_view kWindows[] = {"gpu", "steps"};
constexpr Param kStepPartsParams[] = {
    {"window", "steps: the steps' own ranges; gpu: first GPU event to last", Unit::Count, 1, 0, 1, kWindows},
};
constexpr std::string_view kTime[] = {"time"};

}  // namespace core::step_parts

namespace core {

constinit const Analysis kStepParts{
    .id = "step-parts",
    .title = "Parts of a step",
    .summary =
        "Each rank's steps by the kernels that compute in them, exposed communication, exposed copies and idle time.",
    .definition = R"(
The time of the chosen steps of a rank, as `steps` takes them, in disjoint parts that add up to it exactly; with
window=gpu that of the window of `temporal-breakdown`. exposed_communication, exposed_memory and idle are those of
`steps`; compute is split by kernel and by the operator that launched it (the innermost around the launch call):
where several compute kernels run at once the time is that of the one that began first (of those the longest, then
the first of the file), for the others hide behind it. So a kernel's time here is at most its total in `kernels`.

windows = how many steps the time is the sum of: time / windows is the mean. not_recorded has the time of ranks
whose trace has no GPU event, which cannot be split. Terms of the filter on name, class, duration, group or
collectives change nothing.

exposed_wait, exposed_transfer and exposed_other are parts of the exposed communication, by `exposed-communication`:
they add up to it exactly, and are absent where no collective of the rank is matched.
)",
    .params = step_parts::kStepPartsParams,
    .chart = {.kind = ChartKind::StackedBars, .category = "rank", .measures = step_parts::kTime, .series = "part"},
    .comparable = true,
    .rank = step_parts::rank,
    .columns = step_parts::columns,
    .lead = "time",
    .made_of = "step marks (ProfilerStep#N)",
    .of_run = true,
    .in_summary = InSummary::OfRank,
};

}  // namespace core
