#include "core/ingest/sqlite/sqlite_database.hpp"

#include "core/base/ascii.hpp"

#include <algorithm>
#include <limits>

#include <sqlite3.h>

namespace core {
namespace {

constexpr std::int64_t kMostTables = 10'000;
constexpr int kOpsOfPulse = 4096;       // instructions of SQLite's machine between two calls of the progress handler
constexpr std::int64_t kOpsOfRow = 256;
constexpr std::int64_t kLeastRowBytes = 8;  // a row and its place in a page take at least this
constexpr std::int64_t kSpareRows = 100'000;

std::string sql_name(std::string_view name) {
    std::string text = "\"";
    for (const char c : name) text.append(c == '"' ? 2 : 1, c);
    return text += '"';
}

std::string uri_of(const std::filesystem::path& path) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    std::error_code unknown;
    const std::filesystem::path whole = std::filesystem::absolute(path, unknown);
    std::string uri = "file://";
    for (const char c : (unknown ? path : whole).native()) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '/' || c == '.' ||
                           c == '-' || c == '_';
        if (plain)
            uri += c;
        else
            uri.append("%").append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
    }
    return uri + "?mode=ro&immutable=1";
}

int on_progress(void* data) {
    auto& budget = *static_cast<SqliteBudget*>(data);
    if (budget.job != nullptr && budget.job->checkpoint()) return 1;
    return --budget.pulses < 0 ? 1 : 0;
}

// Only columns of tables may be read, and tables be described.
int authorize(void*, int action, const char* first, const char*, const char*, const char*) {
    if (action == SQLITE_SELECT || action == SQLITE_READ) return SQLITE_OK;
    const bool describes = action == SQLITE_PRAGMA && first != nullptr && std::string_view(first) == "table_info";
    return describes ? SQLITE_OK : SQLITE_DENY;
}

std::string_view text_of(sqlite3_stmt* statement, int column) {
    const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
    const int size = sqlite3_column_bytes(statement, column);
    return text == nullptr ? std::string_view() : std::string_view(text, static_cast<std::size_t>(std::max(size, 0)));
}

}  // namespace

bool is_same_column(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, {}, lower_ascii, lower_ascii);
}

SqliteRows::SqliteRows(sqlite3* database, SqliteBudget& budget, std::string_view table, const std::string& query)
    : database_(database), budget_(&budget), table_(table) {
    if (query.empty())
        fail("its rows have no ids");
    else if (sqlite3_prepare_v2(database_, query.c_str(), -1, &statement_, nullptr) != SQLITE_OK)
        fail(sqlite3_errmsg(database_));
}

SqliteRows::SqliteRows(SqliteRows&& other) noexcept
    : database_(other.database_),
      budget_(other.budget_),
      table_(std::move(other.table_)),
      statement_(std::exchange(other.statement_, nullptr)),
      id_(other.id_),
      begun_(other.begun_),
      failure_(std::move(other.failure_)) {}

SqliteRows::~SqliteRows() { sqlite3_finalize(statement_); }

void SqliteRows::fail(std::string_view what) {
    if (budget_->cancelled()) {
        failure_ = cancelled_error();
        return;
    }
    std::string where = "table " + table_;
    if (begun_) where += ", behind row " + std::to_string(id_);
    failure_ = Error{ErrorCode::BadInput, where + ": " + std::string(what)};
}

bool SqliteRows::next() {
    if (failure_) return false;
    const int status = sqlite3_step(statement_);
    if (status == SQLITE_DONE) return false;
    if (status == SQLITE_INTERRUPT) {
        fail("more work than a file of this size can need: it is damaged");
        return false;
    }
    if (status != SQLITE_ROW) {
        fail(sqlite3_errmsg(database_));
        return false;
    }
    const std::int64_t id = sqlite3_column_int64(statement_, 0);
    if ((begun_ && id <= id_) || --budget_->rows < 0) {
        fail("its rows repeat: the file is damaged");
        return false;
    }
    id_ = id;
    begun_ = true;
    return true;
}

bool SqliteRows::find(std::int64_t id) {
    if (statement_ == nullptr) return false;
    sqlite3_reset(statement_);
    sqlite3_bind_int64(statement_, 1, id);
    id_ = id;
    const int status = sqlite3_step(statement_);
    if (status != SQLITE_ROW && status != SQLITE_DONE && !failure_) {
        begun_ = true;
        fail(sqlite3_errmsg(database_));
    }
    return status == SQLITE_ROW;
}

bool SqliteRows::is_null(std::size_t column) const {
    return sqlite3_column_type(statement_, static_cast<int>(column) + 1) == SQLITE_NULL;
}

