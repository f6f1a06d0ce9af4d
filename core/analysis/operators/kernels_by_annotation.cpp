#include "core/analysis/engine/analysis.hpp"
#include "core/analysis/engine/rounding.hpp"
#include "core/analysis/engine/shortest_overlap.hpp"
#include "core/analysis/operators/operator_analyses.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace core::kernels_by_annotation {
namespace {

constexpr std::string_view kUnannotated = "(unannotated)";

struct Stream {
    std::vector<EventId> kernels;  // by start
    std::vector<EventId> annotations;
};

// A stream's work and annotations are two tracks of one process with one tid.
using StreamKey = std::pair<std::uint32_t, NameId>;  // process, tid

std::map<StreamKey, Stream> collect_streams(const RankView& view) {
    const RankTrace& trace = view.trace();
    std::map<StreamKey, Stream> streams;
    for (const EventId e : view.gpu_events()) {
        const Track& track = trace.track_of(e);
        streams[{track.process, track.tid}].kernels.push_back(e);
    }
    for (const Lane& lane : trace.lanes) {
        const Track& track = trace.tracks[lane.track];
        if (track.kind != TrackKind::StreamAnnotations) continue;
        Stream& stream = streams[{track.process, track.tid}];
        for (std::size_t i = index_of(lane.first); i < index_of(lane.last); ++i)
            stream.annotations.push_back(EventId{static_cast<std::uint32_t>(i)});
    }
    return streams;
}

struct Sum {
    std::int64_t count = 0;
    Wide total = 0;
};
using Key = std::pair<NameId, NameId>;  // annotation or kNoName, kernel
using Groups = std::map<Key, Sum>;

std::vector<RankRange> ranges_of(const RankTrace& trace, const std::vector<EventId>& events) {
    std::vector<RankRange> ranges;
    ranges.reserve(events.size());
    for (const EventId e : events) ranges.push_back(trace.range(e));
    return ranges;
}

void add_stream(const RankView& view, const Stream& stream, Groups& groups) {
    const RankTrace& trace = view.trace();
    const std::vector<std::uint32_t> found =
        find_shortest_overlaps(ranges_of(trace, stream.kernels), ranges_of(trace, stream.annotations));
    for (std::size_t i = 0; i < stream.kernels.size(); ++i) {
        const EventId kernel = stream.kernels[i];
        const NameId annotation = found[i] == kNoOverlap ? kNoName : trace.name[index_of(stream.annotations[found[i]])];
        Sum& sum = groups[{annotation, trace.name[index_of(kernel)]}];
        ++sum.count;
        sum.total += view.visible(kernel).length().count();
    }
}

// Annotations by GPU time, largest first; within one, kernels likewise; ties by name.
std::vector<std::pair<Key, Sum>> sorted(const RankTrace& trace, const Groups& groups) {
    std::map<NameId, Wide> of_annotation;
    for (const auto& [key, sum] : groups) of_annotation[key.first] += sum.total;
    const auto text = [&](NameId name) { return name == kNoName ? kUnannotated : trace.text(name); };
    std::vector<std::pair<Key, Sum>> rows(groups.begin(), groups.end());
    std::ranges::sort(rows, {}, [&](const std::pair<Key, Sum>& row) {
        const auto& [annotation, kernel] = row.first;
        return std::tuple(-of_annotation[annotation], text(annotation), -row.second.total, text(kernel));
    });
    return rows;
}

}  // namespace

std::vector<Column> columns() {
    return {
        {"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
        {"annotation", Unit::Text, Role::Key, Facet::Annotation, "its name; (unannotated): kernels that none overlaps"},
        {"kernel", Unit::Text, Role::Key, Facet::Kernel, "the full name"},
        {"count", Unit::Count, Role::Measure, Facet::None, "GPU events of that name that belong to it", true},
        {"total", Unit::Ns, Role::Measure, Facet::None, "sum of their durations", true}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext& context) {
    Groups groups;
    for (const auto& [key, stream] : collect_streams(view)) {
        if (context.cancelled()) return cancelled_error();
        if (!stream.kernels.empty()) add_stream(view, stream, groups);
    }
    Partial partial{{{"main", Table(columns())}}, {}, {}, view.collect_excluded()};
    for (const auto& [key, sum] : sorted(view.trace(), groups)) {
        const auto& [annotation, kernel] = key;
        partial.tables.front().table.add_row({view.key(),
                                              annotation == kNoName ? kUnannotated : view.trace().text(annotation),
                                              view.trace().text(kernel), sum.count, clamped(sum.total)});
    }
    return partial;
}

constexpr std::string_view kTotal[] = {"total"};

}  // namespace core::kernels_by_annotation

namespace core {

constinit const Analysis kKernelsByAnnotation{
    .id = "kernels-by-annotation",
    .title = "Kernels by annotation",
    .summary = "Which kernels run inside which annotation of their stream.",
    .definition = R"(
A GPU event belongs to the shortest annotation (gpu_user_annotation) on its own stream that overlaps it; of equally
short ones to that which starts later. (unannotated) has those that no annotation overlaps. So every GPU event is in
exactly one row, and the totals add up to those of `kernels`.

The filter chooses GPU events; which annotation they belong to is decided by the whole trace. A time range cuts them
to their visible part. HTA counts rows of synchronisation as kernels, takes an annotation of another stream for a
kernel with the same start and end, and leaves the choice between equally short ones to chance.
)",
    .chart = {.kind = ChartKind::StackedBars,
              .category = "annotation",
              .measures = kernels_by_annotation::kTotal,
              .series = "kernel"},
    .comparable = true,
    .rank = kernels_by_annotation::rank,
    .columns = kernels_by_annotation::columns,
    .lead = "total",
};

}  // namespace core
