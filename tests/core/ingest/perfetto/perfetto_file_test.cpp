#include "core/ingest/perfetto/perfetto_file.hpp"

#include "core/doctor/doctor.hpp"
#include "core/ingest/load/load_run.hpp"
#include "tests/core/ingest/perfetto/perfetto_writer.hpp"
#include "tests/core/temp_folder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <random>
#include <vector>

#include <zlib.h>
#include <zstd.h>

using namespace core;
using namespace core::testing;

namespace {

Result<RankTracePtr> read(const std::string& bytes_of_file, const char* name = "rank0.pftrace") {
    const TempFolder folder;
    std::ofstream(folder.path() / name, std::ios::binary) << bytes_of_file;
    LoadProgress progress;
    return load_rank(folder.path() / name, progress, {});
}

std::string deflated(const std::string& text) {
    std::string out(::compressBound(text.size()), '\0');
    uLongf size = out.size();
    REQUIRE(::compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(text.data()),
                       text.size()) == Z_OK);
    out.resize(size);
    return out;
}

std::string zstd(const std::string& text) {
    std::string out(::ZSTD_compressBound(text.size()), '\0');
    const std::size_t size = ::ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3);
    REQUIRE(::ZSTD_isError(size) == 0);
    out.resize(size);
    return out;
}

struct Span {
    std::string name;
    std::int64_t start;
    std::int64_t duration;
    bool operator==(const Span&) const = default;
    auto operator<=>(const Span&) const = default;
};
std::vector<Span> spans_of(const RankTrace& trace) {
    std::vector<Span> spans;
    for (std::size_t i = 0; i < trace.size(); ++i)
        spans.push_back({std::string(trace.text(trace.name[i])), trace.start[i].time_since_epoch().count(),
                         trace.duration[i].count()});
    std::ranges::sort(spans);
    return spans;
}

// A rank as PyTorch writes it: a thread with an operator, a launch and a kernel that it launched.
std::string small_trace() {
    const std::string names = packet(number(10, 1) + number(13, 1) +
                                     bytes(12, bytes(24, number(1, 5) + bytes(2, "Stream 7")) +
                                                   bytes(1000, number(1, 3) + bytes(2, "gemm_kernel"))));
    return process_track(10, 100, "python") + thread_track(11, 100, 101, "main") + names +
           begin(1000, 11, "aten::mm", "cpu_op",
                 argument("Sequence number", number(4, 9)) + argument("Input type", bytes(6, "['float']"))) +
           begin(1100, 11, "cudaLaunchKernel", "cuda_runtime", argument("correlation", number(3, 77))) + end(1200, 11) +
           end(2000, 11) +
           packet_at(1500, bytes(53, number(1, 77) + number(2, 400) + number(11, 0) + number(13, 5) + number(19, 3)));
}

}  // namespace

TEST_CASE("operators, launches and kernels of a Perfetto trace are those of any other") {
    const Result<RankTracePtr> trace = read(small_trace());
    REQUIRE_MESSAGE(trace, trace.error().message);
    const RankTrace& t = **trace;
    CHECK(spans_of(t) ==
          std::vector<Span>{{"aten::mm", 1000, 1000}, {"cudaLaunchKernel", 1100, 100}, {"gemm_kernel", 1500, 400}});
    REQUIRE(t.gpu_events.size() == 1);
    const EventId kernel = t.gpu_events[0];
    CHECK(t.name_text(kernel) == "gemm_kernel");
    CHECK(t.track_of(kernel).stream == 7);
    REQUIRE(t.parent[index_of(kernel)] != kNoEvent);
    CHECK(t.name_text(t.parent[index_of(kernel)]) == "cudaLaunchKernel");
    CHECK(t.diagnostics.entries().empty());
    CHECK(t.info.records.total == 5);
}

TEST_CASE("arguments keep their values and their kinds") {
    const std::string list = bytes(12, number(4, 1)) + bytes(12, bytes(6, "x"));
    const std::string dict = bytes(11, bytes(10, "k") + number(2, 1));
    const Result<RankTracePtr> trace =
        read(thread_track(11, 1, 2, "t") +
             begin(5, 11, "op", "cpu_op",
                   argument("i", number(4, static_cast<std::uint64_t>(-3))) + argument("u", number(3, ~0ull)) +
                       argument("d", real(5, 0.25)) + argument("n", real(5, std::bit_cast<double>(~0ull))) +
                       argument("b", number(2, 1)) + argument("s", bytes(6, "a\"\n\xff")) + argument("list", list) +
                       argument("dict", dict)) +
             end(9, 11));
    REQUIRE(trace);
    const Result<EventText> text = (*trace)->event_text(EventId{0});
    REQUIRE(text);
    CHECK(text->arguments ==
          "{\"i\": -3, \"u\": 18446744073709551615, \"d\": 0.25, \"n\": null, \"b\": true, \"s\": "
          "\"a\\\"\\u000a\xEF\xBF\xBD\", \"list\": [1,\"x\"], \"dict\": {\"k\":true}}");
}

