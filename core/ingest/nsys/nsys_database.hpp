#pragma once
// An Nsight Systems export as tables by their plain names, and its texts by id. Versions of the schema differ in names
// (`_V2`, `_V3`), columns and tables: what is missing reads as absent.

#include "core/ingest/sqlite/sqlite_tables.hpp"

#include <functional>
#include <string_view>

namespace core {

class NsysDatabase {
public:
    static Result<std::unique_ptr<NsysDatabase>> open(const std::filesystem::path& path, const JobContext& job);

    bool has(std::string_view table) const { return !resolve(table).empty(); }
    // The table in the file: of this name, else with the highest suffix _V2, _V3, …; empty if there is none.
    std::string resolve(std::string_view table) const;
    // As SqliteTables::visit.
    bool visit(std::string_view table, std::span<const std::string_view> columns,
               const std::function<bool(const SqliteRows&)>& visit) {
        return tables_->visit(resolve(table), columns, visit);
    }
    // As SqliteTables::each.
    bool each(std::string_view table, std::span<const std::string_view> columns, const JobContext& job,
              const std::function<void(const SqliteRows&)>& read) {
        return tables_->each(resolve(table), columns, job, read);
    }
    bool has_column(std::string_view table, std::string_view column) {
        return tables_->has_column(resolve(table), column);
    }
    // A text of StringIds, as valid UTF-8; empty if there is none.
    std::string_view text(std::int64_t id) { return texts_.find(id); }
    std::uint64_t rows_read() const { return tables_->rows_read(); }
    const std::vector<std::string>& table_names() const { return tables_->names(); }
    Diagnostics& diagnostics() { return tables_->diagnostics(); }
    // Valid UTF-8 of a text; counts repairs.
    std::string_view repaired(std::string_view text, std::string& scratch) { return tables_->repaired(text, scratch); }

private:
    explicit NsysDatabase(std::unique_ptr<SqliteTables> tables);

    std::unique_ptr<SqliteTables> tables_;
    SqliteTexts texts_;
};

}  // namespace core
