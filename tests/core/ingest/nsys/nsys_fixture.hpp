#pragma once
// Hand-made databases as Nsight Systems exports them, and their ranks.

#include "core/ingest/load/load_run.hpp"
#include "tests/core/temp_folder.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <sqlite3.h>

namespace core::testing {

// A database file; each call of run() executes SQL.
class DatabaseMaker {
public:
    explicit DatabaseMaker(const std::filesystem::path& path) : path_(path) {
        REQUIRE(sqlite3_open(path.c_str(), &database_) == SQLITE_OK);
        run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
    }
    ~DatabaseMaker() { close(); }
    DatabaseMaker(const DatabaseMaker&) = delete;
    DatabaseMaker& operator=(const DatabaseMaker&) = delete;

    DatabaseMaker& run(const std::string& sql) {
        char* message = nullptr;
        const int status = sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, &message);
        REQUIRE_MESSAGE(status == SQLITE_OK, (message == nullptr ? "" : message) << " in " << sql);
        return *this;
    }
    const std::filesystem::path& close() {
        sqlite3_close(database_);
        database_ = nullptr;
        return path_;
    }

private:
    std::filesystem::path path_;
    sqlite3* database_ = nullptr;
};

// A global thread of virtual machine 1.
constexpr std::int64_t global_id(std::int64_t process, std::int64_t thread = 0) {
    return std::int64_t{1} << 48 | process << 24 | thread;
}
inline std::string global_text(std::int64_t process, std::int64_t thread = 0) {
    return std::to_string(global_id(process, thread));
}

inline const char* const kMetaTable =
    "CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);"
    "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.25.0');";
inline const char* const kStringTable =
    "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
    "INSERT INTO StringIds VALUES (1, 'void gemm<float>(float*)'), (2, 'gemm'), (3, 'cudaLaunchKernel_v7000'),"
    " (4, 'cuLaunchKernel'), (5, 'registered'), (6, 'ncclDevKernel_AllReduce');";
inline const char* const kKernelTable =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,"
    " contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,"
    " demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL);";
inline const char* const kRuntimeTable =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT "
    "NULL,"
    " globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL);";
inline const char* const kNvtxTable =
    "CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, text TEXT,"
    " globalTid INTEGER, textId INTEGER, domainId INTEGER, rangeId INTEGER);";
inline const char* const kSessionTable =
    "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER);"
    "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1000000000000000000);";

inline std::string kernel_row(std::int64_t start, std::int64_t end, std::int64_t device, std::int64_t stream,
                              std::int64_t correlation, std::int64_t process, std::int64_t name = 1) {
    std::string row = "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (";
    for (const std::int64_t value :
         {start, end, device, std::int64_t{1}, stream, correlation, global_id(process), name})
        row += std::to_string(value) + ", ";
    return row + "2);";
}
inline std::string call_row(std::int64_t start, std::int64_t end, std::int64_t correlation, std::int64_t process,
                            std::int64_t name = 3, std::int64_t kind = 0) {
    std::string row = "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (";
    for (const std::int64_t value : {start, end, kind, global_id(process, process), correlation, name})
        row += std::to_string(value) + ", ";
    return row + "0);";
}
inline std::string range_row(std::int64_t start, std::int64_t end, const std::string& text, std::int64_t process,
                             int type = 59) {
    return "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId) VALUES (" +
           std::to_string(start) + ", " + std::to_string(end) + ", " + std::to_string(type) + ", '" + text + "', " +
           global_text(process, process) + ", 0);";
}

inline Result<RunPtr> load_database(const std::filesystem::path& path, const std::string& step_marks = {}) {
    LoadProgress progress;
    LoadOptions options;
    options.threads = 1;
    options.step_marks = step_marks;
    return load_run(std::vector{path}, options, progress, {});
}

// Events with this name.
inline std::vector<EventId> find_events(const RankTrace& trace, std::string_view name) {
    std::vector<EventId> found;
    for (std::uint32_t e = 0; e < trace.size(); ++e)
        if (trace.name_text(EventId{e}) == name) found.push_back(EventId{e});
    return found;
}

}  // namespace core::testing
