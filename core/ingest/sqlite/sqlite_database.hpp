#pragma once
// A SQLite file of unknown origin, opened for reading only and never written. Nothing in it runs: no views, triggers,
// virtual tables or functions. Work, rows and texts are bounded by the file's size, and a cancelled job stops all.
// One thread at a time.

#include "core/base/jobs.hpp"
#include "core/base/result.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace core {

// Limits on reading a damaged or hostile file. No valid file reaches them.
struct SqliteBudget {
    const JobContext* job = nullptr;  // may be null
    std::int64_t pulses = 0;          // of the progress handler
    std::int64_t rows = 0;
    std::int64_t text_bytes = 0;
    bool cancelled() const { return job != nullptr && job->cancelled(); }
};

// The rows of one table in the order of their ids, or found by their ids.
class SqliteRows {
public:
    SqliteRows(sqlite3* database, SqliteBudget& budget, std::string_view table, const std::string& query);
    SqliteRows(SqliteRows&&) noexcept;
    SqliteRows& operator=(SqliteRows&&) = delete;
    ~SqliteRows();

    bool next();  // false at the end and after a failure
    // For rows_by_id() only. False: the row is absent, or cannot be read; other rows can still be asked for.
    bool find(std::int64_t id);
    std::int64_t id() const { return id_; }
    // By position among the requested columns. Absent: null, of another type, or not a column of this table.
    std::optional<std::int64_t> integer(std::size_t column) const;
    std::optional<double> number(std::size_t column) const;                 // also of an integer
    std::optional<std::string_view> text(std::size_t column) const;         // until the next row
    std::optional<std::string_view> bytes(std::size_t column) const;        // a blob or a text, until the next row
    bool is_null(std::size_t column) const;
    const std::optional<Error>& failure() const { return failure_; }

private:
    void fail(std::string_view what);
    std::string_view take(std::size_t column) const;

    sqlite3* database_;
    SqliteBudget* budget_;
    std::string table_;
    sqlite3_stmt* statement_ = nullptr;
    std::int64_t id_ = 0;
    bool begun_ = false;
    std::optional<Error> failure_;
};

class SqliteDatabase {
public:
    struct Table {
        std::string name;
        std::vector<std::string> columns;  // without generated ones
        std::string row_key;               // column that is the row's id, if any
        std::string row_id;                // name under which the row's id can be asked for; empty: none
    };

    // Reads the list of tables. The job must outlive the database.
    static Result<std::unique_ptr<SqliteDatabase>> open(const std::filesystem::path& path, const JobContext& job);
    ~SqliteDatabase();
    SqliteDatabase(const SqliteDatabase&) = delete;
    SqliteDatabase& operator=(const SqliteDatabase&) = delete;

    const std::vector<std::string>& table_names() const { return names_; }  // ordinary tables
    bool has_table(std::string_view name) const;
    // With its columns; an error if the table is damaged.
    Result<Table> describe(std::string_view name);
    // Columns that the table lacks read as absent.
    SqliteRows rows(const Table& table, std::span<const std::string_view> columns);
    SqliteRows rows_by_id(const Table& table, std::span<const std::string_view> columns);
    // The text in `column` of the row with this id.
    std::optional<std::string> find_text(const Table& table, std::string_view column, std::int64_t id);
    std::uint64_t file_bytes() const { return file_bytes_; }
    // First pages of the ordinary tables.
    const std::vector<std::int64_t>& root_pages() const { return roots_; }

private:
    SqliteDatabase(const std::filesystem::path& path, const JobContext& job);
    Result<bool> connect(const std::filesystem::path& path);
    Result<bool> read_names();
    static std::string select(const Table& table, std::span<const std::string_view> columns);

    sqlite3* database_ = nullptr;
    sqlite3_stmt* find_ = nullptr;  // of the last find_text
    std::string find_query_;
    SqliteBudget budget_;
    std::uint64_t file_bytes_ = 0;
    std::vector<std::string> names_;
    std::vector<std::int64_t> roots_;
};

inline constexpr std::string_view kSqliteMagic{"SQLite format 3\0", 16};

// Column names of SQLite are equal in any letter case.
bool is_same_column(std::string_view a, std::string_view b);

}  // namespace core
