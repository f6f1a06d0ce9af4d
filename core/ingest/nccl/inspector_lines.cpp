#include "core/ingest/nccl/inspector_lines.hpp"

#include "core/ingest/json/json_scan.hpp"
#include "core/ingest/nccl/json_members.hpp"

#include <algorithm>
#include <cmath>

namespace core {
namespace {

constexpr std::size_t kMostChannels = 1'024;  // of one call
constexpr double kMostGigabytesPerSecond = 1e7;
constexpr std::string_view kCategory = "nccl_inspector", kChannelCategory = "nccl_inspector_channel";

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::optional<std::int64_t> bytes_per_s(std::optional<double> gigabytes) {
    if (!gigabytes || *gigabytes < 0 || *gigabytes > kMostGigabytesPerSecond) return std::nullopt;
    return std::llround(*gigabytes * 1e9);
}

}  // namespace

bool begins_nccl_inspector(std::string_view head) {
    const std::size_t first = head.find_first_not_of(" \n\r\t");
    if (first == std::string_view::npos || head[first] != '{') return false;
    const std::string_view line = head.substr(first, std::min(head.find('\n', first), head.size()) - first);
    return has(line, "\"header\"") && has(line, "\"n_ranks\"") &&
           (has(line, "\"inspector_output_format_version\"") || has(line, "\"coll_perf\"") ||
            has(line, "\"p2p_perf\""));
}

std::string_view InspectorLines::nothing_found() const {
    return "the output of NCCL's inspector without a collective: it leaves out messages below 8192 bytes unless "
           "told otherwise";
}

void InspectorLines::add(std::string_view line, std::uint64_t number, bool whole) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == kNotFound) return;
    const std::size_t size = line[begin] == '{' ? find_container_end(line.substr(begin)) : kNotFound;
    if (size == kNotFound)
        return drop(whole ? "event-malformed" : "file-truncated", number,
                    whole ? "not a JSON object" : "the line is not complete");
    const JsonMembers root(line.substr(begin, size));
    const JsonMembers header = root.object("header"), metadata = root.object("metadata");
    const bool is_message = root.token("coll_perf").empty();
    const std::string prefix = is_message ? "p2p" : "coll";
    const JsonMembers measured = root.object(prefix + "_perf");
    const auto id = header.bits("id");
    const auto rank = header.small("rank"), ranks = header.small("n_ranks");
    const auto operation = measured.text(prefix);
    if (!id || !rank || !ranks || *rank >= *ranks || !operation || operation->empty())
        return drop("event-malformed", number, "no communicator, rank or operation");
    NcclMember* const member =
        member_of(metadata.text("hostname").value_or(""), metadata.integer("pid").value_or(-1), *id, *rank);
    NcclCommunicator* const communicator = member != nullptr ? communicator_of(*member, *id) : nullptr;
    if (communicator == nullptr) return drop("nccl-left-out", number, "more communicators than are kept");
    communicator->rank = *rank;
    communicator->size = *ranks;
    communicator->is_complete = 1;
    if (communicator->name.empty()) communicator->name = header.text("comm_name").value_or("");
    if (member->facts.version.empty()) member->facts.version = metadata.text("nccl_version").value_or("");

    NcclCalls call{.communicator = *id,
                   .operation = *operation,
                   .bytes = measured.integer(prefix + "_msg_size_bytes").value_or(-1),
                   .algorithm = {},
                   .protocol = {},
                   .count = 1,
                   .timing = measured.text(prefix + "_timing_source").value_or("")};
    if (const auto time = measured.time_ns(prefix + "_exec_time_us"); time && *time > 0) {
        call.timed = 1;
        call.total_ns = call.shortest_ns = call.longest_ns = *time;
    }
    if (const auto bus = bytes_per_s(measured.number(prefix + "_busbw_gbs"))) {
        call.with_bandwidth = 1;
        call.bus_bytes_per_s = *bus;
    }
    add_calls(*member, call);
    if (const auto sequence = measured.integer(prefix + "_sn"); sequence && !is_message)
        numbers_[{member, *id}][*operation].push_back(*sequence);
    JsonMembers times = measured.object("event_trace_ts");
    if (times.all().empty()) times = root.object("event_trace_ts");
    if (!times.all().empty()) add_events(*member, *communicator, call, measured, times, prefix, number);
}

