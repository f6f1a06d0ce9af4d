#include "core/analysis/catalogue/registry.hpp"
#include "tests/core/analysis/engine/sample_with_truth.hpp"
#include "tests/core/query/random_run.hpp"
#include "tests/core/sql/sql_fixture.hpp"

#include <set>

using namespace core;
using core::testing::answer_of;
using core::testing::error_of;
using core::testing::query;
using core::testing::random_run;
using core::testing::row_text;
using core::testing::rows_of;
using core::testing::run_of;
using core::testing::small_run;
using core::testing::TraceFixture;

namespace {

const Run& sample() {
    static const RunPtr kRun = core::testing::make_sample(false).run;
    return *kRun;
}

}  // namespace

TEST_CASE("every table can be read in full, and no two of its rows have one id") {
    for (const SqlTable& table : sql_tables()) {
        INFO(table.name);
        query(sample(), "select * from " + table.name);
        CHECK(rows_of(sample(), "select count(*) = count(distinct rowid) from " + table.name) == "1\n");
    }
}

TEST_CASE("every column is of its declared type or absent") {
    for (const SqlTable& table : sql_tables()) {
        for (const SqlColumn& column : table.columns) {
            if (column.any_type) continue;
            const std::string type = column.unit == Unit::Text ? "text" : is_integer(column.unit) ? "integer" : "real";
            INFO(table.name << "." << column.name);
            CHECK(rows_of(sample(), "select count(*) from " + table.name + " where typeof(" + column.name +
                                        ") not in ('null', '" + type + "')") == "0\n");
        }
    }
}

TEST_CASE("steps and ranks are those of the run") {
    const RunPtr run = small_run();
    CHECK(rows_of(*run,
                  "select s.rank, s.step, s.ts, s.dur, s.end_ts, e.name from steps s join events e on e.id = "
                  "s.event") == "0|1|0|400|400|ProfilerStep#1\n1|1|7|400|407|ProfilerStep#1\n");
    CHECK(rows_of(*run, "select rank, event_count, gpu_event_count, step_count, ts, dur from ranks where rank = 1") ==
          "1|7|3|1|7|400\n");
}

TEST_CASE("collectives and members have the numbers of the analyses") {
    const Answer collectives = answer_of(sample(), "collectives");
    const SqlAnswer rows = query(sample(),
                                 "select group_name, operation, sequence, ranks, bytes, ts, skew, lead, "
                                 "transfer, end_spread, wait, algbw, busbw from collectives");
    REQUIRE(rows.table.rows() == collectives.main().rows());
    for (std::size_t row = 0; row < rows.table.rows(); ++row)
        CHECK(row_text(rows.table, row, 13) == row_text(collectives.main(), row, 13));
    CHECK(rows_of(sample(),
                  "select count(*) from collectives c join collectives_analysis a on a.\"group\" = "
                  "c.group_name and a.operation = c.operation and a.sequence = c.sequence and a.last_rank is "
                  "c.last_rank and a.step is c.step and a.matched_by = c.matched_by") ==
          std::to_string(rows.table.rows()) + "\n");
    const Answer waits = answer_of(sample(), "waits");
    const SqlAnswer members =
        query(sample(),
              "select c.group_name, m.operation, c.sequence, m.rank, m.ts, m.dur, m.wait, m.transfer, "
              "m.in_bytes from collectives c join members m on m.collective = c.id order by c.id, m.rank");
    REQUIRE(members.table.rows() == waits.main().rows());
    for (std::size_t row = 0; row < members.table.rows(); ++row)
        CHECK(row_text(members.table, row, 9) == row_text(waits.main(), row, 9));
    const SqlAnswer of_one = query(sample(), "select count(*) from members where collective = 3");
    CHECK(of_one.examined == static_cast<std::uint64_t>(of_one.table.integer(0, 0)));
}

