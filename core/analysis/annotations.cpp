#include "core/analysis/kernel_groups.hpp"

#include <algorithm>
#include <unordered_map>

namespace core::annotations {
namespace {

constexpr std::int64_t kFromCpu = 1;  // of the choices in the registry: gpu, cpu

struct Group {
    NameId name{};
    DurationStats stats;
};

// By total, longest first, then by name.
Result<std::vector<Group>> collect_groups(const RankView& view, Category category, const JobContext& context) {
    const RankTrace& trace = view.trace();
    std::unordered_map<std::size_t, std::size_t> place_of;
    std::vector<Group> groups;
    for (std::uint32_t i = 0; i < trace.size(); ++i) {
        if (i % 65536 == 0 && context.cancelled()) return Error{ErrorCode::Cancelled, "cancelled"};
        const EventId e{i};
        if (trace.category_kind(e) != category || trace.has(e, kInstant) || !view.passes(e)) continue;
        const auto [at, is_new] = place_of.try_emplace(index_of(trace.name[i]), groups.size());
        if (is_new) groups.push_back({trace.name[i], {}});
        groups[at->second].stats.add(view.visible(e).length());
    }
    std::ranges::sort(groups, [&](const Group& a, const Group& b) {
        if (a.stats.total() != b.stats.total()) return a.stats.total() > b.stats.total();
        return trace.text(a.name) < trace.text(b.name);
    });
    return groups;
}

}  // namespace

std::vector<Column> columns() {
    return {
        {"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
        {"annotation", Unit::Text, Role::Key, Facet::None, "its name"},
        {"count", Unit::Count, Role::Measure, Facet::None, "how often it occurs; once per stream on GPU rows", true},
        {"total", Unit::Ns, Role::Measure, Facet::None, "sum of the durations", true},
        {"mean", Unit::Ns, Role::Measure, Facet::None, "total / count"},
        {"min", Unit::Ns, Role::Measure, Facet::None, "the shortest"},
        {"max", Unit::Ns, Role::Measure, Facet::None, "the longest"},
        {"stddev", Unit::Ns, Role::Measure, Facet::None, "standard deviation (n-1); 0 for one"}};
}

Result<Partial> rank(const RankView& view, const Params& params, const JobContext& context) {
    const bool from_cpu = params[0] == kFromCpu;
    const Category category = from_cpu ? Category::UserAnnotation : Category::GpuUserAnnotation;
    const Result<std::vector<Group>> groups = collect_groups(view, category, context);
    if (!groups) return groups.error();
    Partial partial{{{"main", Table(columns())}}, {}, {}, {}};
    for (const auto& [name, stats] : *groups) {
        partial.tables.front().table.add_row({view.key(), view.trace().text(name), stats.count(),
                                              clamped(stats.total()), stats.mean(), stats.least().count(),
                                              stats.most().count(), stats.deviation()});
    }
    if (groups->empty()) {
        partial.excluded.push_back(
            {from_cpu ? "ranks without a selected annotation" : "ranks without a selected annotation on GPU rows", 1});
    }
    return partial;
}

}  // namespace core::annotations
