#include "core/sql/sql_query.hpp"

#include "core/base/nearest.hpp"
#include "core/export/csv.hpp"
#include "core/export/envelope.hpp"
#include "core/sql/sql_text.hpp"
#include "tests/core/sql/sql_fixture.hpp"

#include <nlohmann/json.hpp>

#include <chrono>

using namespace core;
using core::testing::error_of;
using core::testing::query;
using core::testing::rows_of;
using core::testing::run_of;
using core::testing::small_run;
using core::testing::TraceFixture;

namespace {

constexpr std::string_view kEndless =
    "with recursive t(x) as (select 1 union all select x + 1 from t) select count(*) from t";

std::string refusal(std::string_view text) {
    const Result<bool> fine = check_sql(text);
    return fine ? "fine" : fine.error().message;
}

}  // namespace

TEST_CASE("a query groups, sorts and joins the events of all ranks") {
    const RunPtr run = small_run();
    CHECK(rows_of(*run, "select name, count(*), sum(dur) from kernels group by name order by 3 desc") ==
          "gemm|2|100\nncclDevKernel_AllReduce|2|60\nMemset|2|10\n");
    CHECK(rows_of(*run,
                  "select k.rank, k.name, e.name, k.ts - e.ts, k.operator, k.step from kernels k "
                  "join events e on e.id = k.launch where k.stream = 7 order by k.id") ==
          "0|gemm|cudaLaunchKernel|80|aten::mm|1\n1|gemm|cudaLaunchKernel|80|aten::mm|1\n");
}

TEST_CASE("columns hold whole numbers, numbers or texts as their cells need") {
    const RunPtr run = small_run();
    const SqlAnswer answer =
        query(*run, "select 1, 2.5, 'a', null, 9007199254740993 union all select 2, 3, 4, null, 0.5");
    const std::vector<Column>& columns = answer.table.columns();
    CHECK(columns[0].unit == Unit::Count);
    CHECK(columns[1].unit == Unit::Number);
    CHECK(columns[2].unit == Unit::Text);
    CHECK(columns[4].unit == Unit::Text);
    CHECK(answer.table.text(0, 4) == "9007199254740993");
    CHECK(answer.table.text(1, 2) == "4");
    CHECK(answer.table.absent(0, 3));
}

TEST_CASE("infinities are shown, and never absent") {
    const RunPtr run = small_run();
    const SqlAnswer answer = query(*run, "select 9e999 as a, -9e999 as b, 1.5 as c union all select 1, 2, 9e999");
    CHECK(to_csv(answer.table) == "a,b,c\ninf,-inf,1.5\n1,2,inf\n");
    CHECK(sql_to_json(*run, {}, "", answer).find("[\"inf\", \"-inf\", 1.5],\n  [1, 2, \"inf\"]") != std::string::npos);
}

TEST_CASE("each cell of a column of several types has its own type in JSON") {
    const RunPtr run = small_run();
    const SqlAnswer answer =
        query(*run,
              "select 1 as a, 'x' as b union all select '2', 3 union all select 9007199254740993, 0.5 "
              "union all select 1.5, null");
    const std::string json = sql_to_json(*run, {}, "", answer);
    INFO(json);
    CHECK(json.find("[1, \"x\"],\n  [\"2\", 3],\n  [9007199254740993, 0.5],\n  [1.5, null]") != std::string::npos);
    nlohmann::ordered_json envelope;
    add_rows(envelope, answer.table, {}, answer.numbers);
    CHECK(envelope["rows"].dump() == "[[1,\"x\"],[\"2\",3],[9007199254740993,0.5],[1.5,null]]");
}

TEST_CASE("with units, a column of a table keeps its unit and an expression is a count") {
    const RunPtr run = small_run();
    const SqlAnswer answer = query(*run, "select dur, dur + 1 from kernels limit 1", {.with_units = true});
    CHECK(answer.table.columns()[0].unit == Unit::Ns);
    CHECK(answer.table.columns()[1].unit == Unit::Count);
    CHECK(query(*run, "select dur from kernels").table.columns()[0].unit == Unit::Count);
}

TEST_CASE("errors name the place in the query and the nearest name") {
    CHECK(refusal("select name from kernel") == "query: no such table: kernel; did you mean kernels?");
    CHECK(refusal("select xqzw from xqzw") == "query: no such table: xqzw; lockstep sql --tables lists the tables");
    CHECK(refusal("select\n  k.durr from kernels k") ==
          "query: line 2, column 3: no such column: k.durr; did you mean dur?");
    CHECK(refusal("select 'ü', selec from") == "query: incomplete input");
    CHECK(refusal("select 'ü' 1, 2").starts_with("query: line 1, column 12: near \"1\": syntax error"));
    CHECK(refusal("") == "query: it is empty");
    CHECK(refusal("-- nothing\n;") == "query: it is empty");
    CHECK(refusal("select 1; select 2") == "query: line 1, column 10: one statement at a time");
    CHECK(refusal("select 1; -- done") == "fine");
    CHECK(refusal(std::string("select 1\0", 9)) == "query: it has a byte 0");
}

