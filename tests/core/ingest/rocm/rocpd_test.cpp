#include "core/index/member_events.hpp"
#include "core/ingest/load/discover.hpp"
#include "core/ingest/rocm/rocm_file.hpp"
#include "tests/core/ingest/rocm/rocm_fixture.hpp"

#include <fstream>

using namespace core;
using namespace core::testing;

namespace {

constexpr std::int64_t kBoot = 3'000'000'000'000;

// Two steps on the main thread; in each a launch on GPU 0 and an all-reduce on GPU 0, stream 2.
std::string two_steps() {
    std::string sql;
    for (int step = 0; step < 2; ++step) {
        const std::int64_t at = kBoot + 1000 * step;
        const int first = 10 * step;
        sql += rocpd_region(first + 1, at, at + 900, 2, 7, 900 + first,
                            R"({"message": "train step )" + std::to_string(step) + R"("})");
        sql += rocpd_region(first + 2, at + 10, at + 30, 1, 6, 500 + first);
        sql += rocpd_kernel(first + 3, at + 100, at + 400, 4, 0, 500 + first);
        sql += rocpd_region(first + 4, at + 40, at + 80, 3, 8, 800 + first);
        sql += rocpd_region(first + 5, at + 50, at + 70, 1, 6, 600 + first);
        sql += rocpd_kernel(first + 6, at + 400, at + 800, 4, 2, 600 + first, 2);
        const std::string event = std::to_string(first + 4);
        sql += R"(INSERT INTO "rocpd_arg@" (event_id, name, value) VALUES ()" + event + ", 'count', '1000'), (" +
               event + ", 'datatype', 'ncclBfloat16'), (" + event + ", 'comm', '0x7f10'), (" +
               std::to_string(first + 2) + ", 'count', '5');";
    }
    return sql;
}

std::string small_run(const std::string& environment = R"({"PATH": "/bin", "RANK": "3", "WORLD_SIZE": "8"})") {
    return rocpd_process(environment) + two_steps();
}

}  // namespace

TEST_CASE("a kernel of rocprofv3 has its name, times, GPU, stream, sizes and launch") {
    const TempFolder folder;
    const RunPtr run = load_rocpd(folder, small_run());
    REQUIRE(run->ranks().size() == 1);
    const RankTrace& trace = run->rank(0).trace();
    CHECK(run->rank(0).key.number == 3);
    CHECK(trace.info.world_size == 8);
    CHECK(trace.info.host == "node17");
    CHECK(trace.info.trace_name == "rocprofv3");
    REQUIRE(trace.info.devices.size() == 1);
    CHECK(trace.info.devices[0].name == "AMD Instinct MI300X");
    REQUIRE(trace.gpu_events.size() == 4);
    const EventId kernel = trace.gpu_events[0];
    CHECK(trace.name_text(kernel) == "gemm(float*)");
    CHECK(trace.category_kind(kernel) == Category::Kernel);
    CHECK(ns_of(trace.start[index_of(kernel)]) == kBoot + 100);
    CHECK(trace.duration[index_of(kernel)] == Duration{300});
    CHECK(trace.track_of(kernel).stream == 0);
    CHECK(trace.integer(Arg::Device, kernel) == 0);
    // The file counts the grid in work-items: 1000 by 2 of them in blocks of 256.
    CHECK(text_of(trace, kernel).find(R"("grid": [4, 2, 1], "block": [256, 1, 1])") != std::string::npos);
    const EventId launch = trace.parent[index_of(kernel)];
    REQUIRE(launch != kNoEvent);
    CHECK(trace.name_text(launch) == "hipLaunchKernel");
    CHECK(trace.category_kind(launch) == Category::Runtime);
    CHECK(ns_of(trace.start[index_of(launch)]) == kBoot + 10);
    CHECK(trace.track_of(trace.gpu_events[1]).stream == 2);
    CHECK(trace.diagnostics.count("kernel-without-launch") == 0);
}

TEST_CASE("marks of roctx are annotations, and mark the steps") {
    const TempFolder folder;
    const RunPtr run = load_rocpd(folder, small_run());
    const RankTrace& trace = run->rank(0).trace();
    REQUIRE(find_events(trace, "train step 1").size() == 1);
    CHECK(trace.category_kind(find_events(trace, "train step 1")[0]) == Category::UserAnnotation);
    REQUIRE(trace.steps.size() == 2);
    CHECK(trace.steps[1].number == 1);
    CHECK(ns_of(trace.steps[1].range.begin) == kBoot + 1000);
}

