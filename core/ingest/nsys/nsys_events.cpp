#include "core/ingest/nsys/nsys_events.hpp"

#include "core/base/format.hpp"
#include "core/ingest/json/timestamp.hpp"
#include "core/ingest/nsys/nccl_payload.hpp"
#include "core/ingest/nsys/nvtx_names.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

namespace core {
namespace {

constexpr std::int64_t kNoStream = 0xFFFFFFFF;   // what CUPTI writes for none
constexpr std::int64_t kMostDevice = 4095;
constexpr std::int64_t kMostLocalDevices = 64;   // a process with a smaller number is not named like a device
constexpr std::size_t kMostRanks = 4096;         // of one file

constexpr std::string_view kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr std::string_view kGraphs = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
constexpr std::string_view kCopies = "CUPTI_ACTIVITY_KIND_MEMCPY";
constexpr std::string_view kSets = "CUPTI_ACTIVITY_KIND_MEMSET";

enum NvtxType : std::int64_t {
    kCategoryName = 33,
    kMark = 34,
    kThreadName = 39,
    kPushPop = 59,
    kStartEnd = 60,
    kDomain = 75,
};

std::string_view memory_kind(std::int64_t kind) {
    constexpr std::string_view kNames[] = {"Pageable", "Pinned", "Device", "Array", "Managed", "Device", "Managed"};
    return kind >= 0 && kind < std::ssize(kNames) ? kNames[kind] : "Unknown";
}

std::string_view copy_kind(std::int64_t kind) {
    constexpr std::string_view kNames[] = {"",
                                           "HtoD",
                                           "DtoH",
                                           "HtoA",
                                           "AtoH",
                                           "AtoA",
                                           "AtoD",
                                           "DtoA",
                                           "DtoD",
                                           "HtoH",
                                           "PtoP",
                                           "HtoD (unified memory)",
                                           "DtoH (unified memory)",
                                           "DtoD (unified memory)"};
    return kind > 0 && kind < std::ssize(kNames) ? kNames[kind] : "";
}

std::string_view sync_kind(std::int64_t kind) {
    constexpr std::string_view kNames[] = {"Synchronization", "Event Sync", "Stream Wait Event", "Stream Sync",
                                           "Context Sync"};
    return kind > 0 && kind < std::ssize(kNames) ? kNames[kind] : kNames[0];
}

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

// Driver calls are named cuLaunchKernel, runtime calls cudaLaunchKernel.
bool is_driver_call(std::string_view name) { return name.size() > 2 && name.starts_with("cu") && is_upper(name[2]); }

struct RowTimes {
    std::int64_t start_ns = 0;
    std::int64_t duration_ns = 0;
};

}  // namespace

class NsysEvents::Impl {
public:
    Impl(NsysDatabase& database, const NsysFacts& facts, const JobContext& job, std::function<void()> on_table_read)
        : database_(database), facts_(facts), job_(job), on_table_read_(std::move(on_table_read)) {}

    bool read() {
        // The first of these tables with rows says which processes are ranks.
        const bool gpu = read_kernels() && read_graphs() && read_copies() && read_sets();
        if (!gpu) return false;
        close_ranks();
        if (ranks_.empty()) add_rank(kAnyProcess);
        const bool whole = read_records() && read_synchronization() && read_calls() && read_nvtx() && read_os_calls() &&
                           read_overheads() && read_libraries() && read_graph_nodes();
        if (!whole) return false;
        tell_left_out();
        for (const std::unique_ptr<NsysRank>& rank : ranks_) {
            name_rank(*rank);
            rank->stage.flush();
        }
        return true;
    }

    std::vector<std::unique_ptr<NsysRank>> take_ranks() {
        std::ranges::sort(ranks_, {}, [](const auto& rank) { return std::tuple(rank->first_device, rank->process); });
        return std::move(ranks_);
    }

private:
    // --- ranks