TEST_CASE("a query only reads") {
    for (const std::string_view text : {"attach 'x' as y",
                                        "detach main",
                                        "pragma table_info('events')",
                                        "select * from pragma_table_info('events')",
                                        "create table t(x)",
                                        "create temp table t(x)",
                                        "create view v as select 1",
                                        "drop table kernels",
                                        "delete from kernels",
                                        "insert into kernels(name) values ('x')",
                                        "update kernels set name = 'x'",
                                        "update sqlite_master set name = 'x'",
                                        "vacuum",
                                        "vacuum into 'x'",
                                        "begin",
                                        "savepoint x",
                                        "reindex",
                                        "analyze",
                                        "select load_extension('x')",
                                        "create virtual table t using fts5(x)",
                                        "alter table kernels rename to k"}) {
        INFO(text);
        CHECK(refusal(text).starts_with("query: "));
    }
    CHECK(refusal("with recursive t(x) as (select 1 union select x + 1 from t where x < 9) select * from t") == "fine");
    CHECK(refusal("select json_extract('[1]', '$[0]') from json_each('[1]')") == "fine");
}

TEST_CASE("a query that never ends stops at its time") {
    const RunPtr run = small_run();
    SqlOptions options;
    options.limits.time = std::chrono::milliseconds{30};
    CHECK(error_of(*run, kEndless, options).starts_with("query: stopped after 30 ms"));
}

TEST_CASE("a cancelled job stops a query, and a partial count isn't an answer") {
    const RunPtr run = small_run();
    const Filter filter;
    for (const std::string_view text : {kEndless, std::string_view("select * from names"),
                                        std::string_view("select count(*) from temporal_breakdown")}) {
        std::stop_source stop;
        stop.request_stop();
        const Result<SqlAnswer> answer = run_sql(*run, filter, text, {}, {stop.get_token(), nullptr});
        REQUIRE_FALSE(answer.has_value());
        CHECK(answer.error().code == ErrorCode::Cancelled);
    }
}

TEST_CASE("a query that sorts or returns too much says so") {
    const RunPtr run = small_run();
    const std::string numbers = "with recursive t(x) as (select 1 union all select x + 1 from t where x < 200000) ";
    SqlOptions options;
    options.limits.memory_bytes = std::uint64_t{4} << 20;
    CHECK(error_of(*run, numbers + "select x from t order by x % 7", options)
              .starts_with("query: needs more than 4 MiB"));
    options = {};
    options.limits.result_bytes = 1 << 20;
    CHECK(error_of(*run, numbers + "select x from t", options).starts_with("query: the result is larger than 1 MiB"));
    CHECK(error_of(*run, "select zeroblob(2000000000)").starts_with("query: string or blob too big"));
    CHECK(rows_of(*run, "select 1") == "1\n");  // the limits of one query are not those of the next
}

TEST_CASE("an error while a query runs is reported as such") {
    const RunPtr run = small_run();
    CHECK(error_of(*run, "select sum(x) from (select 9223372036854775807 x union all select 1)") ==
          "query: integer overflow");
}

TEST_CASE("the words of SQL are the tables, the functions of analyses and the columns") {
    const std::vector<std::string> words = sql_words();
    for (const std::string_view word : {"events", "temporal_breakdown", "steps_analysis", "end_ts"})
        CHECK(std::ranges::find(words, word) != words.end());
}

TEST_CASE("a deadline holds inside of functions that take quadratic time") {
    const RunPtr run = small_run();
    SqlOptions options;
    options.limits.time = std::chrono::milliseconds{30};
    const std::string many = "replace(hex(zeroblob(8000000)), '0', 'a')",
                      few = "replace(hex(zeroblob(300000)), '0', 'a')";
    for (const std::string& text :
         {"select instr(" + many + ", " + few + " || 'b')", "select replace(" + many + ", " + few + " || 'b', 'c')"})
        CHECK(error_of(*run, text, options).starts_with("query: stopped after 30 ms"));
    CHECK(error_of(*run, "select json_patch('{}', '{}')").find("not authorized") != std::string::npos);
}

TEST_CASE("functions with a deadline answer as those of SQLite") {
    const RunPtr run = small_run();
    CHECK(rows_of(*run,
                  "select instr('abcabc', 'ca'), instr('abc', 'x'), instr('abc', ''), instr('äöü', 'ü'), "
                  "instr(x'00ff01', x'01'), instr(null, 'a'), instr('a', null), instr(12345, 34), instr('a', 'ab')") ==
          "3|0|1|3|3|-|-|3|0\n");
    CHECK(rows_of(*run,
                  "select replace('aXbXc', 'X', '--'), replace('abc', '', 'x'), replace('aaa', 'aa', 'b'), "
                  "replace(null, 'a', 'b'), replace('a', null, 'b'), replace('a', 'a', null), replace(121, 1, 7)") ==
          "a--b--c|abc|ba|-|-|-|727\n");
    CHECK(
        rows_of(
            *run,
            "select trim('  a b '), ltrim('  a '), rtrim(' a  '), trim('xyaxy', 'yx'), ltrim('ääa', 'ä'), "
            "rtrim('aää', 'ä'), trim('aaa', 'a'), trim('abc', ''), trim(null), trim('a', null), trim(x'6161', 'a')") ==
        "a b|a | a|a|a|a||abc|-|-|\n");
}