TEST_CASE("a kernel of RCCL takes part in the collective that the call around its launch states") {
    const TempFolder folder;
    const RunPtr run = load_rocpd(folder, small_run());
    const MemberTable& members = run->rank(0).index->members();
    REQUIRE(members.events().size() == 2);
    CHECK(members.events()[0].operation == Operation::AllReduce);
    CHECK(members.events()[0].in_bytes == 2000);
    CHECK(members.events()[0].duration == Duration{400});
    REQUIRE(members.group_of(members.events()[0]));
    CHECK(members.group_of(members.events()[0])->local == 0x7f10);
    // Arguments of other calls aren't stored.
    const RankTrace& trace = run->rank(0).trace();
    CHECK(text_of(trace, find_events(trace, "hipLaunchKernel")[0]).find("count") == std::string::npos);
}

TEST_CASE("copies have their bytes, direction and the GPU that they belong to") {
    const TempFolder folder;
    const RunPtr run = load_rocpd(
        folder, small_run() +
                    R"(INSERT INTO "rocpd_event@" (id, category_id, stack_id) VALUES (90, 5, 700), (91, 1, 700);
                    INSERT INTO "rocpd_region@" VALUES (90, 'g', 1, 4711, 77, 3000000000900, 3000000000910, 10, 91);
                    INSERT INTO "rocpd_memory_copy@" VALUES (1, 'g', 1, 4711, 77, 3000000000950, 3000000001050, 9, 5, 0,
                      4096, NULL, 2, 90), (2, 'g', 1, 4711, 77, 3000000000960, 3000000000970, 14, 0, 4, 64, NULL, 0, NULL);
                    INSERT INTO "rocpd_string@" (id, string) VALUES (14, 'MEMORY_COPY_DEVICE_TO_HOST');)");
    const RankTrace& trace = run->rank(0).trace();
    const std::vector<EventId> in = find_events(trace, "Memcpy HtoD (Host -> Device)");
    REQUIRE(in.size() == 1);
    CHECK(trace.category_kind(in[0]) == Category::GpuMemcpy);
    CHECK(trace.integer(Arg::Device, in[0]) == 1);
    CHECK(trace.integer(Arg::Bytes, in[0]) == 4096);
    CHECK(trace.integer(Arg::BandwidthMbPerS, in[0]) == 40960);
    CHECK(trace.track_of(in[0]).stream == 2);
    REQUIRE(trace.parent[index_of(in[0])] != kNoEvent);
    CHECK(trace.name_text(trace.parent[index_of(in[0])]) == "hipMemcpyAsync");
    const std::vector<EventId> out = find_events(trace, "Memcpy DtoH (Device -> Host)");
    REQUIRE(out.size() == 1);
    CHECK(trace.integer(Arg::Device, out[0]) == 0);
}

TEST_CASE("calls without a length are instants; samples of other tools are counted and left out") {
    const TempFolder folder;
    const RunPtr run = load_rocpd(folder, small_run() +
                                              R"(INSERT INTO "rocpd_track@" VALUES (1, 'g', 1, 4711, 77, 2);
                    INSERT INTO "rocpd_string@" (id, string) VALUES (15, 'device_temp');
                    INSERT INTO "rocpd_event@" (id, category_id, stack_id, extdata) VALUES
                      (80, 2, 1, '{"message": "epoch \"ends\""}'), (81, 15, 0, '{}');
                    INSERT INTO "rocpd_sample@" VALUES (1, 'g', 1, 3000000000500, 80), (2, 'g', 1, 3000000000600, 81);)");
    const RankTrace& trace = run->rank(0).trace();
    const std::vector<EventId> marks = find_events(trace, "epoch \"ends\"");
    REQUIRE(marks.size() == 1);
    CHECK(trace.has(marks[0], kInstant));
    CHECK(trace.diagnostics.count("object-event") == 1);
    CHECK(trace.info.records.dropped == 1);
}