    NsysRank* add_rank(std::int64_t process) {
        ranks_.push_back(std::make_unique<NsysRank>());
        ranks_.back()->process = process;
        ranks_.back()->first_device = std::numeric_limits<std::int64_t>::max();
        rank_of_process_[process] = ranks_.back().get();
        return ranks_.back().get();
    }
    void close_ranks() { ranks_closed_ = ranks_closed_ || !ranks_.empty(); }

    // Null: the event belongs to no rank, and is counted.
    NsysRank* find_rank(std::int64_t process, bool on_gpu) {
        const auto known = rank_of_process_.find(process);
        if (known != rank_of_process_.end()) return known->second;
        if (on_gpu && !ranks_closed_ && ranks_.size() < kMostRanks) return add_rank(process);
        if (ranks_.size() == 1) return ranks_.front().get();
        ++left_out_[process];
        return nullptr;
    }

    void tell_left_out() {
        for (const auto& [process, count] : left_out_) {
            const auto name = facts_.process_names.find(process);
            std::string text = "process " + std::to_string(process);
            if (name != facts_.process_names.end()) text += " (" + name->second.substr(0, 80) + ")";
            database_.diagnostics().add("nsys-process-left-out", text + ": " + format_plural(count, "event", "events"),
                                        count);
        }
    }

    // --- rows

    bool each(std::string_view table, std::span<const std::string_view> columns,
              const std::function<void(const SqliteRows&)>& read) {
        std::uint64_t rows = 0;
        table_ = table;
        const bool whole = database_.visit(table, columns, [&](const SqliteRows& row) {
            read(row);
            return ++rows % kEventsBetweenChecks != 0 || !job_.checkpoint();
        });
        on_table_read_();
        return whole && !job_.cancelled();
    }

    std::string place(const SqliteRows& row) const { return std::string(table_) + " row " + std::to_string(row.id()); }

    // Columns 0 and 1 are start and end.
    std::optional<RowTimes> times(const SqliteRows& row, NsysRank& rank) {
        const std::optional<std::int64_t> start = row.integer(0), end = row.integer(1);
        if (!start || !end) {
            rank.stage.drop("event-malformed", place(row) + ": no usable start or end");
            return std::nullopt;
        }
        RowTimes times{clamp_time(*start), 0};
        times.duration_ns = clamp_time(*end) - times.start_ns;
        if (times.start_ns != *start || times.duration_ns > kLongestTime || clamp_time(*end) != *end)
            rank.stage.note("absurd-duration", place(row));
        if (times.duration_ns < 0) rank.stage.note("negative-duration", place(row));
        times.duration_ns = std::clamp<std::int64_t>(times.duration_ns, 0, kLongestTime);
        return times;
    }

    // As other readers do, so that base + time + duration always fits.
    static std::int64_t clamp_time(std::int64_t ns) { return std::clamp(ns, -kLongestTime, kLongestTime); }

    std::string pid_text(std::int64_t process) const {
        return process < kMostLocalDevices ? "process " + std::to_string(process) : std::to_string(process);
    }

    // --- GPU work: columns 0 to 6 are those of kGpuColumns

    struct GpuPlace {
        std::int64_t process = kAnyProcess, device = 0, context = 0, stream = 0;
    };

    // The stream's name is its number; of several contexts that number their streams alike, the later ones add theirs.
    std::string stream_text(const GpuPlace& at) {
        const auto [first, fresh] =
            context_of_stream_.try_emplace(std::tuple(at.process, at.device, at.stream), at.context);
        const std::string number = std::to_string(at.stream == kNoStream ? -1 : at.stream);
        return first->second == at.context ? number : "context " + std::to_string(at.context) + " stream " + number;
    }

    std::optional<GpuPlace> gpu_place(const SqliteRows& row) const {
        GpuPlace at;
        if (const auto global = row.integer(6)) at.process = process_of(*global);
        at.device = row.integer(2).value_or(0);
        at.context = row.integer(3).value_or(0);
        at.stream = row.integer(4).value_or(0);
        return at.device >= 0 && at.device <= kMostDevice ? std::optional(at) : std::nullopt;
    }

