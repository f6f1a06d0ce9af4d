// Launches, operators, annotations, copies and memory of the sample add up to what its writer
// reports, on every rank.

#include "tests/core/analysis/engine/sample_with_truth.hpp"

#include <initializer_list>
#include <map>

using namespace core;
using namespace core::testing;

namespace {

using SumsByText = std::map<std::string, std::int64_t>;

const Sample& planted_sample() {
    static const Sample made = make_sample(false);
    return made;
}

Table table_of(const char* id, const GivenParams& params = {}) {
    return answer_of(*planted_sample().run, id, "", params).main();
}

std::int64_t integer_at(const Table& table, std::size_t row, std::string_view column) {
    const std::size_t at = table.find_column(column);
    REQUIRE(at < table.columns().size());
    return table.absent(row, at) ? 0 : table.integer(row, at);
}

// Sums of a column over the rows of one rank by another column's text, or under "".
SumsByText sums_of(const Table& table, const Json& rank, std::string_view column, std::string_view by = {}) {
    SumsByText sums;
    const std::int64_t key = RankKey{rank["rank"].get<std::int32_t>(), 0}.packed();
    for (std::size_t row = 0; row < table.rows(); ++row)
        if (integer_at(table, row, "rank") == key)
            sums[by.empty() ? "" : std::string(table.text(row, table.find_column(by)))] +=
                integer_at(table, row, column);
    return sums;
}

std::int64_t sum_of(const Table& table, const Json& rank, std::string_view column) {
    return sums_of(table, rank, column)[""];
}

// Number of written events of these phases and categories.
std::int64_t written(const Json& rank, std::initializer_list<const char*> kinds) {
    std::int64_t events = 0;
    for (const char* kind : kinds) {
        REQUIRE(rank["events_by_phase_and_category"].contains(kind));
        events += rank["events_by_phase_and_category"][kind].get<std::int64_t>();
    }
    return events;
}

std::int64_t gpu_work_of(const Json& rank) { return written(rank, {"X:kernel", "X:gpu_memcpy", "X:gpu_memset"}); }

// Kernels and copies of one rank: counts by name, and times by name.
std::pair<SumsByText, SumsByText> kernels_of(const Json& rank) {
    std::pair<SumsByText, SumsByText> sums;
    for (const Json& kernel : planted_sample().truth["kernels"]) {
        for (const Json& one : kernel["ranks"]) {
            if (one["rank"] != rank["rank"]) continue;
            sums.first[kernel["name"]] += one["count"].get<std::int64_t>();
            sums.second[kernel["name"]] += one["total_ns"].get<std::int64_t>();
        }
    }
    return sums;
}

template <class Check>
void on_every_rank(Check check) {
    REQUIRE(planted_sample().truth["ranks"].size() == 4);
    for (const Json& rank : planted_sample().truth["ranks"]) {
        INFO("rank ", rank["rank"].get<int>());
        check(rank);
    }
}

}  // namespace

TEST_CASE("parts of steps add up to the planted breakdown of the run") {
    const Table table = table_of("step-parts", {{"window", "gpu"}});
    on_every_rank([&](const Json& rank) {
        const SumsByText parts = sums_of(table, rank, "time", "part");
        CHECK(parts.size() == 4);
        for (const auto& [part, time_ns] : parts) CHECK(time_ns == rank["breakdown"][part + "_ns"].get<std::int64_t>());
    });
}

TEST_CASE("the planted idle time is found, with the host as its cause") {
    const Table device = table_of("device-idle");
    const Table streams = table_of("idle-breakdown");
    on_every_rank([&](const Json& rank) {
        CHECK(sum_of(device, rank, "time") == rank["breakdown"]["idle_ns"].get<std::int64_t>());
        std::int64_t planted = 0;
        for (const Json& gap : planted_sample().truth["idle_gaps"])
            if (gap["rank"] == rank["rank"]) planted += gap["gap_ns"].get<std::int64_t>();
        REQUIRE(planted > 0);
        const std::int64_t waited = sums_of(device, rank, "time", "cause")["host_wait"];
        CHECK(waited >= planted);
        CHECK(waited <= planted * 12 / 10);  // a few waits are not planted
        CHECK(sums_of(streams, rank, "time", "cause")["host_wait"] >= planted);
    });
}

TEST_CASE("exactly the written launches are found") {
    const Table launches = table_of("launches");
    const Table summary = table_of("launch-summary");
    const Table queues = table_of("queue-length");
    on_every_rank([&](const Json& rank) {
        const std::int64_t expected = written(rank, {"s:ac2g"});
        CHECK(expected == gpu_work_of(rank));
        CHECK(sum_of(launches, rank, "events") == expected);
        CHECK(sum_of(summary, rank, "launches") == expected);
        CHECK(sum_of(queues, rank, "launches") == expected);
    });
}