TEST_CASE("counters of the hardware are counters of the rank that uses the GPU, per kernel and sampled") {
    const TempFolder folder;
    const RunPtr run = load_rocpd(folder, small_run() + R"(
        CREATE TABLE "rocpd_info_pmc@" (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, agent_id INTEGER,
          name TEXT, symbol TEXT, units TEXT);
        CREATE TABLE "rocpd_pmc_event@" (id INTEGER PRIMARY KEY, guid TEXT, event_id INTEGER, pmc_id INTEGER, value DOUBLE);
        INSERT INTO "rocpd_info_pmc@" VALUES (1, 'g', 1, 4711, 4, 'SQ_WAVES', 'SQ_WAVES', ''),
          (2, 'g', 1, 4711, 4, '', 'power', 'W');
        INSERT INTO "rocpd_string@" (id, string) VALUES (15, 'device_power');
        INSERT INTO "rocpd_track@" VALUES (1, 'g', 1, 4711, 77, 15);
        INSERT INTO "rocpd_event@" (id, category_id, stack_id, extdata) VALUES (81, 15, 0, '{}'), (82, 15, 0, '{}');
        INSERT INTO "rocpd_sample@" VALUES (1, 'g', 1, 3000000000500, 81), (2, 'g', 1, 3000000000600, 82);
        INSERT INTO "rocpd_kernel_dispatch@" (id, nid, pid, tid, agent_id, kernel_id, stream_id, start, "end", event_id)
          VALUES (70, 1, 4711, 77, 4, 1, 2, 3000000002000, 3000000002100, 70);
        INSERT INTO "rocpd_pmc_event@" VALUES (1, 'g', 70, 1, 640), (2, 'g', 81, 2, 500.5), (3, 'g', 82, 2, 501),
          (4, 'g', 9999, 1, 1), (5, 'g', 81, 77, 1);)");
    REQUIRE(run->ranks().size() == 1);
    const RankTrace& trace = run->rank(0).trace();
    REQUIRE(trace.counters.size() == 2);
    const auto values_of = [&](std::string_view name) {
        std::vector<std::pair<std::int64_t, double>> values;
        for (const CounterTrack& counter : trace.counters)
            if (trace.text(counter.name) == name)
                for (std::uint64_t i = counter.first; i < counter.last; ++i)
                    values.emplace_back(ns_of(trace.counter_times[i]) - 3'000'000'000'000, trace.counter_values[i]);
        return values;
    };
    CHECK(values_of("SQ_WAVES") == std::vector<std::pair<std::int64_t, double>>{{2000, 640}});
    CHECK(values_of("power (W)") == std::vector<std::pair<std::int64_t, double>>{{500, 500.5}, {600, 501}});
    CHECK(trace.info.records.counters == 3);
    // One of no event, one of no counter.
    CHECK(trace.diagnostics.count("event-malformed") == 2);
    CHECK(trace.diagnostics.count("object-event") == 0);
}

TEST_CASE("without streams the queue is the track of a kernel") {
    const TempFolder folder;
    const RunPtr run = load_rocpd(folder, small_run() + R"(DELETE FROM "rocpd_info_stream@" WHERE id > 0;
        UPDATE "rocpd_kernel_dispatch@" SET stream_id = 0, queue_id = kernel_id;)");
    const RankTrace& trace = run->rank(0).trace();
    CHECK(trace.track_of(trace.gpu_events[0]).stream == 1);
    CHECK(trace.track_of(trace.gpu_events[1]).stream == 2);
    CHECK(trace.text(trace.track_of(trace.gpu_events[1]).name) == "queue 2");
}

TEST_CASE("the rank comes from the environment of the process, else from the name or the order") {
    const TempFolder folder;
    const auto number = [&](const std::string& environment, const std::string& name) {
        return load_rocpd(folder, small_run(environment), name)->rank(0).key.number;
    };
    CHECK(number(R"({"SLURM_PROCID": "6", "OMPI_COMM_WORLD_RANK": "5"})", "a.db") == 6);
    CHECK(number(R"({"OMPI_COMM_WORLD_RANK":"5","LOCAL_RANK":"1"})", "b.db") == 5);
    CHECK(number(R"({"PMI_RANK": "4"})", "c.db") == 4);
    CHECK(number(R"({"RANK": "many", "A": [1, {"RANK": "9"}], "PMI_RANK": "2"})", "d.db") == 2);
    CHECK(number(R"({"LOCAL_RANK": "1"})", "rank7_results.db") == 7);
    CHECK(number("{\"RANK", "e.db") == 0);
    CHECK(number("", "f.db") == 0);
}

