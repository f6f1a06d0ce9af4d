#include "core/analysis/engine/kernel_groups.hpp"
#include "core/analysis/operators/operator_analyses.hpp"

#include <algorithm>
#include <unordered_map>

namespace core::annotations {
namespace {

// Choices of the row.
enum class Source : std::uint8_t { Gpu, Cpu, Modules };

constexpr std::string_view kModule = "nn.Module: ";  // the profiler's prefix of module calls among Python functions

Category category_of(Source source) {
    if (source == Source::Modules) return Category::PythonFunction;
    return source == Source::Cpu ? Category::UserAnnotation : Category::GpuUserAnnotation;
}

std::string_view none_of(Source source) {
    if (source == Source::Modules) return "ranks without a selected module";
    return source == Source::Cpu ? "ranks without a selected annotation"
                                 : "ranks without a selected annotation on GPU rows";
}

struct Group {
    NameId name{};
    DurationStats stats;
};

// Sorted by total, longest first, then name.
Result<std::vector<Group>> collect_groups(const RankView& view, Source source, const JobContext& context) {
    const RankTrace& trace = view.trace();
    const Category category = category_of(source);
    std::unordered_map<std::size_t, std::size_t> place_of;
    std::vector<Group> groups;
    for (std::uint32_t i = 0; i < trace.size(); ++i) {
        if (i % kEventsBetweenChecks == 0 && context.cancelled()) return cancelled_error();
        const EventId e{i};
        if (trace.category_kind(e) != category || trace.has(e, kInstant) || !view.passes(e)) continue;
        if (source == Source::Modules && !trace.name_text(e).starts_with(kModule)) continue;
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
        {"annotation", Unit::Text, Role::Key, Facet::Annotation, "its name"},
        {"count", Unit::Count, Role::Measure, Facet::None, "how often it occurs; once per stream on GPU rows", true},
        {"total", Unit::Ns, Role::Measure, Facet::None, "sum of the durations", true},
        {"mean", Unit::Ns, Role::Measure, Facet::None, "total / count"},
        {"min", Unit::Ns, Role::Measure, Facet::None, "the shortest"},
        {"max", Unit::Ns, Role::Measure, Facet::None, "the longest"},
        {"stddev", Unit::Ns, Role::Measure, Facet::None, "standard deviation (n-1); 0 for one"}};
}

Result<Partial> rank(const RankView& view, const Params& params, const JobContext& context) {
    const auto source = static_cast<Source>(params[0]);
    const Result<std::vector<Group>> groups = collect_groups(view, source, context);
    if (!groups) return groups.error();
    Partial partial{{{"main", Table(columns())}}, {}, {}, {}};
    for (const auto& [name, stats] : *groups) {
        partial.tables.front().table.add_row({view.key(), view.trace().text(name), stats.count(),
                                              clamped(stats.total()), stats.mean(), stats.least().count(),
                                              stats.most().count(), stats.deviation()});
    }
    if (groups->empty()) partial.excluded.push_back({std::string(none_of(source)), 1});
    return partial;
}

constexpr std::string_view kAnnotationSources[] = {"gpu", "cpu", "modules"};
constexpr Param kAnnotationParams[] = {
    {"source", "gpu: their copies on GPU rows; cpu: the ranges on CPU threads; modules: calls of nn.Module",
     Unit::Count, 0, 0, 2, kAnnotationSources},
};
constexpr std::string_view kTotal[] = {"total"};

}  // namespace core::annotations

namespace core {

constinit const Analysis kAnnotations{
    .id = "annotations",
    .title = "Annotations",
    .summary = "Count and duration of the ranges that the program named (record_function, optimizer steps, …).",
    .definition = R"(
One row per rank and name. With source=gpu the annotations on GPU rows (gpu_user_annotation): each spans, on one
stream, the work launched inside the range, so a range whose work runs on two streams counts twice. With source=cpu
the ranges on CPU threads (user_annotation), step marks included. With source=modules the calls of modules among
those of Python functions (nn.Module: NAME), which a profile with stacks has.

count, sum, mean = total / count, least and greatest duration, standard deviation with n-1 (0 for one); means and
deviations are rounded half up to nanoseconds. Durations are summed, not united: ranges inside one another count in
full. A time range cuts annotations to their visible part. An annotation on a GPU row is in the step that contains
its own start, as it has no launch. Every name keeps its own row; HTA throws the rarer ones together.
)",
    .params = annotations::kAnnotationParams,
    .chart = {.kind = ChartKind::Bars, .category = "annotation", .measures = annotations::kTotal},
    .comparable = true,
    .rank = annotations::rank,
    .columns = annotations::columns,
    .lead = "total",
    .of_cpu = true,
    .made_of = "annotations of this source",
    .in_summary = InSummary::OfRank,
};

}  // namespace core
