#include "core/analysis/engine/analysis.hpp"
#include "core/analysis/engine/kernel_groups.hpp"

namespace core::kernels {

std::vector<Column> columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"class", Unit::Text, Role::Key, Facet::Class, "compute, communication or memory"},
            {"kernel", Unit::Text, Role::Key, Facet::Kernel, "the full name"},
            {"count", Unit::Count, Role::Measure, Facet::None, "GPU events of that name", true},
            {"total", Unit::Ns, Role::Measure, Facet::None, "sum of their durations", true},
            {"mean", Unit::Ns, Role::Measure, Facet::None, "total / count"},
            {"min", Unit::Ns, Role::Measure, Facet::None, "the shortest"},
            {"max", Unit::Ns, Role::Measure, Facet::None, "the longest"},
            {"stddev", Unit::Ns, Role::Measure, Facet::None, "standard deviation (n-1); 0 for one event"},
            {"share", Unit::Ratio, Role::Measure, Facet::None,
             "of the summed duration of the rank's GPU events, whatever names or classes are chosen"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext& context) {
    const Result<std::vector<KernelGroup>> groups = collect_kernel_groups(view, context);
    if (!groups) return groups.error();
    Partial partial{{{"main", Table(columns())}}, {}, {}, view.collect_excluded()};
    Wide sum = 0;
    for (const EventId e : view.window_events()) sum += view.visible(e).length().count();
    for (const KernelGroup& group : *groups) {
        const DurationStats& stats = group.stats;
        partial.tables.front().table.add_row({view.key(), name_of(group.kernel_class), view.trace().text(group.name),
                                              stats.count(), clamped(stats.total()), stats.mean(),
                                              stats.least().count(), stats.most().count(), stats.deviation(),
                                              ratio_cell(stats.total(), sum)});
    }
    return partial;
}

}  // namespace core::kernels
