#include "core/analysis/engine/call_tree.hpp"
#include "core/analysis/operators/operator_analyses.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace core::kernels_by_operator {
namespace {

struct Sum {
    std::int64_t count = 0;
    Wide total = 0;
};
using Key = std::tuple<NameId, KernelClass, NameId>;  // operator or kNoName, class, kernel
using Groups = std::map<Key, Sum>;

std::string_view operator_text(const RankTrace& trace, NameId name) {
    return name == kNoName ? kUnattributed : trace.text(name);
}

// Operators by GPU time, largest first; within one, kernels likewise; ties by name.
std::vector<std::pair<Key, Sum>> sorted(const RankTrace& trace, const Groups& groups) {
    std::map<NameId, Wide> of_operator;
    for (const auto& [key, sum] : groups) of_operator[std::get<0>(key)] += sum.total;
    std::vector<std::pair<Key, Sum>> rows(groups.begin(), groups.end());
    std::ranges::sort(rows, {}, [&](const std::pair<Key, Sum>& row) {
        const auto& [name, kernel_class, kernel] = row.first;
        return std::tuple(-of_operator.at(name), operator_text(trace, name), -row.second.total, trace.text(kernel),
                          kernel_class);
    });
    return rows;
}

}  // namespace

std::vector<Column> columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"class", Unit::Text, Role::Key, Facet::Class, "compute, communication or memory"},
            {"operator", Unit::Text, Role::Key, Facet::Operator, "its name; (unattributed): GPU events below none"},
            {"kernel", Unit::Text, Role::Key, Facet::Kernel, "the full name"},
            {"count", Unit::Count, Role::Measure, Facet::None, "GPU events of that name that it launched", true},
            {"total", Unit::Ns, Role::Measure, Facet::None, "sum of their durations", true}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext& context) {
    const RankTrace& trace = call_trace_of(view);
    OperatorsAbove operators(trace);
    Groups groups;
    std::size_t seen = 0;
    for (const EventId e : view.gpu_events()) {
        if (seen++ % kEventsBetweenChecks == 0 && context.cancelled()) return cancelled_error();
        const EventId above = operators.find(e);
        Sum& sum = groups[{above == kNoEvent ? kNoName : trace.name[index_of(above)], view.class_of(e),
                           trace.name[index_of(e)]}];
        ++sum.count;
        sum.total += view.visible(e).length().count();
    }
    Partial partial{{{"main", Table(columns())}}, {}, {}, view.collect_excluded()};
    for (const auto& [key, sum] : sorted(trace, groups)) {
        const auto& [name, kernel_class, kernel] = key;
        partial.tables.front().table.add_row({view.key(), name_of(kernel_class), operator_text(trace, name),
                                              trace.text(kernel), sum.count, clamped(sum.total)});
    }
    return partial;
}

constexpr std::string_view kTotal[] = {"total"};

}  // namespace core::kernels_by_operator

namespace core {

constinit const Analysis kKernelsByOperator{
    .id = "kernels-by-operator",
    .title = "Kernels by operator",
    .summary = "Which kernels each operator launched.",
    .definition = R"(
A GPU event belongs to the innermost operator (cpu_op, not step marks) around the call that launched it;
(unattributed) has those whose launch is not in the trace or in no operator. So every GPU event is in exactly one
row, and the totals add up to those of `kernels` and to self_kernel_time of `operators`.

The filter chooses GPU events; which operator they belong to is decided by the whole trace. A time range cuts them
to their visible part. HTA has no such table.
)",
    .chart = {.kind = ChartKind::StackedBars,
              .category = "operator",
              .measures = kernels_by_operator::kTotal,
              .series = "kernel"},
    .comparable = true,
    .rank = kernels_by_operator::rank,
    .columns = kernels_by_operator::columns,
    .lead = "total",
};

}  // namespace core
