#include "core/collectives/waits.hpp"
#include "core/sql/sql_table.hpp"
#include "tests/core/query/random_run.hpp"
#include "tests/core/sql/sql_fixture.hpp"

#include <array>
#include <random>

using namespace core;
using core::testing::query;
using core::testing::random_run;
using core::testing::rows_of;
using core::testing::run_of;
using core::testing::small_run;
using core::testing::TraceFixture;

namespace {

std::uint64_t examined(const Run& run, std::string_view text) {
    return query(run, text, {.use_totals = false}).examined;
}

// Steps, launches and kernels on shifted and drifting clocks.
RunPtr random_run_with_steps(std::uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<RankTracePtr> traces;
    for (int rank = 0; rank < 3; ++rank) {
        TraceFixture fixture;
        fixture.rank(rank);
        for (int step = 0; step < 5; ++step) fixture.step(400 * step, 400, step);
        for (int i = 0; i < 200; ++i) {
            const auto start = static_cast<std::int64_t>(random() % 2000);
            const auto length = static_cast<std::int64_t>(random() % 30);
            fixture.launch(start, 2, i);
            fixture.kernel(start + static_cast<std::int64_t>(random() % 500), length,
                           (random() % 5 == 0 ? "ncclKernel" : "K") + std::to_string(random() % 4),
                           static_cast<int>(random() % 3), random() % 9 == 0 ? -1 : i);
            fixture.cpu(start, length, "aten::op" + std::to_string(random() % 3), 200 + static_cast<int>(random() % 2));
        }
        traces.push_back(fixture.build());
    }
    const RunPtr plain = run_of(traces);
    RunParts parts = plain->parts();
    parts.ranks[1].clock.offset = Duration{33};
    parts.ranks[2].clock.drift = -0.01;
    return std::make_shared<const Run>(std::move(parts));
}

}  // namespace

TEST_CASE("events have the columns that other parts of the program show") {
    const RunPtr run = small_run();
    CHECK(rows_of(*run,
                  "select rank, capture, ts, dur, end_ts, class, device, stream, tid, depth, step, correlation "
                  "from events where name = 'gemm'") ==
          "0|a|100|50|150|compute|0|7|7|0|1|1\n1|a|107|50|157|compute|0|7|7|0|1|1\n");
    CHECK(rows_of(*run,
                  "select p.name, e.depth, e.class, e.stream from events e left join events p on p.id = e.parent "
                  "where e.name = 'aten::mm' and e.rank = 0") == "ProfilerStep#1|1|-|-\n");
}

TEST_CASE("kernels are the GPU events, operators the calls of operators, selection what the filter passes") {
    const RunPtr run = small_run();
    CHECK(rows_of(*run, "select count(*), sum(class is null) from kernels") == "6|0\n");
    CHECK(rows_of(*run, "select rank, name from operators") == "0|aten::mm\n1|aten::mm\n");
    CHECK(rows_of(*run, "select rank, name from selection", "rank:1 name:gemm") == "1|gemm\n");
    CHECK(rows_of(*run, "select count(*) from selection") == rows_of(*run, "select count(*) from events"));
}

TEST_CASE("the id of an event finds it at once, and is the same in every table and order") {
    const RunPtr run = small_run();
    const std::int64_t id = sql_event_id(1, core::testing::find_named(run->rank(1).trace(), "gemm"));
    const std::string where = " where id = " + std::to_string(id);
    CHECK(rows_of(*run, "select rank, name from events" + where) == "1|gemm\n");
    CHECK(rows_of(*run, "select rank, name from kernels" + where) == "1|gemm\n");
    CHECK(rows_of(*run, "select id = rowid from kernels" + where) == "1\n");
    CHECK(examined(*run, "select name from events" + where) == 1);
    CHECK(rows_of(*run, "select name from events where id in (-1, 99, 9999999999999, null)").empty());
    CHECK(rows_of(*run, "select group_concat(id) from (select id from events order by id)") ==
          rows_of(*run, "select group_concat(id) from (select id from events order by +id)"));
    CHECK(rows_of(*run,
                  "select name from kernels where launch = (select id from events where correlation = 2 and "
                  "class is null and rank = 1)") == "ncclDevKernel_AllReduce\n");
}

