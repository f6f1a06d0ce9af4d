#include "core/analysis/time/idle_gaps.hpp"
#include "core/analysis/time/time_analyses.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace core::idle_gaps {
namespace {

constexpr std::size_t kLengthColumn = 4;
constexpr std::string_view kShorterGaps = "shorter gaps (parameter most)";

struct ListedGap {
    Gap gap;
    std::int64_t stream;  // negative: the GPU as a whole
};

Result<std::vector<ListedGap>> collect_listed(const RankView& view, bool of_streams, Duration short_gap,
                                              const JobContext& context) {
    std::vector<ListedGap> listed;
    if (!of_streams) {
        for (const Gap& gap : collect_device_gaps(view, short_gap)) listed.push_back({gap, -1});
        return listed;
    }
    const Result<std::vector<TrackGaps>> tracks = collect_track_gaps(view, short_gap, context);
    if (!tracks) return tracks.error();
    for (const TrackGaps& track : *tracks) {
        const std::int64_t stream = view.trace().tracks[track.track].stream;
        if (stream < 0) continue;
        for (const Gap& gap : track.gaps) listed.push_back({gap, stream});
    }
    return listed;
}

bool is_listed_before(const ListedGap& a, const ListedGap& b) {
    const auto key = [](const ListedGap& g) {
        return std::tuple(-g.gap.visible.length().count(), g.gap.whole.begin, g.stream, g.gap.next);
    };
    return key(a) < key(b);
}

Cell name_cell(const RankTrace& trace, EventId event) {
    return event == kNoEvent ? Cell{} : Cell{trace.name_text(event)};
}

}  // namespace

std::vector<Column> columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"gap", Unit::Count, Role::Key, Facet::None, "its number among the rank's gaps, from the longest"},
            {"stream", Unit::Stream, Role::Info, Facet::Stream, "that paused; absent: every stream of the rank"},
            {"begin", Unit::Ns, Role::Info, Facet::None, "of the gap, from the run's earliest event"},
            {"length", Unit::Ns, Role::Measure, Facet::None, "of the gap inside the time range"},
            {"cause", Unit::Text, Role::Info, Facet::None, "host_wait, graph_gap, kernel_wait, other or not_recorded"},
            {"host", Unit::Text, Role::Info, Facet::None, "what the launching thread did for most of the gap"},
            {"kernel_before", Unit::Text, Role::Info, Facet::Kernel, "the GPU event that ended last before it"},
            {"kernel_after", Unit::Text, Role::Info, Facet::Kernel, "the GPU event that ends it"},
            {"step", Unit::Step, Role::Info, Facet::Step, "of the event that ends it"},
            {"event", Unit::Event, Role::Info, Facet::None, "the event that ends it"}};
}

Result<Partial> rank(const RankView& view, const Params& params, const JobContext& context) {
    Partial partial{{{"main", Table(columns())}}, {}, {}, view.collect_excluded()};
    Result<std::vector<ListedGap>> gaps = collect_listed(view, params[0] == 1, Duration{params[2]}, context);
    if (!gaps) return std::move(gaps).error();
    const std::size_t most = std::min(gaps->size(), static_cast<std::size_t>(params[1]));
    const auto end = gaps->begin() + static_cast<std::ptrdiff_t>(most);
    std::ranges::partial_sort(*gaps, end, is_listed_before);
    if (gaps->size() > most) partial.excluded.push_back({std::string(kShorterGaps), gaps->size() - most});
    const RankTrace& trace = view.trace();
    for (std::size_t i = 0; i < most; ++i) {
        if (i % 256 == 0 && context.cancelled()) return cancelled_error();
        const auto& [gap, stream] = (*gaps)[i];
        const Step* const step = gap.next == kNoEvent ? nullptr : trace.step_of(gap.next);
        partial.tables.front().table.add_row(
            {view.key(), static_cast<std::int64_t>(i + 1), stream < 0 ? Cell{} : Cell{stream},
             view.since_origin(gap.visible.begin).count(), gap.visible.length().count(), name_of(gap.cause),
             find_host_activity(trace, gap), name_cell(trace, gap.previous), name_cell(trace, gap.next),
             step ? Cell{step->number} : Cell{},
             gap.next == kNoEvent ? Cell{} : Cell{static_cast<std::int64_t>(index_of(gap.next))}});
    }
    return partial;
}

// Longest first, whatever the rank.
Result<Answer> merge(std::span<const Partial* const> partials, const Run&, const Params&, const JobContext&) {
    Answer answer{.tables = {{"main", Table(columns())}}, .series = {}, .marks = {}, .excluded = {}};
    Table& table = answer.tables.front().table;
    for (const Partial* partial : partials) table.append(partial->main());
    std::vector<std::size_t> order(table.rows());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t row) { return table.integer(row, kLengthColumn); });
    table.sort_rows(order);
    return answer;
}

constexpr std::string_view kGapPlaces[] = {"gpu", "streams"};
constexpr Param kGapParams[] = {
    {"of", "gpu: no stream of the rank runs anything; streams: each stream by itself", Unit::Count, 0, 0, 1,
     kGapPlaces},
    {"most", "gaps listed of each rank, the longest", Unit::Count, 200, 1, 100'000},
    kShortGapParam,
};

}  // namespace core::idle_gaps

namespace core {

constinit const Analysis kIdleGaps{
    .id = "idle-gaps",
    .title = "Idle gaps",
    .summary = "The longest gaps of each rank: how long, why, what the host did, and the kernels before and after.",
    .definition = R"(
A row is a gap of device-idle (of=gpu) or of idle-breakdown (of=streams), with the same causes: graph_gap between
events of one replay of a graph; host_wait if the launch call of the event that ends the gap began after the gap did;
kernel_wait if the gap is shorter than short_gap (30 us); other, also where the launch is not in the trace or nothing
follows; not_recorded before these, if anything without a GPU event was launched since the event before the gap, or a
replay lacks nodes that may have been there. With enough rows, length adds up to
the time of those analyses, cause by cause.

begin counts from the run's earliest event; length is the part inside the time range. kernel_before is the event
that ended last before the gap, kernel_after the one that ends it; absent at the edges of the window. host is what
the launching thread did for most of the gap, as in the table host of device-idle. step is that of the event that
ends the gap. The longest gaps of each rank are listed, most of them; how many are shorter is said.
)",
    .params = idle_gaps::kGapParams,
    .rank = idle_gaps::rank,
    .merge = idle_gaps::merge,
    .columns = idle_gaps::columns,
    .lead = "length",
    .made_of = "idle time between GPU events",
};

}  // namespace core
