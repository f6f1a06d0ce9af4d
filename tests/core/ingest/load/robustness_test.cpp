#include "core/ingest/load/load_run.hpp"

#include "tests/core/ingest/load/ingest_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <initializer_list>
#include <random>

using namespace core;
using namespace core::testing;

namespace {

// Any bytes give an error with a message, or a trace whose counts add up.
bool opens_soundly(const ScratchFolder& folder, std::string_view bytes) {
    const Result<RankTracePtr> trace = load_file(folder.write("t.json", bytes));
    if (!trace) {
        CHECK_FALSE(trace.error().message.empty());
        return false;
    }
    const RecordCounts& n = (*trace)->info.records;
    CHECK(sum_of_parts(n) == n.total);
    for (std::size_t i = 0; i < (*trace)->size(); ++i) {
        const EventId event{static_cast<std::uint32_t>(i)};
        CHECK((*trace)->event_text(event).has_value());
    }
    return true;
}

// A pickle of a dictionary with these keys, as far as its head shows.
std::string pickle_of(std::initializer_list<std::string_view> keys) {
    std::string bytes("\x80\x02}q\x00(", 6);
    for (const std::string_view key : keys) {
        bytes += 'X';
        bytes += static_cast<char>(key.size());
        bytes.append(3, '\0').append(key).append("q\x01K\x01");
    }
    return bytes + "u.";
}

}  // namespace

TEST_CASE("a small trace is read whole") {
    const Result<RankTracePtr> trace = load_text(small_kineto_trace());
    REQUIRE(trace.has_value());
    const RankInfo& info = (*trace)->info;
    CHECK(info.rank == 3);
    CHECK(info.world_size == 8);
    CHECK(info.backend == "nccl");
    CHECK(info.base_time_ns == 1700000000000000000);
    REQUIRE(info.groups.size() == 1);
    CHECK(info.groups[0].ranks.size() == 8);
    CHECK(info.groups[0].description == "default_pg");
    REQUIRE(info.devices.size() == 1);
    CHECK(info.devices[0].name == "Test GPU");
    CHECK(info.environment.at("nccl_version") == "\"2.27.5\"");
    CHECK(info.trace_name == "/tmp/trace.json");
    CHECK(info.json_bytes == small_kineto_trace().size());
    CHECK(info.records.total == 9);
    CHECK((*trace)->window.begin == rank_time(1700000000000000000 + 1000000));
    CHECK((*trace)->gpu_events.size() == 1);
    CHECK((*trace)->launch_calls.size() == 1);
}

TEST_CASE("a trace cut off at any byte opens with what came before, or says why not") {
    const ScratchFolder folder;
    const std::string whole = small_kineto_trace();
    const std::size_t first_event_end = whole.find("\n  },\n  {");
    std::size_t opened = 0;
    for (std::size_t size = 0; size < whole.size(); ++size) {
        CAPTURE(size);
        const bool opens = opens_soundly(folder, std::string_view(whole).substr(0, size));
        opened += opens ? 1 : 0;
        if (size > first_event_end + 4) CHECK(opens);
    }
    CHECK(opened > whole.size() / 2);
}

TEST_CASE("random damage never crashes and never loses count") {
    const ScratchFolder folder;
    const std::string whole = small_kineto_trace();
    std::mt19937 random(4);
    constexpr std::string_view kNasty =
        "{}[]\",:\\\0\n\xFF"
        "0";
    for (int round = 0; round < 3000; ++round) {
        std::string damaged = whole;
        for (std::size_t flips = 1 + random() % 6; flips > 0; --flips) {
            const std::size_t at = random() % damaged.size();
            const auto bit = static_cast<char>(1u << random() % 8);
            damaged[at] = random() % 2 == 0 ? kNasty[random() % kNasty.size()] : static_cast<char>(damaged[at] ^ bit);
        }
        CAPTURE(round);
        opens_soundly(folder, damaged);
    }
}

TEST_CASE("a packed trace cut anywhere opens with what came before") {
    const ScratchFolder folder;
    std::string events = "[";
    for (int i = 0; i < 3000; ++i)
        events += "{\"ph\":\"X\",\"ts\":" + std::to_string(i * 977 % 5003) + ",\"dur\":1,\"name\":\"k\"},\n";
    const std::string packed = gzip(events);
    std::uint64_t last = 0;
    for (std::size_t size = 20; size < packed.size(); size += 97) {
        const Result<RankTracePtr> trace =
            load_file(folder.write("t.json.gz", std::string_view(packed).substr(0, size)));
        if (!trace) {
            CHECK(trace.error().message.find("packed file") != std::string::npos);
            continue;
        }
        CHECK((*trace)->diagnostics.count("file-truncated") >= 1);
        CHECK((*trace)->info.records.complete >= last);
        last = (*trace)->info.records.complete;
    }
    CHECK(last > 1000);
}

TEST_CASE("a text of 100 MB in one event costs that event only") {
    const ScratchFolder folder;
    std::string text = "[{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\"a\"},{\"ph\":\"X\",\"ts\":2,\"dur\":1,\"name\":\"";
    text.append(std::size_t{100} << 20, 'x');
    text += "\"},{\"ph\":\"X\",\"ts\":3,\"dur\":1,\"name\":\"b\"}]";
    const Result<RankTracePtr> trace = load_file(folder.write("t.json", text));
    REQUIRE(trace.has_value());
    CHECK((*trace)->size() == 2);
    CHECK((*trace)->info.records.total == 3);
    CHECK((*trace)->diagnostics.count("event-dropped") == 1);
}

