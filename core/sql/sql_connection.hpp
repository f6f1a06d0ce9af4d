#pragma once
// A SQLite connection over the tables of a run, as one query needs it: in memory, its work limited, reading only.

#include "core/sql/sql_query.hpp"

#include <memory>
#include <string>

struct sqlite3;

namespace core {

// A job's stop and a deadline in one.
class Deadline {
public:
    Deadline(const std::stop_token& outer, std::chrono::milliseconds time);
    ~Deadline();
    Deadline(const Deadline&) = delete;
    Deadline& operator=(const Deadline&) = delete;
    std::stop_token token() const;
    bool has_passed() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

// While it lives, all connections of the process together may use so much memory. The smallest of several counts.
class SqliteMemoryLimit {
public:
    explicit SqliteMemoryLimit(std::uint64_t bytes);
    ~SqliteMemoryLimit();
    SqliteMemoryLimit(const SqliteMemoryLimit&) = delete;
    SqliteMemoryLimit& operator=(const SqliteMemoryLimit&) = delete;

private:
    std::uint64_t bytes_;
};

class SqlConnection {
public:
    // Context must outlive it. `file`: a database to write into, opened as it is; empty: none. Tables have the prefix.
    static Result<std::unique_ptr<SqlConnection>> open(SqlContext& context, const std::string& file = {},
                                                       std::string_view prefix = {});
    ~SqlConnection();
    SqlConnection(const SqlConnection&) = delete;
    SqlConnection& operator=(const SqlConnection&) = delete;

    sqlite3* get() const { return connection_; }
    void allow_reading_only();

private:
    SqlConnection() = default;
    sqlite3* connection_ = nullptr;
    std::vector<SqlTable> analyses_;
};

}  // namespace core