    // Fills times, place and the arguments that all GPU work has. Null: dropped.
    NsysRank* begin_gpu_row(const SqliteRows& row) {
        const std::optional<GpuPlace> at = gpu_place(row);
        NsysRank* const rank = find_rank(at ? at->process : kAnyProcess, at.has_value());
        if (rank == nullptr) return nullptr;
        if (!at) {
            rank->stage.drop("event-malformed", place(row) + ": no such device");
            return nullptr;
        }
        const std::optional<RowTimes> when = times(row, *rank);
        if (!when) return nullptr;
        rank->first_device = std::min(rank->first_device, at->device);
        rank->devices.insert(at->device);
        device_of_context_.try_emplace({at->process, at->context}, at->device);
        arguments_.clear();
        add_gpu_place(row, *at, owns(*rank, row, 6));
        event_ = StagedRow{};
        event_.start_ns = when->start_ns;
        event_.duration_ns = when->duration_ns;
        event_.pid = pid_ = std::to_string(at->device);
        event_.tid = tid_ = stream_text(*at);
        return rank;
    }

    void add_gpu_place(const SqliteRows& row, const GpuPlace& at, bool is_own) {
        arguments_.add("device", Arg::Device, at.device);
        arguments_.add("context", at.context);
        arguments_.add("stream", Arg::Stream, at.stream == kNoStream ? -1 : at.stream);
        const auto correlation = row.integer(5);
        if (!correlation) return;
        // Numbers of other processes mean other calls.
        if (is_own)
            arguments_.add("correlation", Arg::Correlation, *correlation);
        else
            arguments_.add("correlation", *correlation);
    }

    void add_optional(std::string_view key, const SqliteRows& row, std::size_t column) {
        if (const auto value = row.integer(column)) arguments_.add(key, *value);
    }
    void add_size(std::string_view key, const SqliteRows& row, std::size_t first) {
        const auto x = row.integer(first), y = row.integer(first + 1), z = row.integer(first + 2);
        if (x && y && z)
            arguments_.add_json(key,
                                "[" + std::to_string(*x) + ", " + std::to_string(*y) + ", " + std::to_string(*z) + "]");
    }

    void finish_row(NsysRank& rank, const SqliteRows& row) {
        arguments_.add("table", table_);
        arguments_.add("row", row.id());
        rank.stage.add(event_, arguments_);
    }

    bool read_kernels() {
        constexpr std::string_view kColumns[] = {"start",
                                                 "end",
                                                 "deviceId",
                                                 "contextId",
                                                 "streamId",
                                                 "correlationId",
                                                 "globalPid",
                                                 "demangledName",
                                                 "shortName",
                                                 "mangledName",
                                                 "gridX",
                                                 "gridY",
                                                 "gridZ",
                                                 "blockX",
                                                 "blockY",
                                                 "blockZ",
                                                 "registersPerThread",
                                                 "staticSharedMemory",
                                                 "dynamicSharedMemory",
                                                 "graphNodeId",
                                                 "graphId"};
        const bool whole = each(kKernels, kColumns, [&](const SqliteRows& row) {
            NsysRank* const rank = begin_gpu_row(row);
            if (rank == nullptr) return;
            for (std::size_t column = 7; column <= 9 && event_.name.empty(); ++column)
                if (const auto id = row.integer(column)) event_.name = database_.text(*id);
            if (event_.name.empty()) event_.name = "kernel without a name";
            if (const auto id = row.integer(8))
                if (const std::string_view text = database_.text(*id); !text.empty() && text != event_.name)
                    arguments_.add("short name", text);
            event_.category = "kernel";
            add_size("grid", row, 10);
            add_size("block", row, 13);
            add_optional("registers per thread", row, 16);
            add_optional("static shared memory", row, 17);
            add_optional("dynamic shared memory", row, 18);
            add_graph_node(row, 19);
            add_graph(row, 20);
            finish_row(*rank, row);
        });
        close_ranks();
        return whole;
    }

