#include "core/sql/sql_query.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "core/base/nearest.hpp"
#include "core/export/number_text.hpp"
#include "core/sql/sql_connection.hpp"
#include "core/sql/sqlite_modules.hpp"
#include "core/sql/totals_query.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

namespace core {
namespace {

using ResultCell = std::variant<std::monostate, std::int64_t, double, std::string>;

struct ResultColumn {
    std::string name;
    std::optional<Unit> unit;  // of a column of a table
    std::vector<ResultCell> cells;
};

class Statement {
public:
    ~Statement() { sqlite3_finalize(statement_); }
    Statement() = default;
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;
    sqlite3_stmt* get() const { return statement_; }
    sqlite3_stmt** address() { return &statement_; }

private:
    sqlite3_stmt* statement_ = nullptr;
};

std::string place_in(std::string_view query, std::size_t offset) {
    const std::string_view before = query.substr(0, std::min(offset, query.size()));
    const auto line = 1 + std::ranges::count(before, '\n');
    const std::size_t begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    const auto column = 1 + std::ranges::count_if(before.substr(begin), [](char c) {
                            return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;
                        });
    return fmt::format("line {}, column {}", line, column);
}

// The name that SQLite's message calls unknown: the text after `start`, without the table in front.
std::string_view unknown_after(std::string_view message, std::string_view start) {
    if (!message.starts_with(start)) return {};
    std::string_view name = message.substr(start.size());
    if (const std::size_t dot = name.rfind('.'); dot != std::string_view::npos) name.remove_prefix(dot + 1);
    return name;
}

std::vector<std::string> table_words() {
    std::vector<std::string> words;
    for (const SqlTable& table : sql_tables()) words.push_back(table.name);
    for (const Analysis& analysis : all_analyses()) words.push_back(sql_name(analysis));
    return words;
}

std::string hint_for(std::string_view message) {
    std::vector<std::string> words;
    std::string_view name = unknown_after(message, "no such table: ");
    if (!name.empty()) {
        words = table_words();
    } else if (name = unknown_after(message, "no such column: "); !name.empty()) {
        words = sql_words();
    } else {
        return {};
    }
    const std::vector<std::string_view> candidates(words.begin(), words.end());
    if (std::ranges::find(candidates, name) != candidates.end())
        return "; lockstep sql --tables lists the columns of each table";
    std::string hint = nearest_hint(name, candidates);
    if (!hint.empty() || message.starts_with("no such column")) return hint;
    return "; lockstep sql --tables lists the tables";
}

Error error_of(sqlite3* connection, std::string_view query) {
    std::string message = sqlite3_errmsg(connection);
    const int offset = sqlite3_error_offset(connection);
    if ((sqlite3_errcode(connection) & 0xFF) == SQLITE_AUTH) message = "only SELECT is allowed: " + message;
    message += hint_for(message);
    if (offset < 0) return bad_input("query: " + message);
    return bad_input("query: " + place_in(query, static_cast<std::size_t>(offset)) + ": " + message);
}

bool is_only_blank(sqlite3* connection, const char* tail, const char* end) {
    if (tail >= end) return true;
    Statement rest;
    const char* after = nullptr;
    const bool parses =
        sqlite3_prepare_v2(connection, tail, static_cast<int>(end - tail), rest.address(), &after) == SQLITE_OK;
    return parses && rest.get() == nullptr;
}

Result<bool> prepare(sqlite3* connection, const std::string& query, Statement& statement) {
    if (query.find('\0') != std::string::npos) return bad_input("query: it has a byte 0");
    const char* tail = nullptr;
    if (sqlite3_prepare_v2(connection, query.c_str(),
                           static_cast<int>(std::min<std::size_t>(query.size() + 1, INT32_MAX)), statement.address(),
                           &tail) != SQLITE_OK)
        return error_of(connection, query);
    if (statement.get() == nullptr) return bad_input("query: it is empty");
    if (!is_only_blank(connection, tail, query.c_str() + query.size()))
        return bad_input("query: " + place_in(query, static_cast<std::size_t>(tail - query.c_str())) +
                         ": one statement at a time");
    if (sqlite3_stmt_readonly(statement.get()) == 0 || sqlite3_column_count(statement.get()) == 0)
        return bad_input("query: only SELECT is allowed");
    return true;
}

ResultCell cell_of(sqlite3_stmt* statement, int column) {
    switch (sqlite3_column_type(statement, column)) {
        case SQLITE_INTEGER:
            return std::int64_t{sqlite3_column_int64(statement, column)};
        case SQLITE_FLOAT:
            return sqlite3_column_double(statement, column);
        case SQLITE_TEXT: {
            const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
            const auto bytes = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
            return text == nullptr ? std::string() : std::string(text, bytes);
        }
        case SQLITE_BLOB: {
            const auto* const bytes = static_cast<const unsigned char*>(sqlite3_column_blob(statement, column));
            std::string text = "x'";
            for (int i = 0; i < sqlite3_column_bytes(statement, column); ++i) text += fmt::format("{:02x}", bytes[i]);
            return text + "'";
        }
        default:
            return {};
    }
}

std::uint64_t bytes_of(const ResultCell& cell) {
    const auto* const text = std::get_if<std::string>(&cell);
    return sizeof cell + (text ? text->size() : 0);
}

// Infinities are texts: tables and JSON have no such number. SQLite makes NULL of what is no number.
bool is_infinite(const ResultCell& cell) {
    const auto* const number = std::get_if<double>(&cell);
    return number && !std::isfinite(*number);
}

// The unit that all cells of a column fit: whole numbers, numbers, else texts.
Unit common_unit(const ResultColumn& column) {
    constexpr std::int64_t kExact = std::int64_t{1} << 53;
    bool any_real = false, any_large = false, any = false;
    for (const ResultCell& cell : column.cells) {
        if (std::holds_alternative<std::string>(cell) || is_infinite(cell)) return Unit::Text;
        any = any || !std::holds_alternative<std::monostate>(cell);
        any_real = any_real || std::holds_alternative<double>(cell);
        const auto* const integer = std::get_if<std::int64_t>(&cell);
        any_large = any_large || (integer != nullptr && (*integer > kExact || *integer < -kExact));
    }
    if (any_real && any_large) return Unit::Text;
    if (!any) return Unit::Text;
    return any_real ? Unit::Number : Unit::Count;
}

// Ids and numbers of steps and streams print without commas.
bool is_number_of_something(Unit unit) { return unit == Unit::Event || unit == Unit::Step || unit == Unit::Stream; }

bool keeps_unit(Unit declared, Unit common) {
    if (declared == Unit::Rank || declared == Unit::Text) return false;  // plain numbers, as SQL sees them
    return is_integer(declared) ? common == Unit::Count : common == Unit::Number;
}

Cell fitted(const ResultCell& cell, Unit unit, std::string& text) {
    if (std::holds_alternative<std::monostate>(cell)) return {};
    const auto* const integer = std::get_if<std::int64_t>(&cell);
    const auto* const number = std::get_if<double>(&cell);
    if (unit == Unit::Text) {
        if (const auto* const held = std::get_if<std::string>(&cell)) return std::string_view(*held);
        if (is_infinite(cell)) return std::string_view(*number < 0 ? "-inf" : "inf");
        text = integer ? std::to_string(*integer) : shortest_text(*number);
        return std::string_view(text);
    }
    if (is_integer(unit)) return *integer;
    return integer ? static_cast<double>(*integer) : *number;
}

Table make_table(const std::vector<ResultColumn>& columns, bool with_units) {
    std::vector<Column> described;
    for (const ResultColumn& column : columns) {
        Unit unit = common_unit(column);
        const bool wanted = column.unit && (with_units || is_number_of_something(*column.unit));
        if (wanted && keeps_unit(*column.unit, unit)) unit = *column.unit;
        described.push_back({column.name, unit, Role::Info});
    }
    Table table(described);
    std::vector<std::string> texts(columns.size());
    std::vector<Cell> row(columns.size());
    for (std::size_t i = 0; !columns.empty() && i < columns[0].cells.size(); ++i) {
        for (std::size_t c = 0; c < columns.size(); ++c)
            row[c] = fitted(columns[c].cells[i], described[c].unit, texts[c]);
        table.add_row(row);
    }
    return table;
}

// Numbers of columns that the table has as texts.
NumberCells find_numbers(const std::vector<ResultColumn>& columns, const Table& table) {
    NumberCells numbers(columns.size());
    for (std::size_t c = 0; c < columns.size(); ++c) {
        if (table.columns()[c].unit != Unit::Text) continue;
        for (const ResultCell& cell : columns[c].cells)
            numbers[c].push_back(std::holds_alternative<std::int64_t>(cell) ||
                                 (std::holds_alternative<double>(cell) && !is_infinite(cell)));
    }
    return numbers;
}

std::vector<ResultColumn> describe_columns(sqlite3_stmt* statement) {
    std::vector<ResultColumn> columns;
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
        const char* const name = sqlite3_column_name(statement, i);
        const char* const declared = sqlite3_column_decltype(statement, i);
        columns.push_back({name ? name : "", declared ? unit_of_declaration(declared) : std::nullopt, {}});
    }
    return columns;
}

Error explain_stop(int status, sqlite3* connection, const SqlLimits& limits, const Deadline& deadline) {
    if (deadline.has_passed())
        return Error{ErrorCode::Internal,
                     fmt::format("query: stopped after {} ms: allow more with --timeout, or ask for fewer rows",
                                 limits.time.count())};
    if ((status & 0xFF) == SQLITE_INTERRUPT) return cancelled_error();
    if ((status & 0xFF) == SQLITE_NOMEM)
        return Error{ErrorCode::Internal,
                     fmt::format("query: needs more than {} MiB to sort and group: allow more with "
                                 "--memory, or ask for fewer rows",
                                 limits.memory_bytes >> 20)};
    return bad_input(std::string("query: ") + sqlite3_errmsg(connection));
}

}  // namespace

