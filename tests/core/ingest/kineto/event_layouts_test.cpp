#include "core/ingest/kineto/event_layouts.hpp"

#include "core/ingest/json/token_scan.hpp"

#include "tests/core/ingest/kineto/batch_difference.hpp"
#include "tests/core/ingest/load/ingest_fixture.hpp"
#include "tests/corpus.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace core;
using namespace core::testing;

namespace {

// The difference between reading a chunk by layouts and parsing it whole. Twice: the second time all layouts are known.
std::string difference(std::string_view events, std::string_view boundary = "") {
    KinetoParser by_layout(KnownLayouts::Use);
    KinetoParser parsing(KnownLayouts::Ignore);
    std::string found;
    for (int round = 0; round < 2 && found.empty(); ++round) {
        EventChunk one = make_chunk(events, boundary, 77);
        EventChunk other = make_chunk(events, boundary, 77);
        found = find_difference(by_layout.parse_chunk(one), parsing.parse_chunk(other));
        if (one.text() != events) found = "the chunk was changed";
    }
    return found;
}

std::string joined(const std::vector<std::string>& events) {
    std::string all;
    for (const std::string& event : events) all += (all.empty() ? "" : ",\n  ") + event;
    return all;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

constexpr std::string_view kKernel =
    R"json({"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": "stream 7", "ts": 1669783687464181.123, "dur": 45,
    "args": {"External id": 73689, "device": 0, "stream": 7, "correlation": -5, "grid": [24, 1, 1], "dtype": "Float",
    "memory bandwidth (GB/s)": 339.2088, "Input Dims": [[1, 2], []], "none": null, "yes": true, "deep": {"a": ["]", 1]}}})json";
constexpr std::string_view kFlow =
    R"json({"ph": "f", "id": 42, "pid": 0, "tid": 7, "ts": 12.5, "cat": "ac2g", "name": "ac2g", "bp": "e"})json";

}  // namespace

TEST_CASE("an event like one that was learned matches with its values, any other does not") {
    const std::string whole =
        R"({"ph": "X", "name": "gemm", "ts": 10, "dur": 2.5, "args": {"stream": 7}})" + std::string(kScanMargin, '\0');
    const std::string_view first{whole.data(), whole.size() - kScanMargin};
    const auto at = [&](std::string_view what) { return first.data() + first.find(what); };
    RawEvent event;
    event.clear(first.data() + first.size());
    event.phase = at("\"X\"");
    event.name = at("\"gemm\"");
    event.time = at("10");
    event.duration = at("2.5");
    event.arguments = {at("{\"stream\""), 13};
    event.fields = {{"stream", at("7}")}};
    EventLayouts layouts;
    const auto match = [&](std::string text) {
        text.append(1, '\0').append(kScanMargin, 'x');
        static std::string kept;
        kept = std::move(text);
        return layouts.match(kept.data());
    };
    CHECK(match(std::string(first)) == nullptr);
    layouts.learn(event, first);
    const LaidOutEvent* const other =
        match(R"({"ph": "X", "name": "add", "ts": 1000.001, "dur": 0, "args": {"stream": -12}}, and more)");
    REQUIRE(other != nullptr);
    CHECK(other->values[other->form->name] == "add");
    CHECK(other->numbers[other->form->time] == 1000001);
    CHECK(other->numbers[other->form->duration] == 0);
    REQUIRE(other->form->arguments.size() == 1);
    CHECK(other->numbers[other->form->arguments[0].value] == -12);
    CHECK(std::string_view(other->end, 4) == ", an");
    CHECK(match(R"({"ph": "X", "name": "add", "ts": 1, "dur": 0, "args": {"stream": 1.5}})") == nullptr);
    CHECK(match(R"({"ph": "X", "name": "a\"", "ts": 1, "dur": 0, "args": {"stream": 1}})") == nullptr);
    CHECK(match(R"({"ph": "X", "name": "add", "ts": 1, "dur": 0, "args": {"stream": 1)") == nullptr);
}

