#include "core/analysis/engine/exposed_split.hpp"

#include "core/base/range_set.hpp"
#include "core/collectives/waits.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

namespace core {
ExposedSplit& ExposedSplit::operator+=(const ExposedSplit& more) {
    all += more.all;
    wait += more.wait;
    transfer += more.transfer;
    unopened += more.unopened;
    known = known && more.known;
    return *this;
}

namespace {

// When the last rank of the capture began to be recorded, on this rank's clock. Ranks recorded one after the other have
// no such time: absent.
std::optional<RankTime> find_opening(const Run& run, const RankSlot& own) {
    std::optional<RunTime> opening, closing;
    for (const RankSlot& rank : run.ranks()) {
        const RankRange window = rank.trace().window;
        if (rank.key.capture != own.key.capture || window.empty()) continue;
        const RunTime begin = rank.to_run(window.begin), end = rank.to_run(window.end);
        opening = std::max(opening.value_or(begin), begin);
        closing = std::min(closing.value_or(end), end);
    }
    if (!opening || *opening >= *closing) return std::nullopt;
    return own.to_rank(*opening);
}

// How much later than this rank the last one in a collective began to be recorded.
Duration later_opening(const Run& run, const RankSlot& own, std::uint32_t last) {
    const RankSlot& other = run.rank(last);
    return std::max(other.to_run(other.trace().window.begin) - own.to_run(own.trace().window.begin), Duration{0});
}

std::vector<RankRange> ranges_before(std::span<const RankRange> ranges, RankTime end) {
    std::vector<RankRange> kept;
    for (const RankRange& range : ranges) kept.push_back({range.begin, std::clamp(end, range.begin, range.end)});
    return without_empty_ranges(std::move(kept));
}

}  // namespace

ExposedSplitter::ExposedSplitter(const RankView& view, const Selection& selection, RankRange hull)
    : partition_(&selection.partition()) {
    const std::span<const MemberEvent> events = view.rank().index->members().events();
    if (events.empty()) return;
    const WaitsPtr waits = waits_of(*view.run);
    std::vector<RankRange> waiting;
    std::vector<RankRange> transferring;
    std::vector<RankRange> unopened;
    for (std::uint32_t i = 0; i < events.size(); ++i) {
        const MemberRef ref{static_cast<std::uint32_t>(view.slot), i};
        const std::optional<std::int64_t> waited = waits->find_split(ref);
        if (!waited || !selection.is_in_window(events[i].event)) continue;
        splits_ = true;
        if (events[i].end() <= hull.begin || events[i].start >= hull.end) continue;
        const Duration wait{*waited};
        waiting.push_back({events[i].start, events[i].start + wait});
        transferring.push_back({events[i].start + wait, events[i].end()});
        // No earlier record explains the last rank: as far as its recording began later, nobody is late.
        const std::uint32_t collective = waits->matched->collective_of(ref);
        if (!waits->lateness[collective].known)
            unopened.push_back(
                {events[i].start, events[i].start + std::min(wait, later_opening(*view.run, view.rank(),
                                                                                 waits->times[collective].last_slot))});
    }
    transferring = merge_ranges(without_empty_ranges(std::move(transferring)));
    std::vector<RankRange> waits_only =
        subtract_ranges(merge_ranges(without_empty_ranges(std::move(waiting))), transferring);
    if (const std::optional<RankTime> opening = find_opening(*view.run, view.rank()))
        std::ranges::copy(ranges_before(waits_only, *opening), std::back_inserter(unopened));
    unopened_ = make_part(intersect_ranges(merge_ranges(without_empty_ranges(std::move(unopened))), waits_only));
    wait_ = make_part(std::move(waits_only));
    transfer_ = make_part(std::move(transferring));
}

ExposedSplitter::Part ExposedSplitter::make_part(std::vector<RankRange> ranges) const {
    Part part{std::move(ranges), {0}};
    for (const RankRange& range : part.ranges) part.before.push_back(part.before.back() + exposed_in(range));
    return part;
}

std::int64_t ExposedSplitter::exposed_in(RankRange range) const {
    return range.empty() ? 0 : partition_->times(range).exposed_communication().count();
}

std::int64_t ExposedSplitter::exposed_in(const Part& part, RankRange range) const {
    const auto begin = std::ranges::partition_point(part.ranges, [&](RankRange r) { return r.end <= range.begin; });
    const auto end = std::ranges::partition_point(part.ranges, [&](RankRange r) { return r.begin < range.end; });
    if (begin >= end) return 0;
    const auto first = static_cast<std::size_t>(begin - part.ranges.begin());
    const auto last = static_cast<std::size_t>(end - part.ranges.begin()) - 1;
    const std::int64_t whole = part.before[last + 1] - part.before[first];
    return whole - exposed_in({part.ranges[first].begin, std::max(part.ranges[first].begin, range.begin)}) -
           exposed_in({std::min(part.ranges[last].end, range.end), part.ranges[last].end});
}

ExposedSplit ExposedSplitter::in(std::span<const RankRange> disjoint) const {
    ExposedSplit split;
    for (const RankRange& range : disjoint) {
        split.all += exposed_in(range);
        split.wait += exposed_in(wait_, range);
        split.transfer += exposed_in(transfer_, range);
        split.unopened += exposed_in(unopened_, range);
    }
    split.known = splits_ || split.all == 0;
    return split;
}

ExposedSplit split_exposed(const RankView& view) {
    const RankRange window = view.window();
    return ExposedSplitter(view, *view.selection, window).in({&window, 1});
}

void add_split_columns(std::vector<Column>& columns) {
    columns.push_back({"exposed_wait", Unit::Ns, Role::Measure, Facet::None,
                       "of exposed communication, waiting for a later rank; absent where no collective is matched",
                       true});
    columns.push_back({"exposed_transfer", Unit::Ns, Role::Measure, Facet::None,
                       "of exposed communication, transferring; absent where no collective is matched", true});
    columns.push_back({"exposed_other", Unit::Ns, Role::Measure, Facet::None,
                       "of exposed communication, kernels that are not split; the three add up to it", true});
}

std::array<Cell, 3> split_cells(const ExposedSplit& split) {
    if (!split.known) return {};
    return {Cell{split.wait}, Cell{split.transfer}, Cell{split.other()}};
}

void note_split(const ExposedSplit& split, Partial& partial) {
    if (split.known) return;
    partial.excluded.push_back(
        {"ranks whose communication matches no other rank: it is not split into wait and "
         "transfer",
         1});
}

}  // namespace core
