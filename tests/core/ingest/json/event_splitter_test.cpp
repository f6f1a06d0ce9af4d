#include "core/ingest/json/event_splitter.hpp"

#include "tests/core/ingest/load/ingest_fixture.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace core;
using namespace core::testing;

namespace {

struct Split {
    std::string events;              // all chunks, one after another
    std::vector<std::size_t> sizes;
    std::string metadata;
    std::string error;
    Diagnostics diagnostics;
    std::uint64_t dropped = 0;
};

Split split(const std::string& text, SplitterLimits limits = {}, std::size_t step = 1 << 20) {
    MemorySource source(text, step);
    EventSplitter splitter(source, limits);
    Split result;
    EventChunk chunk;
    for (;;) {
        const Result<bool> more = splitter.next(chunk);
        if (!more) result.error = more.error().message;
        if (!more || !*more) break;
        CHECK(chunk.text() == std::string_view(text).substr(chunk.offset, chunk.size));
        result.events += chunk.text();
        result.sizes.push_back(chunk.size);
    }
    result.metadata = splitter.metadata();
    result.diagnostics = splitter.diagnostics();
    result.dropped = splitter.dropped();
    return result;
}

std::string many_events(int count, std::string_view before, std::string_view between) {
    std::string text;
    for (int i = 0; i < count; ++i) {
        if (i > 0) text += between;
        text += before;
        text += "{\"ph\": \"X\", \"name\": \"a ]} {[ \\\" b\", \"ts\": " + std::to_string(i) +
                ", \"args\": {\"list\": [{\"x\": 1}]}}";
    }
    return text;
}

}  // namespace

TEST_CASE("events are found wherever traceEvents stands and the rest is kept") {
    const Split result = split(R"({"a": 1, "traceEvents": [{"ph": "X"}], "b": [1, {"c": "]}"}], "d": "x"})");
    CHECK(result.events == R"({"ph": "X"})");
    CHECK(result.metadata == R"({"a": 1, "b": [1, {"c": "]}"}], "d": "x"})");
    CHECK(result.error.empty());
    CHECK(result.diagnostics.empty());
    CHECK(split(R"({"trace\u0045vents": [{"ph": "X"}]})").events == R"({"ph": "X"})");
}

TEST_CASE("a bare list is as good, and a byte order mark is skipped") {
    CHECK(split("[{\"ph\": \"X\"}]").events == "{\"ph\": \"X\"}");
    CHECK(split("\xEF\xBB\xBF [{\"ph\": \"X\"}]").events == "{\"ph\": \"X\"}");
    CHECK(split("[]").error.empty());
    CHECK(split("{\"traceEvents\": []}").error.empty());
}

TEST_CASE("an open list is read to its end and counted") {
    const Split open = split("[{\"ph\": \"X\"},\n{\"ph\": \"B\"}\n");
    CHECK(open.events == "{\"ph\": \"X\"},\n{\"ph\": \"B\"}\n");
    CHECK(open.diagnostics.count("json-repaired") == 1);
    CHECK(split("{\"traceEvents\": [{\"ph\": \"X\"},").diagnostics.count("file-truncated") == 1);
}

TEST_CASE("events after the end of the list or of the document are lost, a bracket too many is not") {
    const std::string good = R"({"traceEvents": [{"ph": "X"}]})";
    const auto lost = [](const std::string& text) { return split(text).diagnostics.count("text-after-end"); };
    CHECK(lost(good + "\n" + good) == 1);
    CHECK(lost(good + good + good) == 2);
    CHECK(lost(good + R"(ph": "X"}, {"ph": "X"}, {"ph": "X"}]})") == 2);  // the end of a longer file
    CHECK(lost(R"([{"ph": "X"}], {"ph": "X"}])") == 1);
    CHECK(lost(R"({"traceEvents": [{"ph": "X"}], {"ph": "X"}, {"ph": "X"}]})") == 2);  // closed early
    CHECK(lost(R"({"traceEvents": [{"ph": "X"}, ]"ph": "X"}, {"ph": "X"}, {"ph": "X"}]})") > 0);
    for (const std::string rest : {"]", "}\n", "]}", ",", "end of output"}) {
        const Split result = split(good + rest);
        CHECK(result.events == R"({"ph": "X"})");
        CHECK(result.diagnostics.count("text-after-end") == 0);
        CHECK(result.diagnostics.count("json-repaired") == 1);
    }
    // However the file is read: a phase may lie across two blocks.
    for (std::size_t step = 1; step < 40; ++step)
        CHECK(split(good + good, {}, step).diagnostics.count("text-after-end") == 1);
}

