// GPU work of an export: kernels, graphs, copies, sets, and the waits for it.

#include "core/ingest/nsys/nsys_rows.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace core {
namespace {

constexpr std::string_view kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr std::string_view kGraphs = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
constexpr std::string_view kCopies = "CUPTI_ACTIVITY_KIND_MEMCPY";
constexpr std::string_view kSets = "CUPTI_ACTIVITY_KIND_MEMSET";

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

// Records of CUDA events by (process, synchronization id): stream and correlation.
using EventRecords = std::map<std::pair<std::int64_t, std::int64_t>,
                              std::pair<std::optional<std::int64_t>, std::optional<std::int64_t>>>;

bool read_kernels(NsysRows& rows) {
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
    const bool whole = rows.each(kKernels, kColumns, [&](const SqliteRows& row) {
        NsysRank* const rank = rows.begin_gpu_row(row);
        if (rank == nullptr) return;
        for (std::size_t column = 7; column <= 9 && rows.event.name.empty(); ++column)
            if (const auto id = row.integer(column)) rows.event.name = rows.database().text(*id);
        if (rows.event.name.empty()) rows.event.name = "kernel without a name";
        if (const auto id = row.integer(8))
            if (const std::string_view text = rows.database().text(*id); !text.empty() && text != rows.event.name)
                rows.arguments.add("short name", text);
        rows.event.category = "kernel";
        rows.add_size("grid", row, 10);
        rows.add_size("block", row, 13);
        rows.add_optional("registers per thread", row, 16);
        rows.add_optional("static shared memory", row, 17);
        rows.add_optional("dynamic shared memory", row, 18);
        rows.add_graph_node(row, 19);
        rows.add_graph(row, 20);
        rows.finish_row(*rank, row);
    });
    rows.close_ranks();
    return whole;
}

// A CUDA graph recorded as one piece of work, without its kernels.
bool read_graphs(NsysRows& rows) {
    constexpr std::string_view kColumns[] = {"start",         "end",       "deviceId", "contextId",  "streamId",
                                             "correlationId", "globalPid", "graphId",  "graphExecId"};
    const bool whole = rows.each(kGraphs, kColumns, [&](const SqliteRows& row) {
        NsysRank* const rank = rows.begin_gpu_row(row);
        if (rank == nullptr) return;
        const auto graph = row.integer(7);
        const std::string name = "CUDA graph" + (graph ? " " + std::to_string(*graph) : std::string());
        rows.event.name = name;
        rows.event.category = "kernel";
        if (graph) rows.arguments.add("graph id", Arg::GraphId, *graph);
        rows.add_optional("graph exec id", row, 8);
        rank->stage.note("nsys-whole-graph", name);
        rows.finish_row(*rank, row);
    });
    rows.close_ranks();
    return whole;
}

void add_bandwidth(std::int64_t bytes, NsysRows& rows) {
    if (rows.event.duration_ns <= 0 || bytes < 0) return;
    // Bytes per nanosecond are GB/s; the column holds MB/s.
    const double rate = static_cast<double>(bytes) / static_cast<double>(rows.event.duration_ns);
    rows.arguments.add_json("memory bandwidth (GB/s)", std::to_string(rate));
    const double column = rate * 1000 + 0.5;
    if (column < 9e15) rows.arguments.add_column(Arg::BandwidthMbPerS, static_cast<std::int64_t>(column));
}

void add_bytes(const SqliteRows& row, std::size_t column, NsysRows& rows) {
    const auto bytes = row.integer(column);
    if (!bytes) return;
    if (*bytes < 0) return rows.arguments.add("bytes", *bytes);
    rows.arguments.add("bytes", Arg::Bytes, *bytes);
    add_bandwidth(*bytes, rows);
}

bool read_copies(NsysRows& rows) {
    constexpr std::string_view kColumns[] = {"start",         "end",         "deviceId",    "contextId",   "streamId",
                                             "correlationId", "globalPid",   "bytes",       "copyKind",    "srcKind",
                                             "dstKind",       "srcDeviceId", "dstDeviceId", "graphNodeId", "copyCount"};
    const bool whole = rows.each(kCopies, kColumns, [&](const SqliteRows& row) {
        NsysRank* const rank = rows.begin_gpu_row(row);
        if (rank == nullptr) return;
        std::string name = "Memcpy";
        const std::string_view kind = copy_kind(row.integer(8).value_or(0));
        if (!kind.empty()) name.append(" ").append(kind);
        const auto from = row.integer(9), to = row.integer(10);
        if (from && to && kind.find('(') == std::string_view::npos)
            name.append(" (").append(memory_kind(*from)).append(" -> ").append(memory_kind(*to)).append(")");
        rows.event.name = name;
        rows.event.category = "gpu_memcpy";
        add_bytes(row, 7, rows);
        rows.add_optional("source device", row, 11);
        rows.add_optional("destination device", row, 12);
        rows.add_graph_node(row, 13);
        rows.add_optional("copies", row, 14);
        rows.finish_row(*rank, row);
    });
    rows.close_ranks();
    return whole;
}

bool read_sets(NsysRows& rows) {
    constexpr std::string_view kColumns[] = {"start",    "end",           "deviceId",   "contextId",
                                             "streamId", "correlationId", "globalPid",  "bytes",
                                             "memKind",  "value",         "graphNodeId"};
    return rows.each(kSets, kColumns, [&](const SqliteRows& row) {
        NsysRank* const rank = rows.begin_gpu_row(row);
        if (rank == nullptr) return;
        std::string name = "Memset";
        if (const auto kind = row.integer(8)) name.append(" (").append(memory_kind(*kind)).append(")");
        rows.event.name = name;
        rows.event.category = "gpu_memset";
        add_bytes(row, 7, rows);
        rows.add_optional("value", row, 9);
        rows.add_graph_node(row, 10);
        rows.finish_row(*rank, row);
    });
}

// Records of CUDA events, which synchronizations name.
bool read_records(NsysRows& rows, EventRecords& records) {
    constexpr std::string_view kColumns[] = {"globalPid", "eventSyncId", "streamId", "correlationId"};
    return rows.each("CUPTI_ACTIVITY_KIND_CUDA_EVENT", kColumns, [&](const SqliteRows& row) {
        const auto global = row.integer(0), sync = row.integer(1);
        if (!sync) return;
        records[{global ? process_of(*global) : kAnyProcess, *sync}] = {row.integer(2), row.integer(3)};
    });
}

void add_waited(const SqliteRows& row, std::int64_t process, const EventRecords& records, NsysRows& rows) {
    const auto sync = row.integer(9);
    if (!sync) return;
    const auto record = records.find({process, *sync});
    if (record == records.end()) return;
    const auto& [stream, correlation] = record->second;
    if (stream) rows.arguments.add("wait_on_stream", Arg::WaitOnStream, *stream == kNoNsysStream ? -1 : *stream);
    if (correlation)
        rows.arguments.add("wait_on_cuda_event_record_corr_id", Arg::WaitOnRecordCorrelation, *correlation);
}

bool read_waits(NsysRows& rows, const EventRecords& records) {
    constexpr std::string_view kColumns[] = {"start",         "end",       "deviceId", "contextId", "streamId",
                                             "correlationId", "globalPid", "syncType", "eventId",   "eventSyncId"};
    return rows.each("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", kColumns, [&](const SqliteRows& row) {
        GpuPlace at;
        NsysRank* const rank = rows.begin_sync_row(row, at);
        if (rank == nullptr) return;
        rows.event.name = sync_kind(row.integer(7).value_or(0));
        rows.event.category = "cuda_sync";
        rows.add_optional("event", row, 8);
        add_waited(row, at.process, records, rows);
        rows.finish_row(*rank, row);
    });
}

}  // namespace

bool read_nsys_gpu_work(NsysRows& rows) {
    return read_kernels(rows) && read_graphs(rows) && read_copies(rows) && read_sets(rows);
}

bool read_nsys_synchronization(NsysRows& rows) {
    EventRecords records;
    return read_records(rows, records) && read_waits(rows, records);
}

}  // namespace core
