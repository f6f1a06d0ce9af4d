#include "core/ingest/kineto/memory_timeline_file.hpp"

#include "tests/core/analysis/engine/answers.hpp"
#include "tests/core/ingest/load/ingest_fixture.hpp"
#include "tests/core/trace_fixture.hpp"

#include <doctest/doctest.h>

using namespace core;
using namespace core::testing;

namespace {

// 100 bytes of parameters exist initially; 50 of activations come at 2000, become gradients, and go again.
constexpr std::string_view kMemoryRows =
    "[[-1, 2, 100, 0], [2000, 2, 50, 4], [2500, 3, -50, 4], [2500, 3, 50, 5], [3000, 4, -50, 5]]";

Result<RankTracePtr> load_timeline(std::string_view text) { return load_text(text, "memory.raw.json"); }

Answer memory_of_timeline(std::string_view filter = "") {
    const Result<RankTracePtr> trace = load_timeline(kMemoryRows);
    REQUIRE(trace.has_value());
    return answer_of(*run_of({*trace}), "memory-timeline", filter);
}

}  // namespace

TEST_CASE("a raw memory timeline is recognised by its first row") {
    CHECK(begins_memory_timeline(" [ [1,2,-3,4] ]"));
    CHECK_FALSE(begins_memory_timeline("[[1, 2, 3], [4, 5, 6]]"));
    CHECK_FALSE(begins_memory_timeline("[[1.5, 2, 3, 4]]"));
    CHECK_FALSE(begins_memory_timeline("[{}]"));
    CHECK_FALSE(begins_memory_timeline("["));
    CHECK_FALSE(begins_memory_timeline(""));
}

TEST_CASE("allocations and frees of a memory timeline are moments, changes of version counters only") {
    const Result<RankTracePtr> trace = load_timeline(kMemoryRows);
    REQUIRE(trace.has_value());
    const RecordCounts& records = (*trace)->info.records;
    CHECK(records.total == 5);
    CHECK(records.instants == 3);
    CHECK(records.counters == 2);
    CHECK((*trace)->size() == 3);
    CHECK((*trace)->window.begin == rank_time(2000));  // what was there before is put at the first time there is
    CHECK((*trace)->event_text(EventId{0})->arguments == "{\"Bytes\": 100}");
}

TEST_CASE("peaks of a memory timeline, in all and by category") {
    const Answer answer = memory_of_timeline();
    CHECK(rows_of(answer.main()) == Rows{"0 GPU 150 - 150 2 150 1"});
    REQUIRE(answer.tables.size() == 4);
    CHECK(answer.tables[3].name == "categories");
    CHECK(rows_of(answer.tables[3].table) == Rows{"0 Parameter 100 100", "0 Activation 50 0", "0 Gradient 50 0"});
}

TEST_CASE("categories in a time range start from what they held before it") {
    CHECK(rows_of(memory_of_timeline("time:600ns..").tables[3].table) ==
          Rows{"0 Parameter 100 100", "0 Gradient 50 0", "0 Activation 0 0"});
}

TEST_CASE("a memory timeline that breaks off keeps what came before, and says where") {
    const Result<RankTracePtr> trace = load_timeline(kMemoryRows.substr(0, kMemoryRows.size() - 6));
    REQUIRE(trace.has_value());
    CHECK((*trace)->info.records.total == 4);
    CHECK((*trace)->diagnostics.count("file-truncated") == 1);
    const Result<RankTracePtr> odd = load_timeline("[[5, 2, 1, 0], [6, 2, \"x\", 0]]");
    REQUIRE(odd.has_value());
    REQUIRE((*odd)->diagnostics.count("file-truncated") == 1);
    CHECK((*odd)->diagnostics.entries()[0].first == "byte 15: not a list of four integers");
}

TEST_CASE("rows of unknown categories or actions are counted as dropped") {
    const Result<RankTracePtr> trace =
        load_timeline("[[5, 2, 1, 8], [5, 2, 1, -1], [5, 9, 1, 0], [5, 2, 9223372036854775807, 0], [6, 2, 1, 0]]");
    REQUIRE(trace.has_value());
    CHECK((*trace)->info.records.dropped == 4);
    CHECK((*trace)->info.records.instants == 1);
    CHECK((*trace)->diagnostics.count("event-dropped") == 4);
}

TEST_CASE("a memory timeline of many rows is read in pieces, packed or not") {
    std::string text = "[";
    for (int i = 0; i < 100'000; ++i)
        text += (i > 0 ? ", [" : "[") + std::to_string(i + 10) + ", 2, 1, " + std::to_string(i % 8) + "]";
    text += "]";
    for (const std::string& bytes : {text, gzip(text), "\xEF\xBB\xBF" + text}) {
        const Result<RankTracePtr> trace = load_text(bytes, "m.raw.json");
        REQUIRE(trace.has_value());
        CHECK((*trace)->size() == 100'000);
        CHECK((*trace)->diagnostics.empty());
        const Answer answer = answer_of(*run_of({*trace}), "memory-timeline", "");
        CHECK(rows_of(answer.main()) == Rows{"0 GPU 100000 - 100000 100000 100000 0"});
    }
}
