#include "core/ingest/kineto/kineto_json.hpp"

#include "tests/core/ingest/load/ingest_fixture.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace core;
using namespace core::testing;

namespace {

std::string_view name_of(const EventBatch& batch, std::size_t row) { return batch.pool.text(batch.events[row].name); }

std::optional<std::int64_t> integer(const EventBatch& batch, Arg arg, std::uint32_t row) {
    for (const ArgInteger& value : batch.integers[static_cast<std::size_t>(arg)]) {
        if (value.row == row) return value.value;
    }
    return std::nullopt;
}

std::string text(const EventBatch& batch, Arg arg, std::uint32_t row) {
    for (const ArgName& value : batch.texts[static_cast<std::size_t>(arg)]) {
        if (value.row == row) return std::string(batch.pool.text(value.value));
    }
    return "-";
}

EventText text_of(const EventBatch& batch, std::uint32_t order) {
    const Result<EventText> found = find_event_text(batch.text_store.blocks(), batch.text_store.packed(), order);
    REQUIRE(found.has_value());
    return *found;
}

}  // namespace

TEST_CASE("a complete event becomes a row with exact times and its known arguments") {
    const EventBatch batch =
        parse(R"json({"ph": "X", "cat": "kernel", "name": "k\"1\u00e4", "pid": 0, "tid": 7, "ts": 10.001,
        "dur": 2.5, "args": {"correlation": 42, "stream": "7", "bytes": 1e3, "memory bandwidth (GB/s)": 0.4706,
        "Input Dims": [[128, 64], []], "dtype": "Float", "Collective name": "allreduce", "Comms Id": 10159970886766084423}})json");
    REQUIRE(batch.events.size() == 1);
    CHECK(batch.events[0].start_ns == 10001);
    CHECK(batch.events[0].duration_ns == 2500);
    CHECK(name_of(batch, 0) == "k\"1\xC3\xA4");
    CHECK(batch.pool.text(batch.events[0].pid) == "0");
    CHECK(batch.events[0].has_collective);
    CHECK(integer(batch, Arg::Correlation, 0) == 42);
    CHECK(integer(batch, Arg::Stream, 0) == 7);
    CHECK(integer(batch, Arg::Bytes, 0) == 1000);
    CHECK(integer(batch, Arg::BandwidthMbPerS, 0) == 471);
    CHECK(integer(batch, Arg::CommsId, 0) == static_cast<std::int64_t>(10159970886766084423ull));
    CHECK(text(batch, Arg::InputDims, 0) == "[[128,64],[]]");
    CHECK(text(batch, Arg::CollectiveName, 0) == "allreduce");
    CHECK(batch.diagnostics.empty());
}

TEST_CASE("arguments are kept as written, with other fields and the place in the file") {
    EventChunk chunk = make_chunk(
        "  {\"args\": {\"a\" : [1,  {\"b\":null}] } , \"cname\": \"good\", \"tts\": 5, \"ph\": \"X\", \"ts\": 1, "
        "\"dur\": 1}",
        "", 1000);
    const EventBatch batch = KinetoParser().parse_chunk(chunk);
    const EventText kept = text_of(batch, 0);
    CHECK(kept.arguments == "{\"a\" : [1,  {\"b\":null}] }");
    CHECK(kept.extra == "{\"cname\": \"good\", \"tts\": 5}");
    CHECK(kept.source_offset == 1002);
}

TEST_CASE("numbers may be texts, and ids of either kind are equal") {
    const EventBatch batch = parse(R"({"ph": "X", "pid": "12", "tid": 3, "ts": "1736405443863674.400", "dur": "92"},
        {"ph": "X", "pid": 12, "tid": "3", "ts": 5, "dur": 1}, {"ph": "X", "pid": 12.0, "ts": 6, "dur": 1})");
    REQUIRE(batch.events.size() == 3);
    CHECK(batch.events[0].start_ns == 1736405443863674400);
    CHECK(batch.events[0].duration_ns == 92000);
    CHECK(batch.events[0].pid == batch.events[1].pid);
    CHECK(batch.events[0].tid == batch.events[1].tid);
    CHECK(batch.events[0].pid == batch.events[2].pid);
    CHECK(batch.pool.text(batch.events[2].tid).empty());
}