TEST_CASE("a folder of databases opens as its ranks; other databases in it do not") {
    const TempFolder folder;
    for (const char* const rank : {"1", "0"})
        DatabaseMaker(folder.path() / ("47" + std::string(rank) + "_results.db"))
            .run(with_suffix(small_run(R"({"RANK": ")" + std::string(rank) + "\"}"), kSuffix + rank))
            .close();
    DatabaseMaker(folder.path() / "cookies.db").run("CREATE TABLE moz_places (id INTEGER)").close();
    const Result<RunPtr> run = load_database(folder.path());
    REQUIRE(run);
    REQUIRE((*run)->ranks().size() == 2);
    CHECK((*run)->rank(0).trace().info.path.filename() == "470_results.db");
    CHECK((*run)->rank(1).trace().gpu_events.size() == 4);
}

TEST_CASE("several processes in one file are ranks; numbers of rows mean rows of the same process") {
    const TempFolder folder;
    const std::filesystem::path path = folder.path() / "merged.db";
    DatabaseMaker maker(path);
    maker.run(with_suffix(small_run(R"({"RANK": "1"})"), "_a"));
    std::string second = rocpd_process(R"({"RANK": "0"})", 5000) + two_steps();
    second.erase(second.find("CREATE VIEW"),
                 second.find(";", second.find("CREATE VIEW")) - second.find("CREATE VIEW") + 1);
    maker.run(
        with_suffix(second + R"(UPDATE "rocpd_info_kernel_symbol@" SET display_name = 'other' WHERE id = 1;)", "_b"));
    maker.close();
    const Result<RunPtr> run = load_database(path);
    REQUIRE(run);
    REQUIRE((*run)->ranks().size() == 2);
    CHECK((*run)->rank(0).trace().name_text((*run)->rank(0).trace().gpu_events[0]) == "other");
    CHECK((*run)->rank(1).trace().name_text((*run)->rank(1).trace().gpu_events[0]) == "gemm(float*)");
    CHECK((*run)->all_diagnostics().count("ranks-in-one-file") == 1);
    CHECK((*run)->event_count() == 24);
}

TEST_CASE("places and times in tables of their own read like columns") {
    const TempFolder folder;
    const RunPtr run = load_rocpd(folder, R"(
        CREATE TABLE "rocpd_string@" (id INTEGER PRIMARY KEY, guid TEXT, string TEXT);
        CREATE TABLE "rocpd_info_category@" (id INTEGER PRIMARY KEY, guid TEXT, name TEXT);
        CREATE TABLE "rocpd_info_stream@" (id INTEGER PRIMARY KEY, guid TEXT, name TEXT);
        CREATE TABLE "rocpd_info_agent@" (id INTEGER PRIMARY KEY, guid TEXT, type TEXT, type_index INTEGER, name TEXT);
        CREATE TABLE "rocpd_info_kernel_symbol@" (id INTEGER PRIMARY KEY, guid TEXT, kernel_name TEXT, display_name TEXT);
        CREATE TABLE "rocpd_track@" (id INTEGER PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER, agent_id INTEGER,
          queue_id INTEGER, stream_id INTEGER, name_id INTEGER);
        CREATE TABLE "rocpd_timestamp@" (id INTEGER PRIMARY KEY, guid TEXT, value BIGINT, phase INTEGER, track_id INTEGER);
        CREATE TABLE "rocpd_event@" (id INTEGER PRIMARY KEY, guid TEXT, category_id INTEGER, stack_id INTEGER, extdata TEXT);
        CREATE TABLE "rocpd_region@" (id INTEGER PRIMARY KEY, guid TEXT, track_id INTEGER, name_id INTEGER, start_id INTEGER,
          end_id INTEGER, event_id INTEGER);
        CREATE TABLE "rocpd_kernel_dispatch@" (id INTEGER PRIMARY KEY, guid TEXT, track_id INTEGER, kernel_id INTEGER,
          dispatch_id INTEGER, start_id INTEGER, end_id INTEGER, event_id INTEGER);
        INSERT INTO "rocpd_string@" (id, string) VALUES (1, 'hipLaunchKernel');
        INSERT INTO "rocpd_info_category@" (id, name) VALUES (1, 'hip_api'), (2, 'kernel_dispatch');
        INSERT INTO "rocpd_info_stream@" (id) VALUES (0), (3);
        INSERT INTO "rocpd_info_agent@" (id, type, type_index, name) VALUES (9, 'GPU', 1, 'gfx942');
        INSERT INTO "rocpd_info_kernel_symbol@" (id, kernel_name) VALUES (5, 'gemm.kd');
        INSERT INTO "rocpd_track@" (id, pid, tid) VALUES (1, 4711, 4712);
        INSERT INTO "rocpd_track@" (id, pid, tid, agent_id, queue_id, stream_id) VALUES (2, 4711, 4712, 9, 1, 3);
        INSERT INTO "rocpd_timestamp@" (id, value) VALUES (1, 100), (2, 120), (3, 200), (4, 260);
        INSERT INTO "rocpd_event@" (id, category_id, stack_id) VALUES (1, 1, 33), (2, 2, 33);
        INSERT INTO "rocpd_region@" VALUES (1, 'g', 1, 1, 1, 2, 1);
        INSERT INTO "rocpd_kernel_dispatch@" VALUES (1, 'g', 2, 5, 1, 3, 4, 2), (2, 'g', 2, 5, 2, 3, 99, 2);)");
    const RankTrace& trace = run->rank(0).trace();
    REQUIRE(trace.gpu_events.size() == 1);
    const EventId kernel = trace.gpu_events[0];
    CHECK(trace.name_text(kernel) == "gemm.kd");
    CHECK(trace.duration[index_of(kernel)] == Duration{60});
    CHECK(trace.integer(Arg::Device, kernel) == 1);
    CHECK(trace.track_of(kernel).stream == 3);
    REQUIRE(trace.parent[index_of(kernel)] != kNoEvent);
    CHECK(trace.name_text(trace.parent[index_of(kernel)]) == "hipLaunchKernel");
    CHECK(trace.diagnostics.count("event-malformed") == 1);  // its end is nowhere
}

