// Reads arbitrary bytes as a database of Nsight Systems, unchanged and with the size and magic of the header corrected
// as a forger would. Opened files have as many records as their parts, at most as many as their bytes can hold; the
// file stays unchanged.

#include "core/ingest/nsys/nsys_database.hpp"
#include "core/ingest/nsys/nsys_file.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <fstream>
#include <iterator>

#include <sqlite3.h>
#include <unistd.h>

namespace {

using namespace core;

constexpr std::size_t kHeader = 100;
constexpr std::uint64_t kMostRecordsOfByte = 1;
constexpr std::uint64_t kSpareRecords = 200'000;

const std::filesystem::path& scratch_file() {
    static const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("lockstep-fuzz-" + std::to_string(::getpid()) + ".sqlite");
    return file;
}

std::string read_file() {
    std::ifstream in(scratch_file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void open_bytes(const std::string& bytes) {
    std::ofstream(scratch_file(), std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    (void)kind_of_database(scratch_file());
    LoadProgress progress;
    Result<std::unique_ptr<TraceReader>> reader = open_nsys_file(scratch_file(), progress);
    if (reader) {
        (*reader)->work({});
        const Result<std::vector<RankTracePtr>> ranks = (*reader)->finish_ranks({});
        std::uint64_t records = 0;
        if (ranks) {
            for (const RankTracePtr& rank : *ranks) {
                const RecordCounts& n = rank->info.records;
                if (n.total != n.complete + n.paired + n.instants + n.counters + n.flows + n.metadata + n.dropped)
                    fuzz::fail("the records are not the sum of their parts");
                records += n.total;
                for (std::uint32_t e = 0; e < rank->size() && e < 64; ++e)
                    (void)rank->event_text(EventId{e}).has_value();
            }
        }
        if (records > bytes.size() * kMostRecordsOfByte + kSpareRecords) fuzz::fail("more records than bytes");
    }
    if (read_file() != bytes) fuzz::fail("the file was changed");
}

// The header of a valid file of this size.
std::string with_header(std::string bytes) {
    if (bytes.size() < kHeader) return bytes;
    bytes.replace(0, kSqliteMagic.size(), kSqliteMagic);
    const auto high = static_cast<unsigned char>(bytes[16]), low = static_cast<unsigned char>(bytes[17]);
    const std::size_t stated = static_cast<std::size_t>(high) << 8 | low;
    const std::size_t page = stated == 1 ? 65536 : stated;
    if (page < 512 || (page & (page - 1)) != 0) return bytes;
    bytes.resize((bytes.size() + page - 1) / page * page);
    const std::size_t pages = bytes.size() / page;
    for (std::size_t i = 0; i < 4; ++i) bytes[28 + i] = static_cast<char>(pages >> (24 - 8 * i) & 0xFF);
    bytes.replace(92, 4, bytes, 24, 4);  // the size is valid for this change counter
    return bytes;
}

std::string make_database(const char* sql) {
    std::filesystem::remove(scratch_file());
    sqlite3* database = nullptr;
    if (sqlite3_open(scratch_file().c_str(), &database) != SQLITE_OK) fuzz::fail("no database can be made");
    const std::string all = std::string("PRAGMA page_size = 512; PRAGMA journal_mode = OFF;") + sql;
    if (sqlite3_exec(database, all.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
        fuzz::fail("the SQL of a seed is wrong");
    sqlite3_close(database);
    std::string bytes = read_file();
    std::filesystem::remove(scratch_file());
    return bytes;
}

}  // namespace

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
    const std::string bytes(fuzz::as_text(data, size));
    open_bytes(bytes);
    open_bytes(with_header(bytes));
    std::filesystem::remove(scratch_file());
    return 0;
}