TEST_CASE("bounds keep a query from looking at what cannot pass") {
    const RunPtr run = random_run_with_steps(1);
    const std::uint64_t all = examined(*run, "select count(*) from events");
    CHECK(all == run->event_count());
    const std::size_t of_one = run->rank(1).trace().size();
    CHECK(examined(*run, "select count(*) from events where rank = 1") == of_one);
    CHECK(examined(*run, "select count(*) from events where rank in (0, 2)") == all - of_one);
    CHECK(examined(*run, "select count(*) from events where rank > 7") == 0);
    const std::string count = rows_of(*run, "select count(*) from events where ts >= 1000 and ts < 1100");
    CHECK(examined(*run, "select count(*) from events where ts >= 1000 and ts < 1100") ==
          static_cast<std::uint64_t>(std::stoull(count)));
    CHECK(examined(*run, "select count(*) from events where ts between 500 and 400") == 0);
    CHECK(examined(*run, "select count(*) from events where rank = 0 and ts < 1000 and end_ts > 990") < 40);
    CHECK(examined(*run, "select count(*) from events where name = 'no such name'") == 0);
    CHECK(examined(*run, "select count(*) from events where name like '%such%'") == 0);
    std::uint64_t gpu = 0;
    for (const RankSlot& rank : run->ranks()) gpu += rank.trace().gpu_events.size();
    CHECK(examined(*run, "select count(*) from events where class = 'communication'") == gpu);
    CHECK(examined(*run, "select count(*) from kernels where stream = 1") < gpu / 2);
}

TEST_CASE("a bound that is applied while scanning gives the rows that SQLite finds by itself") {
    // A cast keeps SQLite from pushing the comparison down.
    constexpr auto kColumns = std::to_array<std::string_view>({"rank", "ts", "dur", "end_ts", "step", "stream", "id"});
    constexpr auto kOperators = std::to_array<std::string_view>({"=", "<", "<=", ">", ">=", "is", "<>"});
    constexpr auto kTexts = std::to_array<std::string_view>(
        {"name = 'K1'", "name in ('K2', 'aten::op0', 7)", "name like 'k%'", "name glob '*Kernel?'", "class = 'compute'",
         "class in ('memory', 'communication')", "class is null", "name is null", "class = 'x'",
         "name = 'k1' collate nocase", "name in ('K1', null)", "name = 7", "name > 'K1'", "name is 'K1'"});
    constexpr auto kNumbers = std::to_array<std::string_view>(
        {"step is null", "rank in (0, 2, 2.0, '1')", "step in (1, 3)", "rank = '1'", "ts > 'a'", "ts < 'a'",
         "ts = null", "step is not null", "ts > 712.5", "ts >= -1e300", "dur < 1e300", "rank = 1.5", "rank in (1, 'b')",
         "id in (4294967300, 4294967301, 7, null)", "ts > 9223372036854775807", "ts < 9.3e18", "step is 2"});
    constexpr auto kValues =
        std::to_array<std::string_view>({"0", "1", "2", "7", "333", "1200.5", "-3", "4294967300", "'1'", "null"});
    std::mt19937 random(5);
    const auto any = [&](const auto& of) { return std::string(of[random() % of.size()]); };
    for (std::uint32_t seed = 0; seed < 4; ++seed) {
        const RunPtr run = random_run_with_steps(seed);
        for (int i = 0; i < 150; ++i) {
            std::string pushed = "1", plain = "1";
            for (std::uint_fast32_t terms = 1 + random() % 3; terms > 0; --terms) {
                const std::uint_fast32_t kind = random() % 3;
                const std::string term = kind == 0   ? any(kTexts)
                                         : kind == 1 ? any(kNumbers)
                                                     : any(kColumns) + " " + any(kOperators) + " " + any(kValues);
                const std::size_t blank = term.find(' ');
                pushed += " and " + term;
                plain += " and cast(" + term.substr(0, blank) + (kind == 0 ? " as text)" : " as integer)") +
                         term.substr(blank);
            }
            for (const std::string table : {"events", "kernels", "selection"}) {
                INFO(table << " where " << pushed);
                const std::string select = "select count(*), total(id), total(ts) from " + table + " where ";
                CHECK(rows_of(*run, select + pushed) == rows_of(*run, select + plain));
            }
        }
    }
}

TEST_CASE("names with any bytes come out as they are") {
    const std::string name = "a\x1b[31m'; drop table events; --\n\"";
    const RunPtr run = run_of({TraceFixture().kernel(0, 5, name).build()});
    CHECK(rows_of(*run, "select name from kernels") == name + "\n");
}

TEST_CASE("a run without ranks has tables without rows") {
    const RunPtr run = run_of({});
    for (const SqlTable& table : sql_tables()) CHECK(rows_of(*run, "select count(*) from " + table.name) == "0\n");
}
