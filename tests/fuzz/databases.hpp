#pragma once
// Databases as files for fuzzers: written, opened with a reader, and made from SQL. Opened files have as many records
// as their parts, at most as many as their bytes can hold; the file stays unchanged.

#include "core/ingest/source/trace_reader.hpp"
#include "core/ingest/sqlite/database_kind.hpp"
#include "core/ingest/sqlite/sqlite_database.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <sqlite3.h>
#include <unistd.h>

namespace fuzz {

using OpenReader = core::Result<std::unique_ptr<core::TraceReader>> (*)(const std::filesystem::path&,
                                                                        core::LoadProgress&);

inline const std::filesystem::path& scratch_file() {
    static const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("lockstep-fuzz-" + std::to_string(::getpid()) + ".sqlite");
    return file;
}

inline std::string read_scratch() {
    std::ifstream in(scratch_file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline void open_database(const std::string& bytes, OpenReader open) {
    constexpr std::uint64_t kMostRecordsOfByte = 1;
    constexpr std::uint64_t kSpareRecords = 200'000;
    std::ofstream(scratch_file(), std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    (void)core::kind_of_database(scratch_file());
    core::LoadProgress progress;
    core::Result<std::unique_ptr<core::TraceReader>> reader = open(scratch_file(), progress);
    if (reader) {
        (*reader)->work({});
        const core::Result<std::vector<core::RankTracePtr>> ranks = (*reader)->finish_ranks({});
        std::uint64_t records = 0;
        if (ranks) {
            for (const core::RankTracePtr& rank : *ranks) {
                const core::RecordCounts& n = rank->info.records;
                if (n.total != n.complete + n.paired + n.instants + n.counters + n.flows + n.metadata + n.dropped)
                    fail("the records are not the sum of their parts");
                records += n.total;
                for (std::uint32_t e = 0; e < rank->size() && e < 64; ++e)
                    (void)rank->event_text(core::EventId{e}).has_value();
            }
        }
        if (records > bytes.size() * kMostRecordsOfByte + kSpareRecords) fail("more records than bytes");
    }
    if (read_scratch() != bytes) fail("the file was changed");
}

// The header of a valid file of this size.
inline std::string with_header(std::string bytes) {
    constexpr std::size_t kHeader = 100;
    if (bytes.size() < kHeader) return bytes;
    bytes.replace(0, core::kSqliteMagic.size(), core::kSqliteMagic);
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

inline std::string make_database(const char* sql) {
    std::filesystem::remove(scratch_file());
    sqlite3* database = nullptr;
    if (sqlite3_open(scratch_file().c_str(), &database) != SQLITE_OK) fail("no database can be made");
    const std::string all = std::string("PRAGMA page_size = 512; PRAGMA journal_mode = OFF;") + sql;
    if (sqlite3_exec(database, all.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail("the SQL of a seed is wrong");
    sqlite3_close(database);
    std::string bytes = read_scratch();
    std::filesystem::remove(scratch_file());
    return bytes;
}

// Opens the bytes unchanged, and with the size and magic of the header corrected as a forger would.
inline void try_database(std::string_view bytes, OpenReader open) {
    open_database(std::string(bytes), open);
    open_database(with_header(std::string(bytes)), open);
    std::filesystem::remove(scratch_file());
}

}  // namespace fuzz