TEST_CASE("begins of a group may all come before its ends") {
    // Two operators one after the other, and one inside of the second, all begins first.
    const std::string group = begin(100, 11, "a", "cpu_op") + begin(200, 11, "b", "cpu_op") +
                              begin(250, 11, "c", "cpu_op") + end(200, 11) + end(300, 11) + end(400, 11);
    const Result<RankTracePtr> trace = read(thread_track(11, 1, 2, "t") + group);
    REQUIRE(trace);
    CHECK(spans_of(**trace) == std::vector<Span>{{"a", 100, 100}, {"b", 200, 200}, {"c", 250, 50}});
    CHECK((*trace)->diagnostics.entries().empty());
}

TEST_CASE("random nested spans come back whatever the order of their packets within a group") {
    std::mt19937 random(7);
    for (int round = 0; round < 20; ++round) {
        std::vector<Span> spans;
        std::int64_t time = 1000;
        for (int i = 0; i < 30; ++i) {
            const std::int64_t length = 2 + static_cast<std::int64_t>(random() % 50);
            spans.push_back({"outer" + std::to_string(i), time, length});
            if (length > 4) spans.push_back({"inner" + std::to_string(i), time + 1, length - 2});
            time += length + static_cast<std::int64_t>(random() % 2);
        }
        std::vector<std::string> begins, ends;
        for (const Span& span : spans) {
            begins.push_back(begin(static_cast<std::uint64_t>(span.start), 11, span.name, "cpu_op"));
            ends.push_back(end(static_cast<std::uint64_t>(span.start + span.duration), 11));
        }
        std::ranges::shuffle(ends, random);
        std::string file = thread_track(11, 1, 2, "t");
        for (const std::string& one : begins) file += one;
        for (const std::string& one : ends) file += one;
        const Result<RankTracePtr> trace = read(file);
        REQUIRE(trace);
        std::ranges::sort(spans);
        CHECK(spans_of(**trace) == spans);
    }
}

TEST_CASE("names of one sequence are not those of another, and go when it is cleared") {
    const auto named = [](std::uint64_t sequence, std::uint64_t time, std::uint64_t flags) {
        return packet(number(8, time) + number(10, sequence) + (flags != 0 ? number(13, flags) : std::string()) +
                      bytes(11, number(9, 3) + number(11, 11) + number(10, 4)));
    };
    const std::string file = thread_track(11, 1, 2, "t") +
                             packet(number(10, 1) + bytes(12, bytes(2, number(1, 4) + bytes(2, "first")))) +
                             packet(number(10, 2) + bytes(12, bytes(2, number(1, 4) + bytes(2, "second")))) +
                             named(1, 10, 0) + named(2, 20, 0) + named(1, 30, 1);
    const Result<RankTracePtr> trace = read(file);
    REQUIRE(trace);
    CHECK(spans_of(**trace) == std::vector<Span>{{"(no name)", 30, 0}, {"first", 10, 0}, {"second", 20, 0}});
}

TEST_CASE("clocks of a sequence count in their own unit, and from packet to packet") {
    const std::string clocks =
        packet(number(10, 1) + bytes(6, bytes(1, number(1, 64) + number(2, 5) + number(3, 1) + number(4, 1000)))) +
        packet(number(10, 1) + bytes(59, number(58, 64)));
    const Result<RankTracePtr> trace =
        read(thread_track(11, 1, 2, "t") + clocks + begin(1, 11, "a", "cpu_op") + end(3, 11) +
             packet(number(8, 2) + number(10, 2) + number(58, 99) + bytes(11, number(9, 3) + number(11, 11))));
    REQUIRE(trace);
    CHECK(spans_of(**trace) == std::vector<Span>{{"a", 6000, 3000}});
    CHECK((*trace)->diagnostics.count("event-malformed") == 1);  // of a clock that nobody described
}