TEST_CASE("a layout is found where it never came before") {
    constexpr std::size_t kKinds = 9;
    EventLayouts layouts;
    std::string kept;
    std::array<RawEvent, kKinds> events;
    std::array<std::string, kKinds> texts;
    for (std::size_t i = 0; i < kKinds; ++i) {
        texts[i] = R"({"ph": "X", "pid": )" + std::to_string(i) + R"(, "ts": 10, "dur": 2})";
        const auto at = [&](std::string_view what) { return texts[i].data() + texts[i].find(what); };
        events[i].clear(texts[i].data() + texts[i].size());
        events[i].phase = at("\"X\"");
        events[i].pid = at(std::to_string(i) + ",");
        events[i].time = at("10");
        events[i].duration = at("2}");
        layouts.learn(events[i], texts[i]);
    }
    for (std::size_t from = 0; from < kKinds; ++from) {
        for (std::size_t to = 0; to < kKinds; ++to) {  // more kinds follow each than are predicted
            for (const std::size_t i : {from, to}) {
                kept = texts[i] + std::string(1, '\0') + std::string(kScanMargin, 'x');
                const LaidOutEvent* const found = layouts.match(kept.data());
                REQUIRE(found != nullptr);
                CHECK(found->form->pid == std::to_string(i));
            }
        }
    }
}

TEST_CASE("values of any kind in the place of another make the same rows as parsing") {
    const std::vector<std::string_view> integers = {"0",
                                                    "-0",
                                                    "+5",
                                                    "1e3",
                                                    "1.0",
                                                    "-1.5",
                                                    "-1",
                                                    "nan",
                                                    "NaN",
                                                    "-Infinity",
                                                    "007",
                                                    "123456789012345678",
                                                    "1234567890123456789",
                                                    "9223372036854775808",
                                                    "18446744073709551615",
                                                    "99999999999999999999",
                                                    "\"42\"",
                                                    "\"x\"",
                                                    "null",
                                                    "true",
                                                    "false",
                                                    "[1]",
                                                    "{\"a\": 1}",
                                                    "- 5",
                                                    "--5",
                                                    "5]",
                                                    "5}"};
    const std::pair<std::string_view, std::vector<std::string_view>> kPlaces[] = {
        {"1669783687464181.123",
         {"0",
          "-0",
          "-5",
          "1e3",
          "1E-2",
          "1.0",
          "1.2345",
          "1.",
          ".5",
          "00012",
          "1669783687464181",
          "2299999999999999",
          "2300000000000000",
          "99999999999999999",
          "999999999999999999",
          "123456789012345678901234567890",
          "1e300",
          "null",
          "\"12.5\"",
          "\"soon\"",
          "[1]",
          "{}",
          "NaN",
          "true",
          "1.2.3",
          "12-3",
          "12 3",
          ""}},
        {"45", {"0", "-1", "1e2", "0.0005", "0.00049", "null", "\"92\"", "1e300", "17000000000000000000", "x"}},
        {"-5", integers},
        {"73689", integers},
        {"gemm",
         {"", "a", "1234567", "12345678", "q\\\"", "tail\\\\", "\\u00e4", "\xC3\xA4", "\xFF", "a\tb", "a\"b", "DEL\x7F",
          "exactly sixteen!", "exactly fifteen", std::string_view("a\0b", 3)}},
        {"[24, 1, 1]",
         {"[]", "[[[]]]", "[1, \"]\"]", "[1, \"\\\"\"]", "{}", "[1}", "[1,\n\t2]", "5", "\"x\"", "[", "[\"\xC3\xA4\"]",
          "[1]]", "null", "[\"\n\"]"}},
        {"\"Float\"", {"\"\"", "\"Int\"", "7", "null", "[\"Int\"]", "\"a\\nb\"", "true", "\"open"}},
        {"339.2088", {"0", "1e-3", "-2.5", "Infinity", "1e400", "12", "\"0.5\"", "null", "0x10"}},
        {"[[1, 2], []]", {"[ ]", "[[3]]", "\"[3]\"", "[[1,  2] , [ ]]", "3", "null", "{\"a\": [ 1 ]}"}},
        {"\"kernel\"", {"\"gpu_memcpy\"", "5", "null", "\"ker\\u006eel\""}},
        {"\"stream 7\"", {"8", "8.0", "\"8\"", "null", "-1", "1e1"}},
        {"\"X\"", {"\"B\"", "\"E\"", "\"i\"", "\"b\"", "\"C\"", "\"M\"", "\"Z\"", "\"\"", "5", "null"}},
        {", \"none\"", {" \"none\"", ",, \"none\"", ",\"none\"", ", \"correlation\": 9, \"none\"", "}, \"none\""}},
        {"\"dur\"",
         {"\"ts\"", "\"dur \"", "\"id\"", "\"id\": 5, \"dur\"", "\"bind_id\": 5, \"flow_out\": true, \"dur\"",
          "\"s\": \"t\", \"dur\"", "\"args\": {\"bytes\": 5}, \"dur\"", "\"name\": \"other\", \"dur\"",
          "\"odd\": [1, {\"a\": 2}], \"dur\""}},
    };
    const std::string kernel(kKernel);
    for (const auto& [place, values] : kPlaces) {
        for (const std::string_view value : values) {
            const std::string odd = replaced(kernel, place, value);
            CAPTURE(odd);
            CHECK(difference(joined({kernel, kernel, odd, kernel, odd, odd, kernel})) == "");
            CHECK(difference(joined({odd, odd, kernel, odd})) == "");
            CHECK(difference(joined({kernel, odd})) == "");
        }
    }
}

