#include "core/ingest/flight_recorder/flight_recorder_file.hpp"

#include "core/ingest/flight_recorder/flight_dump.hpp"
#include "core/ingest/pickle/read_json_tree.hpp"
#include "core/ingest/pickle/read_pickle.hpp"
#include "core/ingest/source/sequential_reader.hpp"
#include "core/store/flight_names.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

namespace core {
namespace {

bool has_part(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool begins_object(std::string_view head) {
    if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
    const std::size_t first = head.find_first_not_of(" \n\r\t");
    return first != std::string_view::npos && head[first] == '{';
}

// By state.
constexpr std::string_view kCategories[] = {kFlightScheduled, kFlightStarted, kFlightCompleted};

// "nccl:all_reduce" → "all_reduce".
std::string_view without_backend(std::string_view operation) {
    const std::size_t colon = operation.find(':');
    return colon == std::string_view::npos ? operation : operation.substr(colon + 1);
}

// The entry that closes a batch of sends and receives, or of coalesced collectives.
constexpr std::string_view kCoalesced = "coalesced";

struct Progress {
    CallState state = CallState::Scheduled;
    std::optional<std::int64_t> completed_ns;
};

// Turns a dump into rows. Each entry is a begin and an end, so that entries may overlap as they like.
class FlightRows {
public:
    explicit FlightRows(const FlightDump& dump) : dump_(dump) {
        for (const FlightGroup& group : dump.groups) by_name_.emplace(group.name, &group);
        for (const FlightEntry& entry : dump.entries)
            if (without_backend(entry.operation) == kCoalesced) closing_.insert_or_assign(key_of(entry), &entry);
    }

    EventBatch build() {
        process_ = batch_.pool.intern("flight recorder");
        add_metadata(MetadataKind::ProcessName, process_, NameId{0}, "Flight recorder");
        for (const FlightEntry& entry : dump_.entries) add(entry);
        batch_.records.total += dump_.dropped;
        batch_.records.dropped += dump_.dropped;
        return std::move(batch_);
    }

private:
    void add_metadata(MetadataKind kind, NameId pid, NameId tid, std::string_view text) {
        batch_.metadata.push_back(
            {.kind = kind, .pid = pid, .tid = tid, .text = batch_.pool.intern(text), .number = 0});
    }

    NameId track_of(const FlightEntry& entry) {
        const NameId track = batch_.pool.intern(entry.group);
        if (!named_[track]) {
            named_[track] = true;
            const std::string title =
                std::string(entry.description) + (entry.description.empty() ? "" : " ") + std::string(entry.group);
            add_metadata(MetadataKind::ThreadName, process_, track, title);
        }
        return track;
    }

    // PyTorch never updates the state of the parts of a batch: it is that of the entry that closes the batch.
    Progress progress_of(const FlightEntry& entry) const {
        const Progress own{entry.state, entry.completed_ns};
        const auto known = closing_.find(key_of(entry));
        if (known == closing_.end() || known->second->state <= entry.state) return own;
        return {known->second->state, known->second->completed_ns.value_or(known->second->created_ns)};
    }

    void add(const FlightEntry& entry) {
        const Progress progress = progress_of(entry);
        const NameId category = batch_.pool.intern(kCategories[static_cast<std::size_t>(progress.state)]);
        const NameId id = batch_.pool.intern(std::to_string(batch_.events.size()));
        const auto begin = static_cast<std::uint32_t>(batch_.events.size());
        const auto order = static_cast<std::uint32_t>(batch_.records.total);
        EventRow row{.start_ns = entry.created_ns,
                     .duration_ns = 0,
                     .name = batch_.pool.intern(entry.operation.empty() ? "(no operation)" : entry.operation),
                     .category = category,
                     .pid = process_,
                     .tid = track_of(entry),
                     .id = id,
                     .order = order,
                     .phase = Phase::AsyncBegin,
                     .has_collective = false};
        batch_.events.push_back(row);
        const std::int64_t end =
            progress.state == CallState::Completed ? progress.completed_ns.value_or(entry.created_ns) : dump_.last_ns;
        row.start_ns = std::max(end, entry.created_ns);
        row.phase = Phase::AsyncEnd;
        row.order = order + 1;
        batch_.events.push_back(row);
        batch_.records.total += 2;
        batch_.records.paired += 2;
        add_arguments(entry, begin, order);
    }

    void put(Arg arg, std::uint32_t row, std::optional<std::int64_t> value) {
        if (value) batch_.integers[static_cast<std::size_t>(arg)].push_back({row, *value});
    }
    void put(Arg arg, std::uint32_t row, std::string_view text) {
        if (!text.empty()) batch_.texts[static_cast<std::size_t>(arg)].push_back({row, batch_.pool.intern(text)});
    }

    void add_arguments(const FlightEntry& entry, std::uint32_t row, std::uint32_t order) {
        const auto config = by_name_.find(entry.group);
        const FlightGroup* const group = config == by_name_.end() ? nullptr : config->second;
        put(Arg::CollectiveName, row, without_backend(entry.operation));
        put(Arg::CollectiveDtype, row, entry.dtypes);
        put(Arg::GroupName, row, entry.group);
        put(Arg::GroupDescription, row, entry.description.empty() && group ? group->description : entry.description);
        put(Arg::GroupRanks, row, group ? group->ranks_text : std::string_view());
        if (group && !group->ranks.empty()) put(Arg::GroupSize, row, std::ssize(group->ranks));
        put(Arg::InElements, row, entry.in_elements);
        put(Arg::OutElements, row, entry.out_elements);
        put(Arg::Seq, row, entry.number());
        put(Arg::IsPeerToPeer, row, std::int64_t{entry.is_peer_to_peer ? 1 : 0});
        batch_.text_store.add(order, 0, to_json(dump_.tree, entry.value), {});
    }

    using CallKey = std::tuple<std::string_view, bool, std::optional<std::int64_t>>;
    static CallKey key_of(const FlightEntry& entry) { return {entry.group, entry.is_peer_to_peer, entry.number()}; }

    const FlightDump& dump_;
    std::map<std::string_view, const FlightGroup*> by_name_;
    std::map<CallKey, const FlightEntry*> closing_;
    std::map<NameId, bool> named_;
    EventBatch batch_;
    NameId process_{};
};

class FlightRecorderFile final : public SequentialReader {
public:
    FlightRecorderFile(std::filesystem::path path, std::unique_ptr<ByteSource> source, bool is_pickle,
                       LoadProgress& progress)
        : SequentialReader(std::move(path), std::move(source), progress), is_pickle_(is_pickle) {}

private:
    Result<bool> read_all(const JobContext& context) override {
        const PickleLimits limits;
        Result<ValueTree> tree =
            is_pickle_ ? read_pickle(source(), limits, context) : read_json_tree(source(), limits, context);
        progress().bytes_done += source().consumed();
        if (!tree) return std::move(tree).error();
        Result<FlightDump> dump = read_flight_dump(std::move(*tree));
        if (!dump) return std::move(dump).error();
        describe_dump(*dump);
        diagnostics() = dump->diagnostics;
        EventBatch batch = FlightRows(*dump).build();
        progress().events += batch.records.total;
        builder().append(std::move(batch));
        return true;
    }

    RankInfo describe() override { return std::move(info_); }

    void describe_dump(const FlightDump& dump) {
        info_.file_bytes = source().consumed();
        info_.json_bytes = info_.file_bytes;
        info_.trace_name = kFlightRecorderTrace;
        std::size_t largest = 0;
        for (const FlightGroup& group : dump.groups) {
            largest = std::max(largest, group.ranks.size());
            info_.groups.push_back({.name = std::string(group.name),
                                    .description = std::string(group.description),
                                    .backend = {},
                                    .size = std::ssize(group.ranks),
                                    .ranks = group.ranks});
        }
        if (largest > 0) info_.world_size = static_cast<int>(largest);
        info_.environment[std::string(kFlightVersion)] = to_json(dump.version);
        if (!dump.library_version.empty()) info_.environment["nccl_version"] = to_json(dump.library_version);
        if (dump.first_record) info_.environment[std::string(kFlightFirstRecord)] = std::to_string(*dump.first_record);
        if (dump.dropped > 0) info_.environment[std::string(kFlightUnread)] = std::to_string(dump.before_dropped);
        info_.metadata_json = "{\"version\": " + to_json(dump.version) +
                              (dump.status_json.empty() ? "" : ", \"pg_status\": " + dump.status_json) + "}";
    }

    bool is_pickle_;
    RankInfo info_;
};

}  // namespace

bool begins_flight_dump(std::string_view head) {
    if (begins_pickle(head)) {
        const bool has_config =
            has_part(head, "pg_config") && (has_part(head, "entries") || has_part(head, "pg_status"));
        return has_config || (has_part(head, "entries") && has_part(head, "time_created_ns"));
    }
    if (!begins_object(head) || has_part(head, "\"traceEvents\"")) return false;
    return (has_part(head, "\"pg_config\"") && has_part(head, "\"pg_status\"")) ||
           (has_part(head, "\"entries\"") &&
            (has_part(head, "\"time_created_ns\"") || has_part(head, "\"pg_config\"")));
}

Result<std::unique_ptr<TraceReader>> open_flight_recorder(const std::filesystem::path& path, LoadProgress& progress) {
    Result<std::unique_ptr<ByteSource>> head_source = open_bytes(path);
    if (!head_source) return std::move(head_source).error();
    std::array<char, 64> first{};
    const Result<std::size_t> got = read_fully(**head_source, first);
    if (!got) return got.error();
    Result<std::unique_ptr<ByteSource>> source = open_bytes(path);
    if (!source) return std::move(source).error();
    std::unique_ptr<TraceReader> reader =
        std::make_unique<FlightRecorderFile>(path, std::move(*source), begins_pickle({first.data(), *got}), progress);
    return reader;
}

}  // namespace core
