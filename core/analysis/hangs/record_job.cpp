#include "core/analysis/hangs/record_job.hpp"

#include "core/store/flight_names.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
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
        const auto first = trace_.info.environment.find(std::string(kFlightFirstRecord));
        rank.lost_calls = first != trace_.info.environment.end() && first->second != "0";
        rank.knows_starts = knows_starts();
        const std::optional<std::uint64_t> unread = environment_number(kFlightUnread);
        std::uint64_t without_number = 0, entries = 0;
        if (unread == 0u) rank.before_unread = 0;
        for (const EventId e : entries_in_order()) {
            const bool has_number = add_call(e, rank);
            if (!has_number) ++without_number;
            if (++entries == unread || !has_number) rank.before_unread = rank.calls.size();
        }
        return without_number;
    }

private:
    std::optional<std::uint64_t> environment_number(std::string_view key) const {
        const auto found = trace_.info.environment.find(std::string(key));
        if (found == trace_.info.environment.end()) return std::nullopt;
        std::uint64_t number = 0;
        const std::string& text = found->second;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        return error == std::errc{} ? std::optional(number) : std::nullopt;
    }

    std::vector<EventId> entries_in_order() const {
        std::vector<EventId> entries;
        for (std::uint32_t i = 0; i < trace_.size(); ++i)
            if (progress_[trace_.category[i]]) entries.push_back(EventId{i});
        std::ranges::stable_sort(entries, {}, [&](EventId e) { return trace_.order[index_of(e)]; });
        return entries;
    }

    // False without a number.
    bool add_call(EventId e, RecordedRank& rank) {
        const std::optional<std::int64_t> number = trace_.integer(Arg::Seq, e);
        if (!number) return false;
        RecordedCall call;
        call.group = group_of(e);
        call.number = *number;
        call.is_peer_to_peer = trace_.integer(Arg::IsPeerToPeer, e).value_or(0) != 0;
        call.progress = *progress_[trace_.category[index_of(e)]];
        call.created_ns = ns_of(trace_.start[index_of(e)]);
        call.operation = trace_.argument(Arg::CollectiveName, e).value_or(std::string_view());
        call.dtypes = trace_.argument(Arg::CollectiveDtype, e).value_or(std::string_view());
        call.in_elements = trace_.integer(Arg::InElements, e);
        call.out_elements = trace_.integer(Arg::OutElements, e);
        call.event = static_cast<std::uint32_t>(index_of(e));
        rank.calls.push_back(call);
        if (undescribed_.contains(call.group)) rank.before_unplaced = rank.calls.size();
        return true;
    }

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
        const std::uint32_t group = all_->find(name, description, {});
        undescribed_.insert(group);
        return groups_.emplace(std::string(name), group).first->second;
    }

    const RankTrace& trace_;
    GroupNumbers* all_ = nullptr;
    std::map<std::string, std::uint32_t, std::less<>> groups_;
    std::set<std::uint32_t> undescribed_;                // groups that the dump does not describe
    std::vector<std::optional<CallProgress>> progress_;  // by category
};

std::filesystem::path folder_of(const RankTrace& trace) { return trace.info.path.parent_path(); }

// Dumps of one moment are in one folder. Of two folders with a dump of one rank that which ends earlier is older.
std::set<std::filesystem::path> find_older_folders(const Run& run, std::span<const std::uint32_t> dumps) {
    std::map<std::filesystem::path, RankTime> ends;
    std::map<std::int32_t, std::filesystem::path> latest;
    for (const std::uint32_t slot : dumps) {
        const RankTrace& trace = run.rank(slot).trace();
        const auto [end, is_new] = ends.try_emplace(folder_of(trace), trace.window.end);
        if (!is_new) end->second = std::max(end->second, trace.window.end);
    }
    for (const std::uint32_t slot : dumps) {
        const std::filesystem::path folder = folder_of(run.rank(slot).trace());
        const auto [known, is_new] = latest.try_emplace(run.rank(slot).key.number, folder);
        if (!is_new && ends.at(known->second) < ends.at(folder)) known->second = folder;
    }
    std::set<std::filesystem::path> older;
    for (const std::uint32_t slot : dumps) {
        const std::filesystem::path folder = folder_of(run.rank(slot).trace());
        if (ends.at(folder) < ends.at(latest.at(run.rank(slot).key.number))) older.insert(folder);
    }
    return older;
}

// The slot of each rank's latest dump. A rank that has dumps in older folders only has left none at the last moment.
std::map<std::int32_t, std::uint32_t> find_latest_dumps(const Run& run, std::span<const std::uint32_t> dumps) {
    const std::set<std::filesystem::path> older = find_older_folders(run, dumps);
    std::map<std::int32_t, std::uint32_t> latest;
    for (const std::uint32_t slot : dumps) {
        const RankSlot& rank = run.rank(slot);
        if (older.contains(folder_of(rank.trace()))) continue;
        const auto [known, is_new] = latest.try_emplace(rank.key.number, slot);
        if (!is_new && run.rank(known->second).trace().window.end <= rank.trace().window.end) known->second = slot;
    }
    return latest;
}

}  // namespace

std::uint32_t RecordedRun::find_slot(std::int32_t rank) const {
    const auto at = std::ranges::lower_bound(job.ranks, rank, {}, &RecordedRank::number);
    return at == job.ranks.end() || at->number != rank ? kNoSlot
                                                       : slots[static_cast<std::size_t>(at - job.ranks.begin())];
}

RecordedRun record_job(const Run& run, std::span<const std::uint32_t> slots) {
    RecordedRun recorded;
    std::vector<std::uint32_t> dumps;
    std::set<std::int32_t> asked;
    for (const std::uint32_t slot : slots) {
        if (!is_flight_dump(run.rank(slot).trace().info)) continue;
        dumps.push_back(slot);
        asked.insert(run.rank(slot).key.number);
    }
    for (const RankSlot& rank : run.ranks())
        if (is_flight_dump(rank.trace().info) && !asked.contains(rank.key.number))
            recorded.job.left_out.push_back(rank.key.number);
    const std::map<std::int32_t, std::uint32_t> latest = find_latest_dumps(run, dumps);
    recorded.older_dumps = dumps.size() - latest.size();
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
