#include "core/ingest/sqlite/database_kind.hpp"

#include "core/base/platform/files.hpp"
#include "core/ingest/sqlite/sqlite_database.hpp"

#include <algorithm>
#include <array>

namespace core {
namespace {

DatabaseKind kind_of_tables(const std::vector<std::string>& names) {
    const auto any = [&](std::string_view prefix) {
        return std::ranges::any_of(names, [&](const std::string& name) { return name.starts_with(prefix); });
    };
    const auto has = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
    if (has("META_DATA_EXPORT") || has("EXPORT_META_DATA") || any("CUPTI_ACTIVITY_KIND_") ||
        (any("StringIds") && any("NVTX_EVENTS")))
        return DatabaseKind::Nsys;
    if (any("rocpd_op") || any("rocpd_kernelapi") || has("rocpd_api")) return DatabaseKind::Rpd;
    if (any("rocpd_")) return DatabaseKind::Rocpd;
    if (has("STRING_IDS") && (has("TASK") || has("CANN_API") || has("PYTORCH_API"))) return DatabaseKind::Ascend;
    return DatabaseKind::Other;
}

// The journal or the write-ahead log of a writer that is not done, or was interrupted.
bool has_beside(std::filesystem::path path, std::string_view ending) {
    path += ending;
    std::error_code unknown;
    const std::uintmax_t bytes = std::filesystem::file_size(path, unknown);
    return !unknown && bytes > 0;
}

bool begins_as_database(const std::filesystem::path& path) {
    OpenFile file(path, OpenFor::Reading);
    std::error_code error;
    std::array<char, 16> head{};
    return file && file.read(head, error) == head.size() && std::string_view(head.data(), head.size()) == kSqliteMagic;
}

}  // namespace

DatabaseKind kind_of_database(const std::filesystem::path& path) {
    const JobContext alone;
    const Result<std::unique_ptr<SqliteDatabase>> database = SqliteDatabase::open(path, alone);
    return database ? kind_of_tables((*database)->table_names()) : DatabaseKind::NotOne;
}

Result<bool> check_is_finished(const std::filesystem::path& path) {
    if (!begins_as_database(path)) return bad_input("the database is compressed: decompress it first");
    if (has_beside(path, "-journal"))
        return bad_input("a journal lies beside the database: its writer is not finished; wait, or export it again");
    if (has_beside(path, "-wal"))
        return bad_input(
            "a write-ahead log (-wal) lies beside the database and holds a part of it: close what writes it, or put "
            "the log into the database (sqlite3 FILE 'PRAGMA wal_checkpoint(TRUNCATE)')");
    return true;
}

}  // namespace core