TEST_CASE("a value that isn't a list of events is refused with its place") {
    CHECK(split("").error.starts_with("byte 0: the file is empty"));
    CHECK(split("hello").error == "byte 0: not JSON: expected '{' or '['");
    CHECK(split("{\"a\": 1}").error.starts_with("a JSON object without \"traceEvents\""));
    CHECK(split("{\"a\": 1").error.starts_with("byte 7: the file ends inside the value of a; it was cut off"));
    CHECK(split("{a: 1}").error == "byte 1: a member name was expected");
}

TEST_CASE("any layout and any size of chunks and reads give the same events") {
    for (const char* before : {"", "\n  ", "\n    ", "\n"}) {
        const std::string events = many_events(500, before, ",");
        const std::string text = "{\"traceEvents\": [" + events + "\n  ], \"traceName\": \"x\"}";
        for (const std::size_t chunk_bytes : {200u, 1000u, 4096u, 1u << 20}) {
            for (const std::size_t step : {1u, 7u, 100u, 1u << 20}) {
                if (step == 1 && chunk_bytes > 1000) continue;
                SplitterLimits limits;
                limits.chunk_bytes = chunk_bytes;
                const Split result = split(text, limits, step);
                CAPTURE(chunk_bytes);
                CHECK(result.events.find_last_not_of(" \n") == events.size() - 1);
                CHECK(std::string_view(result.events).substr(0, events.size()) == events);
                CHECK(result.metadata == "{\"traceName\": \"x\"}");
                CHECK(result.diagnostics.empty());
            }
        }
    }
}

TEST_CASE("chunks of line-wise files are cut at lines and stay within their size") {
    SplitterLimits limits;
    limits.chunk_bytes = 2000;
    const Split result = split("{\"traceEvents\": [" + many_events(500, "\n  ", ",") + "\n  ]}", limits);
    CHECK(result.sizes.size() > 20);
    for (const std::size_t size : result.sizes) CHECK(size <= 2000);
}

TEST_CASE("an indentation shared by objects inside events is not mistaken for the beginning of events") {
    std::string events;
    for (int i = 0; i < 300; ++i)
        events += std::string(i > 0 ? "," : "") + "\n{\n\"ph\": \"X\",\n\"args\":\n{\n\"a\": 1\n}\n}";
    SplitterLimits limits;
    limits.chunk_bytes = 500;
    const Split result = split("[" + events + "\n]", limits);
    CHECK(std::string_view(result.events).substr(0, events.size()) == events);
    EventChunk chunk = make_chunk(result.events);
    CHECK(KinetoParser().parse_chunk(chunk).records.total == 300);
}

TEST_CASE("an event beyond the largest size is dropped and its neighbours stay") {
    SplitterLimits limits;
    limits.chunk_bytes = 1000;
    limits.event_bytes = 4000;
    const std::string huge = "{\"ph\": \"X\", \"name\": \"" + std::string(50000, 'x') + "\"}";
    for (const char* before : {"", "\n  "}) {
        const std::string text =
            "[" + many_events(20, before, ",") + "," + before + huge + "," + many_events(20, before, ",") + "]";
        const Split result = split(text, limits);
        EventChunk chunk = make_chunk(result.events);
        const EventBatch batch = KinetoParser().parse_chunk(chunk);
        CHECK(batch.records.total == 40);
        CHECK(result.dropped == 1);
        CHECK(result.diagnostics.count("event-dropped") == 1);
        CHECK(result.diagnostics.count("json-repaired") == 0);
    }
}

TEST_CASE("a layout that changes midway, or pages of garbage, cost no event and no time") {
    SplitterLimits limits;
    limits.chunk_bytes = 1000;
    limits.event_bytes = 4000;
    for (const std::string& between :
         {std::string(",  "), "," + std::string(20000, '}') + ",", "," + std::string(20000, 'x') + ","}) {
        const std::string text = "[" + many_events(20, "\n  ", ",") + between + many_events(200, "", ",") + "]";
        const Split result = split(text, limits);
        EventChunk chunk = make_chunk(result.events);
        CHECK(KinetoParser().parse_chunk(chunk).records.complete == 220);
    }
}

TEST_CASE("members too large to keep are left out and counted") {
    SplitterLimits limits;
    limits.metadata_bytes = 100;
    const Split result =
        split("{\"big\": \"" + std::string(500, 'x') + "\", \"small\": 1, \"traceEvents\": [{}]}", limits);
    CHECK(result.metadata == "{\"small\": 1}");
    CHECK(result.diagnostics.count("metadata-truncated") == 1);
}
