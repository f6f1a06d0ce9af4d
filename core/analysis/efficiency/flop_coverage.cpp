#include "core/analysis/efficiency/efficiency_analyses.hpp"
#include "core/analysis/efficiency/rank_work.hpp"
#include "core/analysis/engine/analysis.hpp"
#include "core/analysis/engine/call_tree.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

namespace core::flop_coverage {
namespace {

struct Sum {
    std::int64_t count = 0;
    Wide time = 0;
};

// Kind, kernel, operator; kNoName: launched below no operator.
using Key = std::tuple<WorkKind, NameId, NameId>;

}  // namespace

std::vector<Column> columns() {
    return {
        {"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
        {"kind", Unit::Text, Role::Key, Facet::None,
         "matrix: its FLOP are counted; uncounted: matrix work of unknown size; none: no matrix work; unclassified"},
        {"kernel", Unit::Text, Role::Key, Facet::Kernel, "the full name"},
        {"operator", Unit::Text, Role::Key, Facet::Operator,
         "the innermost operator around its launch; (unattributed): none"},
        {"count", Unit::Count, Role::Measure, Facet::None, "compute kernels", true},
        {"time", Unit::Ns, Role::Measure, Facet::None, "sum of their durations", true},
        {"share", Unit::Ratio, Role::Measure, Facet::None, "of the summed duration of the rank's compute kernels"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext& context) {
    const RankWorkPtr work = work_of(*view.rank().index, context);
    if (!work) return cancelled_error();
    const RankTrace& trace = work->trace();
    std::map<Key, Sum> sums;
    Wide total = 0;
    for (std::size_t i = 0; i < trace.gpu_events.size(); ++i) {
        if (i % kEventsBetweenChecks == 0 && context.cancelled()) return cancelled_error();
        const EventId e = trace.gpu_events[i];
        if (work->kinds[i] == WorkKind::NoCompute || !view.passes(e)) continue;
        const EventId inner = work->operators[i];
        const NameId operator_name = inner == kNoEvent ? kNoName : trace.name[index_of(inner)];
        Sum& sum = sums[{work->kinds[i], trace.name[index_of(e)], operator_name}];
        const std::int64_t time = view.visible(e).length().count();
        ++sum.count;
        sum.time += time;
        total += time;
    }
    std::vector<std::pair<Key, Sum>> sorted(sums.begin(), sums.end());
    std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) {
        return std::tuple(std::get<0>(a.first), -a.second.time) < std::tuple(std::get<0>(b.first), -b.second.time);
    });
    Partial partial{{{"main", Table(columns())}}, {}, {}, view.collect_excluded()};
    for (const auto& [key, sum] : sorted) {
        const auto& [kind, kernel, operator_name] = key;
        partial.tables.front().table.add_row({view.key(), name_of(kind), trace.text(kernel),
                                              operator_name == kNoName ? kUnattributed : trace.text(operator_name),
                                              sum.count, clamped(sum.time), ratio_cell(sum.time, total)});
    }
    return partial;
}

constexpr std::string_view kTime[] = {"time"};

}  // namespace core::flop_coverage

namespace core {

constinit const Analysis kFlopCoverage{
    .id = "flop-coverage",
    .title = "FLOP coverage",
    .summary = "How much of the compute time has floating-point work (FLOP) that is known.",
    .definition = R"(
Each compute kernel has one kind, the first that fits. matrix: launched below an operator whose FLOP follow from its
arguments. uncounted: below a listed operator whose arguments do not tell (no shapes, opaque). none: its innermost
operator only moves data or works on single elements. uncounted: its name, up to the first (, is that of a matrix
kernel (gemm but not fbgemm, Cijk_, cutlass, xmma, wgrad, dgrad, fprop, winograd, conv but not convert, flash, fmha,
attention, attn, mha_, nvjet, bmm_, moe, triton_tem, triton_mm, matmul, scudnn, gemv, dot_kernel, _mm_kernel,
sage_fwd). none: PyTorch's own (at::native::, void at::, void c10::), its compiler's (triton_poi_, triton_red_,
triton_per_, triton_for_), or innermost operator aten::. unclassified: the rest.

FLOP belong to the innermost operator that can say: walking up from the leaves, a listed operator owns what lies
below it unless all listed ones below told. So graph replays, compiled kernels without operators and kernels
launched before the trace are uncounted, never 0 FLOP.

counted = matrix / (matrix + uncounted), by time; every FLOP total carries it, and below 0.95 is printed with ≥. The
rows add up to the compute total of `kernels`; a time range cuts kernels to their visible part.
)",
    .chart = {.kind = ChartKind::StackedBars, .category = "rank", .measures = flop_coverage::kTime, .series = "kind"},
    .comparable = true,
    .rank = flop_coverage::rank,
    .columns = flop_coverage::columns,
    .lead = "time",
};

}  // namespace core