TEST_CASE("each phase becomes its kind of row and each record is counted once") {
    const EventBatch batch = parse(R"({"ph":"B","ts":1,"pid":1,"tid":1,"name":"b"},{"ph":"E","ts":2,"pid":1,"tid":1},
        {"ph":"b","ts":1,"id":"0x10","cat":"c","name":"n"},{"ph":"e","ts":2,"id":16,"cat":"c","name":"n"},
        {"ph":"S","ts":1,"id":1},{"ph":"F","ts":1,"id":1},{"ph":"i","ts":1,"s":"t"},{"ph":"I","ts":1},{"ph":"R","ts":1},
        {"ph":"n","ts":1},{"ph":"T","ts":1},{"ph":"p","ts":1},{"ph":"P","ts":1},
        {"ph":"C","ts":1,"name":"mem","args":{"a":1.5,"b":"2","c":"x"}},
        {"ph":"M","name":"process_name","pid":1,"args":{"name":"python"}},{"ph":"M","name":"num_cpus","args":{"number":4}},
        {"ph":"M","name":"thread_sort_index","pid":1,"tid":2,"args":{"sort_index":-5}},
        {"ph":"s","ts":1,"id":"0x2a"},{"ph":"t","ts":2,"id":42},{"ph":"f","ts":3,"id":"x","bp":"e"},
        {"ph":"O","ts":1},{"ph":"N","ts":1},{"ph":"D","ts":1},{"ph":"v","ts":1},{"ph":"c","ts":1},
        {"ph":"Q","ts":1},{"ph":"","ts":1},{"ts":1},{"ph":5})");
    const RecordCounts& n = batch.records;
    CHECK(n.total == 29);
    CHECK(sum_of_parts(n) == n.total);
    CHECK(n.paired == 6);
    CHECK(n.instants == 7);
    CHECK(n.counters == 1);
    CHECK(n.metadata == 3);
    CHECK(n.flows == 3);
    CHECK(n.dropped == 9);
    CHECK(batch.diagnostics.count("object-event") == 5);
    CHECK(batch.diagnostics.count("event-malformed") == 4);
    CHECK(batch.counters.size() == 2);
    CHECK(batch.metadata.size() == 2);
    CHECK(batch.metadata[1].number == -5);
    CHECK(batch.events[2].id == batch.events[3].id);
    CHECK(batch.flows[0].id == 42);
    CHECK(batch.flows[1].id == 42);
    CHECK(batch.flows[2].id == hash_text("x"));
    CHECK(batch.flows[2].bind_enclosing);
    CHECK_FALSE(batch.flows[0].bind_enclosing);
    CHECK(batch.events.back().order == 12);
    CHECK(batch.flows.back().order == 19);
}

TEST_CASE("a series of a counter whose name is written with escapes has the name they mean") {
    const EventBatch batch =
        parse(R"({"ph": "C", "name": "bytes", "pid": 1, "ts": 5, "args": {"in\u0020use": 3, "free": 4}})");
    REQUIRE(batch.counters.size() == 2);
    CHECK(batch.pool.text(batch.counters[0].series) == "in use");
    CHECK(batch.pool.text(batch.counters[1].series) == "free");
}

TEST_CASE("flows of the second version come from the events themselves") {
    const EventBatch batch = parse(R"({"ph":"X","ts":1,"dur":2,"bind_id":"0x5","flow_out":true},
        {"ph":"X","ts":5,"dur":2,"bind_id":5,"flow_in":true,"flow_out":true},{"ph":"X","ts":9,"dur":2,"bind_id":5,"flow_in":true},
        {"ph":"X","ts":9,"dur":2,"bind_id":5})");
    REQUIRE(batch.flows.size() == 3);
    CHECK(batch.flows[0].phase == FlowPhase::Start);
    CHECK(batch.flows[1].phase == FlowPhase::Step);
    CHECK(batch.flows[2].phase == FlowPhase::End);
    CHECK(batch.flows[2].id == 5);
    CHECK(batch.records.total == 4);
    CHECK(sum_of_parts(batch.records) == 4);
}