TEST_CASE("events that need names are left out from a lost packet on until names are cleared, and before") {
    const auto named = [](std::uint64_t sequence, std::uint64_t time, std::string_view more) {
        return packet(number(8, time) + number(10, sequence) + std::string(more) +
                      bytes(11, number(9, 3) + number(11, 11) + number(10, 4)));
    };
    const std::string name = bytes(12, bytes(2, number(1, 4) + bytes(2, "a"))), needs = number(13, 2);
    const std::string file = thread_track(11, 1, 2, "t") + packet(number(10, 1) + number(13, 1) + name) +
                             named(1, 10, needs) + named(1, 20, needs + number(42, 1)) + named(1, 30, needs) +
                             named(1, 40, number(13, 3) + number(42, 1) + name) + named(1, 50, needs) +
                             named(2, 60, needs) + named(2, 70, "");
    const Result<RankTracePtr> trace = read(file);
    REQUIRE(trace);
    CHECK(spans_of(**trace) == std::vector<Span>{{"(no name)", 70, 0}, {"a", 10, 0}, {"a", 40, 0}, {"a", 50, 0}});
    CHECK((*trace)->diagnostics.count("event-without-state") == 3);
    CHECK((*trace)->diagnostics.count("name-missing") == 1);
    CHECK((*trace)->info.records.dropped == 3);
}

TEST_CASE("times of all clocks are on one, by the nearest earlier snapshot, and before the first by that") {
    constexpr std::uint64_t kMono = 3, kBoot = 6;
    const Result<RankTracePtr> trace =
        read(thread_track(11, 1, 2, "t") + instant_on(kMono, 900, "before") +
             snapshot(9, clock_reading(kBoot, 6000) + clock_reading(kMono, 1000)) + instant_on(kBoot, 6100, "boot") +
             instant_on(kMono, 1100, "mono") + snapshot(9, clock_reading(kBoot, 7003) + clock_reading(kMono, 2000)) +
             instant_on(kMono, 2100, "later") + instant_on(kMono, 1200, "out of order"));
    REQUIRE(trace);
    CHECK(
        spans_of(**trace) ==
        std::vector<Span>{
            {"before", 5900, 0}, {"boot", 6100, 0}, {"later", 7103, 0}, {"mono", 6100, 0}, {"out of order", 6200, 0}});
    CHECK((*trace)->diagnostics.entries().empty());
}

TEST_CASE("the clock of one sequence starts where its snapshot says, and is not that of another") {
    const std::string unit = number(3, 1) + number(4, 1000);
    const auto counted = [&](std::uint64_t sequence, std::uint64_t boot) {
        return snapshot(sequence, clock_reading(6, boot) + clock_reading(64, 0, unit));
    };
    const Result<RankTracePtr> trace =
        read(thread_track(11, 1, 2, "t") + counted(2, 5'000'000) + counted(3, 9'000'000) + instant_on(64, 10, "a", 2) +
             packet(number(8, 3) + number(10, 2) + number(58, 64)) + instant_on(64, 5, "b", 2) +
             instant_on(64, 5, "other", 3));
    REQUIRE(trace);
    CHECK(spans_of(**trace) == std::vector<Span>{{"a", 5'010'000, 0}, {"b", 5'018'000, 0}, {"other", 9'005'000, 0}});
}

TEST_CASE("the primary clock is the one that the first snapshot names, and clocks are related through others") {
    const Result<RankTracePtr> trace =
        read(thread_track(11, 1, 2, "t") + snapshot(2, clock_reading(6, 500) + clock_reading(64, 0)) +
             snapshot(9, clock_reading(6, 1000) + clock_reading(3, 100) + number(2, 3)) + instant_on(64, 7, "own") +
             instant_on(3, 200, "mono"));
    REQUIRE(trace);
    CHECK(spans_of(**trace) == std::vector<Span>{{"mono", 1100, 0}, {"own", 507, 0}});
    const Result<RankTracePtr> other =
        read(thread_track(11, 1, 2, "t") + snapshot(2, number(2, 3) + clock_reading(6, 1500) + clock_reading(64, 0)) +
             instant_on(64, 7, "own") + snapshot(9, clock_reading(6, 1000) + clock_reading(3, 100)) +
             instant_on(3, 200, "mono"));
    REQUIRE(other);
    CHECK(spans_of(**other) == std::vector<Span>{{"mono", 200, 0}, {"own", 607, 0}});
}

