// Reads arbitrary bytes as databases of rocprofv3 and rpdTracer.

#include "core/ingest/rocm/rocm_file.hpp"
#include "tests/fuzz/databases.hpp"

std::vector<std::string> fuzz::make_seeds() {
    constexpr const char* kRocpd =
        "CREATE TABLE rocpd_string_u (id INTEGER PRIMARY KEY, string TEXT); INSERT INTO rocpd_string_u VALUES"
        " (1, 'HIP_RUNTIME_API'), (2, 'hipLaunchKernel'), (3, 'MARKER_CORE_API'), (4, 'RCCL_API'), (5, 'ncclSend');"
        "CREATE TABLE rocpd_info_process_u (id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, environment TEXT);"
        "INSERT INTO rocpd_info_process_u VALUES (7, 1, 7, '{\"RANK\": \"1\"}');"
        "CREATE TABLE rocpd_info_agent_u (id INTEGER PRIMARY KEY, type TEXT, type_index INTEGER, name TEXT);"
        "INSERT INTO rocpd_info_agent_u VALUES (1, 'GPU', 0, 'gfx942');"
        "CREATE TABLE rocpd_info_kernel_symbol_u (id INTEGER PRIMARY KEY, display_name TEXT);"
        "INSERT INTO rocpd_info_kernel_symbol_u VALUES (1, 'gemm');"
        "CREATE TABLE rocpd_event_u (id INTEGER PRIMARY KEY, category_id INTEGER, stack_id INTEGER, extdata TEXT);"
        "INSERT INTO rocpd_event_u VALUES (1, 1, 5, '{}'), (2, NULL, 5, '{}'), (3, 3, 6, '{\"message\": \"step 1\"}'),"
        " (4, 4, 8, '{}');"
        "CREATE TABLE rocpd_arg_u (id INTEGER PRIMARY KEY, event_id INTEGER, name TEXT, value TEXT);"
        "INSERT INTO rocpd_arg_u VALUES (1, 4, 'count', '9'), (2, 4, 'datatype', '7'), (3, 4, 'comm', '0x1');"
        "CREATE TABLE rocpd_region_u (id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, start BIGINT, \"end\" BIGINT,"
        " name_id INTEGER, event_id INTEGER);"
        "INSERT INTO rocpd_region_u VALUES (5, 7, 8, 1, 3, 2, 1), (6, 7, 8, 0, 9, 2, 3), (8, 7, 8, 1, 4, 5, 4);"
        "CREATE TABLE rocpd_kernel_dispatch_u (id INTEGER PRIMARY KEY, pid INTEGER, agent_id INTEGER, kernel_id "
        "INTEGER,"
        " queue_id INTEGER, stream_id INTEGER, start BIGINT, \"end\" BIGINT, workgroup_size_x INTEGER, grid_size_x"
        " INTEGER, event_id INTEGER); INSERT INTO rocpd_kernel_dispatch_u VALUES (1, 7, 1, 1, 1, 0, 4, 6, 64, 128, 2);";
    constexpr const char* kTracks =
        "CREATE TABLE rocpd_track (id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, agent_id INTEGER);"
        "INSERT INTO rocpd_track VALUES (1, 7, 8, 2);"
        "CREATE TABLE rocpd_timestamp (id INTEGER PRIMARY KEY, value BIGINT); INSERT INTO rocpd_timestamp VALUES (1, "
        "5);"
        "CREATE TABLE rocpd_kernel_dispatch (id INTEGER PRIMARY KEY, track_id INTEGER, start_id INTEGER, end_id "
        "INTEGER);"
        "INSERT INTO rocpd_kernel_dispatch VALUES (1, 1, 1, 1);"
        "CREATE TABLE rocpd_memory_copy (id INTEGER, track_id INTEGER, start_id INTEGER, end_id INTEGER, size INTEGER);"
        "INSERT INTO rocpd_memory_copy VALUES (1, 1, 1, 1, 4096);";
    constexpr const char* kRpd =
        "CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, string TEXT); INSERT INTO rocpd_string VALUES (1, ''),"
        " (2, 'KernelExecution'), (3, 'CopyHostToDevice'), (4, 'gemm'), (5, 'hipLaunchKernel'), (6, 'UserMarker');"
        "CREATE TABLE rocpd_op (id INTEGER PRIMARY KEY, gpuId INTEGER, queueId INTEGER, start INTEGER, \"end\" INTEGER,"
        " description_id INTEGER, opType_id INTEGER); INSERT INTO rocpd_op VALUES (1, 0, 0, 5, 9, 4, 2), (2, 1, 0, 5, "
        "9,"
        " 1, 3);"
        "CREATE TABLE rocpd_api (id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, start INTEGER, \"end\" INTEGER,"
        " apiName_id INTEGER, args_id INTEGER); INSERT INTO rocpd_api VALUES (1, 7, 8, 1, 2, 5, 1), (2, 7, 8, 0, 9, 6,"
        " 4);"
        "CREATE TABLE rocpd_api_ops (id INTEGER PRIMARY KEY, api_id BIGINT, op_id BIGINT);"
        "INSERT INTO rocpd_api_ops VALUES (1, 1, 1), (2, 1, 2);"
        "CREATE TABLE rocpd_copyapi (api_ptr_id BIGINT PRIMARY KEY, size INTEGER); INSERT INTO rocpd_copyapi VALUES "
        "(1, 8);"
        "CREATE TABLE rocpd_monitor (id INTEGER PRIMARY KEY, deviceType TEXT, deviceId INTEGER, monitorType TEXT,"
        " start INTEGER, \"end\" INTEGER, value TEXT); INSERT INTO rocpd_monitor VALUES (1, 'gpu', 0, 'sclk', 1, 2,"
        " '1700');";
    return {make_database(kRocpd), make_database(kTracks), make_database(kRpd), {}};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::try_database(fuzz::as_text(data, size), core::open_rocpd_file);
    fuzz::try_database(fuzz::as_text(data, size), core::open_rpd_file);
    return 0;
}
