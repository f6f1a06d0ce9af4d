#pragma once
// Offers tables to a SQLite connection as virtual tables that exist by themselves, without a CREATE.

#include "core/sql/sql_table.hpp"

struct sqlite3;

namespace core {

// `prefix` comes before the name. Table and context must outlive the connection.
Result<bool> add_sqlite_module(sqlite3* connection, const SqlTable& table, SqlContext& context,
                               std::string_view prefix = {});
// The unit of a column declared by such a table: "INTEGER U3"; absent for other texts.
std::optional<Unit> unit_of_declaration(std::string_view declaration);
// A name between double quotes.
std::string quoted_sql_name(std::string_view name);
// "INTEGER", "REAL", "TEXT"; empty for any.
std::string_view type_of(const SqlColumn&);

}  // namespace core
