#pragma once
// The tables of a profiler's database: visits rows, and counts damaged places and repaired texts as diagnostics.
// A table or column that the file lacks reads as absent.

#include "core/base/diagnostics.hpp"
#include "core/ingest/sqlite/sqlite_database.hpp"

#include <functional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace core {

class SqliteTables {
public:
    static Result<std::unique_ptr<SqliteTables>> open(const std::filesystem::path& path, const JobContext& job);

    const std::vector<std::string>& names() const { return database_->table_names(); }
    bool has(std::string_view table) const { return database_->has_table(table); }
    bool has_column(std::string_view table, std::string_view column);
    // Absent: the file lacks the table, or it is damaged.
    std::optional<SqliteDatabase::Table> describe(std::string_view table);
    // Calls `visit` for each row until it returns false. After a damaged place the rest of the table is missing: a
    // diagnostic file-truncated. False: cancelled.
    bool visit(std::string_view table, std::span<const std::string_view> columns,
               const std::function<bool(const SqliteRows&)>& visit);
    // visit() for all rows, until the job is cancelled: false.
    bool each(std::string_view table, std::span<const std::string_view> columns, const JobContext& job,
              const std::function<void(const SqliteRows&)>& read);
    // Valid UTF-8 of a text; counts repairs.
    std::string_view repaired(std::string_view text, std::string& scratch);

    std::uint64_t rows_read() const { return rows_read_; }
    std::uint64_t file_bytes() const { return database_->file_bytes(); }
    SqliteDatabase& database() { return *database_; }
    Diagnostics& diagnostics() { return diagnostics_; }

private:
    explicit SqliteTables(std::unique_ptr<SqliteDatabase> database) : database_(std::move(database)) {}

    std::unique_ptr<SqliteDatabase> database_;
    std::uint64_t rows_read_ = 0;
    Diagnostics diagnostics_;
};

// Texts of a table by number. Keeps those that were asked for; all of them if the number is not the table's key.
class SqliteTexts {
public:
    SqliteTexts(SqliteTables& tables, std::string table, std::string_view key, std::string_view text)
        : tables_(tables), table_(std::move(table)), key_(key), text_(text) {}
    std::string_view find(std::int64_t key);  // valid UTF-8; empty if there is none

private:
    void prepare();

    SqliteTables& tables_;
    std::string table_;
    std::string_view key_, text_;
    std::optional<SqliteDatabase::Table> described_;
    bool is_prepared_ = false;
    bool is_by_id_ = false;
    std::unordered_map<std::int64_t, std::string> texts_;
    std::string scratch_;
};

// Rows of a table by a number that one row has. Unless that is the table's key, it costs 16 bytes a row.
class SqliteLookup {
public:
    SqliteLookup(SqliteTables& tables, std::string table, std::string_view key, std::vector<std::string_view> columns)
        : tables_(tables), table_(std::move(table)), key_(key), columns_(std::move(columns)) {}
    SqliteLookup(const SqliteLookup&) = delete;
    SqliteLookup& operator=(const SqliteLookup&) = delete;
    ~SqliteLookup();

    // The row, until the next call; null: none. Of several the first.
    const SqliteRows* find(std::int64_t key);

private:
    void prepare();

    SqliteTables& tables_;
    std::string table_;
    std::string_view key_;
    std::vector<std::string_view> columns_;
    bool is_prepared_ = false;
    bool is_by_id_ = false;
    std::vector<std::pair<std::int64_t, std::int64_t>> row_of_key_;
    std::optional<SqliteRows> rows_;
};

}  // namespace core