    void add_graph_node(const SqliteRows& row, std::size_t node) {
        if (const auto id = row.integer(node)) arguments_.add("graph node id", Arg::GraphNodeId, *id);
    }
    void add_graph(const SqliteRows& row, std::size_t graph) {
        if (const auto id = row.integer(graph)) arguments_.add("graph id", Arg::GraphId, *id);
    }

    // A CUDA graph recorded as one piece of work, without its kernels.
    bool read_graphs() {
        constexpr std::string_view kColumns[] = {"start",         "end",       "deviceId", "contextId",  "streamId",
                                                 "correlationId", "globalPid", "graphId",  "graphExecId"};
        const bool whole = each(kGraphs, kColumns, [&](const SqliteRows& row) {
            NsysRank* const rank = begin_gpu_row(row);
            if (rank == nullptr) return;
            const auto graph = row.integer(7);
            const std::string name = "CUDA graph" + (graph ? " " + std::to_string(*graph) : std::string());
            event_.name = name;
            event_.category = "kernel";
            if (graph) arguments_.add("graph id", Arg::GraphId, *graph);
            add_optional("graph exec id", row, 8);
            rank->stage.note("nsys-whole-graph", name);
            finish_row(*rank, row);
        });
        close_ranks();
        return whole;
    }

    void add_bandwidth(std::int64_t bytes) {
        if (event_.duration_ns <= 0 || bytes < 0) return;
        // Bytes per nanosecond are GB/s; the column holds MB/s.
        const double rate = static_cast<double>(bytes) / static_cast<double>(event_.duration_ns);
        arguments_.add_json("memory bandwidth (GB/s)", std::to_string(rate));
        const double column = rate * 1000 + 0.5;
        if (column < 9e15) arguments_.add_column(Arg::BandwidthMbPerS, static_cast<std::int64_t>(column));
    }

    bool read_copies() {
        constexpr std::string_view kColumns[] = {
            "start",    "end",     "deviceId", "contextId",   "streamId",    "correlationId", "globalPid", "bytes",
            "copyKind", "srcKind", "dstKind",  "srcDeviceId", "dstDeviceId", "graphNodeId",   "copyCount"};
        const bool whole = each(kCopies, kColumns, [&](const SqliteRows& row) {
            NsysRank* const rank = begin_gpu_row(row);
            if (rank == nullptr) return;
            std::string name = "Memcpy";
            const std::string_view kind = copy_kind(row.integer(8).value_or(0));
            if (!kind.empty()) name.append(" ").append(kind);
            const auto from = row.integer(9), to = row.integer(10);
            if (from && to && kind.find('(') == std::string_view::npos)
                name.append(" (").append(memory_kind(*from)).append(" -> ").append(memory_kind(*to)).append(")");
            event_.name = name;
            event_.category = "gpu_memcpy";
            add_bytes(row, 7);
            add_optional("source device", row, 11);
            add_optional("destination device", row, 12);
            add_graph_node(row, 13);
            add_optional("copies", row, 14);
            finish_row(*rank, row);
        });
        close_ranks();
        return whole;
    }

    void add_bytes(const SqliteRows& row, std::size_t column) {
        const auto bytes = row.integer(column);
        if (!bytes) return;
        if (*bytes < 0) return arguments_.add("bytes", *bytes);
        arguments_.add("bytes", Arg::Bytes, *bytes);
        add_bandwidth(*bytes);
    }

    bool read_sets() {
        constexpr std::string_view kColumns[] = {"start",    "end",           "deviceId",   "contextId",
                                                 "streamId", "correlationId", "globalPid",  "bytes",
                                                 "memKind",  "value",         "graphNodeId"};
        return each(kSets, kColumns, [&](const SqliteRows& row) {
            NsysRank* const rank = begin_gpu_row(row);
            if (rank == nullptr) return;
            std::string name = "Memset";
            if (const auto kind = row.integer(8)) name.append(" (").append(memory_kind(*kind)).append(")");
            event_.name = name;
            event_.category = "gpu_memset";
            add_bytes(row, 7);
            add_optional("value", row, 9);
            add_graph_node(row, 10);
            finish_row(*rank, row);
        });
    }

