#include "core/ingest/nsys/nsys_rows.hpp"

#include "core/base/format.hpp"
#include "core/ingest/json/timestamp.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace core {
namespace {

constexpr std::int64_t kMostDevice = 4095;
constexpr std::int64_t kMostLocalDevices = 64;   // a process with a smaller number is not named like a device
constexpr std::size_t kMostRanks = 4096;         // of one file

std::string pid_text(std::int64_t process) {
    return process < kMostLocalDevices ? "process " + std::to_string(process) : std::to_string(process);
}

std::string thread_pid(std::int64_t process) { return process == kAnyProcess ? "process" : pid_text(process); }

}  // namespace

bool NsysRows::each(std::string_view table, std::span<const std::string_view> columns,
                    const std::function<void(const SqliteRows&)>& read) {
    table_ = table;
    const bool whole = database_.each(table, columns, job_, read);
    on_table_read_();
    return whole;
}

NsysRank* NsysRows::add_rank(std::int64_t process) {
    ranks_.push_back(std::make_unique<NsysRank>());
    ranks_.back()->process = process;
    ranks_.back()->first_device = std::numeric_limits<std::int64_t>::max();
    rank_of_process_[process] = ranks_.back().get();
    return ranks_.back().get();
}

void NsysRows::require_rank() {
    close_ranks();
    if (ranks_.empty()) add_rank(kAnyProcess);
}

NsysRank* NsysRows::find_rank(std::int64_t process, bool on_gpu) {
    const auto known = rank_of_process_.find(process);
    if (known != rank_of_process_.end()) return known->second;
    if (on_gpu && !ranks_closed_ && ranks_.size() < kMostRanks) return add_rank(process);
    if (ranks_.size() == 1) return ranks_.front().get();
    ++left_out_[process];
    return nullptr;
}

void NsysRows::count_left_out() {
    for (const auto& [process, count] : left_out_) {
        const auto name = facts_.process_names.find(process);
        std::string text = "process " + std::to_string(process);
        if (name != facts_.process_names.end()) text += " (" + name->second.substr(0, 80) + ")";
        database_.diagnostics().add("nsys-process-left-out", text + ": " + format_plural(count, "event", "events"),
                                    count);
    }
    for (const auto& [gpu, count] : samples_left_out_)
        database_.diagnostics().add("nsys-process-left-out",
                                    "samples of GPU " + std::to_string(gpu) +
                                        ", which no rank uses alone: " + format_plural(count, "sample", "samples"),
                                    count);
}

void NsysRows::add_gpu_sample(std::int64_t gpu, std::string_view name, std::int64_t time_ns, double value) {
    const auto [known, fresh] = rank_of_gpu_.try_emplace(gpu, nullptr);
    if (fresh) {
        const auto uses = [&](const auto& rank) { return rank->devices.contains(gpu); };
        const auto first = std::ranges::find_if(ranks_, uses);
        if (first != ranks_.end() && std::ranges::count_if(ranks_, uses) == 1) known->second = first->get();
    }
    if (known->second == nullptr)
        ++samples_left_out_[gpu];
    else
        known->second->stage.add_counter(clamp_time(time_ns), std::to_string(gpu), name, name, value);
}

void NsysRows::skip_gpu_sample(const SqliteRows& row) {
    ranks_.front()->stage.drop("event-malformed", place(row) + ": no usable time, metric or value");
}

// A row without times makes no rank of its process, but belongs to it if others do.
void NsysRows::defer_drop(std::int64_t process, const SqliteRows& row) {
    Dropped& dropped = dropped_[process];
    if (++dropped.rows == 1) dropped.first = place(row) + ": no usable start or end";
}

void NsysRows::drop_deferred() {
    for (const auto& [process, dropped] : dropped_)
        for (std::uint64_t i = 0; i < dropped.rows; ++i)
            if (NsysRank* const rank = find_rank(process, false)) rank->stage.drop("event-malformed", dropped.first);
}

void NsysRows::finish() {
    drop_deferred();
    count_left_out();
    for (const std::unique_ptr<NsysRank>& rank : ranks_) {
        name_rank(*rank);
        rank->stage.flush();
    }
}

