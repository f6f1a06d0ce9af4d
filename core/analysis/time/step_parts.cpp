#include "core/analysis/time/step_parts.hpp"

#include "core/analysis/engine/call_tree.hpp"
#include "core/analysis/time/step_windows.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace core::step_parts {
namespace {

// One compute kernel's own stretch of time: where none that began before it runs.
struct Stretch {
    RankRange range;
    EventId kernel;
};

// Disjoint, rising; together they cover exactly where some compute kernel runs.
std::vector<Stretch> collect_stretches(const RankView& view, const Selection& selection) {
    std::vector<Stretch> stretches;
    RankTime covered = RankTime::min();
    for (const EventId e : selection.gpu_events()) {
        if (view.class_of(e) != KernelClass::Compute) continue;
        const RankRange range = view.trace().range(e);
        if (range.end <= std::max(covered, range.begin)) continue;
        stretches.push_back({{std::max(covered, range.begin), range.end}, e});
        covered = range.end;
    }
    return stretches;
}

// The ranges of one step number, or the one window; each disjoint and rising.
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

class KernelTimes {
public:
    KernelTimes(const RankView& view, const Selection& selection)
        : trace_(view.trace()), operators_(trace_), stretches_(collect_stretches(view, selection)) {}

    void add(RankRange window) {
        const auto ends_by = [&](const Stretch& s) { return s.range.end <= window.begin; };
        for (auto it = std::ranges::partition_point(stretches_, ends_by);
             it != stretches_.end() && it->range.begin < window.end; ++it) {
            const RankRange inside{std::max(it->range.begin, window.begin), std::min(it->range.end, window.end)};
            times_[key_of(it->kernel)] += inside.length().count();
        }
    }
    const Kernels& times() const { return times_; }

private:
    Key key_of(EventId kernel) {
        const EventId above = operators_.find(kernel);
        return {above == kNoEvent ? kNoName : trace_.name[index_of(above)], trace_.name[index_of(kernel)]};
    }
    const RankTrace& trace_;
    OperatorsAbove operators_;
    std::vector<Stretch> stretches_;
    Kernels times_;
};

void add_kernels(Table& table, const RankView& view, std::int64_t windows, const Kernels& times) {
    const RankTrace& trace = view.trace();
    const auto operator_text = [&](NameId name) { return name == kNoName ? kUnattributed : trace.text(name); };
    std::vector<std::pair<Key, Wide>> rows(times.begin(), times.end());
    std::ranges::sort(rows, {}, [&](const std::pair<Key, Wide>& row) {
        return std::tuple(-row.second, operator_text(row.first.first), trace.text(row.first.second));
    });
    for (const auto& [key, time] : rows)
        table.add_row({view.key(), kCompute, operator_text(key.first), trace.text(key.second), windows, clamped(time)});
}

// What of the windows has nothing to be split by.
Wide length_of(const Windows& windows) {
    Wide length = 0;
    for (const std::vector<RankRange>& window : windows) {
        for (const RankRange& range : window) length += range.length().count();
    }
    return length;
}

}  // namespace

std::vector<Column> columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"part", Unit::Text, Role::Key, Facet::None,
             "compute, exposed_communication, exposed_memory, idle; not_recorded: of a trace without GPU events"},
            {"operator", Unit::Text, Role::Key, Facet::Operator, "of compute: what launched the kernel"},
            {"kernel", Unit::Text, Role::Key, Facet::Kernel, "of compute: the full name"},
            {"windows", Unit::Count, Role::Info, Facet::None, "how many steps (or windows) the time is the sum of"},
            {"time", Unit::Ns, Role::Measure, Facet::None, "the rows of a rank add up to its steps exactly", true}};
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
    const auto add_part = [&](std::string_view part, Wide time) {
        table.add_row({view.key(), part, std::string_view(), std::string_view(), count, clamped(time)});
    };
    if (view.trace().gpu_events.empty()) {
        add_part(kNotRecorded, length_of(windows));
        return partial;
    }
    const Result<SelectionPtr> selection = of_steps ? view.build_selection_of_all_steps(context) : view.selection;
    if (!selection) return selection.error();
    KernelTimes kernels(view, **selection);
    Wide communication = 0, memory = 0, idle = 0;
    for (const std::vector<RankRange>& window : windows) {
        if (context.cancelled()) return cancelled_error();
        const ClassTimes times = times_in((*selection)->partition(), window);
        communication += times.exposed_communication().count();
        memory += times.exposed_memory().count();
        idle += times.idle().count();
        for (const RankRange& range : window) kernels.add(range);
    }
    add_kernels(table, view, count, kernels.times());
    add_part(kExposedCommunication, communication);
    add_part(kExposedMemory, memory);
    add_part(kIdle, idle);
    return partial;
}

}  // namespace core::step_parts
