// Mistakes of writers within an event: escapes, numbers that JSON does not have, names of members with escapes, and
// objects without a member.

#include "core/ingest/load/load_run.hpp"
#include "tests/core/temp_folder.hpp"

#include <doctest/doctest.h>

#include <fstream>

using namespace core;

namespace {

std::string event(std::string_view name, std::string_view arguments = "\"stream\": 7") {
    return "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"" + std::string(name) +
           "\", \"pid\": 0, \"tid\": 7, \"ts\": 10, \"dur\": 5, \"args\": {" + std::string(arguments) + "}}";
}

RankTracePtr read(std::string_view text) {
    const core::testing::TempFolder folder;
    const std::filesystem::path file = folder.path() / "rank0.json";
    std::ofstream(file, std::ios::binary) << text;
    LoadProgress progress;
    Result<RankTracePtr> trace = load_rank(file, progress, {});
    REQUIRE(trace.has_value());
    return *trace;
}

RankTracePtr read_events(std::initializer_list<std::string> events) {
    std::string text;
    for (const std::string& one : events) text += (text.empty() ? "{\"traceEvents\": [\n" : ",\n") + one;
    return read(text + "\n]}");
}

}  // namespace

TEST_CASE("a backslash that begins no escape stays, and so do the others of its text") {
    const RankTracePtr trace = read_events({event("torch\\cuda\\__init__.py(219): _lazy_init"), event("a\\new\\count"),
                                            event("a\\tb"), event("esc\\x1b[0m"), event("short \\u12")});
    const auto has = [&](std::string_view name) {
        for (std::uint32_t e = 0; e < trace->size(); ++e)
            if (trace->name_text(EventId{e}) == name) return true;
        return false;
    };
    CHECK(has("torch\\cuda\\__init__.py(219): _lazy_init"));
    CHECK(has("a\\new\\count"));
    CHECK(has("a\tb"));
    CHECK(has("esc\\x1b[0m"));
    CHECK(has("short \\u12"));
    CHECK(trace->diagnostics.count("text-repaired") == 4);
}

TEST_CASE("NaN and infinities lose their own value alone, and the text of the arguments stays readable") {
    const RankTracePtr trace =
        read_events({event("k", "\"a\": inf, \"b\": -nan, \"c\": NaN, \"d\": null, \"stream\": 7, \"e\": -Infinity")});
    CHECK(trace->diagnostics.count("number-unreadable") == 4);
    REQUIRE(trace->size() == 1);
    CHECK(trace->integer(Arg::Stream, EventId{0}) == 7);
    const Result<EventText> text = trace->event_text(EventId{0});
    REQUIRE(text.has_value());
    CHECK(text->arguments == R"({"a": "inf", "b": "-nan", "c": "NaN", "d": null, "stream": 7, "e": "-Infinity"})");
}

TEST_CASE("names of members and phases may be written with escapes") {
    const RankTracePtr trace =
        read(R"({"traceEvents": [{"p\u0068": "\u0058", "\u0063at": "kernel", "\u006eame": "k", "pid": 0, "tid": 7,)"
             R"( "ts": 10, "\u0064ur": 5, "\u0061rgs": {"str\u0065am": 7}}]})");
    REQUIRE(trace->gpu_events.size() == 1);
    CHECK(trace->name_text(EventId{0}) == "k");
    CHECK(trace->duration[0].count() == 5'000);
    CHECK(trace->integer(Arg::Stream, EventId{0}) == 7);
    CHECK(trace->diagnostics.empty());
}

TEST_CASE("an object without a member is nothing at all") {
    for (const RankTracePtr& trace :
         {read_events({"{}", event("a"), "{}", event("b"), "{ }"}), read_events({event("a"), event("b"), "{}"})}) {
        CHECK(trace->size() == 2);
        CHECK(trace->info.records.total == 2);
        CHECK(trace->diagnostics.empty());
    }
}
