#include "core/sql/totals_query.hpp"

#include "tests/core/query/random_run.hpp"
#include "tests/core/sql/sql_fixture.hpp"

#include <array>
#include <random>

using namespace core;
using core::testing::query;
using core::testing::random_run;
using core::testing::rows_of;

TEST_CASE("queries that sum durations by columns of the totals are rewritten") {
    for (const std::string_view text :
         {"select name, sum(dur) from events group by name", "SELECT Name, SUM(Dur) FROM Kernels GROUP BY Name;",
          "select name, count(*) n, sum(dur) as total_ns from kernels where class = 'compute' and rank in (0, 2) "
          "group by name having count(*) > 3 order by total_ns desc, n limit 10",
          "select max(dur) from operators", "select count(*) from events", "select class from kernels group by class",
          "select round(avg(dur) / 1000, 2), substr(name, 1, 8) from kernels where name like '%it''s%' group by 2",
          "select rank, count(distinct name) from events group by rank order by 2"}) {
        INFO(text);
        CHECK(query_of_totals(text).has_value());
    }
}

TEST_CASE("queries of any other shape are not") {
    for (const std::string_view text : {"select name from events",
                                        "select name, sum(dur) from events where dur > 5 group by name",
                                        "select step, sum(dur) from events group by step",
                                        "select sum(dur * 2) from events",
                                        "select sum(ts) from events",
                                        "select count(name) from events",
                                        "select group_concat(name) from events",
                                        "select sum(dur), id from kernels",
                                        "select sum(dur) from events e",
                                        "select sum(dur) from events, ranks",
                                        "select e.name, sum(dur) from events e",
                                        "select sum(dur) from events where ts < 7",
                                        "select sum(dur) as ts from events order by ts",
                                        "select sum(dur) as dur from events order by dur",
                                        "select \"name\", sum(dur) from events group by 1",
                                        "select sum(dur) /* x */ from events",
                                        "select sum(distinct dur) from events",
                                        "select class, sum(dur) from operators",
                                        "select sum(dur) filter (where rank = 1) from events",
                                        "select sum(dur) over (partition by name) from events",
                                        "select (select max(dur) from events)",
                                        "with x as (select 1) select sum(dur) from events",
                                        "select sum(dur) from events union select 1",
                                        "select sum(dur) from events where rank = ?",
                                        "selec sum(dur)",
                                        "",
                                        "select sum(dur) from selection",
                                        "select distinct name from events",
                                        "select random(), sum(dur) from events"}) {
        INFO(text);
        CHECK_FALSE(query_of_totals(text).has_value());
    }
}

TEST_CASE("a rewritten query gives the rows that the events give, under the names that the query has") {
    constexpr auto kResults = std::to_array<std::string_view>(
        {"sum(dur)", "count(*)", "min(dur)", "max(dur)", "total(dur)", "avg(dur)", "count(dur)", "sum(dur) x",
         "max(name)", "count(*) as n", "round(avg(dur), 3)", "count(distinct rank)", "sum(dur) / count(*)",
         "upper(max(track))", "case when sum(dur) > 99 then 'much' else 'little' end", "count(*) || ':' || sum(dur)"});
    constexpr auto kGroups =
        std::to_array<std::string_view>({"name", "rank", "track", "tid", "capture", "substr(name, 1, 2)"});
    constexpr auto kWheres = std::to_array<std::string_view>(
        {"rank = 1", "name like 'K%'", "name glob 'nccl*'", "tid <> '7'", "rank between 1 and 2",
         "name in ('k1', 'k2')", "not rank <= 0", "name is null", "1 = 0", "rank >= 5", "track != ''"});
    constexpr auto kTables = std::to_array<std::string_view>({"events", "kernels", "operators"});
    std::mt19937 random(3);
    const auto any = [&](const auto& of) { return std::string(of[random() % of.size()]); };
    for (std::uint32_t seed = 0; seed < 3; ++seed) {
        const RunPtr run = random_run(seed);
        for (int i = 0; i < 120; ++i) {
            const std::string table = any(kTables);
            std::string group = any(kGroups);
            if (table == "kernels" && group == "tid") group = "stream";
            const bool grouped = random() % 4 != 0;
            std::string text =
                "select " + (grouped ? group + ", " : "") + any(kResults) + ", " + any(kResults) + " from " + table;
            std::string where = any(kWheres);
            if (table == "kernels" && where.starts_with("tid")) where = "stream = 2";
            if (random() % 2 == 0) text += " where " + where;
            if (grouped) text += " group by " + group;
            if (grouped && random() % 3 == 0) text += " having count(*) > 20";
            if (grouped) text += " order by 1";
            INFO(text);
            const SqlAnswer fast = query(*run, text), slow = query(*run, text, {.use_totals = false});
            CHECK(fast.from_totals);
            CHECK_FALSE(slow.from_totals);
            CHECK(rows_of(fast) == rows_of(slow));
            CHECK(fast.table.columns() == slow.table.columns());
        }
    }
}
