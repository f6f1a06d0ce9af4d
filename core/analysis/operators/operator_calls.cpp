#include "core/analysis/engine/call_tree.hpp"
#include "core/analysis/operators/operator_analyses.hpp"

#include <algorithm>
#include <tuple>

namespace core::operator_calls {
namespace {

Cell step_cell(const RankTrace& trace, EventId e) {
    const Step* const step = trace.step_of(e);
    return step ? Cell{step->number} : Cell{};
}

void add_row(Table& table, const RankView& view, const OperatorCall& call, bool passes) {
    const RankTrace& trace = view.trace();
    const GpuWork& work = call.below;
    const bool has_work = work.kernels > 0;
    table.add_row({view.key(), static_cast<std::int64_t>(call.event), trace.name_text(call.event),
                   step_cell(trace, call.event), view.since_origin(trace.start[index_of(call.event)]).count(),
                   passes ? Cell{view.visible(call.event).length().count()} : Cell{}, work.kernels, clamped(work.time),
                   has_work ? Cell{clamped(work.span())} : Cell{},
                   has_work ? ratio_cell(work.time, work.span()) : Cell{}});
}

}  // namespace

std::vector<Column> columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"event", Unit::Event, Role::Key, Facet::None, "the call, as its place in the rank's trace"},
            {"operator", Unit::Text, Role::Info, Facet::Operator, "its name"},
            {"step", Unit::Step, Role::Info, Facet::Step, "the step it began in; absent outside of all"},
            {"start", Unit::Ns, Role::Info, Facet::None, "from the run's earliest event"},
            {"duration", Unit::Ns, Role::Measure, Facet::None, "on the CPU; absent if the call itself does not pass"},
            {"kernels", Unit::Count, Role::Measure, Facet::None, "GPU events launched below it, at any depth"},
            {"kernel_time", Unit::Ns, Role::Measure, Facet::None, "sum of their durations"},
            {"kernel_span", Unit::Ns, Role::Measure, Facet::None, "their first start to last end; absent without any"},
            {"gpu_utilization",
             Unit::Ratio,
             Role::Measure,
             Facet::None,
             "kernel_time / kernel_span; above 1 where GPU events run at once",
             false,
             {},
             Better::More}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext& context) {
    Result<OperatorCalls> found = collect_operator_calls(view, context);
    if (!found) return found.error();
    const RankTrace& trace = view.trace();
    std::uint64_t captured = 0;
    std::erase_if(found->calls, [&](const OperatorCall& call) {
        captured += call.is_captured && call.replays > 0 ? 1 : 0;
        return call.is_captured;
    });
    std::ranges::sort(found->calls, {}, [&](const OperatorCall& call) {
        const std::size_t e = index_of(call.event);
        return std::tuple(trace.start[e], -trace.duration[e], trace.order[e]);
    });
    Partial partial{{{"main", Table(columns())}}, {}, {}, view.collect_excluded()};
    std::size_t seen = 0;
    for (const OperatorCall& call : found->calls) {
        if (seen++ % kEventsBetweenChecks == 0 && context.cancelled()) return cancelled_error();
        const bool passes = view.passes(call.event);
        if (passes || call.below.kernels > 0) add_row(partial.tables.front().table, view, call, passes);
    }
    if (found->unattributed.kernels > 0)
        partial.excluded.push_back(
            {"GPU events below no operator", static_cast<std::uint64_t>(found->unattributed.kernels)});
    if (captured > 0)
        partial.excluded.push_back({"operators captured into graphs, which are no calls of this recording", captured});
    return partial;
}

}  // namespace core::operator_calls

namespace core {

constinit const Analysis kOperatorCalls{
    .id = "operator-calls",
    .title = "Calls of operators",
    .summary = "Every call of an operator: its CPU time, and the GPU events launched below it.",
    .definition = R"(
One row per call of an operator (CPU events of category cpu_op, without step marks) that passes the filter or has a
GPU event below it that does; by start. step is the one that contains the call's start.

kernels, kernel_time and kernel_span are of the GPU events that pass and whose launch call lies below the call, at
any depth, whenever they run: the sum of their durations, and last end - first start. gpu_utilization = kernel_time
/ kernel_span, above 1 where they run at once. A call inside another counts for both.

A time range cuts calls and GPU events to their visible parts. Equal to HTA's call graph (num_kernels,
kernel_dur_sum, kernel_span) but that HTA leaves out GPU events on stream 0, writes 0 where a span is absent, and
adds the trace's begin to every span after a normal load.
)",
    .rank = operator_calls::rank,
    .columns = operator_calls::columns,
    .of_cpu = true,
    .made_of = "operators",
};

}  // namespace core