TEST_CASE("arrows are read by their layout as well") {
    const std::string flow(kFlow);
    for (const std::string_view id : {"0", "-1", "007", "123456789012345678", "18446744073709551615", "\"0x2a\"",
                                      "\"42\"", "null", "1e3", "1.0", "{}"}) {
        const std::string odd = replaced(flow, "42", id);
        CAPTURE(odd);
        CHECK(difference(joined({flow, flow, odd, flow, odd, odd})) == "");
    }
    for (const std::string_view more : {"\"scope\": \"s\", ", "\"id2\": {\"local\": 5}, ", "\"s\": \"t\", "}) {
        const std::string odd = replaced(flow, "\"pid\"", std::string(more) + "\"pid\"");
        CAPTURE(odd);
        CHECK(difference(joined({odd, odd, flow, odd})) == "");
    }
}

TEST_CASE("what stands between events is judged as by the parser") {
    const std::string kernel(kKernel);
    for (const std::string_view between :
         {",", " , ", "\n,\r\n\t", "", " ", ",,", ", ,", ",null,", ",5,", ",]", ",}", "x", ",x"}) {
        CAPTURE(between);
        CHECK(difference(kernel + std::string(between) + kernel + "," + kernel) == "");
        CHECK(difference(kernel + "," + kernel + std::string(between)) == "");
        CHECK(difference(std::string(between) + kernel + "," + kernel) == "");
        CHECK(difference(kernel + std::string(between) + kernel + "," + kernel, "{\"ph\":") == "");
    }
}

TEST_CASE("a chunk that ends anywhere inside an event is read as by the parser") {
    const std::string kernel(kKernel);
    const std::string events = joined({kernel, kernel, std::string(kFlow), kernel});
    for (std::size_t size = 0; size <= events.size(); ++size) {
        CAPTURE(size);
        CHECK(difference(std::string_view(events).substr(0, size)) == "");
    }
}

TEST_CASE("damaged events are read as by the parser") {
    std::mt19937 random(11);
    const std::string kernel(kKernel);
    const std::string flow(kFlow);
    constexpr std::string_view kNasty = "{}[]\",:\\ \n0-.eE1\xC3";
    for (int round = 0; round < 4000; ++round) {
        std::string events = joined({kernel, flow, kernel, kernel, flow, kernel});
        for (std::size_t flips = 1 + random() % 3; flips > 0; --flips) {
            events[random() % events.size()] = kNasty[random() % kNasty.size()];
        }
        CAPTURE(events);
        CHECK(difference(events, round % 2 == 0 ? "" : "{\"ph\":") == "");
    }
}

TEST_CASE("every file of the corpus gives the same batches by layouts and by parsing") {
    if (!corpus_is_here()) return;
    for (const fs::path& path : corpus_files()) {
        Result<std::unique_ptr<ByteSource>> source = open_bytes(path);
        REQUIRE(source.has_value());
        EventSplitter splitter(**source);
        KinetoParser by_layout(KnownLayouts::Use);
        KinetoParser parsing(KnownLayouts::Ignore);
        EventChunk chunk;
        EventBatch batch;
        for (Result<bool> more = splitter.next(chunk); more && *more; more = splitter.next(chunk)) {
            batch = by_layout.parse_chunk(chunk, std::move(batch));
            INFO(path.string());
            CHECK(find_difference(batch, parsing.parse_chunk(chunk), 31) == "");
        }
    }
}
