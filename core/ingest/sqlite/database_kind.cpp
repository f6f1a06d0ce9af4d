#include "core/ingest/sqlite/database_kind.hpp"

#include "core/ingest/sqlite/sqlite_database.hpp"

#include <algorithm>

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

}  // namespace

DatabaseKind kind_of_database(const std::filesystem::path& path) {
    const JobContext alone;
    const Result<std::unique_ptr<SqliteDatabase>> database = SqliteDatabase::open(path, alone);
    return database ? kind_of_tables((*database)->table_names()) : DatabaseKind::NotOne;
}

}  // namespace core
