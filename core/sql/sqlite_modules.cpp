#include "core/sql/sqlite_modules.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <span>

namespace core {
namespace {

struct SqliteModule {
    const SqlTable* table;
    SqlContext* context;
};

struct SqliteTable : sqlite3_vtab {
    SqliteTable(const SqlTable& its_table, SqlContext& its_context)
        : sqlite3_vtab{}, table(&its_table), context(&its_context) {}
    const SqlTable* table;
    SqlContext* context;
};

struct SqliteCursor : sqlite3_vtab_cursor {
    SqliteCursor() : sqlite3_vtab_cursor{} {}
    SqlScanPtr scan;
};

SqliteTable& table_of(sqlite3_vtab* table) { return *static_cast<SqliteTable*>(table); }
SqliteCursor& cursor_of(sqlite3_vtab_cursor* cursor) { return *static_cast<SqliteCursor*>(cursor); }

int set_error(sqlite3_vtab& table, const std::string& message) {
    sqlite3_free(table.zErrMsg);
    table.zErrMsg = sqlite3_mprintf("%s", message.c_str());
    return SQLITE_ERROR;
}

// Exceptions must not pass through SQLite.
template <class Body>
int guarded(sqlite3_vtab& table, const Body& body) {
    try {
        return body();
    } catch (const std::bad_alloc&) {
        return SQLITE_NOMEM;
    } catch (const std::exception& error) {
        return set_error(table, error.what());
    }
}

int report(SqliteCursor& cursor) {
    const std::optional<Error>& failure = cursor.scan->failure();
    if (!failure) return SQLITE_OK;
    if (failure->code == ErrorCode::Cancelled) return SQLITE_INTERRUPT;
    return set_error(*cursor.pVtab, failure->message);
}

std::string declare(const SqlTable& table) {
    std::string text = "CREATE TABLE x(";
    for (const SqlColumn& column : table.columns) {
        if (&column != table.columns.data()) text += ", ";
        text += quoted_sql_name(column.name);
        if (!column.any_type)
            text += " " + std::string(type_of(column)) + " U" + std::to_string(static_cast<int>(column.unit));
        if (column.push == SqlPush::Argument) text += " HIDDEN";
    }
    return text + ")";
}

int connect(sqlite3* connection, void* data, int, const char* const*, sqlite3_vtab** table, char** message) {
    const auto& module = *static_cast<SqliteModule*>(data);
    try {
        if (const int status = sqlite3_declare_vtab(connection, declare(*module.table).c_str()); status != SQLITE_OK) {
            *message = sqlite3_mprintf("%s", sqlite3_errmsg(connection));
            return status;
        }
        *table = new SqliteTable(*module.table, *module.context);
        return SQLITE_OK;
    } catch (const std::bad_alloc&) {
        return SQLITE_NOMEM;
    }
}

int disconnect(sqlite3_vtab* table) {
    delete static_cast<SqliteTable*>(table);
    return SQLITE_OK;
}

// One letter per bound in the plan's text, then the column: "=3,<4". `?` is IS, `@` a list at once.
char letter_of(unsigned char op) {
    switch (op) {
        case SQLITE_INDEX_CONSTRAINT_EQ:
            return '=';
        case SQLITE_INDEX_CONSTRAINT_IS:
            return '?';
        case SQLITE_INDEX_CONSTRAINT_LT:
            return '<';
        case SQLITE_INDEX_CONSTRAINT_LE:
            return '(';
        case SQLITE_INDEX_CONSTRAINT_GT:
            return '>';
        case SQLITE_INDEX_CONSTRAINT_GE:
            return ')';
        case SQLITE_INDEX_CONSTRAINT_LIKE:
            return '~';
        case SQLITE_INDEX_CONSTRAINT_GLOB:
            return '*';
        default:
            return 0;
    }
}

bool is_pushed(SqlPush push, char letter) {
    switch (push) {
        case SqlPush::Equal:
            return letter == '=' || letter == '?';
        case SqlPush::Range:
            return std::strchr("=?<()>", letter) != nullptr;
        case SqlPush::Text:
            return std::strchr("=?~*", letter) != nullptr;
        case SqlPush::Argument:
            return letter == '=';
        case SqlPush::None:
            break;
    }
    return false;
}

// Share of the rows that passes; only the order of these matters.
double share_of(char letter, const SqlColumn& column, double rows) {
    if (column.unit == Unit::Event || column.name == "id" || column.name == "collective")
        return 4 / std::max(rows, 4.0);
    if (letter != '=' && letter != '?') return 0.3;
    return column.push == SqlPush::Text ? 0.02 : 0.15;
}

int choose_plan(sqlite3_vtab* vtab, sqlite3_index_info* info) {
    SqliteTable& its = table_of(vtab);
    return guarded(*vtab, [&] {
        const SqlTable& table = *its.table;
        std::string plan;
        double rows = std::max(table.rows(*its.context->run), 1.0);
        const double all_rows = rows;
        int arguments = 0;
        bool is_unique = false;
        for (int i = 0; i < info->nConstraint; ++i) {
            const auto& constraint = info->aConstraint[i];
            const int number = constraint.iColumn < 0 && table.has_id ? 0 : constraint.iColumn;
            if (number < 0) continue;
            const SqlColumn& column = table.columns[static_cast<std::size_t>(number)];
            char letter = letter_of(constraint.op);
            if (column.push == SqlPush::Argument && constraint.op == SQLITE_INDEX_CONSTRAINT_EQ && !constraint.usable)
                return SQLITE_CONSTRAINT;
            if (!constraint.usable || letter == 0 || !is_pushed(column.push, letter)) continue;
            const bool is_text = type_of(column) == "TEXT" && column.push != SqlPush::Argument;
            if (is_text && std::strcmp(sqlite3_vtab_collation(info, i), "BINARY") != 0 && letter != '~') continue;
            if (letter == '=' && column.push != SqlPush::Argument && sqlite3_vtab_in(info, i, -1) != 0) {
                sqlite3_vtab_in(info, i, 1);
                letter = '@';
            }
            info->aConstraintUsage[i].argvIndex = ++arguments;
            info->aConstraintUsage[i].omit = column.push == SqlPush::Argument ? 1 : 0;
            plan += letter + std::to_string(number) + ",";
            rows *= share_of(letter == '@' ? '=' : letter, column, all_rows);
            is_unique = is_unique || (table.has_id && number == 0 && letter == '=');
        }
        if (is_unique) rows = 1;
        info->idxStr = sqlite3_mprintf("%s", plan.c_str());
        if (info->idxStr == nullptr) return SQLITE_NOMEM;
        info->needToFreeIdxStr = 1;
        info->estimatedRows = static_cast<sqlite3_int64>(std::min(std::max(rows, 1.0), 1e15));
        info->estimatedCost = is_unique ? 2 : rows + 10;
        if (is_unique) info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
        const bool by_id =
            info->nOrderBy == 1 && info->aOrderBy[0].desc == 0 && table.by_id && info->aOrderBy[0].iColumn <= 0;
        info->orderByConsumed = by_id ? 1 : 0;
        return SQLITE_OK;
    });
}

// Bound that a number without a decimal point must meet for the comparison to hold; absent: the bound says nothing.
struct WholeBound {
    SqlOp op;
    std::optional<std::int64_t> value;  // absent: nothing passes
};

WholeBound round_bound(SqlOp op, double number) {
    constexpr double kMost = 9.2e18;
    if (std::isnan(number)) return {op, std::nullopt};
    const double low = std::clamp(std::floor(number), -kMost, kMost);
    const auto whole = static_cast<std::int64_t>(low);
    const bool has_fraction = low != number;
    switch (op) {
        case SqlOp::Equal:
            return {op, has_fraction ? std::nullopt : std::optional(whole)};
        case SqlOp::Less:
        case SqlOp::AtMost:
            return {SqlOp::AtMost, whole};
        default:
            return {SqlOp::AtLeast, whole};
    }
}

std::optional<SqlOp> op_of(char letter) {
    switch (letter) {
        case '=':
        case '?':
        case '@':
            return SqlOp::Equal;
        case '<':
            return SqlOp::Less;
        case '(':
            return SqlOp::AtMost;
        case '>':
            return SqlOp::More;
        case ')':
            return SqlOp::AtLeast;
        case '~':
            return SqlOp::Like;
        case '*':
            return SqlOp::Glob;
        default:
            return std::nullopt;
    }
}

constexpr int kLongestPattern = 256;

// Adds a value to a bound; false: the bound says nothing and is dropped.
bool add_value(SqlBound& bound, const SqlColumn& column, sqlite3_value* value) {
    int type = sqlite3_value_type(value);
    const bool is_argument = column.push == SqlPush::Argument;
    if (type == SQLITE_NULL) return true;
    if (type_of(column) == "TEXT" && !is_argument) {
        if (type != SQLITE_TEXT) return false;
        const auto* const text = reinterpret_cast<const char*>(sqlite3_value_text(value));
        const int bytes = sqlite3_value_bytes(value);
        if (bound.op != SqlOp::Equal && bytes > kLongestPattern) return false;
        if (text == nullptr) return false;
        bound.values.emplace_back(std::string(text, static_cast<std::size_t>(bytes)));
        return true;
    }
    if (!is_argument && type == SQLITE_TEXT) type = sqlite3_value_numeric_type(value);
    if (type == SQLITE_INTEGER) {
        bound.values.emplace_back(std::int64_t{sqlite3_value_int64(value)});
        return true;
    }
    if (type == SQLITE_FLOAT && !is_argument) {
        const WholeBound whole = round_bound(bound.op, sqlite3_value_double(value));
        bound.op = whole.op;
        if (whole.value) bound.values.emplace_back(*whole.value);
        return true;
    }
    if (!is_argument) return false;
    const auto* const text = reinterpret_cast<const char*>(sqlite3_value_text(value));
    if (text == nullptr) return false;
    bound.values.emplace_back(std::string(text, static_cast<std::size_t>(sqlite3_value_bytes(value))));
    return true;
}

SqlBounds read_plan(const SqlTable& table, std::string_view plan, std::span<sqlite3_value*> values) {
    SqlBounds bounds;
    for (sqlite3_value* const value : values) {
        const char letter = plan[0];
        const std::size_t end = plan.find(',');
        SqlBound bound;
        std::from_chars(plan.data() + 1, plan.data() + end, bound.column);
        plan.remove_prefix(end + 1);
        bound.op = op_of(letter).value_or(SqlOp::Equal);
        const SqlColumn& column = table.columns[bound.column];
        bool says = true;
        if (letter == '@') {
            sqlite3_value* one = nullptr;
            for (int status = sqlite3_vtab_in_first(value, &one); status == SQLITE_OK && one != nullptr;
                 status = sqlite3_vtab_in_next(value, &one))
                says = add_value(bound, column, one) && says;
        } else {
            says = !(letter == '?' && sqlite3_value_type(value) == SQLITE_NULL) && add_value(bound, column, value);
        }
        if (says) bounds.push_back(std::move(bound));
    }
    return bounds;
}

int open_cursor(sqlite3_vtab*, sqlite3_vtab_cursor** cursor) {
    *cursor = new (std::nothrow) SqliteCursor;
    return *cursor != nullptr ? SQLITE_OK : SQLITE_NOMEM;
}

int close_cursor(sqlite3_vtab_cursor* cursor) {
    delete static_cast<SqliteCursor*>(cursor);
    return SQLITE_OK;
}

int start_scan(sqlite3_vtab_cursor* base, int, const char* plan, int count, sqlite3_value** values) {
    SqliteCursor& cursor = cursor_of(base);
    return guarded(*base->pVtab, [&] {
        SqliteTable& its = table_of(base->pVtab);
        const std::span<sqlite3_value*> all(values, static_cast<std::size_t>(count));
        cursor.scan = its.table->open(*its.context, read_plan(*its.table, plan ? plan : "", all));
        return report(cursor);
    });
}

int next_row(sqlite3_vtab_cursor* base) {
    SqliteCursor& cursor = cursor_of(base);
    return guarded(*base->pVtab, [&] {
        cursor.scan->next();
        return report(cursor);
    });
}

int is_at_end(sqlite3_vtab_cursor* base) {
    const SqliteCursor& cursor = cursor_of(base);
    return !cursor.scan || cursor.scan->done() ? 1 : 0;
}

int give_id(sqlite3_vtab_cursor* base, sqlite3_int64* id) {
    *id = cursor_of(base).scan->id();
    return SQLITE_OK;
}

int give_cell(sqlite3_vtab_cursor* base, sqlite3_context* to, int column) {
    SqliteCursor& cursor = cursor_of(base);
    return guarded(*base->pVtab, [&] {
        const SqliteTable& its = table_of(base->pVtab);
        const Cell cell = cursor.scan->cell(static_cast<std::size_t>(column));
        if (const auto* const integer = std::get_if<std::int64_t>(&cell)) {
            sqlite3_result_int64(to, *integer);
        } else if (const auto* const number = std::get_if<double>(&cell)) {
            sqlite3_result_double(to, *number);
        } else if (const auto* const text = std::get_if<std::string_view>(&cell)) {
            const char* const begin = text->empty() ? "" : text->data();
            sqlite3_result_text64(to, begin, text->size(), its.table->keeps_texts ? SQLITE_STATIC : SQLITE_TRANSIENT,
                                  SQLITE_UTF8);
        } else {
            sqlite3_result_null(to);
        }
        return SQLITE_OK;
    });
}

constexpr sqlite3_module make_module() {
    sqlite3_module module{};
    module.iVersion = 1;
    module.xConnect = connect;  // without xCreate the table exists by itself
    module.xBestIndex = choose_plan;
    module.xDisconnect = disconnect;
    module.xDestroy = disconnect;
    module.xOpen = open_cursor;
    module.xClose = close_cursor;
    module.xFilter = start_scan;
    module.xNext = next_row;
    module.xEof = is_at_end;
    module.xColumn = give_cell;
    module.xRowid = give_id;
    return module;
}
constexpr sqlite3_module kSqliteModule = make_module();

}  // namespace

std::string_view type_of(const SqlColumn& column) {
    if (column.any_type) return {};
    if (column.unit == Unit::Text) return "TEXT";
    return is_integer(column.unit) ? "INTEGER" : "REAL";
}

std::string quoted_sql_name(std::string_view name) {
    std::string text = "\"";
    for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
    return text + "\"";
}

std::optional<Unit> unit_of_declaration(std::string_view declaration) {
    const std::size_t at = declaration.rfind(" U");
    if (at == std::string_view::npos) return std::nullopt;
    int unit = 0;
    const auto [end, error] =
        std::from_chars(declaration.data() + at + 2, declaration.data() + declaration.size(), unit);
    if (error != std::errc() || end != declaration.data() + declaration.size()) return std::nullopt;
    if (unit < 0 || unit > static_cast<int>(Unit::FlopPerByte)) return std::nullopt;
    return static_cast<Unit>(unit);
}

Result<bool> add_sqlite_module(sqlite3* connection, const SqlTable& table, SqlContext& context,
                               std::string_view prefix) {
    const std::string name = std::string(prefix) + table.name;
    const int status =
        sqlite3_create_module_v2(connection, name.c_str(), &kSqliteModule, new SqliteModule{&table, &context},
                                 [](void* module) { delete static_cast<SqliteModule*>(module); });
    if (status == SQLITE_OK) return true;
    return Error{ErrorCode::Internal, "table " + name + ": " + sqlite3_errstr(status)};
}

}  // namespace core
