#pragma once
// instr, replace, trim, ltrim and rtrim as SQLite has them, but stopped by a deadline: SQLite's own take quadratic time
// for long texts and ask nobody meanwhile.

#include "core/base/jobs.hpp"
#include "core/base/result.hpp"

struct sqlite3;

namespace core {

// The job outlives the connection.
Result<bool> add_bounded_functions(sqlite3* connection, const JobContext& job);

}  // namespace core