    // --- synchronization

    // Records of CUDA events, which synchronizations name.
    bool read_records() {
        constexpr std::string_view kColumns[] = {"globalPid", "eventSyncId", "streamId", "correlationId"};
        return each("CUPTI_ACTIVITY_KIND_CUDA_EVENT", kColumns, [&](const SqliteRows& row) {
            const auto global = row.integer(0), sync = row.integer(1);
            if (!sync) return;
            record_of_[{global ? process_of(*global) : kAnyProcess, *sync}] = {row.integer(2), row.integer(3)};
        });
    }

    bool read_synchronization() {
        constexpr std::string_view kColumns[] = {"start",         "end",       "deviceId", "contextId", "streamId",
                                                 "correlationId", "globalPid", "syncType", "eventId",   "eventSyncId"};
        return each("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", kColumns, [&](const SqliteRows& row) {
            std::optional<GpuPlace> at = gpu_place(row);
            NsysRank* const rank = find_rank(at ? at->process : kAnyProcess, false);
            if (rank == nullptr) return;
            const std::optional<RowTimes> when = times(row, *rank);
            if (!when) return;
            if (!at) return rank->stage.drop("event-malformed", place(row) + ": no such device");
            at->device = device_of(*at);
            arguments_.clear();
            add_gpu_place(row, *at, owns(*rank, row, 6));
            event_ = StagedRow{};
            event_.start_ns = when->start_ns;
            event_.duration_ns = when->duration_ns;
            event_.name = sync_kind(row.integer(7).value_or(0));
            event_.category = "cuda_sync";
            event_.pid = pid_ = std::to_string(at->device);
            event_.tid = tid_ = stream_text(*at);
            add_optional("event", row, 8);
            add_waited(row, at->process);
            finish_row(*rank, row);
        });
    }

    // Synchronizations state device 0 for every context; work of the same context knows better.
    std::int64_t device_of(const GpuPlace& at) const {
        const std::pair key{at.process, at.context};
        if (const auto known = device_of_context_.find(key); known != device_of_context_.end()) return known->second;
        const auto stated = facts_.device_of_context.find(key);
        return stated == facts_.device_of_context.end() ? at.device : stated->second;
    }

    void add_waited(const SqliteRows& row, std::int64_t process) {
        const auto sync = row.integer(9);
        if (!sync) return;
        const auto record = record_of_.find({process, *sync});
        if (record == record_of_.end()) return;
        const auto& [stream, correlation] = record->second;
        if (stream) arguments_.add("wait_on_stream", Arg::WaitOnStream, *stream == kNoStream ? -1 : *stream);
        if (correlation)
            arguments_.add("wait_on_cuda_event_record_corr_id", Arg::WaitOnRecordCorrelation, *correlation);
    }

    // --- threads: column 2 is the global thread

    NsysRank* begin_thread_row(const SqliteRows& row, bool may_be_open = false) {
        const auto global = row.integer(2);
        const std::int64_t process = global ? process_of(*global) : kAnyProcess;
        NsysRank* const rank = find_rank(process, false);
        if (rank == nullptr) return nullptr;
        const bool open = may_be_open && row.integer(0) && row.is_null(1);
        std::optional<RowTimes> when = open ? RowTimes{clamp_time(*row.integer(0)), 0} : times(row, *rank);
        if (!when) return nullptr;
        const std::int64_t thread = global ? thread_of(*global) : 0;
        rank->threads.insert({process, thread});
        arguments_.clear();
        event_ = StagedRow{};
        event_.start_ns = when->start_ns;
        event_.duration_ns = when->duration_ns;
        event_.pid = pid_ = process == kAnyProcess ? "process" : pid_text(process);
        event_.tid = tid_ = std::to_string(thread);
        return rank;
    }

    bool owns(const NsysRank& rank, const SqliteRows& row, std::size_t column) const {
        const auto global = row.integer(column);
        return rank.process == kAnyProcess || !global || process_of(*global) == rank.process;
    }

