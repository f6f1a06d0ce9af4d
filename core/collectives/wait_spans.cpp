#include "core/collectives/wait_spans.hpp"

#include "core/base/range_set.hpp"
#include "core/index/column_grid.hpp"

#include <algorithm>
#include <map>

namespace core {
namespace {

using Spans = std::vector<RankRange>;

// Sorted and disjoint.
Spans merge_spans(Spans spans) { return merge_ranges(without_empty_ranges(std::move(spans))); }

// Waiting and transferring of one rank's members that are split.
struct MemberSpans {
    Spans wait;
    Spans transfer;
    std::map<std::uint32_t, Spans> by_lane;
};

RankWaitSpans make_rank(const RankSlot& rank, MemberSpans members) {
    RankWaitSpans made;
    for (auto& [lane, spans] : members.by_lane) made.lanes.emplace_back(lane, WaitSpans(merge_spans(std::move(spans))));
    const ClassPartition& partition = rank.index->partition();
    const Spans exposed =
        partition.collect_exposed(KernelClass::Communication, KernelClass::Compute, partition.range());
    const Spans only_waiting =
        subtract_ranges(merge_spans(std::move(members.wait)), merge_spans(std::move(members.transfer)));
    made.exposed = WaitSpans(intersect_ranges(only_waiting, exposed));
    return made;
}

// Waits of one-sided collectives show on the members' bars, and are no part of a rank's exposed waiting: nobody
// knows what a sender waits.
void add_one_sided(const Run& run, const Waits& waits, std::uint32_t number, std::vector<MemberSpans>& ranks) {
    const Collective& c = waits.matched->collectives[number];
    for (std::uint32_t i = c.first; i < c.first + c.count; ++i) {
        const MemberRef ref = waits.matched->members[i];
        const MemberEvent& member = waits.matched->member(ref);
        if (waits.wait_of(i) <= 0) continue;  // as of all whose wait is not known
        const RankTrace& trace = run.rank(ref.slot).trace();
        const RankTime bar = std::min(member.start + Duration{waits.wait_of(i)}, trace.end(member.event));
        if (member.start < bar)
            ranks[ref.slot].by_lane[static_cast<std::uint32_t>(trace.find_lane(member.event))].push_back(
                {member.start, bar});
    }
}

RunWaitSpansPtr make_wait_spans(const Run& run) {
    const WaitsPtr waits = waits_of(run);
    const MatchedRun& matches = *waits->matched;
    std::vector<MemberSpans> ranks(run.ranks().size());
    for (std::uint32_t number = 0; number < matches.collectives.size(); ++number) {
        const Collective& c = matches.collectives[number];
        if (!waits_for_last(c.operation)) add_one_sided(run, *waits, number, ranks);
        if (!waits->splits(number)) continue;
        for (std::uint32_t i = c.first; i < c.first + c.count; ++i) {
            const MemberRef ref = matches.members[i];
            const MemberEvent& member = matches.member(ref);
            const RankTime arrived = member.start + Duration{waits->wait_of(i)};
            MemberSpans& spans = ranks[ref.slot];
            spans.transfer.push_back({arrived, member.end()});
            if (arrived <= member.start) continue;
            const RankTrace& trace = run.rank(ref.slot).trace();
            spans.wait.push_back({member.start, arrived});
            // A member of several parts waits within its first one at most, as far as a bar shows.
            const RankTime bar = std::min(arrived, trace.end(member.event));
            if (member.start < bar)
                spans.by_lane[static_cast<std::uint32_t>(trace.find_lane(member.event))].push_back({member.start, bar});
        }
    }
    auto made = std::make_shared<RunWaitSpans>();
    made->source = waits;
    for (std::size_t slot = 0; slot < ranks.size(); ++slot) {
        made->ranks.push_back(make_rank(run.rank(slot), std::move(ranks[slot])));
        made->any |= !made->ranks.back().lanes.empty();
    }
    return made;
}

}  // namespace

WaitSpans::WaitSpans(const std::vector<RankRange>& spans) {
    sum_.push_back(0);
    for (const RankRange& span : spans) {
        if (span.empty()) continue;
        begin_.push_back(span.begin);
        end_.push_back(span.end);
        sum_.push_back(sum_.back() + span.length().count());
    }
}

std::int64_t WaitSpans::time_before(RankTime t) const {
    const auto at = static_cast<std::size_t>(std::ranges::upper_bound(begin_, t) - begin_.begin());
    if (at == 0) return 0;
    return sum_[at] - std::max<std::int64_t>(0, (end_[at - 1] - t).count());
}

std::int64_t WaitSpans::time_in(RankRange range) const {
    return range.empty() || empty() ? 0 : time_before(range.end) - time_before(range.begin);
}

RankTime WaitSpans::end_of(RankTime begin) const {
    const auto it = std::ranges::lower_bound(begin_, begin);
    return it == begin_.end() || *it != begin ? begin : end_[static_cast<std::size_t>(it - begin_.begin())];
}

void WaitSpans::add_shares(RankTime t0, double t0_fraction_ns, double column_ns, std::span<float> columns) const {
    if (empty() || columns.empty() || !(column_ns > 0)) return;
    const ColumnGrid grid(t0, t0_fraction_ns, column_ns, columns.size());
    const auto last = static_cast<double>(columns.size());
    auto i = static_cast<std::size_t>(std::ranges::upper_bound(end_, rank_time(grid.begin_ns())) - end_.begin());
    while (i < begin_.size() && ns_of(begin_[i]) < grid.end_ns()) {
        const double from = std::clamp(grid.position(ns_of(begin_[i])), 0.0, last);
        const double to = std::clamp(grid.position(ns_of(end_[i])), 0.0, last);
        const auto first = std::min(static_cast<std::size_t>(from), columns.size() - 1);
        const auto end = static_cast<std::size_t>(to);
        if (end <= first) {
            columns[first] += static_cast<float>(to - from);
            // Those that lie in the same column as a whole are added at once.
            const auto begin = end_.begin() + static_cast<std::ptrdiff_t>(i) + 1;
            const auto next = static_cast<std::size_t>(
                std::upper_bound(begin, end_.end(), rank_time(grid.end_of(first))) - end_.begin());
            if (next > i + 1)
                columns[first] += static_cast<float>(static_cast<double>(sum_[next] - sum_[i + 1]) / column_ns);
            i = next;
            continue;
        }
        columns[first] += static_cast<float>(static_cast<double>(first + 1) - from);
        for (std::size_t x = first + 1; x < end; ++x) columns[x] += 1;
        if (end < columns.size()) columns[end] += static_cast<float>(to - static_cast<double>(end));
        ++i;
    }
}

const WaitSpans* RankWaitSpans::of_lane(std::size_t lane) const {
    const auto it = std::ranges::lower_bound(lanes, lane, {}, [](const auto& one) { return std::size_t{one.first}; });
    return it == lanes.end() || it->first != lane || it->second.empty() ? nullptr : &it->second;
}

RunWaitSpansPtr wait_spans_of(const Run& run) {
    return run.derived().get<RunWaitSpans>([&]() -> RunWaitSpansPtr {
        if (!run.summary()) return make_wait_spans(run);
        auto own = std::make_shared<RunWaitSpans>(*wait_spans_of(*run.summary()));
        own->source = waits_of(run);
        return own;
    });
}

}  // namespace core
