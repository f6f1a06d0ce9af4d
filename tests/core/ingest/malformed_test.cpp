// What is not as it should be, one row each: what becomes of it, and that the good rank beside it opens all the same.

#include "core/ingest/discover.hpp"
#include "core/ingest/index_layout.hpp"
#include "core/ingest/index_places.hpp"
#include "core/ingest/load_run.hpp"
#include "tests/core/ingest/index_fixture.hpp"
#include "tests/core/ingest/ingest_fixture.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>

using namespace core;
using namespace core::testing;
namespace fs = std::filesystem;

namespace {

using namespace std::string_literals;

constexpr std::string_view kGoodEvent =
    R"({"ph":"X","cat":"kernel","name":"good","pid":0,"tid":7,"ts":1,"dur":1,"args":{"stream":7}})";
constexpr std::string_view kRefused = "refused: ";

// "opens" with all that can be told of it, or "refused: " and words of the message.
struct Malformed {
    const char* name;
    std::string bytes;
    std::string_view outcome;
};

std::string repeated(std::string_view text, std::size_t times) {
    std::string all;
    for (; times > 0; --times) all += text;
    return all;
}

// Between two good events.
std::string among(std::string_view element) {
    return "{\"traceEvents\":[" + std::string(kGoodEvent) + ",\n" + std::string(element) + ",\n" +
           std::string(kGoodEvent) + "]}";
}

// A complete event with this instead of its time and duration.
std::string timed(std::string_view fields) {
    return among("{\"ph\":\"X\",\"name\":\"k\",\"pid\":1,\"tid\":1" + std::string(fields) + "}");
}
std::string with_name(std::string_view value) {
    return among("{\"ph\":\"X\",\"ts\":2,\"dur\":1,\"pid\":1,\"tid\":1,\"name\":" + std::string(value) + "}");
}
std::string with_arguments(std::string_view value) {
    return among("{\"ph\":\"X\",\"ts\":2,\"dur\":1,\"name\":\"k\",\"args\":" + std::string(value) + "}");
}
std::string with_phase(std::string_view value) {
    return among("{\"ts\":2,\"dur\":1,\"name\":\"k\",\"pid\":1,\"tid\":1,\"ph\":" + std::string(value) + "}");
}
std::string good_file() { return "{\"traceEvents\":[" + std::string(kGoodEvent) + "]}"; }

std::string utf16(std::string_view text) {
    std::string wide = "\xFF\xFE";
    for (const char c : text) wide += {c, '\0'};
    return wide;
}

std::string cut_at(std::string_view text, std::string_view behind) {
    return std::string(text.substr(0, text.find(behind) + behind.size()));
}

std::vector<Malformed> outer_shapes() {
    const std::string good(kGoodEvent);
    return {
        {"nothing at all", "", "refused: not a trace: this is an empty file"},
        {"only spaces", " \n\t\r\n ", ""},
        {"one NUL", "\0"s, ""},
        {"a byte order mark alone", "\xEF\xBB\xBF", ""},
        {"a byte order mark in front", "\xEF\xBB\xBF" + good_file(), ""},
        {"an object without members", "{}", ""},
        {"a list without elements", "[]", ""},
        {"null", "null", ""},
        {"a number", "42", ""},
        {"a text", "\"traceEvents\"", ""},
        {"an opening brace", "{", ""},
        {"an opening bracket", "[", ""},
        {"no traceEvents", R"({"schemaVersion": 1, "deviceProperties": []})", ""},
        {"traceEvents is null", R"({"traceEvents": null})", ""},
        {"traceEvents is an object", R"({"traceEvents": {"a": 1}})", ""},
        {"traceEvents is a text", R"({"traceEvents": "[]"})", ""},
        {"traceEvents is empty", R"({"traceEvents": []})", ""},
        {"traceEvents twice", "{\"traceEvents\":[" + good + "],\"traceEvents\":[" + good + "]}", ""},
        {"traceEvents null, then a list", "{\"traceEvents\":null,\"traceEvents\":[" + good + "]}", ""},
        {"traceEvents inside the metadata", "{\"a\":{\"traceEvents\":[" + good + "]},\"traceEvents\":[" + good + "]}", ""},
        {"metadata that is never closed", "{\"a\":{\"b\":[1,2,\"traceEvents\":[" + good + "]}", ""},
        {"metadata of 100000 brackets", "{\"a\":" + repeated("[", 100'000) + ",\"traceEvents\":[" + good + "]}", ""},
        {"closed metadata of 100000 brackets",
         "{\"a\":" + repeated("[", 100'000) + repeated("]", 100'000) + ",\"traceEvents\":[" + good + "]}", ""},
        {"distributedInfo of wrong types",
         "{\"distributedInfo\":{\"rank\":\"x\",\"world_size\":[],\"pg_config\":7},\"baseTimeNanoseconds\":\"soon\","
         "\"deviceProperties\":{},\"traceEvents\":[" + good + "]}", ""},
        {"a rank beyond any number", "{\"distributedInfo\":{\"rank\":99999999999999999999},\"traceEvents\":[" + good + "]}", ""},
        {"a negative rank", "{\"distributedInfo\":{\"rank\":-1},\"traceEvents\":[" + good + "]}", ""},
        {"text behind the object", good_file() + "garbage", ""},
        {"another object behind it", good_file() + "\n" + good_file(), ""},
        {"text behind the list", "[" + good + "]garbage", ""},
        {"NULs behind the object", good_file() + std::string(5000, '\0'), ""},
        {"a missing comma between members", "{\"a\":1 \"traceEvents\":[" + good + "]}", ""},
        {"a stray comma between members", "{\"a\":1,,\"traceEvents\":[" + good + "],}", ""},
        {"single quotes", "{'traceEvents': []}", ""},
        {"a comment in front", "// a trace\n" + good_file(), ""},
        {"UTF-16", utf16(good_file()), ""},
        {"JSON lines", good + "\n" + good + "\n", ""},
        {"a page of HTML", "<html><body>Not found</body></html>", ""},
    };
}

std::vector<Malformed> broken_lists() {
    const std::string good(kGoodEvent);
    const std::string two = "{\"traceEvents\":[" + good + ",\n" + good;
    return {
        {"cut inside a text", cut_at(two, ",\n{\"ph\":\"X\",\"cat\":\"ker"), ""},
        {"cut inside a number", "{\"traceEvents\":[" + good + ",{\"ph\":\"X\",\"name\":\"k\",\"ts\":12", ""},
        {"cut inside an escape", "{\"traceEvents\":[" + good + ",{\"ph\":\"X\",\"ts\":1,\"name\":\"k\\u00", ""},
        {"cut behind a comma", "{\"traceEvents\":[" + good + ",", ""},
        {"cut behind the last event", two, ""},
        {"cut behind the list", two + "]", ""},
        {"cut in the first event", "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"k", ""},
        {"a comma too many", among(""), ""},
        {"commas around the list", "[," + good + ",]", ""},
        {"a comma too few", "[" + good + "\n" + good + "]", ""},
        {"a semicolon for a comma", "[" + good + ";" + good + "]", ""},
        {"elements that are no events", among("1,\"text\",null,[1,2],true"), ""},
        {"an empty event", among("{}"), ""},
        {"an event without colon", among("{\"ph\" \"X\"}"), ""},
        {"an event that is never closed", among("{\"ph\":\"X\",\"ts\":2,\"name\":\"k\""), ""},
        {"a stray bracket", among("{\"ph\":\"X\",\"ts\":2,\"name\":\"k\"]}"), ""},
        {"a stray quote", among("{\"ph\":\"X\",\"ts\":2,\"dur\":1,\"name\":\"k\"\"}"), ""},
        {"NULs between events", among("{\"ph\":\"X\",\"ts\":2,\"dur\":1}" + std::string(64, '\0')), ""},
        {"NUL inside a name", with_name("\"a"s + '\0' + "b\""), ""},
        {"100000 brackets for an event", among(repeated("[", 100'000) + repeated("]", 100'000)), ""},
        {"100000 open brackets", "{\"traceEvents\":[" + good + "," + repeated("[", 100'000), ""},
    };
}

std::vector<Malformed> odd_values() {
    return {
        {"no time", timed(",\"dur\":1"), ""},
        {"time null", timed(",\"ts\":null,\"dur\":1"), ""},
        {"time true", timed(",\"ts\":true,\"dur\":1"), ""},
        {"time an object", timed(",\"ts\":{},\"dur\":1"), ""},
        {"time a word", timed(",\"ts\":\"abc\",\"dur\":1"), ""},
        {"time a number in quotes", timed(",\"ts\":\"2\",\"dur\":1"), ""},
        {"time NaN", timed(",\"ts\":NaN,\"dur\":1"), ""},
        {"time Infinity", timed(",\"ts\":Infinity,\"dur\":1"), ""},
        {"time of 400 digits", timed(",\"ts\":" + std::string(400, '9') + ",\"dur\":1"), ""},
        {"time 1e400", timed(",\"ts\":1e400,\"dur\":1"), ""},
        {"time 1e-400", timed(",\"ts\":1e-400,\"dur\":1"), ""},
        {"time 0x10", timed(",\"ts\":0x10,\"dur\":1"), ""},
        {"time -5", timed(",\"ts\":-5,\"dur\":1"), ""},
        {"time 1.2.3", timed(",\"ts\":1.2.3,\"dur\":1"), ""},
        {"no duration", timed(",\"ts\":2"), ""},
        {"duration -1", timed(",\"ts\":2,\"dur\":-1"), ""},
        {"duration a number in quotes", timed(",\"ts\":2,\"dur\":\"3\""), ""},
        {"duration a list", timed(",\"ts\":2,\"dur\":[1]"), ""},
        {"duration 1e300", timed(",\"ts\":2,\"dur\":1e300"), ""},
        {"no phase", among("{\"ts\":2,\"dur\":1,\"name\":\"k\"}"), ""},
        {"phase null", with_phase("null"), ""},
        {"phase of two letters", with_phase("\"XY\""), ""},
        {"phase empty", with_phase("\"\""), ""},
        {"phase unknown", with_phase("\"?\""), ""},
        {"phase a number", with_phase("7"), ""},
        {"process and thread objects", among(R"({"ph":"X","ts":2,"dur":1,"name":"k","pid":{"a":1},"tid":[2]})"), ""},
        {"process and thread missing", among(R"({"ph":"X","ts":2,"dur":1,"name":"k"})"), ""},
        {"name null", with_name("null"), ""},
        {"name a number", with_name("42"), ""},
        {"name an object", with_name("{\"a\":1}"), ""},
        {"name of a megabyte", with_name("\"" + std::string(1 << 20, 'x') + "\""), ""},
        {"name with raw line breaks and a tab", with_name("\"a\nb\tc\""), ""},
        {"name in bad UTF-8", with_name("\"a\xC3(\xFF\""), ""},
        {"name with half a pair of surrogates", with_name("\"a\\ud800b\\udc00\""), ""},
        {"name with a bad escape", with_name("\"a\\qb\""), ""},
        {"arguments a list", with_arguments("[1,2]"), ""},
        {"arguments a text", with_arguments("\"text\""), ""},
        {"arguments null", with_arguments("null"), ""},
        {"arguments 100000 deep", with_arguments("{\"a\":" + repeated("[", 100'000) + repeated("]", 100'000) + "}"), ""},
        {"arguments of wrong types", with_arguments(R"({"stream":"x","correlation":1e99,"device":-1,"External id":{}})"), ""},
        {"one key twice", with_arguments(R"({"stream":1,"stream":2})"), ""},
        {"one field twice", timed(",\"ts\":2,\"ts\":3,\"dur\":1,\"dur\":2"), ""},
        {"a begin without end", among(R"({"ph":"B","ts":2,"name":"k","pid":1,"tid":1})"), ""},
        {"an end without begin", among(R"({"ph":"E","ts":2,"name":"k","pid":1,"tid":1})"), ""},
        {"an end before its begin",
         among(R"({"ph":"B","ts":5,"name":"k","pid":1,"tid":1},{"ph":"E","ts":2,"pid":1,"tid":1})"), ""},
        {"an arrow's end without start", among(R"({"ph":"f","id":9,"ts":2,"pid":1,"tid":1,"bp":"e"})"), ""},
        {"an arrow without id", among(R"({"ph":"s","ts":2,"pid":1,"tid":1})"), ""},
        {"a counter of nested values", among(R"({"ph":"C","ts":2,"pid":1,"name":"c","args":{"a":{"b":1},"c":2}})"), ""},
        {"a counter without values", among(R"({"ph":"C","ts":2,"pid":1,"name":"c"})"), ""},
        {"names of threads of wrong types", among(R"({"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":[]}})"), ""},
    };
}

std::vector<Malformed> packed_files() {
    const std::string packed = gzip(good_file());
    std::string bad_crc = packed, bad_length = packed, bad_method = packed, bad_data = packed;
    bad_crc[packed.size() - 6] ^= 1;
    bad_length[packed.size() - 2] ^= 1;
    bad_method[2] = 7;
    bad_data[12] = static_cast<char>(0xFF);
    return {
        {"the header of gzip alone", packed.substr(0, 10), ""},
        {"two bytes of gzip", packed.substr(0, 2), ""},
        {"a bad checksum", bad_crc, ""},
        {"a bad length", bad_length, ""},
        {"another method", bad_method, ""},
        {"damaged data", bad_data, ""},
        {"no checksum at the end", packed.substr(0, packed.size() - 8), ""},
        {"half a checksum at the end", packed.substr(0, packed.size() - 3), ""},
        {"bytes behind the end", packed + "trailing", ""},
        {"NULs behind the end", packed + std::string(512, '\0'), ""},
        {"two members", gzip(good_file().substr(0, 60)) + gzip(good_file().substr(60)), ""},
        {"an empty member first", gzip("") + packed, ""},
        {"a second member cut off", gzip(good_file().substr(0, 60)) + packed.substr(0, 12), ""},
        {"nothing, packed", gzip(""), ""},
        {"packed twice", gzip(packed), ""},
        {"64 MB of zeros", gzip(std::string(std::size_t{64} << 20, '\0')), ""},
        {"64 MB of spaces in the list", gzip("[" + std::string(kGoodEvent) + std::string(std::size_t{64} << 20, ' ') + "]"), ""},
        {"64 MB of spaces before anything", gzip(std::string(std::size_t{64} << 20, ' ') + good_file()), ""},
    };
}

// Everything that can be told of a trace that has opened.
std::string describe(const RankTrace& trace) {
    const RecordCounts& n = trace.info.records;
    CHECK(sum_of_parts(n) == n.total);
    for (std::uint32_t e = 0; e < trace.size(); ++e) CHECK(trace.event_text(EventId{e}).has_value());
    std::string text = "opens: " + std::to_string(trace.size()) + " events of " + std::to_string(n.total) + " records";
    if (n.dropped > 0) text += ", " + std::to_string(n.dropped) + " dropped";
    for (const Diagnostic& entry : trace.diagnostics.entries()) {
        text.append("; ").append(entry.kind->id);
        if (entry.count > 1) text += " x" + std::to_string(entry.count);
        CHECK_FALSE(entry.first.empty());
    }
    return text;
}

const RankTrace* find_trace(const Run& run, const fs::path& file) {
    for (const RankSlot& rank : run.ranks())
        if (rank.trace().info.path == file) return &rank.trace();
    return nullptr;
}

// What a run says of a file that is not among its ranks.
std::string find_refusal(const Run& run, const fs::path& file) {
    for (const std::string_view kind : {"file-unreadable", "not-a-trace"})
        for (const Diagnostic& entry : run.diagnostics().entries())
            if (entry.kind->id == kind && entry.first.starts_with(file.filename().string() + ": "))
                return std::string(kRefused) + entry.first;
    return "not a word";
}

Result<RunPtr> open_folder(const fs::path& folder, IndexFiles index_files = IndexFiles::Ignore) {
    LoadProgress progress;
    LoadOptions options;
    options.threads = 2;
    options.index_files = index_files;
    return load_run(std::vector{folder}, options, progress, JobContext{});
}

// What becomes of a file whose folder holds a good rank beside it.
std::string find_outcome(const fs::path& file) {
    const Result<RunPtr> run = open_folder(file.parent_path());
    REQUIRE(run.has_value());
    const RankTrace* const good = find_trace(**run, file.parent_path() / "good.json");
    REQUIRE(good != nullptr);
    CHECK(describe(*good) == "opens: 1 events of 1 records");
    const RankTrace* const trace = find_trace(**run, file);
    CHECK((*run)->ranks().size() == (trace != nullptr ? 2 : 1));
    return trace != nullptr ? describe(*trace) : find_refusal(**run, file);
}

void check_outcome(const std::string& outcome, std::string_view expected) {
    if (getenv("SHOW")) { printf("%s\n", outcome.substr(0,200).c_str()); return; }
    if (!expected.starts_with(kRefused)) {
        CHECK(outcome == expected);
        return;
    }
    CHECK(outcome.starts_with(kRefused));
    CHECK_MESSAGE(outcome.find(expected.substr(kRefused.size())) != std::string::npos, outcome);
}

void check_rows(const std::vector<Malformed>& rows, std::string_view file_name) {
    for (const Malformed& row : rows) {
        const ScratchFolder folder;
        folder.write("good.json", good_file());
        CAPTURE(row.name);
    if (getenv("SHOW")) { printf("%s => ", row.name); }
        check_outcome(find_outcome(folder.write(file_name, row.bytes)), row.outcome);
    }
}

void check_plain_and_packed(std::vector<Malformed> rows) {
    check_rows(rows, "bad.json");
    if (getenv("SHOW")) { return; }
    for (Malformed& row : rows) row.bytes = gzip(row.bytes);
    check_rows(rows, "bad.json.gz");
}

}  // namespace

TEST_CASE("malformed: files of any outer shape open, or are refused by name of what they are") {
    check_plain_and_packed(outer_shapes());
}

TEST_CASE("malformed: a broken list of events costs only what is broken") { check_plain_and_packed(broken_lists()); }

TEST_CASE("malformed: events of odd values are kept, repaired or dropped, and counted") {
    check_plain_and_packed(odd_values());
}

TEST_CASE("malformed: damaged gzip gives what comes before the damage, and says so") {
    check_rows(packed_files(), "bad.json.gz");
}