TEST_CASE("unusable times are counted, never guessed silently") {
    const EventBatch batch = parse(R"({"ph":"X","ts":1,"dur":-5},{"ph":"X","ts":1},{"ph":"X","ts":1,"dur":NaN},
        {"ph":"X","ts":1,"dur":1e300},{"ph":"X","ts":-1e300,"dur":0},{"ph":"X","dur":1},{"ph":"X","ts":Infinity,"dur":1},
        {"ph":"X","ts":null,"dur":1},{"ph":"X","ts":[1],"dur":1},{"ph":"B","ts":"soon"})");
    CHECK(batch.records.total == 10);
    CHECK(batch.events.size() == 5);
    CHECK(batch.diagnostics.count("negative-duration") == 1);
    CHECK(batch.diagnostics.count("duration-missing") == 2);
    CHECK(batch.diagnostics.count("absurd-duration") == 2);
    CHECK(batch.diagnostics.count("event-malformed") == 5);
    CHECK(batch.events[0].duration_ns == 0);
}

TEST_CASE("known arguments of a wrong kind are counted and keep their text") {
    const EventBatch batch =
        parse(R"({"ph":"X","ts":1,"dur":1,"args":{"correlation":[1],"stream":"seven","device":null,"bytes":1e30}})");
    CHECK(batch.diagnostics.count("argument-unreadable") == 3);
    CHECK_FALSE(integer(batch, Arg::Correlation, 0).has_value());
    CHECK(text_of(batch, 0).arguments.find("seven") != std::string::npos);
}

TEST_CASE("an argument out of its range is absent and counted, however often its layout was seen") {
    const std::pair<std::string_view, Arg> kArguments[] = {
        {"correlation", Arg::Correlation},  {"bytes", Arg::Bytes}, {"Group size", Arg::GroupSize},
        {"In msg nelems", Arg::InElements}, {"Seq", Arg::Seq},     {"memory bandwidth (GB/s)", Arg::BandwidthMbPerS}};
    for (const auto& [key, arg] : kArguments) {
        for (const std::string_view value : {"9223372036854775808", "18446744073709551615", "NaN", "nan", "-1", "-5",
                                             "Infinity", "-Infinity", "1e19", "\"9223372036854775808\""}) {
            const auto event = [&](std::string_view number) {
                return R"({"ph":"X","name":"a","ts":1,"dur":1,"args":{")" + std::string(key) +
                       "\":" + std::string(number) + "}}";
            };
            CAPTURE(event(value));
            const EventBatch batch = parse(event("7") + "," + event("8") + "," + event(value) + "," + event(value));
            REQUIRE(batch.events.size() == 4);
            CHECK(integer(batch, arg, 1).has_value());
            CHECK_FALSE(integer(batch, arg, 2).has_value());
            CHECK_FALSE(integer(batch, arg, 3).has_value());
            CHECK(batch.diagnostics.count("argument-unreadable") == 2);
            CHECK(text_of(batch, 2).arguments.find(value) != std::string::npos);
        }
    }
}

TEST_CASE("-1 is none for a device and a stream, freed memory is negative, and ids have 64 bits") {
    const EventBatch batch = parse(R"({"ph":"i","ts":1,"args":{"Device Id":-1,"stream":-1,"Bytes":-512,
        "Addr":18446744073709551615,"Comms Id":9223372036854775808,"Python parent id":null}})");
    CHECK(integer(batch, Arg::Device, 0) == -1);
    CHECK(integer(batch, Arg::Stream, 0) == -1);
    CHECK(integer(batch, Arg::Bytes, 0) == -512);
    CHECK(integer(batch, Arg::Addr, 0) == -1);
    CHECK(integer(batch, Arg::CommsId, 0) == std::numeric_limits<std::int64_t>::min());
    CHECK(batch.diagnostics.empty());
}