std::vector<std::unique_ptr<NsysRank>> NsysRows::release_ranks() {
    std::ranges::sort(ranks_, {}, [](const auto& rank) { return std::tuple(rank->first_device, rank->process); });
    return std::move(ranks_);
}

std::string NsysRows::place(const SqliteRows& row) const {
    return std::string(table_) + " row " + std::to_string(row.id());
}

std::optional<NsysTimes> NsysRows::times(const SqliteRows& row, NsysRank& rank) {
    const std::optional<std::int64_t> start = row.integer(0), end = row.integer(1);
    if (!start || !end) {
        rank.stage.drop("event-malformed", place(row) + ": no usable start or end");
        return std::nullopt;
    }
    NsysTimes times{clamp_time(*start), 0};
    times.duration_ns = clamp_time(*end) - times.start_ns;
    if (times.start_ns != *start || times.duration_ns > kLongestTime || clamp_time(*end) != *end)
        rank.stage.note("absurd-duration", place(row));
    if (times.duration_ns < 0) rank.stage.note("negative-duration", place(row));
    times.duration_ns = std::clamp<std::int64_t>(times.duration_ns, 0, kLongestTime);
    return times;
}

// The stream's number. Contexts of a process that number their streams alike add their own, all but the first.
std::string NsysRows::stream_text(const GpuPlace& at) {
    const auto [first, fresh] =
        context_of_stream_.try_emplace(std::tuple(at.process, at.device, at.stream), at.context);
    const std::string number = std::to_string(at.stream == kNoNsysStream ? -1 : at.stream);
    return first->second == at.context ? number : "context " + std::to_string(at.context) + " stream " + number;
}

std::optional<GpuPlace> NsysRows::gpu_place(const SqliteRows& row) const {
    GpuPlace at;
    if (const auto global = row.integer(6)) at.process = process_of(*global);
    at.device = row.integer(2).value_or(0);
    at.context = row.integer(3).value_or(0);
    at.stream = row.integer(4).value_or(0);
    return at.device >= 0 && at.device <= kMostDevice ? std::optional(at) : std::nullopt;
}

// The context's device where GPU work of the context or the facts state it.
std::int64_t NsysRows::device_of(const GpuPlace& at) const {
    const std::pair key{at.process, at.context};
    if (const auto known = device_of_context_.find(key); known != device_of_context_.end()) return known->second;
    const auto stated = facts_.device_of_context.find(key);
    return stated == facts_.device_of_context.end() ? at.device : stated->second;
}

void NsysRows::begin_row(const NsysTimes& when, std::string pid, std::string tid) {
    pid_ = std::move(pid);
    tid_ = std::move(tid);
    event = StagedRow{};
    event.start_ns = when.start_ns;
    event.duration_ns = when.duration_ns;
    event.pid = pid_;
    event.tid = tid_;
}

NsysRank* NsysRows::begin_gpu_row(const SqliteRows& row) {
    const std::optional<GpuPlace> at = gpu_place(row);
    const bool has_times = row.integer(0) && row.integer(1);
    if (at && !has_times && !rank_of_process_.contains(at->process)) {
        defer_drop(at->process, row);
        return nullptr;
    }
    NsysRank* const rank = find_rank(at ? at->process : kAnyProcess, at.has_value());
    if (rank == nullptr) return nullptr;
    if (!at) {
        rank->stage.drop("event-malformed", place(row) + ": no such device");
        return nullptr;
    }
    const std::optional<NsysTimes> when = times(row, *rank);
    if (!when) return nullptr;
    rank->first_device = std::min(rank->first_device, at->device);
    rank->devices.insert(at->device);
    device_of_context_.try_emplace({at->process, at->context}, at->device);
    arguments.clear();
    add_gpu_place(row, *at, owns(*rank, row, 6));
    begin_row(*when, std::to_string(at->device), stream_text(*at));
    return rank;
}

NsysRank* NsysRows::begin_sync_row(const SqliteRows& row, GpuPlace& at) {
    const std::optional<GpuPlace> stated = gpu_place(row);
    NsysRank* const rank = find_rank(stated ? stated->process : kAnyProcess, false);
    if (rank == nullptr) return nullptr;
    const std::optional<NsysTimes> when = times(row, *rank);
    if (!when) return nullptr;
    if (!stated) {
        rank->stage.drop("event-malformed", place(row) + ": no such device");
        return nullptr;
    }
    at = *stated;
    at.device = device_of(at);
    arguments.clear();
    add_gpu_place(row, at, owns(*rank, row, 6));
    begin_row(*when, std::to_string(at.device), stream_text(at));
    return rank;
}