TEST_CASE("events of a clock without a snapshot keep its time, and are counted separately from those of another") {
    const std::string track = thread_track(11, 1, 2, "t");
    const Result<RankTracePtr> alone = read(track + instant_on(3, 100, "a") + instant_on(3, 200, "b"));
    REQUIRE(alone);
    CHECK(spans_of(**alone) == std::vector<Span>{{"a", 100, 0}, {"b", 200, 0}});
    CHECK((*alone)->diagnostics.entries().empty());
    const Result<RankTracePtr> both =
        read(track + instant_on(3, 100, "a") + instant_on(6, 200, "boot") + instant_on(3, 300, "b"));
    REQUIRE(both);
    CHECK(spans_of(**both) == std::vector<Span>{{"a", 100, 0}, {"b", 300, 0}, {"boot", 200, 0}});
    CHECK((*both)->diagnostics.count("clock-unrelated") == 2);
}

TEST_CASE("damaged deflated packets keep what precedes the damage and count as missing events of unknown number") {
    const std::string inner = begin(1, 11, "a", "cpu_op") + end(3, 11);
    std::string many;
    for (std::uint64_t i = 0; i < 1000; ++i) many += begin(10 + 2 * i, 11, "b", "cpu_op") + end(11 + 2 * i, 11);
    const std::string packed = deflated(many);
    const Result<RankTracePtr> trace = read(thread_track(11, 1, 2, "t") + packet(bytes(50, deflated(inner))) +
                                            packet(bytes(50, packed.substr(0, packed.size() - 20))));
    REQUIRE(trace);
    CHECK((*trace)->size() > 500);
    CHECK((*trace)->size() < 1001);
    CHECK(spans_of(**trace).front() == Span{"a", 1, 2});
    CHECK((*trace)->diagnostics.count("packets-damaged") == 1);
    CHECK((*trace)->diagnostics.count("event-malformed") == 0);
    CHECK((*trace)->info.records.dropped == 0);
}

