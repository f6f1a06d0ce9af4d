#pragma once
// Writes the tables of SQL as a plain SQLite database, for DuckDB, pandas and Grafana to read.

#include "core/base/output_file.hpp"
#include "core/sql/sql_table.hpp"

#include <filesystem>

namespace core {

struct SqliteExport {
    std::vector<std::string> tables{};  // empty: all but the functions of analyses, and findings
    unsigned threads = 1;
    InputFiles inputs{};  // never overwritten
};
struct ExportedTable {
    std::string name;
    std::uint64_t rows = 0;
};

// Names that SqliteExport::tables may have; NotFound-like errors name the nearest one.
Result<bool> check_exported_tables(const std::vector<std::string>& tables);

// Table `selection` has the rows that pass the filter, and is left out where the filter is empty unless it is asked
// for. The target appears when it is complete. A table `run` says what it was made of. Progress counts tables.
Result<std::vector<ExportedTable>> export_sqlite(const Run&, const Filter&, const std::filesystem::path& target,
                                                 const SqliteExport&, const JobContext&);

}  // namespace core