    bool read_calls() {
        constexpr std::int64_t kRuntimeClass = 0, kDriverClass = 1;
        constexpr std::string_view kColumns[] = {"start",         "end",    "globalTid",  "eventClass",
                                                 "correlationId", "nameId", "returnValue"};
        return each("CUPTI_ACTIVITY_KIND_RUNTIME", kColumns, [&](const SqliteRows& row) {
            NsysRank* const rank = begin_thread_row(row);
            if (rank == nullptr) return;
            if (const auto id = row.integer(5)) event_.name = without_version(database_.text(*id));
            if (event_.name.empty()) event_.name = "CUDA call without a name";
            const std::int64_t by_name = is_driver_call(event_.name) ? kDriverClass : kRuntimeClass;
            const std::int64_t kind = row.integer(3).value_or(by_name);
            event_.category = kind == kDriverClass    ? "cuda_driver"
                              : kind == kRuntimeClass ? "cuda_runtime"
                                                      : "cuda_call_stack";
            const auto correlation = row.integer(4);
            // Old versions record a call once more with its stack.
            const bool launches = kind == kDriverClass || kind == kRuntimeClass;
            if (correlation && launches && owns(*rank, row, 2))
                arguments_.add("correlation", Arg::Correlation, *correlation);
            else if (correlation)
                arguments_.add("correlation", *correlation);
            if (const auto result = row.integer(6); result && *result != 0) arguments_.add("return value", *result);
            finish_row(*rank, row);
        });
    }

    // --- NVTX

    bool read_nvtx() {
        payloads_ = read_nccl_schemas(database_);
        constexpr std::string_view kColumns[] = {
            "start",       "end",         "globalTid",  "eventType",    "text",        "textId",
            "rangeId",     "domainId",    "category",   "endGlobalTid", "uint64Value", "int64Value",
            "doubleValue", "uint32Value", "int32Value", "floatValue",   "jsonText",    "binaryData"};
        return each("NVTX_EVENTS", kColumns, [&](const SqliteRows& row) { read_nvtx_row(row); });
    }

    std::string_view nvtx_text(const SqliteRows& row) {
        if (const auto text = row.text(4); text && !text->empty()) return database_.repaired(*text, scratch_);
        const auto id = row.integer(5);
        return id ? database_.text(*id) : std::string_view();
    }

    void read_nvtx_row(const SqliteRows& row) {
        const std::int64_t type = row.integer(3).value_or(0);
        if (type == kDomain || type == kCategoryName || type == kThreadName) return read_nvtx_name(row, type);
        if (type != kPushPop && type != kStartEnd && type != kMark) {
            if (NsysRank* const rank = find_rank(process_of(row.integer(2).value_or(0)), false))
                rank->stage.drop("object-event", place(row) + ": NVTX event of type " + std::to_string(type));
            return;
        }
        NsysRank* const rank = begin_thread_row(row, true);
        if (rank == nullptr) return;
        const std::string_view text = nvtx_text(row);
        const NvtxName split = split_nvtx_name(text);
        event_.name = split.name.empty() ? std::string_view("NVTX range without a name") : split.name;
        event_.category = split.is_operator ? "cpu_op" : "user_annotation";
        add_operator(split);
        add_nvtx_extras(row);
        add_payload(row, *rank);
        const bool open = row.is_null(1);
        if (type == kMark) {
            event_.category = "nvtx_mark";
            event_.phase = Phase::Instant;
            event_.duration_ns = 0;
        } else if (type == kStartEnd) {
            return finish_range(*rank, row, open);
        } else if (open) {
            event_.phase = Phase::Begin;
        }
        finish_row(*rank, row);
    }

    // Start/end ranges may overlap on a thread: asynchronous, matched by row.
    void finish_range(NsysRank& rank, const SqliteRows& row, bool open) {
        const std::string id = std::to_string(row.id());
        event_.id = id;
        event_.phase = Phase::AsyncBegin;
        const std::int64_t duration_ns = std::exchange(event_.duration_ns, 0);
        finish_row(rank, row);
        if (open) return;
        arguments_.clear();
        event_.start_ns = clamp_time(event_.start_ns + duration_ns);
        event_.phase = Phase::AsyncEnd;
        rank.stage.add(event_, arguments_);
    }

