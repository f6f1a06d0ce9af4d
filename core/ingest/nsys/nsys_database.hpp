#pragma once
// An Nsight Systems export as tables by their plain names, and its texts by id. Versions of the schema differ in names
// (`_V2`, `_V3`), columns and tables: what is missing reads as absent. Keeps only texts that were asked for, unless
// their table has no key.

#include "core/base/diagnostics.hpp"
#include "core/ingest/nsys/sqlite_database.hpp"

#include <functional>
#include <string_view>
#include <unordered_map>

namespace core {

// Recognises the kind of a database by its tables.
enum class DatabaseKind { NotOne, Nsys, Rocpd, Rpd, Ascend, Other };
DatabaseKind kind_of_database(const std::filesystem::path& path);

class NsysDatabase {
public:
    static Result<std::unique_ptr<NsysDatabase>> open(const std::filesystem::path& path, const JobContext& job);

    bool has(std::string_view table) const { return !resolve(table).empty(); }
    // The table in the file: of this name, else with the highest suffix _V2, _V3, …; empty if there is none.
    std::string resolve(std::string_view table) const;
    // Calls `visit` for each row until it returns false. A missing table has no rows. After a damaged place the rest of
    // the table is missing: a diagnostic file-truncated. False: cancelled.
    bool visit(std::string_view table, std::span<const std::string_view> columns,
               const std::function<bool(const SqliteRows&)>& visit);
    bool has_column(std::string_view table, std::string_view column);
    // A text of StringIds, as valid UTF-8; empty if there is none.
    std::string_view text(std::int64_t id);
    std::uint64_t rows_read() const { return rows_read_; }
    std::uint64_t file_bytes() const { return database_->file_bytes(); }
    const std::vector<std::string>& table_names() const { return database_->table_names(); }
    Diagnostics& diagnostics() { return diagnostics_; }
    // Valid UTF-8 of a text; counts repairs.
    std::string_view repaired(std::string_view text, std::string& scratch);

private:
    explicit NsysDatabase(std::unique_ptr<SqliteDatabase> database) : database_(std::move(database)) {}
    void prepare_texts();

    std::unique_ptr<SqliteDatabase> database_;
    std::optional<SqliteDatabase::Table> strings_;
    bool texts_by_key_ = false;
    bool texts_prepared_ = false;
    std::unordered_map<std::int64_t, std::string> texts_;
    std::uint64_t rows_read_ = 0;
    std::string scratch_;
    Diagnostics diagnostics_;
};

}  // namespace core