TEST_CASE("files that aren't traces are refused with their type") {
    const auto message = [](std::string_view bytes) {
        const Result<RankTracePtr> trace = load_text(bytes, "file.json");
        REQUIRE_FALSE(trace.has_value());
        return trace.error().message;
    };
    CHECK(message("").find("an empty file") != std::string::npos);
    CHECK(message(std::string_view("SQLite format 3\0", 16)).find("SQLite") != std::string::npos);
    CHECK(message("NVIDIA Tegra Profiler\x01").find(".nsys-rep") != std::string::npos);
    CHECK(message("\x80\x02}q\x01.").find("pickle") != std::string::npos);
    CHECK(message("PK\x03\x04 archive").find("ZIP") != std::string::npos);
    CHECK(message(std::string_view("\xFF\xFE{\0", 4)).find("UTF-16") != std::string::npos);
    CHECK(message("host:1:2 [0] NCCL INFO Bootstrap\n").find("log of NCCL") != std::string::npos);
    CHECK(message("[[1, 2], [3, 4]]").find("memory timeline") != std::string::npos);
    CHECK(message("{\"a\": 1}\n{\"a\": 2}\n").find("JSON lines") != std::string::npos);
    CHECK(message("{\"a\": 1}").find("without \"traceEvents\"") != std::string::npos);
    CHECK(message("{\"schema\": \"1\", \"pid\": 1, \"nodes\": []}").find("execution trace") != std::string::npos);
    CHECK(message("[{\"a\": 1}]").find("elements are not trace events") != std::string::npos);
    CHECK(message("[{\"ph\": 1}]").find("no event could be read") != std::string::npos);
    CHECK(message(pickle_of({"version", "2.9", "pg_config", "pg_status", "entries"}))
              .find("no list of \"entries\": not a complete flight-recorder dump") != std::string::npos);
    CHECK(message(pickle_of({"segments", "device_traces"})).find("not a complete memory snapshot") !=
          std::string::npos);
    CHECK(message(R"({"version": "2.9", "pg_config": {}, "entries": 7})").find("flight-recorder dump") !=
          std::string::npos);
}

TEST_CASE("a folder of other files is refused by what they are, counted by kind") {
    const ScratchFolder folder;
    for (int rank = 0; rank < 16; ++rank) folder.write("snapshot_" + std::to_string(rank), pickle_of({"weights"}));
    folder.write("injection.log", "rank 3 stopped\n");
    folder.write("host.log", "node1:1:2 [0] NCCL INFO Bootstrap\n");
    folder.write("old.txt", R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}])");
    LoadProgress progress;
    const Result<RunPtr> run = load_run(std::vector{folder.path()}, {}, progress, JobContext{});
    REQUIRE_FALSE(run.has_value());
    const std::string& message = run.error().message;
    CHECK(message.starts_with(folder.path().string() +
                              ": no file here is named like a trace (.json, .json.gz, .pfw.gz, .trace, .sqlite, "
                              ".pftrace); found 16 Python pickles (snapshot_0, "));
    CHECK(message.find("; 1 NCCL log (host.log): run with NCCL_DEBUG=INFO and ") != std::string::npos);
    CHECK(message.ends_with(
        "; 1 trace under another name (old.txt): open it by its name, or rename it to end in .json; and 1 text file"));
}

TEST_CASE("a folder whose traces are all unusable says how many were tried") {
    const ScratchFolder folder;
    folder.write("a.json", "{}");
    folder.write("b.json", "{}");
    LoadProgress progress;
    const Result<RunPtr> run = load_run(std::vector{folder.path()}, {}, progress, JobContext{});
    REQUIRE_FALSE(run.has_value());
    CHECK(run.error().message.ends_with("(none of the 2 files opened as a trace)"));
}

TEST_CASE("events one per line open with and without brackets and commas, plain and packed in many parts") {
    std::vector<std::string> events;
    for (int i = 0; i < 400; ++i) {
        const std::string n = std::to_string(i);
        events.push_back("{\"id\":\"" + n + "\",\"name\":\"f{" + n + "}\",\"cat\":\"POSIX\",\"pid\":\"1\",\"tid\":\"" +
                         std::to_string(i % 3) + "\",\"ts\":\"" + std::to_string(1000 + i * 10) +
                         "\",\"dur\":\"7\",\"ph\":\"X\",\"args\":{\"hhash\":\"a\\nb\",\"v\":[1,{}]}}");
    }
    const auto joined = [&](std::string_view between) {
        std::string text;
        for (const std::string& event : events) text += (text.empty() ? "" : std::string(between)) + event;
        return text;
    };
    const Result<RankTracePtr> whole = load_text("[" + joined(",") + "]");
    REQUIRE(whole.has_value());
    const std::string lines = joined("\n"), commas = joined(",\n");
    for (const std::string& text :
         {lines, lines + "\n", joined("\r\n") + "\r\n", joined("\n\n"), commas + ",\n", "[\n" + lines,
          "[\n" + lines + "\n]\n", "[\n" + commas + "\n]", lines + "\n]", "  \n" + lines}) {
        CAPTURE(text.substr(0, 40));
        for (const bool packed : {false, true}) {
            const std::size_t third = text.size() / 3;
            const ScratchFolder folder;
            const Result<RankTracePtr> trace = load_file(
                packed ? folder.write("t.pfw.gz", gzip(text.substr(0, third)) + gzip("") + gzip(text.substr(third)))
                       : folder.write("t.pfw", text));
            REQUIRE(trace.has_value());
            CHECK((*trace)->diagnostics.empty());
            REQUIRE((*trace)->size() == events.size());
            CHECK(std::ranges::equal((*trace)->start, (*whole)->start));
            CHECK(std::ranges::equal((*trace)->duration, (*whole)->duration));
            for (std::uint32_t e = 0; e < (*trace)->size(); ++e)
                CHECK((*trace)->event_text(EventId{e})->arguments == (*whole)->event_text(EventId{e})->arguments);
        }
    }
}