TEST_CASE("copies take the written time") {
    const Table table = table_of("memory-bandwidth");
    on_every_rank([&](const Json& rank) {
        CHECK(sum_of(table, rank, "count") == written(rank, {"X:gpu_memcpy", "X:gpu_memset"}));
        CHECK(sum_of(table, rank, "time") == rank["breakdown"]["memory_ns"].get<std::int64_t>());
        CHECK(sum_of(table, rank, "unknown") == 0);
    });
}

TEST_CASE("operators have the written numbers of calls") {
    const Table calls = table_of("operator-calls");
    std::int64_t all = 0;
    on_every_rank([&](const Json& rank) {
        const std::int64_t key = RankKey{rank["rank"].get<std::int32_t>(), 0}.packed();
        std::int64_t rows = 0;
        for (std::size_t row = 0; row < calls.rows(); ++row) rows += integer_at(calls, row, "rank") == key ? 1 : 0;
        CHECK(rows == written(rank, {"X:cpu_op"}));
        all += rows;
    });
    const Table operators = table_of("operators");
    std::int64_t sum = 0;
    for (std::size_t row = 0; row < operators.rows(); ++row) sum += integer_at(operators, row, "calls");
    CHECK(sum == all);
}

TEST_CASE("annotations on host and GPU have the written counts") {
    const Table gpu = table_of("annotations", {{"source", "gpu"}});
    const Table cpu = table_of("annotations", {{"source", "cpu"}});
    on_every_rank([&](const Json& rank) {
        CHECK(sum_of(gpu, rank, "count") == written(rank, {"X:gpu_user_annotation"}));
        CHECK(sum_of(cpu, rank, "count") == written(rank, {"X:user_annotation"}));
    });
}

TEST_CASE("every written kernel has at most one annotation and one operator") {
    const Table annotations = table_of("kernels-by-annotation");
    const Table operators = table_of("kernels-by-operator");
    on_every_rank([&](const Json& rank) {
        const auto [counts, times] = kernels_of(rank);
        for (const Table* table : {&annotations, &operators}) {
            CHECK(sums_of(*table, rank, "count", "kernel") == counts);
            CHECK(sums_of(*table, rank, "total", "kernel") == times);
        }
    });
}

TEST_CASE("names have the written numbers of events") {
    const Table table = table_of("names");
    const Table gpu = answer_of(*planted_sample().run, "names", "stream:0-1000").main();  // calls have no stream
    on_every_rank([&](const Json& rank) {
        std::int64_t events = 0;
        for (const auto& [kind, count] : rank["events_by_phase_and_category"].items())
            if (kind.starts_with("X:")) events += count.get<std::int64_t>();
        CHECK(sum_of(table, rank, "count") == events);
        const SumsByText counts = sums_of(gpu, rank, "count", "name");
        const SumsByText totals = sums_of(gpu, rank, "total", "name");
        const auto [kernels, times] = kernels_of(rank);
        for (const auto& [name, count] : kernels) CHECK_MESSAGE(counts.at(name) == count, name);
        for (const auto& [name, time_ns] : times) CHECK(totals.at(name) == time_ns);
    });
}

TEST_CASE("kernels of sequences are written kernels, each at most once") {
    SumsByText in_sequences;
    const Table table = table_of("kernel-sequences", {{"of", "whole"}});
    REQUIRE(table.rows() > 0);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const std::int64_t count = integer_at(table, row, "count");
        std::string names = std::string(table.text(row, table.find_column("kernels"))) + "|";
        std::int64_t length = 0;
        for (std::size_t end; (end = names.find('|')) != std::string::npos; names.erase(0, end + 1), ++length)
            in_sequences[names.substr(0, end)] += count;
        CHECK(length == integer_at(table, row, "length"));
    }
    SumsByText all;
    on_every_rank([&](const Json& rank) {
        for (const auto& [name, count] : kernels_of(rank).first) all[name] += count;
    });
    for (const auto& [name, count] : in_sequences) CHECK(count <= all[name]);
}

TEST_CASE("memory has the written numbers of allocations and frees") {
    const Table table = table_of("memory-timeline");
    on_every_rank([&](const Json& rank) {
        const std::int64_t changes = written(rank, {"i:cpu_instant_event"});
        CHECK(sum_of(table, rank, "allocations") + sum_of(table, rank, "frees") == changes);
    });
}