    void add_operator(const NvtxName& split) {
        if (split.sequence)
            arguments_.add("Sequence number", Arg::SequenceNumber, std::max<std::int64_t>(*split.sequence, -1));
        if (split.op_id) arguments_.add("op_id", *split.op_id);
        if (split.sizes.empty()) return;
        arguments_.add("Input Dims", split.sizes);
        std::string compact;
        std::ranges::copy_if(split.sizes, std::back_inserter(compact), [](char c) { return c != ' '; });
        arguments_.add_column(Arg::InputDims, compact);
    }

    void add_nvtx_extras(const SqliteRows& row) {
        const std::int64_t process = process_of(row.integer(2).value_or(0));
        if (const auto domain = row.integer(7); domain && *domain != 0) {
            const auto name = nvtx_domains_.find({process, *domain});
            if (name != nvtx_domains_.end())
                arguments_.add("domain", name->second);
            else
                arguments_.add("domain", *domain);
        }
        if (const auto category = row.integer(8); category && *category != 0) arguments_.add("category", *category);
        for (const std::size_t column : {10U, 11U, 13U, 14U})
            if (const auto value = row.integer(column)) arguments_.add("payload", *value);
        for (const std::size_t column : {12U, 15U})
            if (const auto value = row.number(column)) arguments_.add("payload", std::to_string(*value));
        if (const auto json = row.text(16); json && !json->empty())
            arguments_.add("payload", database_.repaired(*json, payload_scratch_));
    }

    void read_nvtx_name(const SqliteRows& row, std::int64_t type) {
        const auto global = row.integer(2);
        const std::int64_t process = global ? process_of(*global) : kAnyProcess;
        const std::string_view text = nvtx_text(row);
        constexpr std::size_t kMostDomains = 10'000;
        if (type == kDomain && row.integer(7) && nvtx_domains_.size() < kMostDomains)
            nvtx_domains_[{process, *row.integer(7)}] = text;
        if (type == kThreadName && global && nvtx_threads_.size() < kMostDomains)
            nvtx_threads_.try_emplace({process, thread_of(*global)}, text);
    }

    void add_payload(const SqliteRows& row, NsysRank& rank) {
        if (payloads_.empty() || !event_.name.starts_with("nccl")) return;
        std::optional<NcclPayload> payload;
        if (const auto blob = row.bytes(17); blob && !blob->empty()) payload = payloads_.decode(*blob);
        nccl_groups_[row.integer(2).value_or(0)].add(event_.start_ns, event_.name, payload);
        if (!payload) return;
        if (payload->rank && payload->ranks && event_.name.starts_with("ncclCommInit") &&
            (!rank.nccl_size || *rank.nccl_size < *payload->ranks)) {
            rank.nccl_size = static_cast<int>(*payload->ranks);
            rank.nccl_rank = static_cast<int>(*payload->rank);
        }
        add_nccl_facts(*payload, event_.name, rank.nccl_size, arguments_);
    }

    // --- everything else that threads do

    bool read_named(std::string_view table, std::string_view category, std::string_view name_column,
                    std::string_view otherwise) {
        const std::string_view columns[] = {"start", "end", "globalTid", name_column};
        return each(table, columns, [&](const SqliteRows& row) {
            NsysRank* const rank = begin_thread_row(row);
            if (rank == nullptr) return;
            if (const auto id = row.integer(3)) event_.name = database_.text(*id);
            if (event_.name.empty()) event_.name = otherwise;
            event_.category = category;
            finish_row(*rank, row);
        });
    }

    bool read_os_calls() { return read_named("OSRT_API", "os_call", "nameId", "OS call without a name"); }

    bool read_overheads() {
        return read_named("CUPTI_ACTIVITY_KIND_OVERHEAD", "overhead", "nameId", "CUPTI overhead") &&
               read_named("PROFILER_OVERHEAD", "overhead", "nameId", "profiler overhead");
    }

