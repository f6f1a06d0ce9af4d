#include "core/sql/sql_connection.hpp"

#include "core/sql/bounded_functions.hpp"
#include "core/sql/sqlite_modules.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

namespace core {
namespace {

constexpr int kOperationsBetweenChecks = 4096;
constexpr int kLongestText = 64 << 20;
constexpr int kLongestQuery = 1 << 20;
constexpr int kLongestLikePattern = 256;

// Extensions run foreign code; patching takes quadratic time, which no deadline stops.
constexpr const char* kDeniedFunctions[] = {"load_extension", "json_patch"};

int stop_if_asked(void* data) { return static_cast<const SqlContext*>(data)->job.cancelled() ? 1 : 0; }

int authorize(void*, int action, const char* first, const char* name, const char*, const char*) {
    switch (action) {
        case SQLITE_SELECT:
        case SQLITE_RECURSIVE:
            return SQLITE_OK;
        case SQLITE_READ:  // pragmas are tables too
            return first != nullptr && sqlite3_strnicmp(first, "pragma_", 7) == 0 ? SQLITE_DENY : SQLITE_OK;
        case SQLITE_FUNCTION:
            return name != nullptr &&
                           std::ranges::any_of(kDeniedFunctions,
                                               [&](const char* denied) { return sqlite3_stricmp(name, denied) == 0; })
                       ? SQLITE_DENY
                       : SQLITE_OK;
        case SQLITE_UPDATE:  // asked where a virtual table is first used; a query may not touch the schema anyway
            return first != nullptr && sqlite3_stricmp(first, "sqlite_master") == 0 ? SQLITE_OK : SQLITE_DENY;
        default:
            return SQLITE_DENY;
    }
}

void set_limits(sqlite3* connection) {
    sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, kLongestText);
    sqlite3_limit(connection, SQLITE_LIMIT_SQL_LENGTH, kLongestQuery);
    sqlite3_limit(connection, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, kLongestLikePattern);
    sqlite3_limit(connection, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(connection, SQLITE_LIMIT_WORKER_THREADS, 0);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
}

std::mutex& memory_mutex() {
    static std::mutex mutex;
    return mutex;
}
std::multiset<std::uint64_t>& memory_limits() {
    static std::multiset<std::uint64_t> limits;
    return limits;
}
void apply_memory_limits() {
    const std::multiset<std::uint64_t>& limits = memory_limits();
    sqlite3_hard_heap_limit64(
        limits.empty() ? 0 : static_cast<sqlite3_int64>(std::min<std::uint64_t>(*limits.begin(), INT64_MAX)));
}

}  // namespace

struct Deadline::Impl {
    std::stop_source stop;
    std::atomic<bool> passed{false};
    std::mutex mutex;
    std::condition_variable_any changed;
    struct Forward {
        std::stop_source* stop;
        void operator()() const { stop->request_stop(); }
    };
    std::optional<std::stop_callback<Forward>> forward;
    std::jthread timer;
};

Deadline::Deadline(const std::stop_token& outer, std::chrono::milliseconds time) : impl_(std::make_unique<Impl>()) {
    impl_->forward.emplace(outer, Impl::Forward{&impl_->stop});
    if (time.count() <= 0) return;
    impl_->timer = std::jthread([impl = impl_.get(), time](const std::stop_token& done) {
        std::unique_lock lock(impl->mutex);
        impl->changed.wait_for(lock, done, time, [] { return false; });
        if (done.stop_requested()) return;
        impl->passed = true;
        impl->stop.request_stop();
    });
}
Deadline::~Deadline() = default;
std::stop_token Deadline::token() const { return impl_->stop.get_token(); }
bool Deadline::has_passed() const { return impl_->passed; }

SqliteMemoryLimit::SqliteMemoryLimit(std::uint64_t bytes) : bytes_(bytes) {
    const std::lock_guard lock(memory_mutex());
    memory_limits().insert(bytes_);
    apply_memory_limits();
}

SqliteMemoryLimit::~SqliteMemoryLimit() {
    const std::lock_guard lock(memory_mutex());
    memory_limits().erase(memory_limits().find(bytes_));
    apply_memory_limits();
}

Result<std::unique_ptr<SqlConnection>> SqlConnection::open(SqlContext& context, const std::string& file,
                                                           std::string_view prefix) {
    std::unique_ptr<SqlConnection> made(new SqlConnection);
    const std::string name = file.empty() ? ":memory:" : file;
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    if (sqlite3_open_v2(name.c_str(), &made->connection_, flags, nullptr) != SQLITE_OK)
        return Error{ErrorCode::Io, name + ": " + sqlite3_errmsg(made->connection_)};
    // Nothing is written beside the database, also not what is sorted.
    for (const char* const text :
         {"PRAGMA temp_store = MEMORY", "PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF"})
        if (sqlite3_exec(made->connection_, text, nullptr, nullptr, nullptr) != SQLITE_OK)
            return Error{ErrorCode::Internal, std::string(text) + ": " + sqlite3_errmsg(made->connection_)};
    set_limits(made->connection_);
    sqlite3_progress_handler(made->connection_, kOperationsBetweenChecks, stop_if_asked, &context);
    if (Result<bool> added = add_bounded_functions(made->connection_, context.job); !added)
        return std::move(added).error();
    made->analyses_ = analysis_tables();
    const std::vector<SqlTable>* const tables_of_analyses = &made->analyses_;
    for (const std::vector<SqlTable>* const tables : {&sql_tables(), tables_of_analyses})
        for (const SqlTable& table : *tables)
            if (Result<bool> added = add_sqlite_module(made->connection_, table, context, prefix); !added)
                return std::move(added).error();
    return made;
}

SqlConnection::~SqlConnection() { sqlite3_close(connection_); }

void SqlConnection::allow_reading_only() { sqlite3_set_authorizer(connection_, authorize, nullptr); }

}  // namespace core
