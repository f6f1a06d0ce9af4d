#include "core/analysis/engine/call_tree.hpp"

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
    const RankTrace& trace = view.trace();
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

}  // namespace core::kernels_by_operator
