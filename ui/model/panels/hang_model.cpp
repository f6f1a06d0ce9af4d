#include "ui/model/panels/hang_model.hpp"

#include "core/analysis/hangs/hang_labels.hpp"
#include "core/analysis/hangs/record_job.hpp"
#include "core/base/format.hpp"
#include "core/store/flight_names.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace ui {
namespace {

using core::hangs::CallProgress;
using core::hangs::Suspect;
using core::hangs::Verdict;

constexpr std::uint16_t kMostHangLanes = 64;

// The first lane that is free at the bar's begin; the last lane if all are taken.
void assign_lanes(HangRank& rank) {
    std::vector<core::RunTime> free_from;
    for (HangBar& bar : rank.bars) {
        const auto free = std::ranges::find_if(free_from, [&](core::RunTime t) { return t <= bar.begin; });
        if (free != free_from.end()) {
            *free = bar.end;
            bar.lane = static_cast<std::uint16_t>(free - free_from.begin());
        } else if (free_from.size() < kMostHangLanes) {
            bar.lane = static_cast<std::uint16_t>(free_from.size());
            free_from.push_back(bar.end);
        } else {
            bar.lane = kMostHangLanes - 1;
        }
    }
    rank.lanes = static_cast<std::uint16_t>(std::max<std::size_t>(1, free_from.size()));
}

HangRank build_rank(const core::RankSlot& slot, std::uint32_t number, const core::hangs::RecordedRank& recorded) {
    HangRank rank;
    rank.key = slot.key;
    rank.slot = number;
    for (const core::hangs::RecordedCall& call : recorded.calls) {
        const core::EventId event{call.event};
        const core::RunRange range = slot.range_of(event);
        rank.bars.push_back({event, range.begin, range.end, call.progress != CallProgress::Completed, call.group, 0});
    }
    std::ranges::stable_sort(rank.bars, {}, &HangBar::begin);
    // The end of the job explains the hang, so the oldest calls go first.
    if (rank.bars.size() > kMostHangBars) {
        rank.left_out = rank.bars.size() - kMostHangBars;
        rank.bars.erase(rank.bars.begin(), rank.bars.begin() + static_cast<std::ptrdiff_t>(rank.left_out));
    }
    return rank;
}

core::RunRange find_range(const std::vector<HangRank>& ranks) {
    core::RunRange range{};
    bool any = false;
    for (const HangRank& rank : ranks) {
        for (const HangBar& bar : rank.bars) {
            range.begin = any ? std::min(range.begin, bar.begin) : bar.begin;
            range.end = any ? std::max(range.end, bar.end) : bar.end;
            any = true;
        }
    }
    constexpr int kRest = 25;  // extra width, so that the last call is visible
    if (any) range.end += std::max(range.length() / kRest, core::Duration{1});
    return range;
}

std::string join(const std::set<std::int32_t>& ranks) { return core::hangs::join_ranks({ranks.begin(), ranks.end()}); }

// Copies the findings per group. Groups with a named rank come first, because the others usually wait for these.
void describe_groups(const core::hangs::RecordedJob& job, const core::hangs::Hangs& hangs, HangPicture& picture) {
    for (std::string& label : core::hangs::label_groups(job.groups)) {
        HangGroup group;
        group.label = std::move(label);
        picture.groups.push_back(std::move(group));
    }
    for (const core::hangs::GroupState& state : hangs.groups) {
        HangGroup& group = picture.groups[state.group];
        group.collective = std::string(state.operation) + " " + core::format_count(state.number);
        group.waiting = state.entered.size();
        picture.order.push_back(state.group);
    }
    std::map<std::uint32_t, std::map<Verdict, std::set<std::int32_t>>> by_group;
    for (const Suspect& suspect : hangs.suspects)
        if (suspect.verdict != Verdict::HeldUp) by_group[suspect.group][suspect.verdict].insert(suspect.rank);
    for (auto& [number, verdicts] : by_group) {
        HangGroup& group = picture.groups[number];
        std::set<std::int32_t> missing = verdicts[Verdict::Missing];
        missing.insert(verdicts[Verdict::NotStarted].begin(), verdicts[Verdict::NotStarted].end());
        group.missing = join(missing);
        group.behind = join(verdicts[Verdict::Behind]);
        group.mismatch = join(verdicts[Verdict::Mismatch]);
        group.no_dump = join(verdicts[Verdict::NoDump]);
        if (const std::string incomplete = join(verdicts[Verdict::Incomplete]); !incomplete.empty())
            group.no_dump += (group.no_dump.empty() ? "" : ", ") + incomplete + " (incomplete)";
        group.is_named = !group.missing.empty() || !group.behind.empty() || !group.mismatch.empty();
        if (std::ranges::find(picture.order, number) == picture.order.end()) picture.order.push_back(number);
    }
    std::ranges::stable_partition(picture.order, [&](std::uint32_t g) { return picture.groups[g].is_named; });
}

void add_verdicts(const core::hangs::Hangs& hangs, HangPicture& picture) {
    std::map<std::int32_t, std::map<Verdict, std::uint64_t>> counts;
    for (const Suspect& suspect : hangs.suspects)
        if (suspect.named) ++counts[suspect.rank][suspect.verdict];
    for (HangRank& rank : picture.ranks) {
        const auto known = counts.find(rank.key.number);
        if (known == counts.end()) continue;
        for (const auto& [verdict, groups] : known->second)
            rank.verdict += (rank.verdict.empty() ? "" : ", ") + std::string(core::hangs::name_of(verdict)) + " in " +
                            core::format_plural(groups, "group", "groups");
    }
}

}  // namespace

bool has_flight_dumps(const core::Run& run) {
    return std::ranges::any_of(run.ranks(),
                               [](const core::RankSlot& rank) { return core::is_flight_dump(rank.trace().info); });
}

HangPicture build_hang_picture(const core::Run& run) {
    std::vector<std::uint32_t> slots(run.ranks().size());
    std::iota(slots.begin(), slots.end(), 0u);
    const core::hangs::RecordedRun recorded = core::hangs::record_job(run, slots);
    const core::hangs::Hangs hangs = core::hangs::find_hangs(recorded.job);
    HangPicture picture;
    for (std::size_t i = 0; i < recorded.job.ranks.size(); ++i)
        picture.ranks.push_back(build_rank(run.rank(recorded.slots[i]), recorded.slots[i], recorded.job.ranks[i]));
    picture.range = find_range(picture.ranks);
    // Lanes are assigned after pending bars got their ends, because bars of a lane must not overlap.
    for (HangRank& rank : picture.ranks) {
        for (HangBar& bar : rank.bars)
            if (bar.pending) bar.end = picture.range.end;
        assign_lanes(rank);
    }
    describe_groups(recorded.job, hangs, picture);
    add_verdicts(hangs, picture);
    return picture;
}

}  // namespace ui