TEST_CASE("args has every argument of an event, asked by event, by key or in full") {
    CHECK(rows_of(sample(),
                  "select count(*) from args a cross join events e on e.id = a.event where e.file_order < 50") ==
          rows_of(sample(),
                  "select sum((select count(*) from args where event = e.id)) from events e where e.file_order "
                  "< 50"));
    CHECK(rows_of(sample(),
                  "select count(*) from args a join kernels k on k.id = a.event where a.key = 'correlation' "
                  "and a.value <> k.correlation") == "0\n");
    CHECK(rows_of(sample(), "select count(*) > 0 from args where key = 'stream' and rank = 2") == "1\n");
    CHECK(query(sample(), "select * from args where event = 5").examined == 1);
}

TEST_CASE("totals and names add up to the events") {
    for (std::uint32_t seed = 1; seed < 4; ++seed) {
        const RunPtr run = random_run(seed);
        for (const std::string table : {"events", "kernels", "operators"}) {
            const std::string of = table.substr(0, table.size() - 1) + "_totals";
            const std::string keys = table == "operators" ? "rank, name, tid" : "rank, name, category, class, stream";
            CHECK(rows_of(query(*run,
                                "select " + keys + ", count(*), sum(dur), min(dur), max(dur) from " + table +
                                    " group by " + keys + " order by " + keys,
                                {.use_totals = false})) ==
                  rows_of(*run, "select " + keys +
                                    ", sum(event_count), sum(total_dur), min(min_dur), max(max_dur) from " + of +
                                    " group by " + keys + " order by " + keys));
        }
        CHECK(rows_of(query(*run,
                            "select name, count(*), sum(class is not null), sum(dur), min(dur), max(dur) from events "
                            "group by name order by name",
                            {.use_totals = false})) ==
              rows_of(*run, "select name, event_count, gpu_event_count, total_dur, min_dur, max_dur from names"));
    }
}

TEST_CASE("every analysis is a function with its columns, and no two names are one") {
    std::set<std::string> names;
    for (const SqlTable& table : sql_tables()) CHECK(names.insert(table.name).second);
    for (const Analysis& analysis : all_analyses()) {
        INFO(analysis.id);
        CHECK(names.insert(sql_name(analysis)).second);
        const SqlAnswer answer = query(sample(), "select * from " + sql_name(analysis));
        const Answer direct = answer_of(sample(), analysis.id);
        CHECK(answer.table.columns().size() == direct.main().columns().size());
        CHECK(answer.table.rows() == direct.main().rows());
    }
    CHECK(names.contains("temporal_breakdown"));
    CHECK(names.contains("kernels_analysis"));
}

TEST_CASE("arguments of a function are parameters, options of the filter, or filters") {
    const Table wanted = answer_of(sample(), "temporal-breakdown", "step:complete rank:1-2").main();
    CHECK(rows_of(sample(), "select rank, window, compute from temporal_breakdown('steps=complete', 'ranks=1-2')") ==
          rows_of(sample(), "select rank, window, compute from temporal_breakdown('step:complete rank:1-2')"));
    CHECK(rows_of(sample(), "select rank, window, compute from temporal_breakdown('ranks=1-2')", "step:complete") ==
          rows_of(sample(), "select rank, window, compute from temporal_breakdown('step:complete rank:1-2')"));
    CHECK(query(sample(), "select * from temporal_breakdown('steps=complete', 'ranks=1-2')").table.rows() ==
          wanted.rows());
    CHECK(rows_of(sample(),
                  "select r.rank, b.window > 0 from ranks r, temporal_breakdown('ranks=' || r.rank) b "
                  "where r.rank < 2") == "0|1\n1|1\n");
    CHECK(error_of(sample(), "select * from temporal_breakdown('stepz=complete')") ==
          "query: temporal_breakdown: 'stepz' is neither a parameter nor an option of a filter; did you mean steps?");
    CHECK(error_of(sample(), "select * from temporal_breakdown('steps=x')").starts_with("query: temporal_breakdown: "));
    CHECK(error_of(sample(), "select * from kernel_sequences('length=x')").starts_with("query: kernel_sequences: "));
}

TEST_CASE("events that an analysis names are found in the table of events") {
    CHECK(rows_of(sample(),
                  "select count(*) from waits w left join events e on e.id = w.event where e.rank is not "
                  "w.rank or e.dur is not w.duration") == "0\n");
}