    bool read_libraries() {
        for (const auto& [table, category, column] : std::array<std::array<std::string_view, 3>, 7>{{
                 {"CUDNN_EVENTS", "cudnn", "nameId"},
                 {"CUBLAS_EVENTS", "cublas", "nameId"},
                 {"MPI_COLLECTIVES_EVENTS", "mpi", "textId"},
                 {"MPI_P2P_EVENTS", "mpi", "textId"},
                 {"MPI_START_WAIT_EVENTS", "mpi", "textId"},
                 {"MPI_OTHER_EVENTS", "mpi", "textId"},
                 {"UCP_EVENTS", "ucx", "textId"},
             }})
            if (!read_named(table, category, column, table)) return false;
        return true;
    }

    // Creation of graph nodes, which kernels of graphs name.
    bool read_graph_nodes() {
        constexpr std::string_view kColumns[] = {
            "start", "end", "globalTid", "nameId", "graphNodeId", "originalGraphNodeId", "graphId"};
        const std::string_view table =
            database_.has("CUDA_GRAPH_NODE_EVENTS") ? "CUDA_GRAPH_NODE_EVENTS" : "CUDA_GRAPH_EVENTS";
        return each(table, kColumns, [&](const SqliteRows& row) {
            NsysRank* const rank = begin_thread_row(row, true);
            if (rank == nullptr) return;
            if (const auto id = row.integer(3)) event_.name = database_.text(*id);
            if (event_.name.empty()) event_.name = "CUDA graph node";
            event_.category = "cuda_graph_node";
            if (row.is_null(1)) event_.phase = Phase::Instant;
            add_graph_node(row, 4);
            add_graph(row, 6);
            add_optional("original graph node id", row, 5);
            finish_row(*rank, row);
        });
    }

    // --- names

    void name_rank(NsysRank& rank) {
        std::set<std::int64_t> processes;
        for (const auto& [process, thread] : rank.threads) {
            const std::string pid = process == kAnyProcess ? "process" : pid_text(process);
            const auto process_name = facts_.process_names.find(process);
            if (processes.insert(process).second && process_name != facts_.process_names.end())
                rank.stage.name(MetadataKind::ProcessName, pid, "", process_name->second);
            const auto own = nvtx_threads_.find({process, thread});
            const auto named = facts_.thread_names.find({process, thread});
            const std::string_view name = own != nvtx_threads_.end()           ? std::string_view(own->second)
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

    NsysDatabase& database_;
    const NsysFacts& facts_;
    const JobContext& job_;
    std::function<void()> on_table_read_;
    std::string_view table_;

    std::vector<std::unique_ptr<NsysRank>> ranks_;
    std::map<std::int64_t, NsysRank*> rank_of_process_;
    std::map<std::int64_t, std::uint64_t> left_out_;  // by process
    bool ranks_closed_ = false;

    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::int64_t> context_of_stream_;
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> device_of_context_;
    std::map<std::pair<std::int64_t, std::int64_t>, std::pair<std::optional<std::int64_t>, std::optional<std::int64_t>>>
        record_of_;  // (process, synchronization id) → stream and correlation
    std::map<std::pair<std::int64_t, std::int64_t>, std::string> nvtx_domains_, nvtx_threads_;
    NcclSchemas payloads_;
    std::map<std::int64_t, NcclGroups> nccl_groups_;  // by global thread

    StagedRow event_;
    RowArguments arguments_;
    std::string pid_, tid_, scratch_, payload_scratch_;
};

NsysEvents::NsysEvents(NsysDatabase& database, const NsysFacts& facts, const JobContext& job,
                       std::function<void()> on_table_read)
    : impl_(std::make_unique<Impl>(database, facts, job, std::move(on_table_read))) {}
NsysEvents::~NsysEvents() = default;
bool NsysEvents::read() { return impl_->read(); }
std::vector<std::unique_ptr<NsysRank>> NsysEvents::take_ranks() { return impl_->take_ranks(); }

}  // namespace core
