// Reads arbitrary bytes as a database of Nsight Systems.

#include "core/ingest/nsys/nsys_file.hpp"
#include "tests/fuzz/databases.hpp"

std::vector<std::string> fuzz::make_seeds() {
    constexpr const char* kKernels =
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,"
        " streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (5, 9, 0, 1, 7, 1, 16777216, 1), (6, 8, 1, 1, 7, 1, 33554432, "
        "1);"
        "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT); INSERT INTO StringIds VALUES (1, 'gemm');"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId "
        "INTEGER,"
        " nameId INTEGER); INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 2, 16777217, 1, 1);";
    constexpr const char* kRanges =
        "CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);"
        "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PARAM_TIME_SHIFT', '3');"
        "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER,"
        " domainId INTEGER, binaryData TEXT);"
        "INSERT INTO NVTX_EVENTS VALUES (1, 2, 59, 'aten::mm, seq = 1, op_id = 2', 16777217, 0, NULL),"
        " (1, NULL, 59, 'open', 16777217, 0, NULL), (3, 4, 60, 'range', 16777217, 0, NULL),"
        " (5, 5, 34, 'mark', 16777217, 0, NULL), (1, NULL, 75, 'NCCL', 16777217, 1, NULL),"
        " (6, 7, 59, 'ncclCommInitRank', 16777217, 1, zeroblob(64));"
        "CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INTEGER, schemaId INTEGER, idx INTEGER, type INTEGER,"
        " name TEXT, offset INTEGER); INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (0, 0, 0, 5, 'Rank', 0);";
    std::string many = kKernels;
    for (int i = 0; i < 60; ++i)
        many +=
            "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT start + 10, end + 10, deviceId, contextId, streamId, "
            "correlationId + 1, globalPid, demangledName FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid <= 2;";
    return {make_database(kKernels), make_database(kRanges), make_database(many.c_str()), {}};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::try_database(fuzz::as_text(data, size), core::open_nsys_file);
    return 0;
}