TEST_CASE("missing commas between events are read over and counted") {
    const EventBatch batch = parse(
        "{\"ph\":\"X\",\"ts\":1,\"dur\":1}\n{\"ph\":\"X\",\"ts\":2,\"dur\":1}\n{\"ph\":\"X\",\"ts\":3,\"dur\":1},\n");
    CHECK(batch.events.size() == 3);
    CHECK(batch.diagnostics.count("json-repaired") == 2);
}

TEST_CASE("raw control characters and bad UTF-8 are mended in the one event that has them") {
    const EventBatch batch = parse(
        "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"a\tb\"},{\"ph\":\"X\",\"ts\":2,\"dur\":1,\"name\":\"c\xFF\"},{"
        "\"ph\":\"X\",\"ts\":3,\"dur\":1,\"name\":\"d\"}");
    REQUIRE(batch.events.size() == 3);
    CHECK(name_of(batch, 0) == "a\tb");
    CHECK(name_of(batch, 1) == "c\xEF\xBF\xBD");
    CHECK(name_of(batch, 2) == "d");
    CHECK(batch.diagnostics.count("text-repaired") == 2);
}

TEST_CASE("a stray quote is mended and costs no other event") {
    for (const char* boundary : {"{\"ph\":", "\n{"}) {
        const EventBatch batch = parse(
            "\n{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"a\"},\n{\"ph\":\"X\",\"ts\":2,\"dur\":1,\"name\":\"say "
            "\"hi\" now\"},"
            "\n{\"ph\":\"X\",\"ts\":3,\"dur\":1,\"name\":\"odd \" "
            "one\"},\n{\"ph\":\"X\",\"ts\":4,\"dur\":1,\"name\":\"d\"}",
            boundary);
        CAPTURE(boundary);
        REQUIRE(batch.events.size() == 4);
        CHECK(name_of(batch, 1) == "say \"hi\" now");
        CHECK(name_of(batch, 2) == "odd \" one");
        CHECK(name_of(batch, 3) == "d");
        CHECK(batch.diagnostics.count("text-repaired") == 2);
    }
}

TEST_CASE("an event beyond repair is dropped with its place and the others stay") {
    const EventBatch batch = parse(
        "\n{\"ph\":\"X\",\"ts\":1,\"dur\":1},\n{\"ph\":\"X\",\"ts\":2 \"dur\"=1, "
        ":\"name\"},\n{\"ph\":\"X\",\"ts\":3,\"dur\":1},\nnull,\n17",
        "\n{");
    CHECK(batch.events.size() == 2);
    CHECK(batch.records.dropped >= 2);
    CHECK(sum_of_parts(batch.records) == batch.records.total);
    CHECK(batch.diagnostics.count("event-dropped") >= 2);
}

TEST_CASE("deep nesting, duplicate keys, NUL bytes and line ends of any kind do no harm") {
    const std::string deep =
        "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"args\":" + std::string(100000, '[') + std::string(100000, ']') + "}";
    CHECK(parse(deep).events.size() == 1);
    const std::string open = "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"args\":" + std::string(100000, '[') + "}";
    CHECK(parse(open).records.total == 1);
    const EventBatch twice =
        parse(R"({"ph":"B","ph":"X","ts":1,"ts":2,"dur":1,"args":{"bytes":1,"bytes":2},"args":{"bytes":3}})");
    REQUIRE(twice.events.size() == 1);
    CHECK(twice.events[0].start_ns == 2000);
    CHECK(integer(twice, Arg::Bytes, 0) == 3);
    const EventBatch nul = parse(std::string_view("{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"a\0b\"}", 38));
    CHECK(nul.records.total == 1);
    CHECK(parse("{\"ph\":\"X\",\r\n\"ts\":1,\r\n\"dur\":1}\r\n,\r\n{\"ph\":\"X\",\"ts\":1,\"dur\":1}\r\n")
              .events.size() == 2);
}