TEST_CASE("tables without ids, columns and companions read as far as they go") {
    const TempFolder folder;
    const RunPtr run =
        load_rocpd(folder, R"(CREATE TABLE "rocpd_kernel_dispatch@" (agent_id INT, start INT, "end" INT, kernel_id INT);
        INSERT INTO "rocpd_kernel_dispatch@" VALUES (2, 10, 20, 1), (2, 'x', 20, 1), (-1, 30, 40, 1), (2, 50, 45, 7),
          (99999, 60, 70, 1);)");
    const RankTrace& trace = run->rank(0).trace();
    CHECK(trace.gpu_events.size() == 2);
    CHECK(trace.name_text(trace.gpu_events[0]) == "kernel without a name");
    CHECK(trace.diagnostics.count("event-malformed") == 3);
    CHECK(trace.diagnostics.count("negative-duration") == 1);
}

TEST_CASE("a database of rocprofv3 that is still written is refused, with what to do") {
    const TempFolder folder;
    const std::filesystem::path path = folder.path() / "run.db";
    DatabaseMaker(path).run(with_suffix(small_run(), kSuffix)).close();
    std::ofstream(folder.path() / "run.db-wal") << "frames";
    const Result<RunPtr> run = load_database(path);
    REQUIRE_FALSE(run);
    CHECK(run.error().message.find("run.db") != std::string::npos);
    CHECK(run.error().message.find("wal_checkpoint") != std::string::npos);
}

TEST_CASE("bytes changed anywhere in a database of rocprofv3 do no harm") {
    const TempFolder folder;
    const std::filesystem::path whole = folder.path() / "whole.db";
    DatabaseMaker(whole).run(with_suffix(small_run(), "_u")).close();
    std::ifstream in(whole, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    std::uint64_t state = 88172645463325252ULL;
    const auto next = [&] {
        state ^= state << 13;
        state ^= state >> 7;
        return state ^= state << 17;
    };
    for (int round = 0; round < 200; ++round) {
        std::string changed = bytes;
        for (int i = 0; i < 1 + round % 8; ++i) changed[next() % changed.size()] = static_cast<char>(next());
        const std::filesystem::path path = folder.path() / "changed.db";
        std::ofstream(path, std::ios::binary).write(changed.data(), static_cast<std::streamsize>(changed.size()));
        const Result<RunPtr> run = load_database(path);
        if (run) CHECK((*run)->event_count() < 1000);
        if (!run) CHECK(run.error().message.find("changed.db") != std::string::npos);
    }
}
