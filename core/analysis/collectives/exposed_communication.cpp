#include "core/analysis/collectives/chosen_members.hpp"
#include "core/analysis/collectives/exposed_split.hpp"
#include "core/analysis/engine/rounding.hpp"

#include <algorithm>

namespace core {
namespace {

using Ranges = std::vector<RankRange>;

// Sorted and disjoint.
Ranges merge_overlapping(Ranges ranges) {
    std::erase_if(ranges, [](const RankRange& r) { return r.empty(); });
    std::ranges::sort(ranges, {}, &RankRange::begin);
    Ranges merged;
    for (const RankRange& range : ranges) {
        if (merged.empty() || merged.back().end < range.begin)
            merged.push_back(range);
        else
            merged.back().end = std::max(merged.back().end, range.end);
    }
    return merged;
}

// Intersection of `ranges` and `within`; both sorted and disjoint.
Ranges intersect(const Ranges& ranges, const Ranges& within) {
    Ranges common;
    for (std::size_t i = 0, k = 0; i < ranges.size() && k < within.size();) {
        const RankRange cut{std::max(ranges[i].begin, within[k].begin), std::min(ranges[i].end, within[k].end)};
        if (!cut.empty()) common.push_back(cut);
        ++(ranges[i].end < within[k].end ? i : k);
    }
    return common;
}

std::int64_t length_of(const Ranges& ranges) {
    std::int64_t sum = 0;
    for (const RankRange& range : ranges) sum += range.length().count();
    return sum;
}

// Waiting and transferring of the rank's chosen members, on its own clock.
struct Split {
    Ranges wait;
    Ranges transfer;
};

Split collect_split(const RankView& view) {
    const WaitsPtr waits = waits_of(*view.run);
    const MatchedRun& matches = *waits->matched;
    const std::span<const MemberEvent> events = view.rank().index->members().events();
    Split split;
    for (std::uint32_t i = 0; i < events.size(); ++i) {
        const MemberRef ref{static_cast<std::uint32_t>(view.slot), i};
        const std::uint32_t number = matches.collective_of(ref);
        const Collective& c = matches.collectives[number];
        const bool splits = waits_for_last(c.operation) && c.count > 1 && c.doubts == 0;
        if (!splits || waits->times[number].left_early || !view.passes(events[i].event)) continue;
        for (std::uint32_t at = c.first; at < c.first + c.count; ++at) {
            if (matches.members[at] != ref) continue;
            const RankTime arrived = events[i].start + Duration{waits->wait_of(at)};
            split.wait.push_back({events[i].start, arrived});
            split.transfer.push_back({arrived, events[i].end()});
        }
    }
    split.wait = merge_overlapping(std::move(split.wait));
    split.transfer = merge_overlapping(std::move(split.transfer));
    return split;
}

}  // namespace

ExposedSplit split_exposed(const RankView& view) {
    const Ranges exposed =
        view.selection->partition().collect_exposed(KernelClass::Communication, KernelClass::Compute, view.window());
    const Split split = collect_split(view);
    ExposedSplit result;
    result.all = length_of(exposed);
    result.transfer = length_of(intersect(exposed, split.transfer));
    result.wait = length_of(intersect(exposed, split.wait)) -
                  length_of(intersect(exposed, intersect(split.wait, split.transfer)));
    return result;
}

}  // namespace core

namespace core::exposed_communication {

std::vector<Column> columns() {
    return {{"rank", Unit::Rank, Role::Key, Facet::Rank, "the rank"},
            {"exposed", Unit::Ns, Role::Measure, Facet::None, "communication runs and no compute", true},
            {"exposed_wait", Unit::Ns, Role::Measure, Facet::None, "of it waiting for a later rank", true},
            {"exposed_transfer", Unit::Ns, Role::Measure, Facet::None, "of it transferring", true},
            {"exposed_other", Unit::Ns, Role::Measure, Facet::None, "of it kernels that are not split", true},
            {"share", Unit::Ratio, Role::Measure, Facet::None, "exposed_wait / exposed"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext&) {
    Partial partial{{{"main", Table(columns())}}, {}, {}, view.collect_excluded()};
    Table& table = partial.tables.front().table;
    const RankRange window = view.window();
    if (!view.has_gpu_work() || window.empty()) {
        table.add_row({view.key(), {}, {}, {}, {}, {}});
        return partial;
    }
    const ExposedSplit split = split_exposed(view);
    table.add_row({view.key(), split.all, split.wait, split.transfer, split.other(),
                   ratio_cell(Wide{split.wait}, Wide{split.all})});
    return partial;
}

}  // namespace core::exposed_communication
