// Activity of threads in an export's tables: calls of CUDA, the OS and libraries, overheads, graph nodes.

#include "core/ingest/nsys/nsys_rows.hpp"
#include "core/ingest/nsys/nvtx_names.hpp"

#include <array>
#include <string_view>

namespace core {
namespace {

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

// Driver calls are named cuLaunchKernel, runtime calls cudaLaunchKernel.
bool is_driver_call(std::string_view name) { return name.size() > 2 && name.starts_with("cu") && is_upper(name[2]); }

bool read_calls(NsysRows& rows) {
    constexpr std::int64_t kRuntimeClass = 0, kDriverClass = 1;
    constexpr std::string_view kColumns[] = {"start",         "end",    "globalTid",  "eventClass",
                                             "correlationId", "nameId", "returnValue"};
    return rows.each("CUPTI_ACTIVITY_KIND_RUNTIME", kColumns, [&](const SqliteRows& row) {
        NsysRank* const rank = rows.begin_thread_row(row);
        if (rank == nullptr) return;
        if (const auto id = row.integer(5)) rows.event.name = without_version(rows.database().text(*id));
        if (rows.event.name.empty()) rows.event.name = "CUDA call without a name";
        const std::int64_t by_name = is_driver_call(rows.event.name) ? kDriverClass : kRuntimeClass;
        const std::int64_t kind = row.integer(3).value_or(by_name);
        rows.event.category = kind == kDriverClass    ? "cuda_driver"
                              : kind == kRuntimeClass ? "cuda_runtime"
                                                      : "cuda_call_stack";
        const auto correlation = row.integer(4);
        // Old versions record a call once more with its stack.
        const bool launches = kind == kDriverClass || kind == kRuntimeClass;
        if (correlation && launches && rows.owns(*rank, row, 2))
            rows.arguments.add("correlation", Arg::Correlation, *correlation);
        else if (correlation)
            rows.arguments.add("correlation", *correlation);
        if (const auto result = row.integer(6); result && *result != 0) rows.arguments.add("return value", *result);
        rows.finish_row(*rank, row);
    });
}

bool read_named(NsysRows& rows, std::string_view table, std::string_view category, std::string_view name_column,
                std::string_view otherwise) {
    const std::string_view columns[] = {"start", "end", "globalTid", name_column};
    return rows.each(table, columns, [&](const SqliteRows& row) {
        NsysRank* const rank = rows.begin_thread_row(row);
        if (rank == nullptr) return;
        if (const auto id = row.integer(3)) rows.event.name = rows.database().text(*id);
        if (rows.event.name.empty()) rows.event.name = otherwise;
        rows.event.category = category;
        rows.finish_row(*rank, row);
    });
}

bool read_os_calls(NsysRows& rows) {
    return read_named(rows, "OSRT_API", "os_call", "nameId", "OS call without a name");
}

bool read_overheads(NsysRows& rows) {
    return read_named(rows, "CUPTI_ACTIVITY_KIND_OVERHEAD", "overhead", "nameId", "CUPTI overhead") &&
           read_named(rows, "PROFILER_OVERHEAD", "overhead", "nameId", "profiler overhead");
}

bool read_libraries(NsysRows& rows) {
    for (const auto& [table, category, column] : std::array<std::array<std::string_view, 3>, 7>{{
             {"CUDNN_EVENTS", "cudnn", "nameId"},
             {"CUBLAS_EVENTS", "cublas", "nameId"},
             {"MPI_COLLECTIVES_EVENTS", "mpi", "textId"},
             {"MPI_P2P_EVENTS", "mpi", "textId"},
             {"MPI_START_WAIT_EVENTS", "mpi", "textId"},
             {"MPI_OTHER_EVENTS", "mpi", "textId"},
             {"UCP_EVENTS", "ucx", "textId"},
         }})
        if (!read_named(rows, table, category, column, table)) return false;
    return true;
}

// Creation of graph nodes, which kernels of graphs name.
bool read_graph_nodes(NsysRows& rows) {
    constexpr std::string_view kColumns[] = {
        "start", "end", "globalTid", "nameId", "graphNodeId", "originalGraphNodeId", "graphId"};
    const std::string_view table =
        rows.database().has("CUDA_GRAPH_NODE_EVENTS") ? "CUDA_GRAPH_NODE_EVENTS" : "CUDA_GRAPH_EVENTS";
    return rows.each(table, kColumns, [&](const SqliteRows& row) {
        NsysRank* const rank = rows.begin_thread_row(row, true);
        if (rank == nullptr) return;
        if (const auto id = row.integer(3)) rows.event.name = rows.database().text(*id);
        if (rows.event.name.empty()) rows.event.name = "CUDA graph node";
        rows.event.category = "cuda_graph_node";
        if (row.is_null(1)) rows.event.phase = Phase::Instant;
        rows.add_graph_node(row, 4);
        rows.add_graph(row, 6);
        rows.add_optional("original graph node id", row, 5);
        rows.finish_row(*rank, row);
    });
}

}  // namespace

bool read_nsys_calls(NsysRows& rows) {
    return read_os_calls(rows) && read_overheads(rows) && read_libraries(rows) && read_graph_nodes(rows);
}

bool read_nsys_cuda_calls(NsysRows& rows) { return read_calls(rows); }

}  // namespace core
