#include "core/ingest/nccl/profiler_lines.hpp"

#include "core/base/ascii.hpp"
#include "core/ingest/json/json_scan.hpp"
#include "core/ingest/nccl/json_members.hpp"

#include <algorithm>

namespace core {
namespace {

constexpr std::size_t kMostAddresses = 1 << 18;
constexpr std::size_t kMostWaiting = 1 << 16;
constexpr std::string_view kProfile = "ncclProfile";

bool says(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// "_Z39ncclDevKernel_AllReduce_Sum_f32_RING_LL24…": the function's own name. Parameters are left out.
std::string plain_name(std::string_view name) {
    if (!name.starts_with("_Z")) return std::string(name);
    std::size_t at = 2, size = 0;
    while (at < name.size() && is_digit(name[at]) && size < name.size())
        size = size * 10 + static_cast<std::size_t>(name[at++] - '0');
    return size > 0 && at + size <= name.size() ? std::string(name.substr(at, size)) : std::string(name);
}

}  // namespace

bool begins_nccl_profiler(std::string_view head) {
    const std::size_t first = head.find_first_not_of(" \n\r\t");
    if (first == std::string_view::npos) return false;
    if (head[first] == '{')
        return (says(head, "\"ProfilerLifecycle\"") || says(head, "\"ncclProfile")) && says(head, "\"commId\"");
    if (head[first] != '[') return false;
    return says(head, "\"ph\"") && (says(head, "\"COLL_API\"") || says(head, "\"GROUP_API\"") ||
                                    (says(head, "\"CommHash\"") && says(head, "\"COLL\"")));
}

std::string_view ProfilerLines::nothing_found() const {
    return "the trace of a profiler plugin of NCCL without a record: let the job call ncclCommDestroy, which writes it";
}

void ProfilerLines::add(std::string_view line, std::uint64_t number, bool whole) {
    for (std::size_t at = line.find('{'); at != kNotFound;) {
        const std::size_t size = find_container_end(line.substr(at));
        if (size == kNotFound)
            return drop(whole ? "event-malformed" : "file-truncated", number, "the record is not complete");
        if (size > 2) add_record(line.substr(at, size), number);  // {} ends the example plugin's list
        at = line.find('{', at + size);
    }
}

void ProfilerLines::add_record(std::string_view object, std::uint64_t line) {
    const JsonMembers record(object);
    if (!record.is_whole()) return drop("event-malformed", line, "the record is not JSON");
    if (!record.token("ph").empty()) return add_async(record, line);
    const std::string kind = record.text("recordType").value_or("");
    if (kind == "state") return add_state(record, line);
    if (record.text("type") == "KERNEL") return add_kernel(record, line);
    add_complete(record, line);
}

// The process that states the communicator; records that state none belong to the first of their process.
NcclMember* ProfilerLines::owner_of(const JsonMembers& stated, std::int64_t process, std::string_view key_of_id,
                                    std::string_view key_of_rank) {
    const auto id = stated.bits(key_of_id);
    const auto rank = stated.small(key_of_rank);
    const auto first = first_of_process_.find(process);
    if (!id || !rank) {
        if (first != first_of_process_.end()) return first->second;
        NcclMember* const member = add_member("", process);
        if (member != nullptr) first_of_process_[process] = member;
        return member;
    }
    NcclMember* const member = member_of("", process, *id, *rank);
    NcclCommunicator* const communicator = member != nullptr ? communicator_of(*member, *id) : nullptr;
    if (communicator == nullptr) return nullptr;
    communicator->rank = *rank;
    first_of_process_.try_emplace(process, member);
    return member;
}

void ProfilerLines::title(NcclMember& member, const std::string& process) {
    if (std::exchange(titled_[&member], true)) return;
    member.stage.name(MetadataKind::ProcessName, process, "", "NCCL profiler plugin");
}

void ProfilerLines::copy_arguments(const JsonMembers& from) {
    for (const auto& [key, token] : from.all()) {
        const std::string name = clean_nccl_text(key);
        const bool plain = token == "true" || token == "false" || token == "null";
        if (plain || from.number(key))
            arguments_.add_json(name, token);
        else if (const auto text = from.text(key))
            arguments_.add(name, *text);
    }
}

void ProfilerLines::count_collective(NcclMember& member, const JsonMembers& details, std::string_view operation,
                                     std::string_view key_of_id, std::uint64_t id) {
    const bool chrome = key_of_id == "CommHash";
    const auto elements = details.integer(chrome ? "Count" : "count");
    const auto type = details.text(chrome ? "Datatype" : "dtype");
    const auto element = type ? nccl_element_bytes(*type) : std::nullopt;
    const NcclCommunicator* const communicator = communicator_of(member, id);
    const std::int32_t ranks = communicator != nullptr ? communicator->size : 0;
    const auto bytes = elements && element ? nccl_bytes(operation, *elements, *element, ranks) : std::nullopt;
    const auto channels = details.small(chrome ? "nChannels" : "channels");
    NcclCalls calls{.communicator = id,
                    .operation = std::string(operation),
                    .bytes = bytes.value_or(-1),
                    .algorithm = details.text(chrome ? "Algorithm" : "algo").value_or(""),
                    .protocol = details.text(chrome ? "Protocol" : "proto").value_or(""),
                    .count = 1,
                    .timing = {}};
    if (channels && *channels > 0) {
        calls.first_channel = 0;
        calls.last_channel = *channels - 1;
    }
    add_calls(member, calls);
    if (bytes) arguments_.add("bytes", Arg::Bytes, *bytes);
    if (const auto sequence = details.integer(chrome ? "SeqNum" : "seq")) arguments_.add_column(Arg::Seq, *sequence);
    arguments_.add_column(Arg::CollectiveName, operation);
    arguments_.add_column(Arg::GroupName, format_nccl_id(id));
}

// {"name", "cat", "ph": "b" or "e", "id", "pid", "tid", "ts", "args"}
void ProfilerLines::add_async(const JsonMembers& record, std::uint64_t line) {
    const std::string phase = record.text("ph").value_or(""), name = record.text("name").value_or("");
    const auto time = record.time_ns("ts");
    const auto process = record.integer("pid");
    if (!time || !process || name.empty() || phase.size() != 1)
        return drop("event-malformed", line, "no name, process, time or phase");
    const bool begins = phase == "b", ends = phase == "e";
    if (!begins && !ends && phase != "i") return drop("event-malformed", line, "an unknown phase");
    // The clock begins with the plugin, so 0 is a time that was never set.
    if (*time == 0) return drop("nccl-left-out", line, "the record's time was never set");
    const JsonMembers stated = record.object("args");
    NcclMember* const member = owner_of(stated, *process, "CommHash", "Rank");
    if (member == nullptr) return drop("nccl-left-out", line, "more communicators than are kept");
    const std::string category = record.text("cat").value_or("");
    const std::string process_text = std::to_string(*process), thread = record.text("tid").value_or("");
    title(*member, process_text);
    arguments_.clear();
    const auto id = stated.bits("CommHash");
    if (begins && category == "COLL" && id) count_collective(*member, stated, name, "CommHash", *id);
    copy_arguments(stated);
    member->stage.add({.start_ns = *time,
                       .duration_ns = 0,
                       .name = name,
                       .category = category,
                       .pid = process_text,
                       .tid = thread,
                       .id = record.text("id").value_or(""),
                       .phase = begins ? Phase::AsyncBegin
                                : ends ? Phase::AsyncEnd
                                       : Phase::Instant},
                      arguments_);
}

// {"type", "commId", "rank", "start": {"ts", "pid", "tid"}, "stop": {…}, "eventAddr", "details"}
void ProfilerLines::add_complete(const JsonMembers& record, std::uint64_t line) {
    const JsonMembers start = record.object("start"), stop = record.object("stop");
    const auto from = start.time_ns("ts"), to = stop.time_ns("ts");
    const auto process = start.integer("pid");
    std::string name = record.text("type").value_or("");
    if (!from || !to || *to < *from || !process || name.empty())
        return drop("event-malformed", line, "no type, process, or start and end");
    NcclMember* const member = owner_of(record, *process, "commId", "rank");
    if (member == nullptr) return drop("nccl-left-out", line, "more communicators than are kept");
    const JsonMembers details = record.object("details");
    const auto id = record.bits("commId");
    if (const auto address = record.text("eventAddr"); address && by_address_.size() < kMostAddresses)
        by_address_[*address] = member;
    if (const auto launch = record.integer("extCorrId"); launch && by_launch_.size() < kMostAddresses)
        by_launch_[*launch] = member;
    if (id) {
        NcclCommunicator* const communicator = communicator_of(*member, *id);
        if (const auto ranks = details.small("nranks"); ranks && communicator != nullptr) communicator->size = *ranks;
        if (const auto text = details.text("commName"); text && communicator != nullptr) communicator->name = *text;
    }
    const bool lifecycle = name == "ProfilerLifecycle";
    if (lifecycle) name = record.text("func").value_or(name);
    if (name.starts_with(kProfile)) name.erase(0, kProfile.size());
    const std::string process_text = std::to_string(*process), thread = start.text("tid").value_or("");
    title(*member, process_text);
    arguments_.clear();
    const std::string operation = details.text("func").value_or("");
    if (name == "Coll" && id && !operation.empty()) count_collective(*member, details, operation, "commId", *id);
    copy_arguments(details);
    if (!operation.empty()) name += " " + operation;
    member->stage.add({.start_ns = *from,
                       .duration_ns = *to - *from,
                       .name = name,
                       .category = "nccl_profiler",
                       .pid = process_text,
                       .tid = thread,
                       .id = {},
                       .phase = lifecycle ? Phase::Instant : Phase::Complete},
                      arguments_);
}

// A kernel that the plugin took from CUPTI. The record of its launch tells the rank; its own GPU is that of the
// writer.
void ProfilerLines::add_kernel(const JsonMembers& record, std::uint64_t line) {
    const auto from = record.object("start").time_ns("ts"), to = record.object("stop").time_ns("ts");
    const auto name = record.text("name");
    const auto device = record.integer("deviceId"), launch = record.integer("extCorrId");
    const auto stream = record.bits("stream");
    if (!from || !to || *to < *from || !launch || !name || !device || !stream)
        return drop("event-malformed", line, "a kernel without name, launch, stream, or start and end");
    const auto owner = by_launch_.find(*launch);
    if (owner == by_launch_.end()) return drop("nccl-left-out", line, "a kernel whose launch is not before it");
    const std::string device_text = std::to_string(*device), stream_text = std::to_string(*stream);
    arguments_.clear();
    arguments_.add("device", Arg::Device, *device);
    if (*stream < (std::uint64_t{1} << 62)) arguments_.add("stream", Arg::Stream, static_cast<std::int64_t>(*stream));
    if (const auto correlation = record.integer("corrId")) arguments_.add("correlation", *correlation);
    const std::string plain = plain_name(*name);
    if (plain != *name) arguments_.add("mangled", *name);
    owner->second->stage.add({.start_ns = *from,
                              .duration_ns = *to - *from,
                              .name = plain,
                              .category = "kernel",
                              .pid = device_text,
                              .tid = stream_text,
                              .id = {}},
                             arguments_);
}

void ProfilerLines::put_state(NcclMember& member, const State& state) {
    arguments_.clear();
    member.stage.add({.start_ns = state.time_ns,
                      .duration_ns = 0,
                      .name = state.name,
                      .category = "nccl_profiler_state",
                      .pid = state.process,
                      .tid = state.thread,
                      .id = {},
                      .phase = Phase::Instant},
                     arguments_);
}

// A moment within the record at an address, which is written when it ends.
void ProfilerLines::add_state(const JsonMembers& record, std::uint64_t line) {
    const auto time = record.time_ns("ts");
    const auto process = record.integer("pid");
    State state{.address = record.text("eventAddr").value_or(""),
                .name = record.text("name").value_or(""),
                .time_ns = time.value_or(0),
                .process = process ? std::to_string(*process) : "",
                .thread = record.text("tid").value_or("")};
    if (!time || !process || state.address.empty() || state.name.empty())
        return drop("event-malformed", line, "a state without record, name, process or time");
    const auto owner = by_address_.find(state.address);
    if (owner != by_address_.end()) return put_state(*owner->second, state);
    if (waiting_.size() == kMostWaiting)
        return drop("nccl-left-out", line, "more states without their records than are kept");
    waiting_.push_back(std::move(state));
}

void ProfilerLines::finish() {
    for (const State& state : waiting_) {
        const auto owner = by_address_.find(state.address);
        if (owner != by_address_.end())
            put_state(*owner->second, state);
        else
            drop("nccl-left-out", 0, "a state (" + state.name + ") whose record is not in the file");
    }
    waiting_.clear();
}

}  // namespace core