NsysRank* NsysRows::begin_thread_row(const SqliteRows& row, bool may_be_open) {
    const auto global = row.integer(2);
    const std::int64_t process = global ? process_of(*global) : kAnyProcess;
    NsysRank* const rank = find_rank(process, false);
    if (rank == nullptr) return nullptr;
    const bool open = may_be_open && row.integer(0) && row.is_null(1);
    const std::optional<NsysTimes> when = open ? NsysTimes{clamp_time(*row.integer(0)), 0} : times(row, *rank);
    if (!when) return nullptr;
    const std::int64_t thread = global ? thread_of(*global) : 0;
    rank->threads.insert({process, thread});
    arguments.clear();
    begin_row(*when, thread_pid(process), std::to_string(thread));
    return rank;
}

void NsysRows::finish_row(NsysRank& rank, const SqliteRows& row) {
    arguments.add("table", table_);
    arguments.add("row", row.id());
    rank.stage.add(event, arguments);
}

bool NsysRows::owns(const NsysRank& rank, const SqliteRows& row, std::size_t column) const {
    const auto global = row.integer(column);
    return rank.process == kAnyProcess || !global || process_of(*global) == rank.process;
}

void NsysRows::add_gpu_place(const SqliteRows& row, const GpuPlace& at, bool is_own) {
    arguments.add("device", Arg::Device, at.device);
    arguments.add("context", at.context);
    arguments.add("stream", Arg::Stream, at.stream == kNoNsysStream ? -1 : at.stream);
    const auto correlation = row.integer(5);
    if (!correlation) return;
    // Numbers of other processes mean other calls.
    if (is_own)
        arguments.add("correlation", Arg::Correlation, *correlation);
    else
        arguments.add("correlation", *correlation);
}

void NsysRows::add_optional(std::string_view key, const SqliteRows& row, std::size_t column) {
    if (const auto value = row.integer(column)) arguments.add(key, *value);
}

void NsysRows::add_size(std::string_view key, const SqliteRows& row, std::size_t first) {
    const auto x = row.integer(first), y = row.integer(first + 1), z = row.integer(first + 2);
    if (x && y && z)
        arguments.add_json(key, "[" + std::to_string(*x) + ", " + std::to_string(*y) + ", " + std::to_string(*z) + "]");
}

void NsysRows::add_graph_node(const SqliteRows& row, std::size_t column) {
    if (const auto id = row.integer(column)) arguments.add("graph node id", Arg::GraphNodeId, *id);
}

void NsysRows::add_graph(const SqliteRows& row, std::size_t column) {
    if (const auto id = row.integer(column)) arguments.add("graph id", Arg::GraphId, *id);
}

void NsysRows::name_rank(NsysRank& rank) {
    std::set<std::int64_t> processes;
    for (const auto& [process, thread] : rank.threads) {
        const std::string pid = thread_pid(process);
        const auto process_name = facts_.process_names.find(process);
        if (processes.insert(process).second && process_name != facts_.process_names.end())
            rank.stage.name(MetadataKind::ProcessName, pid, "", process_name->second);
        const auto own = thread_names.find({process, thread});
        const auto named = facts_.thread_names.find({process, thread});
        const std::string_view name = own != thread_names.end()            ? std::string_view(own->second)
                                      : named != facts_.thread_names.end() ? std::string_view(named->second)
                                                                           : std::string_view();
        if (!name.empty())
            rank.stage.name(MetadataKind::ThreadName, pid, std::to_string(thread),
                            std::string(name) + " (" + std::to_string(thread) + ")");
    }
    for (const std::int64_t device : rank.devices) {
        const std::string pid = std::to_string(device);
        const NsysGpu* const gpu = facts_.find_gpu(rank.process, device);
        if (gpu != nullptr && !gpu->name.empty()) rank.stage.name(MetadataKind::ProcessName, pid, "", gpu->name);
        rank.stage.name(MetadataKind::ProcessLabels, pid, "", "GPU " + pid);
    }
}

}  // namespace core