std::optional<std::int64_t> SqliteRows::integer(std::size_t column) const {
    const int at = static_cast<int>(column) + 1;
    if (sqlite3_column_type(statement_, at) != SQLITE_INTEGER) return std::nullopt;
    return sqlite3_column_int64(statement_, at);
}

std::optional<double> SqliteRows::number(std::size_t column) const {
    const int at = static_cast<int>(column) + 1;
    const int type = sqlite3_column_type(statement_, at);
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return std::nullopt;
    return sqlite3_column_double(statement_, at);
}

std::optional<std::string_view> SqliteRows::text(std::size_t column) const {
    const int at = static_cast<int>(column) + 1;
    if (sqlite3_column_type(statement_, at) != SQLITE_TEXT) return std::nullopt;
    const std::string_view text = text_of(statement_, at);
    budget_->text_bytes -= static_cast<std::int64_t>(text.size());
    // Long texts that all lie in the same pages.
    return budget_->text_bytes < 0 ? std::nullopt : std::optional(text);
}

std::optional<std::string_view> SqliteRows::bytes(std::size_t column) const {
    const int at = static_cast<int>(column) + 1;
    if (sqlite3_column_type(statement_, at) != SQLITE_BLOB) return text(column);
    const auto* const bytes = static_cast<const char*>(sqlite3_column_blob(statement_, at));
    const std::size_t size = bytes == nullptr ? 0 : static_cast<std::size_t>(sqlite3_column_bytes(statement_, at));
    budget_->text_bytes -= static_cast<std::int64_t>(size);
    return budget_->text_bytes < 0 ? std::nullopt : std::optional(std::string_view(bytes, size));
}

SqliteDatabase::SqliteDatabase(const std::filesystem::path& path, const JobContext& job) {
    std::error_code unknown;
    const std::uintmax_t bytes = std::filesystem::file_size(path, unknown);
    file_bytes_ = unknown ? 0 : static_cast<std::uint64_t>(bytes);
    const auto size = static_cast<std::int64_t>(std::min<std::uint64_t>(file_bytes_, std::uint64_t{1} << 46));
    budget_.job = &job;
    budget_.rows = size / kLeastRowBytes + kSpareRows;
    budget_.pulses = budget_.rows * kOpsOfRow / kOpsOfPulse;
    budget_.text_bytes = 4 * size + (std::int64_t{16} << 20);  // UTF-16 grows; a text may be asked for twice
}

SqliteDatabase::~SqliteDatabase() {
    sqlite3_finalize(find_);
    sqlite3_close(database_);
}

Result<std::unique_ptr<SqliteDatabase>> SqliteDatabase::open(const std::filesystem::path& path, const JobContext& job) {
    std::unique_ptr<SqliteDatabase> opened(new SqliteDatabase(path, job));
    if (Result<bool> connected = opened->connect(path); !connected) return std::move(connected).error();
    if (Result<bool> read = opened->read_names(); !read) return std::move(read).error();
    return opened;
}

Result<bool> SqliteDatabase::connect(const std::filesystem::path& path) {
    constexpr int kFlags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
    if (sqlite3_open_v2(uri_of(path).c_str(), &database_, kFlags, nullptr) != SQLITE_OK)
        return Error{ErrorCode::Io, "the database cannot be opened: " + std::string(sqlite3_errmsg(database_))};
    const auto set = [&](int what, int value) { sqlite3_db_config(database_, what, value, nullptr); };
    set(SQLITE_DBCONFIG_DEFENSIVE, 1);
    set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0);
    set(SQLITE_DBCONFIG_ENABLE_TRIGGER, 0);
    set(SQLITE_DBCONFIG_ENABLE_VIEW, 0);
    set(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0);
    set(SQLITE_DBCONFIG_DQS_DML, 0);
    set(SQLITE_DBCONFIG_DQS_DDL, 0);
    constexpr std::uint64_t kMostTextBytes = std::uint64_t{256} << 20;
    const auto longest = static_cast<int>(std::clamp<std::uint64_t>(file_bytes_ * 2, 1 << 20, kMostTextBytes));
    sqlite3_limit(database_, SQLITE_LIMIT_LENGTH, longest);
    sqlite3_limit(database_, SQLITE_LIMIT_SQL_LENGTH, 1 << 20);
    sqlite3_limit(database_, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(database_, SQLITE_LIMIT_EXPR_DEPTH, 100);
    sqlite3_limit(database_, SQLITE_LIMIT_COMPOUND_SELECT, 2);
    sqlite3_limit(database_, SQLITE_LIMIT_TRIGGER_DEPTH, 1);
    sqlite3_limit(database_, SQLITE_LIMIT_WORKER_THREADS, 0);
    sqlite3_progress_handler(database_, kOpsOfPulse, on_progress, &budget_);
    sqlite3_set_authorizer(database_, authorize, nullptr);
    return true;
}

