#pragma once
// Tables and answers of SQL as texts: the list of tables for the terminal and for docs/sql.md, an answer as JSON.

#include "core/export/json.hpp"
#include "core/sql/sql_query.hpp"

namespace core {

// One row per table and column: name, type, unit, meaning. A header, then the rows.
std::string list_sql_tables(std::size_t most_columns = 0);
// A section of markdown per table, and one with the functions of analyses.
std::string document_sql_tables();
// The envelope of an analysis, with the query in place of the analysis.
std::string sql_to_json(const Run&, const Filter&, std::string_view query, const SqlAnswer&, const JsonOrigin& = {});

}  // namespace core
