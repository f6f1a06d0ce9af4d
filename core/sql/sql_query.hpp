#pragma once
// Runs one SQL query over a run. It only reads: nothing but SELECT passes, and no file, pragma or extension is within
// reach. Time, memory and the size of the result are limited, and a cancelled job stops it.

#include "core/export/json.hpp"
#include "core/sql/sql_table.hpp"

#include <chrono>

namespace core {

struct SqlLimits {
    std::chrono::milliseconds time{0};                        // 0: none
    std::uint64_t memory_bytes = std::uint64_t{1} << 30;      // of SQLite, for sorting and grouping; of the process
    std::uint64_t result_bytes = std::uint64_t{512} << 20;
};

struct SqlOptions {
    SqlLimits limits{};
    unsigned threads = 1;      // of analyses
    bool use_totals = true;    // sums by name are taken from event_totals
    bool with_units = false;   // columns that are columns of a table keep its unit; others are counts and numbers
};

struct SqlAnswer {
    // A column of several types is one of texts; so is one with infinities, which are "inf" and "-inf".
    Table table;
    NumberCells numbers{};       // of columns of several types
    std::uint64_t examined = 0;  // rows that tables looked at
    bool from_totals = false;    // instead of from the events
};

// Errors name the place in the query: "line 2, column 8: no such column: durr; did you mean dur?".
Result<SqlAnswer> run_sql(const Run&, const Filter&, std::string_view query, const SqlOptions&, const JobContext&);
// The same errors as far as they can be found without a run.
Result<bool> check_sql(std::string_view query);

// Names that a query can use, for completion and hints: tables, functions of analyses, their columns.
std::vector<std::string> sql_words();

}  // namespace core
