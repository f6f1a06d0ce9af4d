// Malformed files, one row each: the result, and that the good rank next to it opens anyway.

#include "tests/core/ingest/load/malformed_fixture.hpp"
#include "tests/core/ingest/nccl/nccl_fixture.hpp"

using namespace core;
using namespace core::testing;

namespace {

using namespace std::string_literals;

// "opens" with all its visible properties, or "refused: " and words of the message.
struct Malformed {
    std::string name;
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
        {"only spaces", " \n\t\r\n ", "refused: not a trace: this is text, not JSON"},
        {"one NUL", "\0"s,
         "refused: not a trace: this is zero bytes only (a sparse or incomplete file): copy it again"},
        {"the magic of SQLite alone", "SQLite format 3\0"s, "refused: not a trace: this is a damaged SQLite database"},
        {"SQLite's magic before a trace", "SQLite format 3\0"s + good_file(),
         "refused: not a trace: this is a damaged SQLite database"},
        {"a report of Nsight Systems", "NVIDIA Tegra Profiler\x01",
         "refused: not a trace: this is an Nsight Systems report (.nsys-rep)"},
        {"a TAR archive",
         "rank0.json"s + std::string(247, '\0') + "ustar\00000"s + std::string(249, '\0') + good_file(),
         "refused: not a trace: this is a TAR archive that holds traces: unpack it (`tar -xf "},
        {"a byte order mark alone", "\xEF\xBB\xBF", "refused: not a trace: this is text, not JSON"},
        {"a byte order mark in front", "\xEF\xBB\xBF" + good_file(), "opens: 1 events of 1 records"},
        {"an object without members", "{}",
         "refused: not a trace: this is JSON without \"traceEvents\": Lockstep reads"},
        {"a list without elements", "[]", "opens: 0 events of 0 records"},
        {"null", "null", "refused: not a trace: this is text, not JSON"},
        {"a number", "42", "refused: not a trace: this is text, not JSON"},
        {"a text", "\"traceEvents\"", "refused: not a trace: this is text, not JSON"},
        {"a training log of Megatron",
         " [2026-08-17 10:00:00.1] iteration 100/ 5000 | elapsed time per iteration (ms): 812.3 |\n",
         "opens: 0 events of 1 records"},
        {"a training log of Megatron whose time is no number",
         " iteration 100/ 5000 | elapsed time per iteration (ms): fast |\n",
         "refused: not a trace: this is text, not JSON"},
        {"an opening brace", "{", "refused: not a trace: this is text, not JSON"},
        {"an opening bracket", "[",
         "refused: byte 1: the file ends before the first event is complete; it was cut off: copy or record it again"},
        {"no traceEvents", R"({"schemaVersion": 1, "deviceProperties": []})",
         "refused: not a trace: this is JSON without \"traceEvents\": Lockstep reads"},
        {"traceEvents is null", R"({"traceEvents": null})", "refused: \"traceEvents\" is not a list: Lockstep reads"},
        {"traceEvents is an object", R"({"traceEvents": {"a": 1}})",
         "refused: \"traceEvents\" is not a list: Lockstep reads"},
        {"traceEvents is a text", R"({"traceEvents": "[]"})", "refused: \"traceEvents\" is not a list: Lockstep reads"},
        {"traceEvents is empty", R"({"traceEvents": []})", "opens: 0 events of 0 records"},
        {"traceEvents twice", "{\"traceEvents\":[" + good + "],\"traceEvents\":[" + good + "]}",
         "opens: 2 events of 2 records"},
        {"traceEvents null, then a list", "{\"traceEvents\":null,\"traceEvents\":[" + good + "]}",
         "opens: 1 events of 1 records"},
        {"traceEvents inside the metadata", "{\"a\":{\"traceEvents\":[" + good + "]},\"traceEvents\":[" + good + "]}",
         "opens: 1 events of 1 records"},
        {"metadata that is never closed", "{\"a\":{\"b\":[1,2,\"traceEvents\":[" + good + "]}",
         "refused: byte 122: the file ends inside the value of a; it was cut off: copy or record it again"},
        {"metadata of 100000 brackets", "{\"a\":" + repeated("[", 100'000) + ",\"traceEvents\":[" + good + "]}",
         "refused: byte 100113: the file ends inside the value of a; it was cut off: copy or record it again"},
        {"closed metadata of 100000 brackets",
         "{\"a\":" + repeated("[", 100'000) + repeated("]", 100'000) + ",\"traceEvents\":[" + good + "]}",
         "opens: 1 events of 1 records; metadata-truncated"},
        {"distributedInfo of wrong types",
         "{\"distributedInfo\":{\"rank\":\"x\",\"world_size\":[],\"pg_config\":7},\"baseTimeNanoseconds\":\"soon\","
         "\"deviceProperties\":{},\"traceEvents\":[" +
             good + "]}",
         "opens: 1 events of 1 records; argument-unreadable x2"},
        {"a rank beyond any number",
         "{\"distributedInfo\":{\"rank\":99999999999999999999},\"traceEvents\":[" + good + "]}",
         "opens: 1 events of 1 records; metadata-truncated"},
        {"a negative rank", "{\"distributedInfo\":{\"rank\":-1},\"traceEvents\":[" + good + "]}",
         "opens: 1 events of 1 records; argument-unreadable"},
        {"text behind the object", good_file() + "garbage", "opens: 1 events of 1 records; json-repaired"},
        {"another object behind it", good_file() + "\n" + good_file(), "opens: 1 events of 1 records; text-after-end"},
        {"text behind the list", "[" + good + "]garbage", "opens: 1 events of 1 records; json-repaired"},
        {"NULs behind the object", good_file() + std::string(5000, '\0'),
         "opens: 1 events of 1 records; json-repaired"},
        {"a missing comma between members", "{\"a\":1 \"traceEvents\":[" + good + "]}",
         "opens: 1 events of 1 records; json-repaired"},
        {"a stray comma between members", "{\"a\":1,,\"traceEvents\":[" + good + "],}", "opens: 1 events of 1 records"},
        {"single quotes", "{'traceEvents': []}", "refused: not a trace: this is text, not JSON"},
        {"a comment in front", "// a trace\n" + good_file(), "refused: not a trace: this is text, not JSON"},
        {"UTF-16", utf16(good_file()), "refused: not a trace: this is text in UTF-16: save it as UTF-8"},
        {"events one per line", good + "\n" + good + "\n", "opens: 2 events of 2 records"},
        {"one event alone", good, "opens: 1 events of 1 records"},
        {"events one per line, cut inside one", good + "\n" + good + "\n" + good.substr(0, 30),
         "opens: 2 events of 3 records, 1 dropped; file-truncated"},
        {"JSON lines that are no events",
         R"({"step": 1, "loss": 2.5})"
         "\n"
         R"({"step": 2, "loss": 2.4})"
         "\n",
         "refused: not a trace: this is JSON lines (one object per line) without trace events"},
        {"a list of objects that are no events", R"([{"batch": 1, "mode": "FULL"}, {"batch": 2}])",
         "refused: not a trace: this is a JSON list whose elements are not trace events (they have no \"ph\")"},
        {"a raw MegaScan record",
         R"([{"name": "iteration", "ph": "B", "pad_before": 12}, {"name": "forward", "ph": "B", "rel_ts": 3}])",
         "refused: not a trace: this is a raw MegaScan record of one rank: merge the records"},
        {"a page of HTML", "<html><body>Not found</body></html>", "refused: not a trace: this is text, not JSON"},
    };
}

std::vector<Malformed> broken_lists() {
    const std::string good(kGoodEvent);
    const std::string two = "{\"traceEvents\":[" + good + ",\n" + good;
    return {
        {"cut inside a text", cut_at(two, ",\n{\"ph\":\"X\",\"cat\":\"ker"),
         "opens: 1 events of 2 records, 1 dropped; file-truncated"},
        {"cut inside a number", "{\"traceEvents\":[" + good + ",{\"ph\":\"X\",\"name\":\"k\",\"ts\":12",
         "opens: 1 events of 2 records, 1 dropped; file-truncated"},
        {"cut inside an escape", "{\"traceEvents\":[" + good + ",{\"ph\":\"X\",\"ts\":1,\"name\":\"k\\u00",
         "opens: 1 events of 2 records, 1 dropped; file-truncated"},
        {"cut behind a comma", "{\"traceEvents\":[" + good + ",", "opens: 1 events of 1 records; file-truncated"},
        {"cut behind the last event", two, "opens: 2 events of 2 records; file-truncated"},
        {"cut behind the list", two + "]", "opens: 2 events of 2 records; file-truncated"},
        {"cut in the first event", "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"k",
         "refused: no event could be read; the first: byte 16: the file ends inside an event; it was cut off: copy or "
         "record it again"},
        {"a comma too many", among(""), "opens: 2 events of 2 records"},
        {"commas around the list", "[," + good + ",]", "refused: not a trace: this is text, not JSON"},
        {"a comma too few", "[" + good + "\n" + good + "]", "opens: 2 events of 2 records; json-repaired"},
        {"a semicolon for a comma", "[" + good + ";" + good + "]",
         "opens: 2 events of 3 records, 1 dropped; event-dropped; json-repaired x2"},
        {"elements that are no events", among("1,\"text\",null,[1,2],true"),
         "opens: 2 events of 7 records, 5 dropped; event-dropped x5"},
        {"an empty event", among("{}"), "opens: 2 events of 2 records"},
        {"an event without colon", among("{\"ph\" \"X\"}"), "opens: 2 events of 3 records, 1 dropped; event-dropped"},
        {"an event that is never closed", among("{\"ph\":\"X\",\"ts\":2,\"name\":\"k\""),
         "opens: 2 events of 3 records, 1 dropped; event-dropped"},
        {"a stray bracket", among("{\"ph\":\"X\",\"ts\":2,\"name\":\"k\"]}"),
         "opens: 2 events of 4 records, 2 dropped; event-dropped x2"},
        {"a stray quote", among("{\"ph\":\"X\",\"ts\":2,\"dur\":1,\"name\":\"k\"\"}"),
         "opens: 3 events of 3 records; text-repaired"},
        {"NULs between events", among("{\"ph\":\"X\",\"ts\":2,\"dur\":1}" + std::string(64, '\0')),
         "opens: 3 events of 4 records, 1 dropped; bytes-zero x64; event-dropped; json-repaired"},
        {"NUL inside a name", with_name("\"a"s + '\0' + "b\""),
         "opens: 3 events of 3 records; bytes-zero; text-repaired"},
        {"100000 brackets for an event", among(repeated("[", 100'000) + repeated("]", 100'000)),
         "opens: 2 events of 3 records, 1 dropped; event-dropped"},
        {"100000 open brackets", "{\"traceEvents\":[" + good + "," + repeated("[", 100'000),
         "opens: 1 events of 2 records, 1 dropped; file-truncated"},
    };
}

std::vector<Malformed> odd_values() {
    return {
        {"no time", timed(",\"dur\":1"), "opens: 2 events of 3 records, 1 dropped; event-malformed"},
        {"time null", timed(",\"ts\":null,\"dur\":1"), "opens: 2 events of 3 records, 1 dropped; event-malformed"},
        {"time true", timed(",\"ts\":true,\"dur\":1"), "opens: 2 events of 3 records, 1 dropped; event-malformed"},
        {"time an object", timed(",\"ts\":{},\"dur\":1"), "opens: 2 events of 3 records, 1 dropped; event-malformed"},
        {"time a word", timed(",\"ts\":\"abc\",\"dur\":1"), "opens: 2 events of 3 records, 1 dropped; event-malformed"},
        {"time a number in quotes", timed(",\"ts\":\"2\",\"dur\":1"), "opens: 3 events of 3 records"},
        {"time NaN", timed(",\"ts\":NaN,\"dur\":1"), "opens: 2 events of 3 records, 1 dropped; event-malformed"},
        {"time Infinity", timed(",\"ts\":Infinity,\"dur\":1"),
         "opens: 2 events of 3 records, 1 dropped; event-malformed"},
        {"time of 400 digits", timed(",\"ts\":" + std::string(400, '9') + ",\"dur\":1"),
         "opens: 2 events of 3 records, 1 dropped; time-not-recorded; absurd-duration"},
        {"time 1e400", timed(",\"ts\":1e400,\"dur\":1"),
         "opens: 2 events of 3 records, 1 dropped; time-not-recorded; absurd-duration"},
        {"time 1e-400", timed(",\"ts\":1e-400,\"dur\":1"), "opens: 3 events of 3 records"},
        {"time 0x10", timed(",\"ts\":0x10,\"dur\":1"), "opens: 2 events of 3 records, 1 dropped; event-malformed"},
        {"time -5", timed(",\"ts\":-5,\"dur\":1"), "opens: 3 events of 3 records"},
        {"time 1.2.3", timed(",\"ts\":1.2.3,\"dur\":1"), "opens: 2 events of 3 records, 1 dropped; event-malformed"},
        {"no duration", timed(",\"ts\":2"), "opens: 3 events of 3 records; duration-missing"},
        {"duration -1", timed(",\"ts\":2,\"dur\":-1"), "opens: 3 events of 3 records; negative-duration"},
        {"duration a number in quotes", timed(",\"ts\":2,\"dur\":\"3\""), "opens: 3 events of 3 records"},
        {"duration a list", timed(",\"ts\":2,\"dur\":[1]"), "opens: 3 events of 3 records; duration-missing"},
        {"duration 1e300", timed(",\"ts\":2,\"dur\":1e300"),
         "opens: 2 events of 3 records, 1 dropped; time-not-recorded; absurd-duration"},
        {"no phase", among("{\"ts\":2,\"dur\":1,\"name\":\"k\"}"),
         "opens: 2 events of 3 records, 1 dropped; event-malformed"},
        {"phase null", with_phase("null"), "opens: 2 events of 3 records, 1 dropped; event-malformed"},
        {"phase of two letters", with_phase("\"XY\""), "opens: 2 events of 3 records, 1 dropped; event-malformed"},
        {"phase empty", with_phase("\"\""), "opens: 2 events of 3 records, 1 dropped; event-malformed"},
        {"phase unknown", with_phase("\"?\""), "opens: 2 events of 3 records, 1 dropped; event-malformed"},
        {"phase a number", with_phase("7"), "opens: 2 events of 3 records, 1 dropped; event-malformed"},
        {"process and thread objects", among(R"({"ph":"X","ts":2,"dur":1,"name":"k","pid":{"a":1},"tid":[2]})"),
         "opens: 3 events of 3 records"},
        {"process and thread missing", among(R"({"ph":"X","ts":2,"dur":1,"name":"k"})"),
         "opens: 3 events of 3 records"},
        {"name null", with_name("null"), "opens: 3 events of 3 records"},
        {"name a number", with_name("42"), "opens: 3 events of 3 records"},
        {"name an object", with_name("{\"a\":1}"), "opens: 3 events of 3 records"},
        {"name of a megabyte", with_name("\"" + std::string(1 << 20, 'x') + "\""), "opens: 3 events of 3 records"},
        {"name with raw line breaks and a tab", with_name("\"a\nb\tc\""),
         "opens: 3 events of 3 records; text-repaired"},
        {"name in bad UTF-8", with_name("\"a\xC3(\xFF\""), "opens: 3 events of 3 records; text-repaired"},
        {"name with half a pair of surrogates", with_name("\"a\\ud800b\\udc00\""), "opens: 3 events of 3 records"},
        {"name with a bad escape", with_name("\"a\\qb\""), "opens: 3 events of 3 records; text-repaired"},
        {"arguments a list", with_arguments("[1,2]"), "opens: 3 events of 3 records"},
        {"arguments a text", with_arguments("\"text\""), "opens: 3 events of 3 records"},
        {"arguments null", with_arguments("null"), "opens: 3 events of 3 records"},
        {"arguments 100000 deep", with_arguments("{\"a\":" + repeated("[", 100'000) + repeated("]", 100'000) + "}"),
         "opens: 3 events of 3 records"},
        {"arguments of wrong types",
         with_arguments(R"({"stream":"x","correlation":1e99,"device":-1,"External id":{}})"),
         "opens: 3 events of 3 records; argument-unreadable x2"},
        {"one key twice", with_arguments(R"({"stream":1,"stream":2})"), "opens: 3 events of 3 records"},
        {"one field twice", timed(",\"ts\":2,\"ts\":3,\"dur\":1,\"dur\":2"), "opens: 3 events of 3 records"},
        {"a begin without end", among(R"({"ph":"B","ts":2,"name":"k","pid":1,"tid":1})"),
         "opens: 3 events of 3 records; begin-without-end"},
        {"an end without begin", among(R"({"ph":"E","ts":2,"name":"k","pid":1,"tid":1})"),
         "opens: 2 events of 3 records, 1 dropped; end-without-begin"},
        {"an end before its begin",
         among(R"({"ph":"B","ts":5,"name":"k","pid":1,"tid":1},{"ph":"E","ts":2,"pid":1,"tid":1})"),
         "opens: 3 events of 4 records, 1 dropped; end-without-begin; begin-without-end"},
        {"an end that names another event than the open one",
         among(R"({"ph":"B","ts":2,"name":"a","pid":1,"tid":1},{"ph":"B","ts":3,"name":"b","pid":1,"tid":1},)"
               R"({"ph":"E","ts":4,"name":"a","pid":1,"tid":1},{"ph":"E","ts":5,"name":"b","pid":1,"tid":1})"),
         "opens: 4 events of 6 records; end-name-differs x2"},
        {"ends without names, and with those of their begins",
         among(R"({"ph":"B","ts":2,"name":"a","pid":1,"tid":1},{"ph":"B","ts":3,"name":"b","pid":1,"tid":1},)"
               R"({"ph":"E","ts":4,"pid":1,"tid":1},{"ph":"E","ts":5,"name":"a","pid":1,"tid":1})"),
         "opens: 4 events of 6 records"},
        {"an arrow's end without start", among(R"({"ph":"f","id":9,"ts":2,"pid":1,"tid":1,"bp":"e"})"),
         "opens: 2 events of 3 records; flow-unmatched"},
        {"an arrow without id", among(R"({"ph":"s","ts":2,"pid":1,"tid":1})"),
         "opens: 2 events of 3 records; flow-unmatched"},
        {"a counter of nested values", among(R"({"ph":"C","ts":2,"pid":1,"name":"c","args":{"a":{"b":1},"c":2}})"),
         "opens: 2 events of 3 records; argument-unreadable"},
        {"a counter without values", among(R"({"ph":"C","ts":2,"pid":1,"name":"c"})"),
         "opens: 2 events of 3 records; argument-unreadable"},
        {"names of threads of wrong types",
         among(R"({"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":[]}})"),
         "opens: 2 events of 3 records"},
    };
}

std::vector<Malformed> damaged_dumps() {
    const std::string keys = R"({"pg_config": {}, "pg_status": {}, "entries": )";
    const auto with_entry = [&](std::string_view fields) {
        return keys + R"([{"process_group": ["0", "d"], "collective_seq_id": 1, )" + std::string(fields) + "}]}";
    };
    return {
        {"a dump that is cut off", keys + R"([{"state": )", "refused: the JSON ends in the middle"},
        {"a dump whose entries are no list", keys + "7}", "refused: no list of \"entries\""},
        {"a dump without entries", keys + "[]}", "opens: 0 events of 0 records"},
        {"a dump nested without end", keys + repeated("[", 1000), "refused: brackets nested too deeply"},
        {"an entry without a time", with_entry(R"("state": "completed")"),
         "opens: 0 events of 1 records, 1 dropped; event-malformed"},
        {"an entry created in a far future",
         with_entry(R"("state": "scheduled", "time_created_ns": 9223372036854775807)"),
         "opens: 0 events of 1 records, 1 dropped; event-malformed"},
        {"an entry of an unknown state", with_entry(R"("state": 5, "time_created_ns": 5)"),
         "opens: 0 events of 1 records, 1 dropped; event-malformed"},
        {"an entry with odd fields",
         with_entry(R"("state": "started", "time_created_ns": 5, "input_sizes": [[1e9, 1e9, 1e9]], "input_dtypes": 3,
                       "frames": {}, "profiling_name": null, "time_discovered_completed_ns": -1)"),
         "opens: 1 events of 2 records"},
        {"a pickle that would run code",
         "\x80\x02}(\x8c\x09pg_config}\x8c\x09pg_status}\x8c\x07"
         "entriescos\nsystem\n.",
         "refused: opcode GLOBAL could run code when the pickle is loaded"},
        {"a pickle that is cut off",
         "\x80\x02}(\x8c\x09pg_config}\x8c\x09pg_status}\x8c\x07"
         "entries",
         "refused: the file ends before the pickle does"},
        {"a memory snapshot that would run code",
         "\x80\x02}(\x8c\x08segments\x8c\x0a"
         "total_sizecos\nsystem\n.",
         "refused: opcode GLOBAL could run code when the pickle is loaded"},
        {"a memory snapshot that is cut off",
         "\x80\x02}(\x8c\x08segments](}(\x8c\x0a"
         "total_size",
         "refused: the file ends before the pickle does"},
        {"a memory snapshot without its lists",
         "\x80\x02}(\x8c\x08segments\x8c\x0a"
         "total_sizeu.",
         "refused: no list of \"segments\" and none of \"device_traces\": not a complete memory snapshot"},
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
        {"the header of gzip alone", packed.substr(0, 10),
         "refused: byte 10 of the packed file: the gzip data ends in the middle; copy or record the file again"},
        {"two bytes of gzip", packed.substr(0, 2),
         "refused: byte 2 of the packed file: the gzip data ends in the middle; copy or record the file again"},
        {"a bad checksum", bad_crc, "opens: 1 events of 1 records; file-truncated"},
        {"a bad length", bad_length, "opens: 1 events of 1 records; file-truncated"},
        {"another method", bad_method,
         "refused: byte 10 of the packed file: the gzip data is damaged; copy the file again"},
        {"damaged data", bad_data,
         "refused: byte 21 of the packed file: the gzip data is damaged; copy the file again"},
        {"no checksum at the end", packed.substr(0, packed.size() - 8), "opens: 1 events of 1 records; file-truncated"},
        {"half a checksum at the end", packed.substr(0, packed.size() - 3),
         "opens: 1 events of 1 records; file-truncated"},
        {"bytes behind the end", packed + "trailing", "opens: 1 events of 1 records"},
        {"NULs behind the end", packed + std::string(512, '\0'), "opens: 1 events of 1 records"},
        {"two members", gzip(good_file().substr(0, 60)) + gzip(good_file().substr(60)), "opens: 1 events of 1 records"},
        {"an empty member first", gzip("") + packed, "opens: 1 events of 1 records"},
        {"a second member cut off", gzip(good_file().substr(0, 60)) + packed.substr(0, 12),
         "refused: byte 87 of the packed file: the gzip data ends in the middle; copy or record the file again"},
        {"nothing, packed", gzip(""), "refused: not a trace: this is an empty file"},
        {"packed twice", gzip(packed),
         "refused: not a trace: this is a file compressed twice with gzip: decompress it once"},
        {"64 MB of zeros", gzip(std::string(std::size_t{64} << 20, '\0')),
         "refused: not a trace: this is zero bytes only (a sparse or incomplete file): copy it again"},
        {"64 MB of spaces in the list",
         gzip("[" + std::string(kGoodEvent) + std::string(std::size_t{64} << 20, ' ') + "]"),
         "opens: 1 events of 1 records"},
        {"64 MB of spaces before anything", gzip(std::string(std::size_t{64} << 20, ' ') + good_file()),
         "refused: not a trace: this is text, not JSON"},
    };
}

void check_rows(const std::vector<Malformed>& rows, std::string_view file_name) {
    for (const Malformed& row : rows) {
        const ScratchFolder folder;
        folder.write("good.json", good_file());
        CAPTURE(row.name);
        check_outcome(find_outcome(folder.write(file_name, row.bytes)), row.outcome);
    }
}

void check_plain_and_packed(std::vector<Malformed> rows) {
    check_rows(rows, "bad.json");
    for (Malformed& row : rows) row.bytes = gzip(row.bytes);
    check_rows(rows, "bad.json.gz");
}

std::vector<Malformed> damaged_nccl() {
    const NcclProcess process;
    const std::string start = start_line(process, {.size = 2});
    const std::string plugin(kPluginTrace);
    const long unix_us = 1'700'000'000'000'000;
    const std::string timed_line = inspector_line(1, unix_us);
    return {
        {"a log that ends in a line", start + start.substr(0, 60), "opens: 0 events of 0 records"},
        {"a log with a line of nobody", start + "NCCL WARN lost\n",
         "opens: 0 events of 1 records, 1 dropped; nccl-left-out"},
        {"a log with a rank beyond the communicator", start_line(process, {.rank = 2, .size = 2}),
         "refused: not a trace: this is a log of NCCL that names no communicator"},
        {"a log with numbers of any length",
         start + call_line(process, "AllReduce", 9'000'000'000'000'000'000) +
             choice_line(process, "AllReduce", 1, "Algo RING proto LL channel{Lo..Hi}={99999999999999999999..}"),
         "opens: 0 events of 0 records"},
        {"a log in bytes of no encoding",
         start + process.prefix() + "\xFF\xFE\n[\x80] node1:100:1 [0] NCCL WARN \xC0\n",
         "opens: 0 events of 0 records"},
        {"inspector lines with one that is not JSON", timed_line + "{\"header\": {\n" + timed_line,
         "opens: 4 events of 5 records, 1 dropped; event-malformed"},
        {"an inspector line cut at the end", timed_line + timed_line.substr(0, 200),
         "opens: 2 events of 3 records, 1 dropped; file-truncated"},
        {"an inspector line that ends before it starts", timed_line + inspector_line(2, unix_us, -5),
         "opens: 2 events of 3 records, 1 dropped; event-malformed"},
        {"inspector lines of no communicator",
         R"({"header":{"n_ranks":2},"metadata":{"inspector_output_format_version":"v4.0"},"coll_perf":{"coll":"AllReduce"}})"
         "\n",
         "refused: not a trace: this is the output of NCCL's inspector without a collective"},
        {"a plugin's trace without its end", cut_at(plugin, "\"ts\": 20.500000},"), "opens: 2 events of 4 records"},
        {"a plugin's trace cut in a record", cut_at(plugin, "\"ts\": 15.25"),
         "opens: 2 events of 5 records, 1 dropped; file-truncated"},
        {"a plugin's trace with an unknown phase",
         cut_at(plugin, "\"ts\": 20.500000},") + "\n{\"name\": \"x\", \"ph\": \"Q\", \"pid\": 200, \"ts\": 7}\n]\n",
         "opens: 2 events of 5 records, 1 dropped; event-malformed"},
    };
}

}  // namespace

TEST_CASE("malformed: files of any outer shape open, or are refused by name of what they are") {
    check_plain_and_packed(outer_shapes());
}

TEST_CASE("malformed: a broken list of events costs only what is broken") { check_plain_and_packed(broken_lists()); }

TEST_CASE("malformed: events of odd values are kept, repaired or dropped, and counted") {
    check_plain_and_packed(odd_values());
}

TEST_CASE("malformed: a damaged flight-recorder dump is refused at its place, and odd entries are dropped") {
    check_plain_and_packed(damaged_dumps());
}

TEST_CASE("malformed: of a damaged log or trace of NCCL, what is whole is kept, and the rest counted") {
    check_plain_and_packed(damaged_nccl());
}

TEST_CASE("malformed: damaged gzip gives what comes before the damage, and says so") {
    check_rows(packed_files(), "bad.json.gz");
}

TEST_CASE(
    "of a file that packs more events than measured times need, the first million is kept, and the rest counted") {
    constexpr std::uint64_t kEvents = 1'200'000;
    const std::string one = R"({"ph":"X","name":"a","cat":"cpu_op","pid":1,"tid":1,"ts":5,"dur":0},)"
                            "\n";
    std::string text = "{\"traceEvents\":[\n";
    for (std::uint64_t i = 0; i < kEvents; ++i) text += one;
    text.resize(text.size() - 2);
    text += "\n]}";
    const ScratchFolder folder;
    const std::string packed = gzip(text);
    REQUIRE(packed.size() < kEvents);
    const Result<RankTracePtr> trace = load_file(folder.write("rank0.json.gz", packed));
    REQUIRE(trace);
    const std::uint64_t left_out = (*trace)->diagnostics.count("events-left-out");
    CHECK((*trace)->size() >= 1'000'000);
    CHECK((*trace)->size() < 1'050'000);
    CHECK((*trace)->size() + left_out == kEvents);
    CHECK((*trace)->info.records.dropped == left_out);
    CHECK(sum_of_parts((*trace)->info.records) == (*trace)->info.records.total);
    CHECK((*trace)->diagnostics.entries().front().first.find("1,200,000") != std::string::npos);
    // The same events in a file as large as events are.
    const Result<RankTracePtr> plain = load_file(folder.write("rank0.json", text));
    REQUIRE(plain);
    CHECK((*plain)->size() == kEvents);
    CHECK((*plain)->diagnostics.empty());
}