// NCCL counts per operation or, in older versions, all of a communicator together.
void InspectorLines::finish() {
    for (auto& [place, by_operation] : numbers_) {
        Numbers all;
        for (const auto& [operation, numbers] : by_operation) all.insert(all.end(), numbers.begin(), numbers.end());
        std::ranges::sort(all);
        const bool together = by_operation.size() > 1 && std::ranges::adjacent_find(all) == all.end();
        if (together)
            report_gaps(place.second, "collective", all);
        else
            for (auto& [operation, numbers] : by_operation) report_gaps(place.second, operation, numbers);
    }
    numbers_.clear();
}

// Small messages are left out on purpose, one here and there. A ring that ran over leaves a block.
void InspectorLines::report_gaps(std::uint64_t communicator, std::string_view operation, Numbers& numbers) {
    constexpr std::int64_t kLeastBlock = 32;
    std::ranges::sort(numbers);
    for (std::size_t i = 1; i < numbers.size(); ++i) {
        std::int64_t missing = 0;
        if (__builtin_sub_overflow(numbers[i], numbers[i - 1], &missing) || --missing < kLeastBlock) continue;
        const bool first = diagnostics().is_first("records-lost");
        diagnostics().add("records-lost",
                          first ? "communicator " + format_nccl_id(communicator) + ": " + std::string(operation) + " " +
                                      std::to_string(numbers[i - 1]) + " is followed by " + std::to_string(numbers[i])
                                : "",
                          static_cast<std::uint64_t>(missing));
    }
}

void InspectorLines::add_events(NcclMember& member, const NcclCommunicator& communicator, const NcclCalls& call,
                                const JsonMembers& measured, const JsonMembers& times, std::string_view prefix,
                                std::uint64_t line) {
    const std::string key(prefix);
    const auto start = times.time_ns(key + "_start_ts"), stop = times.time_ns(key + "_stop_ts");
    if (!start || !stop || *start == 0 || *stop < *start)
        return drop("event-malformed", line, "the call has no start or no end after it");
    const std::string process = member.facts.process < 0 ? "NCCL" : std::to_string(member.facts.process);
    std::string& track = tracks_[{&member, call.communicator}];
    const bool fresh = track.empty();
    if (fresh) {
        track = format_nccl_id(call.communicator);
        member.stage.name(MetadataKind::ProcessName, process, "", "NCCL inspector");
        const std::string title = (communicator.name.empty() ? "communicator " + track : communicator.name) +
                                  " (rank " + std::to_string(communicator.rank) + " of " +
                                  std::to_string(communicator.size) + ")";
        member.stage.name(MetadataKind::ThreadName, process, track, title);
    }
    arguments_.clear();
    arguments_.add_column(Arg::CollectiveName, call.operation);
    arguments_.add_column(Arg::GroupName, track);
    arguments_.add("communicator", track);
    arguments_.add("ranks", Arg::GroupSize, communicator.size);
    arguments_.add("rank", communicator.rank);
    if (call.bytes >= 0) arguments_.add("bytes", Arg::Bytes, call.bytes);
    if (const auto sequence = measured.integer(key + "_sn")) arguments_.add("sequence", Arg::Seq, *sequence);
    if (const auto peer = measured.small(key + "_peer")) arguments_.add("peer", *peer);
    if (call.timed > 0) arguments_.add("exec_time_ns", call.total_ns);
    if (call.with_bandwidth > 0) arguments_.add("busbw_bytes_per_s", call.bus_bytes_per_s);
    if (!call.timing.empty()) arguments_.add("timing_source", call.timing);
    member.stage.add({.start_ns = *start,
                      .duration_ns = *stop - *start,
                      .name = call.operation,
                      .category = kCategory,
                      .pid = process,
                      .tid = track,
                      .id = {}},
                     arguments_);
    for (const std::string_view object : objects_in(times.token("kernel_events"), kMostChannels)) {
        const JsonMembers channel(object);
        const auto number = channel.small("channel_id");
        const auto from = channel.time_ns("kernel_start_ts"), to = channel.time_ns("kernel_stop_ts");
        if (!number || !from || !to || *from == 0 || *to < *from) {
            drop("event-malformed", line, "a channel has no start or no end after it");
            continue;
        }
        const std::string channel_track = track + " channel " + std::to_string(*number);
        arguments_.clear();
        arguments_.add("channel", *number);
        member.stage.add({.start_ns = *from,
                          .duration_ns = *to - *from,
                          .name = call.operation,
                          .category = kChannelCategory,
                          .pid = process,
                          .tid = channel_track,
                          .id = {}},
                         arguments_);
    }
}

}  // namespace core
