#include "core/analysis/hangs/record_job.hpp"

#include "core/store/flight_names.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace core::hangs {
namespace {

// A name alone does not make a group: jobs make several of one name with different ranks.
class GroupNumbers {
public:
    explicit GroupNumbers(std::vector<RecordedGroup>& groups) : groups_(groups) {}

    std::uint32_t find(std::string_view name, std::string_view description, const std::vector<std::int32_t>& members) {
        const auto next = static_cast<std::uint32_t>(groups_.size());
        const auto [known, is_new] = numbers_.try_emplace({std::string(name), members}, next);
        if (is_new)
            groups_.push_back({.name = std::string(name), .description = std::string(description), .members = members});
        return known->second;
    }

private:
    std::vector<RecordedGroup>& groups_;
    std::map<std::pair<std::string, std::vector<std::int32_t>>, std::uint32_t> numbers_;
};

std::optional<CallProgress> progress_of(std::string_view category) {
    if (category == kFlightCompleted) return CallProgress::Completed;
    if (category == kFlightStarted) return CallProgress::Started;
    if (category == kFlightScheduled) return CallProgress::Scheduled;
    return std::nullopt;
}

class RankRecorder {
public:
    RankRecorder(const RankTrace& trace, GroupNumbers& groups) : trace_(trace) {
        for (const ProcessGroup& group : trace.info.groups)
            groups_[group.name] = groups.find(group.name, group.description, group.ranks);
        all_ = &groups;
        for (const CategoryEntry& category : trace.categories)
            progress_.push_back(progress_of(trace.text(category.text)));
    }

    std::uint64_t add_calls(RecordedRank& rank) {
        std::uint64_t without_number = 0;
        const auto first = trace_.info.environment.find(std::string(kFlightFirstRecord));
        rank.lost_calls = first != trace_.info.environment.end() && first->second != "0";
        rank.knows_starts = knows_starts();
        for (std::uint32_t i = 0; i < trace_.size(); ++i) {
            const EventId e{i};
            const std::optional<CallProgress> progress = progress_[trace_.category[i]];
            if (!progress) continue;
            const std::optional<std::int64_t> number = trace_.integer(Arg::Seq, e);
            if (!number) {
                ++without_number;
                continue;
            }
            RecordedCall call;
            call.group = group_of(e);
            call.number = *number;
            call.is_peer_to_peer = trace_.integer(Arg::IsPeerToPeer, e).value_or(0) != 0;
            call.progress = *progress;
            call.created_ns = ns_of(trace_.start[i]);
            call.operation = trace_.argument(Arg::CollectiveName, e).value_or(std::string_view());
            call.dtypes = trace_.argument(Arg::CollectiveDtype, e).value_or(std::string_view());
            call.in_elements = trace_.integer(Arg::InElements, e);
            call.out_elements = trace_.integer(Arg::OutElements, e);
            call.event = i;
            rank.calls.push_back(call);
        }
        std::ranges::stable_sort(rank.calls, {}, [&](const RecordedCall& call) { return trace_.order[call.event]; });
        return without_number;
    }

private:
    bool knows_starts() const {
        const std::string& status = trace_.info.metadata_json;
        constexpr std::string_view kKey = "\"last_started_collective\": ";
        for (std::size_t at = status.find(kKey); at != std::string::npos; at = status.find(kKey, at + 1)) {
            const std::size_t value = status.find_first_not_of('"', at + kKey.size());
            if (value != std::string::npos && status[value] != '-') return true;
        }
        return std::ranges::find(progress_, CallProgress::Started) != progress_.end();
    }

    std::uint32_t group_of(EventId e) {
        const std::string_view name = trace_.argument(Arg::GroupName, e).value_or(std::string_view());
        const auto known = groups_.find(name);
        if (known != groups_.end()) return known->second;
        const std::string_view description = trace_.argument(Arg::GroupDescription, e).value_or(std::string_view());
        return groups_.emplace(std::string(name), all_->find(name, description, {})).first->second;
    }

    const RankTrace& trace_;
    GroupNumbers* all_ = nullptr;
    std::map<std::string, std::uint32_t, std::less<>> groups_;
    std::vector<std::optional<CallProgress>> progress_;  // by category
};

}  // namespace

std::uint32_t RecordedRun::find_slot(std::int32_t rank) const {
    const auto at = std::ranges::lower_bound(job.ranks, rank, {}, &RecordedRank::number);
    return at == job.ranks.end() || at->number != rank ? kNoSlot
                                                       : slots[static_cast<std::size_t>(at - job.ranks.begin())];
}

RecordedRun record_job(const Run& run, std::span<const std::uint32_t> slots) {
    RecordedRun recorded;
    std::map<std::int32_t, std::uint32_t> latest;
    for (const std::uint32_t slot : slots) {
        const RankSlot& rank = run.rank(slot);
        if (!is_flight_dump(rank.trace().info)) continue;
        const auto [known, is_new] = latest.try_emplace(rank.key.number, slot);
        if (is_new) continue;
        ++recorded.older_dumps;
        if (run.rank(known->second).trace().window.end <= rank.trace().window.end) known->second = slot;
    }
    for (const RankSlot& rank : run.ranks())
        if (is_flight_dump(rank.trace().info) && !latest.contains(rank.key.number))
            recorded.job.left_out.push_back(rank.key.number);
    GroupNumbers groups(recorded.job.groups);
    for (const auto& [number, slot] : latest) {
        RecordedRank rank;
        rank.number = number;
        recorded.without_number += RankRecorder(run.rank(slot).trace(), groups).add_calls(rank);
        recorded.job.ranks.push_back(std::move(rank));
        recorded.slots.push_back(slot);
    }
    return recorded;
}

}  // namespace core::hangs
