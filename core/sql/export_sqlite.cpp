#include "core/sql/export_sqlite.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "core/base/nearest.hpp"
#include "core/query/filter_text.hpp"
#include "core/sql/sql_connection.hpp"
#include "core/sql/sqlite_modules.hpp"

#include <sqlite3.h>

#include <algorithm>

namespace core {
namespace {

constexpr std::string_view kReadPrefix = "lockstep_read_";
constexpr int kExportSchema = 1;

std::string type_in_file(const SqlTable& table, const SqlColumn& column) {
    if (table.has_id && &column == table.columns.data()) return " INTEGER PRIMARY KEY";
    return type_of(column).empty() ? "" : " " + std::string(type_of(column));
}

std::string creation_of(const SqlTable& table) {
    std::string text;
    for (const SqlColumn& column : table.columns)
        if (column.push != SqlPush::Argument)
            text += (text.empty() ? "" : ", ") + quoted_sql_name(column.name) + type_in_file(table, column);
    return "CREATE TABLE " + quoted_sql_name(table.name) + "(" + text + ")";
}

std::string copy_of(const SqlTable& table) {
    std::string columns;
    for (const SqlColumn& column : table.columns)
        if (column.push != SqlPush::Argument) columns += (columns.empty() ? "" : ", ") + quoted_sql_name(column.name);
    return "INSERT INTO " + quoted_sql_name(table.name) + "(" + columns + ") SELECT " + columns + " FROM " +
           quoted_sql_name(std::string(kReadPrefix) + table.name);
}

class SqliteWriter {
public:
    SqliteWriter(sqlite3* database, const std::filesystem::path& target, const JobContext& job)
        : database_(database), target_(target), job_(job) {}

    bool run(const std::string& text) {
        if (error_) return false;
        const int status = sqlite3_exec(database_, text.c_str(), nullptr, nullptr, nullptr);
        if (status == SQLITE_OK && !job_.cancelled()) return true;
        error_ = job_.cancelled() || (status & 0xFF) == SQLITE_INTERRUPT
                     ? cancelled_error()
                     : Error{ErrorCode::Io, target_.string() + ": cannot write: " + sqlite3_errmsg(database_)};
        return false;
    }
    void write_fact(std::string_view key, const std::string& value) {
        char* const text = sqlite3_mprintf("INSERT INTO run VALUES(%Q, %Q)", std::string(key).c_str(), value.c_str());
        if (text != nullptr) run(text);
        sqlite3_free(text);
    }
    std::uint64_t changes() const { return static_cast<std::uint64_t>(sqlite3_changes64(database_)); }
    const std::optional<Error>& error() const { return error_; }

private:
    sqlite3* database_;
    const std::filesystem::path& target_;
    const JobContext& job_;
    std::optional<Error> error_;
};

std::vector<const SqlTable*> choose_tables(const std::vector<SqlTable>& analyses,
                                           const std::vector<std::string>& wanted, const Filter& filter) {
    std::vector<const SqlTable*> chosen;
    const auto add = [&](const SqlTable& table, bool by_itself) {
        const bool is_named = std::ranges::find(wanted, table.name) != wanted.end();
        if (wanted.empty() ? by_itself : is_named) chosen.push_back(&table);
    };
    for (const SqlTable& table : sql_tables()) add(table, table.name != "selection" || !filter.empty());
    for (const SqlTable& table : analyses) add(table, table.name == "findings");
    return chosen;
}

}  // namespace

Result<bool> check_exported_tables(const std::vector<std::string>& tables) {
    std::vector<std::string> names;
    for (const SqlTable& table : sql_tables()) names.push_back(table.name);
    for (const Analysis& analysis : all_analyses()) names.push_back(sql_name(analysis));
    const std::vector<std::string_view> known(names.begin(), names.end());
    for (const std::string& table : tables)
        if (std::ranges::find(known, table) == known.end())
            return bad_input("no table '" + table + "'" + nearest_hint(table, known));
    return true;
}

Result<std::vector<ExportedTable>> export_sqlite(const Run& run, const Filter& filter,
                                                 const std::filesystem::path& target, const SqliteExport& options,
                                                 const JobContext& job) {
    if (Result<bool> known = check_exported_tables(options.tables); !known) return std::move(known).error();
    Result<OutputFile> file = OutputFile::create(target, {.inputs = options.inputs});
    if (!file) return std::move(file).error();
    const std::filesystem::path written = file->uncommitted_path();
    if (written.empty()) return bad_input(target.string() + ": a database can only be written to a file");
    std::vector<ExportedTable> done;
    {
        SqlContext context;
        context.run = &run;
        context.filter = &filter;
        context.threads = options.threads;
        context.job = {job.stop, nullptr};
        const Result<std::unique_ptr<SqlConnection>> connection =
            SqlConnection::open(context, written.string(), kReadPrefix);
        if (!connection) return connection.error();
        const std::vector<SqlTable> analyses = analysis_tables();
        const std::vector<const SqlTable*> chosen = choose_tables(analyses, options.tables, filter);
        if (job.progress) job.progress->total = chosen.size();
        SqliteWriter writer((*connection)->get(), target, job);
        writer.run("BEGIN");
        writer.run("CREATE TABLE run(key TEXT PRIMARY KEY, value TEXT)");
        writer.write_fact("schema", std::to_string(kExportSchema));
        writer.write_fact("version", LOCKSTEP_VERSION);
        writer.write_fact("run", run.name());
        writer.write_fact("filter", format_filter(filter));
        for (const SqlTable* const table : chosen) {
            if (!writer.run(creation_of(*table)) || !writer.run(copy_of(*table))) break;
            done.push_back({table->name, writer.changes()});
            if (job.progress) ++job.progress->done;
        }
        writer.run("COMMIT");
        if (writer.error()) return *writer.error();
    }
    if (const Result<std::uint64_t> committed = file->commit(); !committed) return committed.error();
    return done;
}

}  // namespace core
