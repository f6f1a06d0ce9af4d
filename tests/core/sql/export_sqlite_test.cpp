#include "core/sql/export_sqlite.hpp"

#include "tests/core/query/random_run.hpp"
#include "tests/core/sql/sql_fixture.hpp"
#include "tests/core/temp_folder.hpp"

#include <sqlite3.h>

#include <filesystem>
#include <map>

using namespace core;
using core::testing::rows_of;
using core::testing::small_run;
using core::testing::TempFolder;

namespace {

// Result of a query on a database file, in the form of rows_of.
std::string read_back(const std::filesystem::path& file, const std::string& query) {
    sqlite3* database = nullptr;
    REQUIRE(sqlite3_open_v2(file.c_str(), &database, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK);
    std::string text;
    const auto add_row = [](void* to, int count, char** cells, char**) {
        for (int i = 0; i < count; ++i)
            *static_cast<std::string*>(to) += std::string(i > 0 ? "|" : "") + (cells[i] ? cells[i] : "-");
        *static_cast<std::string*>(to) += '\n';
        return 0;
    };
    CHECK(sqlite3_exec(database, query.c_str(), add_row, &text, nullptr) == SQLITE_OK);
    sqlite3_close(database);
    return text;
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        names.push_back(entry.path().filename().string());
    return names;
}

}  // namespace

TEST_CASE("an exported database has the tables, types and sums of the run") {
    const TempFolder folder;
    const std::filesystem::path file = folder.path() / "run.db";
    const RunPtr run = core::testing::random_run(4);
    const Result<std::vector<ExportedTable>> tables = export_sqlite(*run, Filter{}, file, {}, {});
    REQUIRE(tables);
    CHECK(names_in(folder.path()) == std::vector<std::string>{"run.db"});
    CHECK(tables->size() == sql_tables().size());  // without selection, with findings
    for (const ExportedTable& table : *tables) {
        const std::string count = "select count(*) from " + table.name;
        CHECK(read_back(file, count) == std::to_string(table.rows) + "\n");
        CHECK(read_back(file, count) == rows_of(*run, count));
    }
    for (const std::string query :
         {"select sum(id), sum(ts), sum(dur), sum(step), count(parent), count(distinct name) from events",
          "select name, class, sum(dur), min(stream) from kernels group by name, class order by name, class",
          "select sum(event_count), sum(total_dur) from event_totals", "select rank, ts, dur, event_count from ranks"})
        CHECK(read_back(file, query) == rows_of(*run, query));
    CHECK(read_back(file, "select type, pk from pragma_table_info('events') where name = 'id'") == "INTEGER|1\n");
    CHECK(read_back(file, "select value from run where key = 'schema'") == "1\n");
    CHECK(read_back(file, "pragma integrity_check") == "ok\n");
}

TEST_CASE("only the chosen tables, and the selection if there is a filter") {
    const TempFolder folder;
    const std::filesystem::path file = folder.path() / "run.db";
    const RunPtr run = small_run();
    REQUIRE(export_sqlite(*run, Filter{}, file, {.tables = {"ranks", "temporal_breakdown"}}, {}));
    CHECK(read_back(file, "select name from sqlite_master where type = 'table' order by name") ==
          "ranks\nrun\ntemporal_breakdown\n");
    CHECK(read_back(file, "select count(*) from temporal_breakdown") == "2\n");
    REQUIRE(export_sqlite(*run, *parse_filter("rank:1 name:gemm"), file, {}, {}));  // replaces it
    CHECK(read_back(file, "select rank, name from selection") == "1|gemm\n");
    const Result<std::vector<ExportedTable>> unknown = export_sqlite(*run, Filter{}, file, {.tables = {"kernel"}}, {});
    REQUIRE_FALSE(unknown.has_value());
    CHECK(unknown.error().message == "no table 'kernel'; did you mean kernels?");
}

TEST_CASE("an export that fails or is cancelled leaves the target unchanged and nothing next to it") {
    const TempFolder folder;
    const std::filesystem::path file = folder.path() / "run.db";
    const RunPtr run = small_run();
    std::stop_source stop;
    stop.request_stop();
    const Result<std::vector<ExportedTable>> stopped =
        export_sqlite(*run, Filter{}, file, {}, {stop.get_token(), nullptr});
    REQUIRE_FALSE(stopped.has_value());
    CHECK(stopped.error().code == ErrorCode::Cancelled);
    CHECK(names_in(folder.path()).empty());
    CHECK_FALSE(export_sqlite(*run, Filter{}, folder.path(), {}, {}).has_value());
    CHECK_FALSE(export_sqlite(*run, Filter{}, "/dev/null", {}, {}).has_value());
}
