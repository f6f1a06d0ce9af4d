// lockstep sql as scripts see it: formats, messages, exit statuses, standard input, an end by signal.

#include "tests/app/cli.hpp"

#include <nlohmann/json.hpp>

#include <chrono>

using namespace app::testing;
using core::testing::TempFolder;
namespace fs = std::filesystem;

namespace {

const std::string& run_to_query() {
    static const TempFolder kFolder;
    static const std::string kRun = [] {
        const fs::path run = kFolder.path() / "run";
        REQUIRE(lockstep({"sample", run.string(), "--ranks", "2", "--steps", "3", "--layers", "2"}).status == 0);
        return run.string();
    }();
    return kRun;
}

bool complains(const Outcome& outcome, std::string_view words) { return outcome.err.find(words) != std::string::npos; }

constexpr const char* kForever =
    "with recursive t(x) as (select 1 union all select x + 1 from t) select count(*) from t";

}  // namespace

TEST_CASE("sql prints a table, CSV or JSON") {
    const std::string query = "select rank, count(*) as n, null as none from steps group by rank";
    const Outcome table = lockstep({"sql", run_to_query(), query});
    CHECK(table.status == 0);
    CHECK(table.out == "rank  n  none\n   0  3  -\n   1  3  -\n2 rows\n");
    CHECK(lockstep({"sql", run_to_query(), query, "--format", "csv"}).out == "rank,n,none\n0,3,\n1,3,\n");
    const nlohmann::json answer =
        nlohmann::json::parse(lockstep({"sql", run_to_query(), "select rank, dur from steps", "--format", "json"}).out);
    CHECK(answer["schema"] == "lockstep.table/1");
    CHECK(answer["query"] == "select rank, dur from steps");
    CHECK(answer["columns"][1]["unit"] == "ns");
    CHECK(answer["rows"].size() == 6);
    CHECK(answer["diagnostics"].is_array());
}

TEST_CASE("sql takes the numbers of analyses, and the filter as the table selection") {
    const std::string run = run_to_query();
    const std::string of_sql =
        lockstep({"sql", run, "select sum(total) from kernels_analysis('steps=complete')", "--format", "csv"}).out;
    CHECK(of_sql ==
          lockstep({"sql", run, "select sum(total) from kernels_analysis", "--steps", "complete", "--format", "csv"})
              .out);
    CHECK(lockstep({"sql", run, "select count(*) from selection", "--name", "gemm", "--format", "csv"}).out ==
          lockstep({"sql", run, "select count(*) from events where name like '%gemm%'", "--format", "csv"}).out);
}

TEST_CASE("a query that begins with a comment isn't an option") {
    for (const std::string query : {"-- busiest\nselect 7 as x", "--busiest\nselect 7 as x", "--\tc\nselect 7 as x"}) {
        INFO(query);
        CHECK(lockstep({"sql", run_to_query(), query, "--format", "csv"}).out == "x\n7\n");
    }
    CHECK(complains(lockstep({"sql", run_to_query(), "--busiest"}), "unknown option --busiest"));
}

TEST_CASE("sql reads the query from standard input, and writes to a file") {
    const TempFolder folder;
    const fs::path out = folder.path() / "out.csv";
    const Outcome piped = run_shell("echo 'select 7 as x' | " + quoted(core::testing::lockstep_binary()) + " sql " +
                                    quoted(run_to_query()) + " - --format csv -o " + quoted(out.string()));
    CHECK(piped.status == 0);
    CHECK(read_file(out) == "x\n7\n");
}

TEST_CASE("sql refuses a wrong query before it opens the run") {
    const Outcome syntax = lockstep({"sql", "/no/such/run", "selec 1"});
    CHECK(syntax.status == 2);
    CHECK(complains(syntax, "lockstep sql: query: line 1, column 1: near \"selec\": syntax error"));
    const Outcome table = lockstep({"sql", "/no/such/run", "select * from kernel"});
    CHECK(table.status == 2);
    CHECK(complains(table, "no such table: kernel; did you mean kernels?"));
    CHECK(lockstep({"sql", "/no/such/run", "attach 'x' as y"}).status == 2);
    CHECK(lockstep({"sql", "/no/such/run", "select 1"}).status == 1);
    CHECK(complains(lockstep({"sql", "run"}), "needs a QUERY after the run"));
    CHECK(complains(lockstep({"sql"}), "needs the PATH of a run"));
    CHECK(complains(lockstep({"sql", "x", "select 1", "--timeout", "0s"}), "--timeout: '0s' is not a time"));
    CHECK(complains(lockstep({"sql", "x", "select 1", "--memory", "1T"}), "--memory: '1T' is not a size"));
}

TEST_CASE("a query that never ends ends at its time, and by a signal within two seconds") {
    const Outcome late = lockstep({"sql", run_to_query(), kForever, "--timeout", "200ms"});
    CHECK(late.status == 1);
    CHECK(complains(late, "lockstep: query: stopped after 200 ms"));
    const Outcome stopped = run_shell("timeout -s INT 1 " + quoted(core::testing::lockstep_binary()) + " sql " +
                                      quoted(run_to_query()) + " " + quoted(kForever) + "; echo $?");
    CHECK(complains(stopped, "lockstep: stopped"));
}

TEST_CASE("sql prints no control characters of a trace, and --tables lists the tables without a run") {
    const Outcome hostile = lockstep({"sql", run_to_query(), "select char(27) || '[2J' as x"});
    CHECK(hostile.out.find('\x1b') == std::string::npos);
    const Outcome escaped = lockstep({"sql", run_to_query(), "select char(27) || '[2J' as x", "--format", "json"});
    CHECK(nlohmann::json::parse(escaped.out)["rows"][0][0] == "\x1b[2J");
    CHECK(escaped.out.find('\x1b') == std::string::npos);
    const Outcome list = lockstep({"sql", "--tables"});
    CHECK(list.status == 0);
    CHECK(list.out.find("end_ts") != std::string::npos);
}

TEST_CASE("export writes a database that sql's tables fill, and refuses what does not fit it") {
    const TempFolder folder;
    const fs::path file = folder.path() / "run.db";
    const Outcome written = lockstep({"export", run_to_query(), "--to", "sqlite", "-o", file.string()});
    CHECK(written.status == 0);
    CHECK(written.out.find("collectives") != std::string::npos);
    CHECK(read_file(file).starts_with("SQLite format 3"));
    const std::string input = run_to_query() + "/sample_rank0.pt.trace.json";
    CHECK(lockstep({"export", run_to_query(), "--to", "sqlite", "-o", input}).status == 1);
    CHECK(complains(lockstep({"export", run_to_query(), "--to", "sqlite", "-o", "x", "--gzip"}),
                    "--gzip: only with --to chrome"));
    CHECK(complains(lockstep({"export", run_to_query(), "--to", "chrome", "-o", "x", "--tables", "ranks"}),
                    "--tables: only with --to sqlite"));
    CHECK(complains(lockstep({"export", run_to_query(), "--to", "sqlite", "-o", "x", "--tables", "rank"}),
                    "--tables: no table 'rank'; did you mean ranks?"));
}