std::vector<std::string> sql_words() {
    std::vector<std::string> words = table_words();
    const auto add_columns = [&](const std::vector<SqlTable>& tables) {
        for (const SqlTable& table : tables)
            for (const SqlColumn& column : table.columns)
                if (column.push != SqlPush::Argument) words.push_back(column.name);
    };
    add_columns(sql_tables());
    add_columns(analysis_tables());
    std::ranges::sort(words);
    words.erase(std::unique(words.begin(), words.end()), words.end());
    return words;
}

Result<SqlAnswer> run_sql(const Run& run, const Filter& filter, std::string_view query, const SqlOptions& options,
                          const JobContext& job) {
    const SqliteMemoryLimit memory(options.limits.memory_bytes);
    const Deadline deadline(job.stop, options.limits.time);
    SqlContext context;
    context.run = &run;
    context.filter = &filter;
    context.threads = options.threads;
    context.job = job;
    context.job.stop = deadline.token();
    const Result<std::unique_ptr<SqlConnection>> connection = SqlConnection::open(context);
    if (!connection) return connection.error();
    sqlite3* const database = (*connection)->get();
    (*connection)->allow_reading_only();
    Statement statement;
    if (const Result<bool> prepared = prepare(database, std::string(query), statement); !prepared)
        return job.cancelled() ? cancelled_error() : prepared.error();
    std::vector<ResultColumn> columns = describe_columns(statement.get());
    Statement of_totals;
    const std::optional<std::string> other = options.use_totals ? query_of_totals(query) : std::nullopt;
    const bool is_rewritten = other && prepare(database, *other, of_totals) &&
                              static_cast<std::size_t>(sqlite3_column_count(of_totals.get())) == columns.size();
    sqlite3_stmt* const running = is_rewritten ? of_totals.get() : statement.get();
    std::uint64_t bytes = 0;
    int status = SQLITE_OK;
    while ((status = sqlite3_step(running)) == SQLITE_ROW) {
        for (std::size_t c = 0; c < columns.size(); ++c) {
            columns[c].cells.push_back(cell_of(running, static_cast<int>(c)));
            bytes += bytes_of(columns[c].cells.back());
        }
        if (bytes > options.limits.result_bytes)
            return Error{ErrorCode::Internal,
                         fmt::format("query: the result is larger than {} MiB: add LIMIT, or sum up "
                                     "by GROUP BY",
                                     options.limits.result_bytes >> 20)};
        if (context.job.cancelled()) {
            status = SQLITE_INTERRUPT;
            break;
        }
    }
    if (context.job.cancelled()) status = SQLITE_INTERRUPT;  // a table that was not finished looks empty
    if (status != SQLITE_DONE) return explain_stop(status, database, options.limits, deadline);
    Table table = make_table(columns, options.with_units);
    NumberCells numbers = find_numbers(columns, table);
    return SqlAnswer{.table = std::move(table),
                     .numbers = std::move(numbers),
                     .examined = context.examined,
                     .from_totals = is_rewritten};
}

Result<bool> check_sql(std::string_view query) {
    RunParts nothing;
    nothing.names = std::make_shared<InternedNames>();
    const Run run(std::move(nothing));
    const Filter filter;
    SqlContext context;
    context.run = &run;
    context.filter = &filter;
    const Result<std::unique_ptr<SqlConnection>> connection = SqlConnection::open(context);
    if (!connection) return connection.error();
    (*connection)->allow_reading_only();
    Statement statement;
    return prepare((*connection)->get(), std::string(query), statement);
}

}  // namespace core