// Ordinary tables: not views, not virtual ones, not SQLite's own.
Result<bool> SqliteDatabase::read_names() {
    SqliteRows rows(database_, budget_, "sqlite_master", "SELECT rowid, type, name, sql, rootpage FROM sqlite_master");
    while (rows.next()) {
        const std::optional<std::string_view> type = rows.text(0), name = rows.text(1), sql = rows.text(2);
        if (type != "table" || !name || !sql || name->starts_with("sqlite_")) continue;
        if (sql->size() < 13 || !is_same_column(sql->substr(0, 13), "CREATE TABLE ")) continue;
        names_.emplace_back(*name);
        if (const std::optional<std::int64_t> root = rows.integer(3); root) roots_.push_back(*root);
        if (std::ssize(names_) > kMostTables) return bad_input("the database has more than 10,000 tables");
    }
    if (rows.failure()) return *rows.failure();
    return true;
}

bool SqliteDatabase::has_table(std::string_view name) const { return std::ranges::find(names_, name) != names_.end(); }

Result<SqliteDatabase::Table> SqliteDatabase::describe(std::string_view name) {
    Table table{.name = std::string(name), .columns = {}, .row_key = {}, .row_id = {}};
    // Generated columns are not listed, so they are never computed.
    SqliteRows rows(database_, budget_, name, "PRAGMA table_info(" + sql_name(name) + ")");
    while (rows.next()) {  // cid, name, type, notnull, default, pk
        const std::optional<std::string_view> column = rows.text(0), type = rows.text(1);
        if (!column) continue;
        if (type && is_same_column(*type, "INTEGER") && rows.integer(4) == 1) table.row_key = *column;
        table.columns.emplace_back(*column);
    }
    if (rows.failure()) return *rows.failure();
    for (const std::string_view id : {"rowid", "_rowid_", "oid"}) {
        const bool taken = std::ranges::any_of(table.columns, [&](const auto& c) { return is_same_column(c, id); });
        if (!taken && table.row_id.empty()) table.row_id = id;
    }
    return table;
}

// Empty: the table's rows have no ids.
std::string SqliteDatabase::select(const Table& table, std::span<const std::string_view> columns) {
    if (table.row_id.empty()) return {};
    std::string query = "SELECT " + table.row_id;
    for (const std::string_view column : columns) {
        const bool known = std::ranges::any_of(table.columns, [&](const auto& c) { return is_same_column(c, column); });
        query += known ? ", " + sql_name(column) : ", NULL";
    }
    return query + " FROM " + sql_name(table.name) + " NOT INDEXED";
}

SqliteRows SqliteDatabase::rows(const Table& table, std::span<const std::string_view> columns) {
    return {database_, budget_, table.name, select(table, columns)};
}

SqliteRows SqliteDatabase::rows_by_id(const Table& table, std::span<const std::string_view> columns) {
    const std::string query = select(table, columns);
    return {database_, budget_, table.name, query.empty() ? query : query + " WHERE " + table.row_id + " = ?1"};
}

std::optional<std::string> SqliteDatabase::find_text(const Table& table, std::string_view column, std::int64_t id) {
    if (table.row_id.empty()) return std::nullopt;
    const std::string query =
        "SELECT " + sql_name(column) + " FROM " + sql_name(table.name) + " NOT INDEXED WHERE " + table.row_id + " = ?1";
    if (query != find_query_) {
        sqlite3_finalize(std::exchange(find_, nullptr));
        find_query_ = query;
        if (sqlite3_prepare_v2(database_, query.c_str(), -1, &find_, nullptr) != SQLITE_OK) find_ = nullptr;
    }
    if (find_ == nullptr) return std::nullopt;
    sqlite3_reset(find_);
    sqlite3_bind_int64(find_, 1, id);
    if (sqlite3_step(find_) != SQLITE_ROW || sqlite3_column_type(find_, 0) != SQLITE_TEXT) return std::nullopt;
    const std::string_view text = text_of(find_, 0);
    budget_.text_bytes -= static_cast<std::int64_t>(text.size());
    return budget_.text_bytes < 0 ? std::nullopt : std::optional(std::string(text));
}

}  // namespace core
