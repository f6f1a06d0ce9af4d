#include "core/analysis/engine/analysis.hpp"
#include "core/analysis/engine/kernel_groups.hpp"
#include "core/analysis/operators/operator_analyses.hpp"
#include "core/analysis/operators/operator_records.hpp"
#include "core/index/rank_count.hpp"

#include <map>
#include <tuple>

namespace core::kernel_imbalance {
namespace {

struct OverRanks {
    std::int64_t ranks = 0;
    SumOfQuotients means;      // for the mean
    double sum_of_exact = 0;   // for the ratio
    double most_exact = 0;
    std::int64_t least = 0;
    std::int64_t most = 0;

    void add(std::int64_t count, std::int64_t total) {
        const std::int64_t mean = rounded_mean(total, count);
        const double exact = static_cast<double>(total) / static_cast<double>(count);
        least = ranks == 0 ? mean : std::min(least, mean);
        most = std::max(most, mean);
        most_exact = std::max(most_exact, exact);
        means.add(total, count);
        sum_of_exact += exact;
        ++ranks;
    }
    // Largest rank mean divided by the mean of all, minus one.
    Cell imbalance() const {
        if (ranks < 2 || sum_of_exact == 0) return {};
        return most_exact / (sum_of_exact / static_cast<double>(ranks)) - 1;
    }
};

using Kernel = std::pair<std::string_view, std::string_view>;  // class, name

struct SumOfRank {
    std::int64_t count = 0;
    std::int64_t total = 0;
};

// Captures of a rank together.
std::map<Kernel, std::map<std::int32_t, SumOfRank>> sum_ranks(std::span<const Partial* const> partials) {
    std::map<Kernel, std::map<std::int32_t, SumOfRank>> kernels;
    for (const Partial* const partial : partials) {
        for (const KernelOnRank& one : read_records<KernelOnRank>(partial->main())) {
            SumOfRank& sum = kernels[{one.kernel_class, one.kernel}][RankKey::unpacked(one.rank).number];
            sum.count += one.count;
            sum.total = clamped(Wide{sum.total} + one.total);
        }
    }
    return kernels;
}

Table sorted_by_mean(const Table& table) {
    std::vector<std::size_t> order(table.rows());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    const std::size_t mean = table.find_column("mean");
    std::ranges::stable_sort(
        order, [&](std::size_t a, std::size_t b) { return table.integer(a, mean) > table.integer(b, mean); });
    Table sorted = table;
    sorted.sort_rows(order);
    return sorted;
}

}  // namespace

std::vector<Column> columns() {
    return {{"class", Unit::Text, Role::Key, Facet::Class, "compute, communication or memory"},
            {"kernel", Unit::Text, Role::Key, Facet::Kernel, "the full name"},
            {"ranks", Unit::Count, Role::Measure, Facet::None, "ranks that run it"},
            {"mean", Unit::Ns, Role::Measure, Facet::None, "mean over those ranks of the rank's mean duration"},
            {"min_rank_mean", Unit::Ns, Role::Measure, Facet::None, "mean duration on the quickest rank"},
            {"max_rank_mean", Unit::Ns, Role::Measure, Facet::None, "mean duration on the slowest rank"},
            {"imbalance",
             Unit::Ratio,
             Role::Measure,
             Facet::None,
             "max_rank_mean / mean - 1; absent with one rank",
             false,
             {},
             Better::Less}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext& context) {
    const Result<std::vector<KernelGroup>> groups = collect_kernel_groups(view, context);
    if (!groups) return groups.error();
    Partial partial{{{"main", make_record_table<KernelOnRank>()}}, {}, {}, view.collect_excluded()};
    for (const KernelGroup& group : *groups) {
        add_record(partial.tables.front().table, KernelOnRank{.rank = view.key(),
                                                              .kernel_class = name_of(group.kernel_class),
                                                              .kernel = view.trace().text(group.name),
                                                              .count = group.stats.count(),
                                                              .total = clamped(group.stats.total())});
    }
    return partial;
}

Result<Answer> merge(std::span<const Partial* const> partials, const Run& run, const Params&, const JobContext&) {
    const ComparedRanks compared = are_windows(run)
                                       ? ComparedRanks{.partials = {partials.begin(), partials.end()}, .left_out = 0}
                                       : one_capture_per_rank(partials, 0, 0);
    std::map<Kernel, OverRanks> kernels;
    for (const auto& [kernel, ranks] : sum_ranks(compared.partials))
        for (const auto& [rank, sum] : ranks) kernels[kernel].add(sum.count, sum.total);
    Table table(columns());
    for (const auto& [kernel, over] : kernels) {
        table.add_row({kernel.first, kernel.second, over.ranks, over.means.rounded_mean(over.ranks), over.least,
                       over.most, over.imbalance()});
    }
    Answer answer{.tables = {{"main", sorted_by_mean(table)}}, .series = {}, .marks = {}, .excluded = {}};
    if (compared.left_out > 0) answer.excluded.push_back({std::string(kOtherCaptures), compared.left_out});
    return answer;
}

constexpr std::string_view kImbalance[] = {"imbalance"};

}  // namespace core::kernel_imbalance

namespace core {

constinit const Analysis kKernelImbalance{
    .id = "kernel-imbalance",
    .title = "Kernel imbalance",
    .summary = "How much the mean duration of a kernel differs from rank to rank.",
    .definition = R"(
Per class and full name, over the ranks that run it: mean = mean of the ranks' mean durations (each rank counts
once, however often it runs the kernel), min_rank_mean and max_rank_mean the least and greatest of them.

imbalance = greatest rank mean / mean of the rank means - 1: 0 when all ranks take the same time, 0.5 when the
slowest takes half as long again as the mean. Absent where only one rank runs the kernel. The ratio is of unrounded
means; the durations shown are rounded half up to nanoseconds. Captures of a rank that are windows of one job are
taken together; of others, the first counts.
)",
    .chart = {.kind = ChartKind::Bars, .category = "kernel", .measures = kernel_imbalance::kImbalance},
    .comparable = true,
    .rank = kernel_imbalance::rank,
    .merge = kernel_imbalance::merge,
    .columns = kernel_imbalance::columns,
    .lead = "imbalance",
    .in_summary = InSummary::OfRun,
};

}  // namespace core