TEST_CASE("packets in zstd are read; damaged ones keep what precedes the damage") {
    const std::string inner = begin(1, 11, "a", "cpu_op") + end(3, 11);
    std::string many;
    for (std::uint64_t i = 0; i < 100'000; ++i) many += begin(10 + 2 * i, 11, "b", "cpu_op") + end(11 + 2 * i, 11);
    const std::string track = thread_track(11, 1, 2, "t");
    const Result<RankTracePtr> whole =
        read(track + packet(bytes(133, zstd(inner))) + packet(bytes(133, zstd(many) + zstd(""))));
    REQUIRE(whole);
    CHECK((*whole)->size() == 100'001);
    CHECK((*whole)->diagnostics.empty());
    const std::string packed = zstd(many);
    const Result<RankTracePtr> cut =
        read(track + packet(bytes(133, zstd(inner))) + packet(bytes(133, packed.substr(0, packed.size() - 20))) +
             packet(bytes(133, "zstd")));
    REQUIRE(cut);
    CHECK((*cut)->size() >= 1);
    CHECK((*cut)->size() < 100'001);
    CHECK((*cut)->diagnostics.count("packets-damaged") == 2);
}

TEST_CASE("counters and tracks without a thread are rows of their process") {
    const std::string tracks = process_track(10, 100, "python") +
                               packet(bytes(60, number(1, 20) + bytes(2, "memory") + number(5, 10) + bytes(8, ""))) +
                               packet(bytes(60, number(1, 21) + bytes(2, "requests") + number(5, 10)));
    const Result<RankTracePtr> trace =
        read(tracks + packet_at(5, bytes(11, number(9, 4) + number(11, 20) + number(30, 42))) +
             begin(6, 21, "request", "user_annotation") + end(8, 21));
    REQUIRE(trace);
    CHECK((*trace)->counters.size() == 1);
    REQUIRE((*trace)->counter_values.size() == 1);
    CHECK((*trace)->counter_values[0] == 42);
    CHECK((*trace)->text((*trace)->track_of(EventId{0}).name) == "requests");
}

TEST_CASE("counters of differences add up from where their sequence was cleared, in the unit of their track") {
    const std::string incremental =
        packet(bytes(60, number(1, 20) + bytes(2, "bytes") + bytes(8, number(4, 1024) + number(5, 1))));
    const auto count = [](std::uint64_t time, std::string_view value, std::uint64_t flags = 0) {
        return packet(number(8, time) + number(10, 1) + number(13, flags) +
                      bytes(11, number(9, 4) + number(11, 20) + std::string(value)));
    };
    const Result<RankTracePtr> trace =
        read(thread_track(11, 1, 2, "t") + incremental + count(1, number(30, 7)) + count(2, number(30, 7)) +
             count(3, real(44, -0.5)) + count(4, number(30, 3), 1) + begin(5, 11, "a", "cpu_op") + end(6, 11));
    REQUIRE(trace);
    CHECK(std::ranges::equal((*trace)->counter_values, std::array{7168.0, 14336.0, 13824.0, 3072.0}));
}

TEST_CASE("counters of a GPU are rows of it, by their names where a packet describes them") {
    const std::string description =
        bytes(1, bytes(1, number(1, 5) + bytes(2, "GPU util")) + bytes(1, number(1, 6) + bytes(2, "clock")));
    const std::string values = bytes(2, number(1, 5) + real(3, 62.5)) + bytes(2, number(1, 6) + number(2, 1980));
    const Result<RankTracePtr> trace =
        read(small_trace() + packet_at(1500, bytes(52, values + description)) +
             packet_at(1600, bytes(52, bytes(2, number(1, 5) + number(2, 70)))) +
             packet_at(1700, bytes(52, bytes(2, number(1, 7) + number(2, 1)) + number(3, 1))) +
             packet_at(1800, bytes(52, bytes(2, number(1, 7)))));
    REQUIRE(trace);
    const RankTrace& t = **trace;
    std::vector<std::string> names;
    for (const CounterTrack& counter : t.counters) names.emplace_back(t.text(counter.name));
    std::ranges::sort(names);
    CHECK(names == std::vector<std::string>{"GPU counter 7", "GPU util", "clock"});
    std::vector<double> all(t.counter_values.begin(), t.counter_values.end());
    std::ranges::sort(all);
    CHECK(all == std::vector<double>{1, 62.5, 70, 1980});
    CHECK(t.info.records.counters == 4);
    CHECK(t.diagnostics.count("event-malformed") == 1);
}

TEST_CASE("a trace that is cut anywhere opens with what is whole, or is refused in words") {
    const std::string whole = small_trace();
    for (std::size_t size = 1; size < whole.size(); ++size) {
        const Result<RankTracePtr> trace = read(whole.substr(0, size));
        if (!trace) {
            CHECK(!trace.error().message.empty());
            continue;
        }
        CHECK((*trace)->size() <= 3);
    }
    const Result<RankTracePtr> cut = read(whole.substr(0, whole.size() - 3));
    REQUIRE(cut);
    CHECK((*cut)->diagnostics.count("file-truncated") == 1);
}

TEST_CASE("bytes that are changed at random neither crash nor hang") {
    const std::string unit = number(3, 1) + number(4, 1000);
    const std::string whole =
        instant_on(3, 900, "waits") + snapshot(2, clock_reading(3, 5) + clock_reading(64, 0, unit)) + small_trace() +
        snapshot(9, clock_reading(6, 6000) + clock_reading(3, 1000)) + instant_on(64, 10, "own") +
        packet(bytes(60, number(1, 20) + bytes(2, "bytes") + bytes(8, number(4, 1024) + number(5, 1)))) +
        packet_at(1600, number(13, 2) + bytes(11, number(9, 4) + number(11, 20) + number(30, 7))) +
        packet_at(1700,
                  bytes(52, bytes(1, bytes(1, number(1, 5) + bytes(2, "u"))) + bytes(2, number(1, 5) + real(3, 1))));
    REQUIRE(read(whole));
    std::mt19937 random(11);
    for (int round = 0; round < 500; ++round) {
        std::string bytes_now = whole;
        for (int i = 0; i < 1 + static_cast<int>(random() % 4); ++i)
            bytes_now[random() % bytes_now.size()] = static_cast<char>(random());
        const Result<RankTracePtr> trace = read(bytes_now);
        if (!trace) CHECK(!trace.error().message.empty());
    }
}

TEST_CASE("Perfetto traces are found in folders by their ending, and recognised by their first bytes") {
    const TempFolder folder;
    std::ofstream(folder.path() / "rank0.pftrace", std::ios::binary) << small_trace();
    std::ofstream(folder.path() / "rank1.pftrace", std::ios::binary) << small_trace();
    const std::vector<std::filesystem::path> paths = {folder.path()};
    LoadProgress progress;
    const Result<RunPtr> run = load_run(paths, {}, progress, {});
    REQUIRE(run);
    CHECK((*run)->ranks().size() == 2);
    CHECK(begins_perfetto(small_trace()));
    CHECK(!begins_perfetto("\n{\"traceEvents\": []}"));
    CHECK(!begins_perfetto("\n\n\n\n"));
    CHECK(!begins_perfetto(""));
}
