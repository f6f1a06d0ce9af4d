#include "core/ingest/nsys/nsys_file.hpp"

#include "core/ingest/load/formats.hpp"
#include "tests/core/ingest/nsys/nsys_fixture.hpp"

#include <fstream>

using namespace core;
using namespace core::testing;

namespace {

constexpr std::int64_t kEpoch = 1'000'000'000'000'000'000;

// One process with a launch and its kernel.
std::string small_run(std::int64_t process = 1000) {
    return std::string(kMetaTable) + kStringTable + kKernelTable + kRuntimeTable + kNvtxTable + kSessionTable +
           call_row(100, 150, 7, process) + kernel_row(200, 260, 0, 7, 7, process);
}

RunPtr load_sql(const TempFolder& folder, const std::string& sql, const std::string& step_marks = {},
                const std::string& name = "run.sqlite") {
    const std::filesystem::path path = folder.path() / name;
    DatabaseMaker(path).run(sql).close();
    const Result<RunPtr> run = load_database(path, step_marks);
    REQUIRE_MESSAGE(run, (run ? "" : run.error().message));
    return *run;
}

std::string message_of(const TempFolder& folder, const std::string& sql, const std::string& name = "other.sqlite") {
    const std::filesystem::path path = folder.path() / name;
    DatabaseMaker(path).run(sql).close();
    const Result<RunPtr> run = load_database(path);
    REQUIRE_FALSE(run);
    return run.error().message;
}

std::vector<int> rank_numbers(const Run& run) {
    std::vector<int> numbers;
    for (const RankSlot& rank : run.ranks()) numbers.push_back(rank.key.number);
    return numbers;
}

}  // namespace

TEST_CASE("a kernel of Nsight Systems has its full name, UTC times, stream and launch") {
    const TempFolder folder;
    const RunPtr run = load_sql(folder, small_run());
    REQUIRE(run->ranks().size() == 1);
    const RankTrace& trace = run->rank(0).trace();
    REQUIRE(trace.gpu_events.size() == 1);
    const EventId kernel = trace.gpu_events[0];
    CHECK(trace.name_text(kernel) == "void gemm<float>(float*)");
    CHECK(trace.category_kind(kernel) == Category::Kernel);
    CHECK(ns_of(trace.start[index_of(kernel)]) == kEpoch + 200);
    CHECK(trace.duration[index_of(kernel)] == Duration{60});
    CHECK(trace.track_of(kernel).stream == 7);
    const EventId launch = trace.parent[index_of(kernel)];
    REQUIRE(launch != kNoEvent);
    CHECK(trace.name_text(launch) == "cudaLaunchKernel");
    CHECK(trace.category_kind(launch) == Category::Runtime);
    CHECK(trace.info.records.total == 2);
    CHECK(trace.info.environment.at("nsight_systems_schema") == "\"3.25.0\"");
}

TEST_CASE("a GPU is known by the device of its process, and absent where the file does not describe it") {
    const TempFolder folder;
    CHECK(load_sql(folder, small_run(), {}, "a.sqlite")->rank(0).trace().info.devices.empty());
    const RunPtr run =
        load_sql(folder,
                 small_run() +
                     "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, totalMemory INTEGER, smCount INTEGER);"
                     "INSERT INTO TARGET_INFO_GPU VALUES (0, 'first', 1, 1), (3, 'fourth', 80, 132);"
                     "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);"
                     "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (3, 0, 1000);",
                 {}, "b.sqlite");
    const RankInfo& info = run->rank(0).trace().info;
    REQUIRE(info.devices.size() == 1);
    CHECK(info.devices[0].name == "fourth");
    CHECK(info.devices[0].memory_bytes == 80);
    CHECK(info.metadata_json.find("\"numSms\": 132") != std::string::npos);
}

TEST_CASE("GPU metrics are counters of the rank that alone uses the GPU, and others are counted") {
    const TempFolder folder;
    const RunPtr run = load_sql(
        folder, small_run() +
                    "CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER, metricId INTEGER, metricName TEXT);"
                    "INSERT INTO TARGET_INFO_GPU_METRICS VALUES (256, 1, 'GPC Clock Frequency [MHz]'),"
                    " (257, 1, 'GPC Clock Frequency [MHz]');"
                    "CREATE TABLE GPU_METRICS (timestamp INTEGER, typeId INTEGER, metricId INTEGER, value INTEGER);"
                    "INSERT INTO GPU_METRICS VALUES (210, 256, 1, 1410), (230, 256, 1, 1395), (230, 257, 1, 1980),"
                    " (240, 256, 9, 5);");
    const RankTrace& trace = run->rank(0).trace();
    REQUIRE(trace.counters.size() == 1);
    CHECK(trace.text(trace.counters[0].name) == "GPC Clock Frequency [MHz]");
    REQUIRE(trace.counter_values.size() == 2);
    CHECK(trace.counter_values[0] == 1410);
    CHECK(ns_of(trace.counter_times[1]) == kEpoch + 230);
    CHECK(run->all_diagnostics().count("nsys-process-left-out") == 1);
    CHECK(trace.info.records.dropped == 1);
}

TEST_CASE("launches are linked within their process only") {
    const TempFolder folder;
    const RunPtr run =
        load_sql(folder, small_run(1000) + call_row(110, 160, 7, 1001) + kernel_row(300, 350, 1, 7, 7, 1001));
    REQUIRE(run->ranks().size() == 2);
    for (const RankSlot& rank : run->ranks()) {
        const RankTrace& trace = rank.trace();
        REQUIRE(trace.gpu_events.size() == 1);
        const EventId launch = trace.parent[index_of(trace.gpu_events[0])];
        REQUIRE(launch != kNoEvent);
        CHECK(ns_of(trace.start[index_of(launch)]) == kEpoch + (rank.key.number == 0 ? 100 : 110));
        CHECK(trace.diagnostics.count("correlation-reused") == 0);
    }
}

TEST_CASE("eight processes of one launcher are eight ranks in the order of their devices") {
    const TempFolder folder;
    std::string sql = small_run(2007);
    for (int i = 1; i < 8; ++i) sql += kernel_row(200, 260 + i, i, 7, 7, 2007 - i) + call_row(100, 150, 7, 2007 - i);
    sql += range_row(10, 20, "launcher", 1999);
    const RunPtr run = load_sql(folder, sql);
    CHECK(rank_numbers(*run) == std::vector{0, 1, 2, 3, 4, 5, 6, 7});
    for (const RankSlot& rank : run->ranks())
        CHECK(rank.trace().duration[index_of(rank.trace().gpu_events[0])] == Duration{60 + rank.key.number});
    const Diagnostics all = run->all_diagnostics();
    CHECK(all.count("ranks-in-one-file") == 1);
    CHECK(all.count("nsys-process-left-out") == 1);
}

TEST_CASE("a kernel without times makes no rank of its process, and is counted in the rank that its process is") {
    const auto broken = [](std::int64_t process) {
        return "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ('soon', 'late', 0, 1, 7, 3, " + global_text(process) +
               ", 1, 2);";
    };
    const TempFolder folder;
    const RunPtr run = load_sql(folder, small_run() + broken(1001), {}, "rank_3.sqlite");
    CHECK(rank_numbers(*run) == std::vector{3});
    CHECK(run->all_diagnostics().count("event-malformed") == 1);
    CHECK(run->all_diagnostics().count("ranks-in-one-file") == 0);
    const std::string before = std::string(kMetaTable) + kStringTable + kKernelTable + kRuntimeTable + broken(1000) +
                               kernel_row(200, 260, 0, 7, 7, 1000) + kernel_row(200, 260, 1, 7, 7, 1001);
    const RunPtr two = load_sql(folder, before, {}, "both.sqlite");
    CHECK(rank_numbers(*two) == std::vector{0, 1});
    CHECK(two->rank(0).trace().diagnostics.count("event-malformed") == 1);
    CHECK(two->all_diagnostics().count("nsys-process-left-out") == 0);
}

TEST_CASE("ranks come from MPI_RANKS, else from the environment, else from output, else from the name") {
    const TempFolder folder;
    const std::string environment =
        "CREATE TABLE META_DATA_CAPTURE (name TEXT NOT NULL, value TEXT);"
        "INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:ENVIRONMENT_VARIABLE', 'SLURM_PROCID=\"4\"'),"
        " ('PROCESS_0:ENVIRONMENT_VARIABLE', 'RANK=\"5\"'), ('PROCESS_0:ENVIRONMENT_VARIABLE', 'WORLD_SIZE=\"16\"');";
    const std::string output =
        "CREATE TABLE ProcessStreams (globalPid INTEGER NOT NULL, filenameId INTEGER, contentId INTEGER);"
        "INSERT INTO StringIds VALUES (50, 'hello' || char(10) || 'MPI Rank 6 of 8' || char(10));"
        "INSERT INTO ProcessStreams VALUES (" +
        global_text(1000) + ", 0, 50);";
    const std::string mpi =
        "CREATE TABLE MPI_RANKS (globalTid INTEGER, rank INTEGER);"
        "INSERT INTO MPI_RANKS VALUES (" +
        global_text(1000, 1000) + ", 3);";
    const auto number = [&](const std::string& sql, const std::string& name) {
        const RunPtr run = load_sql(folder, sql, {}, name);
        return run->rank(0).key.number;
    };
    CHECK(number(small_run() + environment + output + mpi, "a_rank9.sqlite") == 3);
    CHECK(number(small_run() + environment + output, "b_rank9.sqlite") == 5);
    CHECK(number(small_run() + output, "c_rank9.sqlite") == 6);
    CHECK(number(small_run(), "d_rank9.sqlite") == 9);
    const RunPtr run = load_sql(folder, small_run() + environment, {}, "e.sqlite");
    CHECK(run->rank(0).trace().info.world_size == 16);
    // The environment is that of the launcher where the file holds several ranks.
    const RunPtr two = load_sql(folder, small_run() + environment + kernel_row(1, 2, 1, 7, 7, 1001), {}, "f.sqlite");
    CHECK(rank_numbers(*two) == std::vector{0, 1});
}

TEST_CASE("several files of one run continue the ranks in the order of names") {
    const TempFolder folder;
    for (const char* const name : {"node0.sqlite", "node1.sqlite"})
        DatabaseMaker(folder.path() / name).run(small_run(1000) + kernel_row(300, 350, 1, 7, 8, 1001));
    const Result<RunPtr> run = load_database(folder.path());
    REQUIRE(run);
    CHECK(rank_numbers(**run) == std::vector{0, 1, 2, 3});
}

TEST_CASE("old schemas, suffixed tables and missing columns read like new ones") {
    const TempFolder folder;
    SUBCASE("the table of export facts before schema 3, and calls recorded once more with their stacks") {
        const RunPtr run =
            load_sql(folder,
                     "CREATE TABLE EXPORT_META_DATA (name TEXT NOT NULL, value TEXT);"
                     "INSERT INTO EXPORT_META_DATA VALUES ('EXPORT_SCHEMA_VERSION', '2.9.1');" +
                         std::string(kStringTable) + kKernelTable + kRuntimeTable + call_row(99, 151, 7, 1000, 3, 67) +
                         call_row(100, 150, 7, 1000) + kernel_row(200, 260, 0, 7, 7, 1000));
        const RankTrace& trace = run->rank(0).trace();
        CHECK(trace.info.environment.at("nsight_systems_schema") == "\"2.9.1\"");
        const EventId launch = trace.parent[index_of(trace.gpu_events[0])];
        REQUIRE(launch != kNoEvent);
        CHECK(trace.duration[index_of(launch)] == Duration{50});
        CHECK(trace.diagnostics.count("correlation-reused") == 0);
    }
    SUBCASE("the highest suffix of a table counts, the plain name above all") {
        std::string sql = small_run();
        const auto rename = [&](const std::string& to) {
            std::string renamed = std::string(kKernelTable) + kernel_row(1, 2, 0, 7, 7, 1000);
            for (std::size_t at = 0; (at = renamed.find("KIND_KERNEL", at)) != std::string::npos; at += 11)
                renamed.replace(at, 11, "KIND_KERNEL" + to);
            return renamed;
        };
        sql += rename("_V2") + rename("_V9");
        const RunPtr plain = load_sql(folder, sql, {}, "plain.sqlite");
        CHECK(plain->rank(0).trace().duration[index_of(plain->rank(0).trace().gpu_events[0])] == Duration{60});
        const RunPtr highest = load_sql(
            folder, sql + "DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL; UPDATE CUPTI_ACTIVITY_KIND_KERNEL_V9 SET end = 90;",
            {}, "highest.sqlite");
        CHECK(highest->rank(0).trace().duration[index_of(highest->rank(0).trace().gpu_events[0])] == Duration{89});
    }
    SUBCASE("a file of six tables without processes is one rank") {
        const RunPtr run = load_sql(
            folder, std::string(kStringTable) +
                        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, \"end\" INTEGER, deviceId INTEGER,"
                        " streamId INTEGER, correlationId INTEGER, shortName INTEGER);"
                        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10, 30, 0, 7, 1, 2), (40, 45, 1, 7, 2, 2);"
                        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, \"end\" INTEGER,"
                        " correlationId INTEGER, globalTid INTEGER, nameId INTEGER);"
                        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 2, 1, 1, 4), (3, 4, 2, 1, 3);");
        REQUIRE(run->ranks().size() == 1);
        const RankTrace& trace = run->rank(0).trace();
        CHECK(trace.launch_gpu.size() == 2);
        CHECK(trace.name_text(trace.gpu_events[0]) == "gemm");
        const EventId driver = find_events(trace, "cuLaunchKernel").at(0);
        CHECK(trace.category_kind(driver) == Category::Driver);
    }
    SUBCASE("texts without a key are found by their ids") {
        std::string sql = small_run();
        sql +=
            "ALTER TABLE StringIds RENAME TO Old; CREATE TABLE StringIds (id INTEGER, value TEXT);"
            "INSERT INTO StringIds SELECT id, value FROM Old ORDER BY id DESC;";
        const RunPtr run = load_sql(folder, sql);
        CHECK(find_events(run->rank(0).trace(), "void gemm<float>(float*)").size() == 1);
    }
}

TEST_CASE("normalized and shifted times are not moved to UTC twice") {
    const TempFolder folder;
    const auto start = [&](const std::string& sql, const std::string& name) {
        const RunPtr run = load_sql(folder, small_run() + sql, {}, name);
        return ns_of(run->rank(0).trace().start[index_of(run->rank(0).trace().gpu_events[0])]);
    };
    const std::string normalized = "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PARAM_TIME_NORMALIZE', 'true');";
    const std::string shifted = "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PARAM_TIME_SHIFT', '-50');";
    CHECK(start("", "a.sqlite") == kEpoch + 200);
    CHECK(start(normalized, "b.sqlite") == 200);
    CHECK(start(normalized + shifted, "c.sqlite") == 150);
}

TEST_CASE("ranges of NVTX become operators, annotations, asynchronous ranges and marks") {
    const TempFolder folder;
    const RunPtr run =
        load_sql(folder, small_run() + range_row(90, 500, "aten::mm, seq = 5, op_id = 9", 1000) +
                             range_row(80, 600, "forward", 1000) + range_row(85, 700, "copy", 1000, 60) +
                             range_row(95, 95, "mark", 1000, 34) +
                             "INSERT INTO NVTX_EVENTS (start, eventType, textId, globalTid) VALUES (300, 59, 5, " +
                             global_text(1000, 1000) + ");");
    const RankTrace& trace = run->rank(0).trace();
    const EventId op = find_events(trace, "aten::mm").at(0);
    CHECK(trace.category_kind(op) == Category::CpuOp);
    CHECK(trace.integer(Arg::SequenceNumber, op) == 5);
    CHECK(trace.duration[index_of(op)] == Duration{410});
    const EventId forward = find_events(trace, "forward").at(0);
    CHECK(trace.category_kind(forward) == Category::UserAnnotation);
    CHECK(trace.parent[index_of(op)] == forward);
    const EventId range = find_events(trace, "copy").at(0);
    CHECK(trace.has(range, kAsync));
    CHECK(trace.duration[index_of(range)] == Duration{615});
    CHECK(trace.has(find_events(trace, "mark").at(0), kInstant));
    const EventId open = find_events(trace, "registered").at(0);
    CHECK(trace.has(open, kUnclosed));
    CHECK(trace.diagnostics.count("begin-without-end") == 1);
    const RecordCounts& n = trace.info.records;
    CHECK(n.total == n.complete + n.paired + n.instants + n.counters + n.flows + n.metadata + n.dropped);
}

TEST_CASE("a synchronization is on the device of its context and names the recorded event") {
    const TempFolder folder;
    const RunPtr run = load_sql(
        folder,
        std::string(kMetaTable) + kStringTable + kKernelTable + kRuntimeTable + call_row(100, 150, 7, 1000) +
            call_row(160, 170, 8, 1000) + kernel_row(200, 260, 1, 7, 7, 1000) +
            "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER, deviceId INTEGER,"
            " contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, syncType INTEGER,"
            " eventId INTEGER, eventSyncId INTEGER);"
            "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (160, 170, 0, 1, 9, 8, " +
            global_text(1000) + ", 2, 4, 44), (171, 172, 0, 1, 4294967295, 9, " + global_text(1000) +
            ", 4, 0, 0);"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId INTEGER, contextId INTEGER, streamId INTEGER,"
            " correlationId INTEGER, globalPid INTEGER, eventId INTEGER, eventSyncId INTEGER);"
            "INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0, 1, 7, 7, " +
            global_text(1000) + ", 4, 44);");
    const RankTrace& trace = run->rank(0).trace();
    const EventId wait = find_events(trace, "Stream Wait Event").at(0);
    CHECK(trace.integer(Arg::Device, wait) == 1);
    CHECK(trace.integer(Arg::WaitOnStream, wait) == 7);
    CHECK(trace.integer(Arg::WaitOnRecordCorrelation, wait) == 7);
    const EventId context = find_events(trace, "Context Sync").at(0);
    CHECK(trace.integer(Arg::Stream, context) == -1);
    CHECK_FALSE(trace.integer(Arg::WaitOnStream, context));
}

TEST_CASE("copies and sets have names, bytes and bandwidth") {
    const TempFolder folder;
    const RunPtr run = load_sql(
        folder, small_run() +
                    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER,"
                    " contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER,"
                    " copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);"
                    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (300, 400, 0, 1, 7, 9, " +
                    global_text(1000) +
                    ", 2500, 1, 1, 2);"
                    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, deviceId INTEGER,"
                    " contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER,"
                    " memKind INTEGER);"
                    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (500, 500, 0, 1, 7, 10, " +
                    global_text(1000) + ", 64, 2);");
    const RankTrace& trace = run->rank(0).trace();
    const EventId copy = find_events(trace, "Memcpy HtoD (Pinned -> Device)").at(0);
    CHECK(trace.category_kind(copy) == Category::GpuMemcpy);
    CHECK(trace.integer(Arg::Bytes, copy) == 2500);
    CHECK(trace.integer(Arg::BandwidthMbPerS, copy) == 25'000);
    const EventId set = find_events(trace, "Memset (Device)").at(0);
    CHECK(trace.integer(Arg::Bytes, set) == 64);
    CHECK_FALSE(trace.integer(Arg::BandwidthMbPerS, set));
}

TEST_CASE("steps are the repeating range that launches most GPU time, or the one asked for") {
    const TempFolder folder;
    std::string sql = std::string(kMetaTable) + kStringTable + kKernelTable + kRuntimeTable + kNvtxTable;
    for (int i = 0; i < 4; ++i) {
        const int begin = 1000 * i;
        sql += range_row(begin, begin + 900, "step " + std::to_string(i + 5), 1000) +
               range_row(begin + 100, begin + 500, "forward", 1000) + call_row(begin + 120, begin + 130, i + 1, 1000) +
               call_row(begin + 600, begin + 610, i + 10, 1000) +
               kernel_row(begin + 700, begin + 760, 0, 7, i + 1, 1000) +
               kernel_row(begin + 800, begin + 900, 0, 7, i + 10, 1000);
    }
    const auto steps = [&](const std::string& marks, const std::string& name) {
        const RunPtr run = load_sql(folder, sql, marks, name);
        std::vector<std::int64_t> numbers;
        for (const Step& step : run->rank(0).trace().steps) numbers.push_back(step.number);
        return std::pair(run->rank(0).trace().info.step_marks, numbers);
    };
    CHECK(steps("", "a.sqlite") == std::pair(std::string("step #"), std::vector<std::int64_t>{5, 6, 7, 8}));
    CHECK(steps("forward", "b.sqlite") == std::pair(std::string("forward"), std::vector<std::int64_t>{0, 1, 2, 3}));
    CHECK(steps("step 99", "c.sqlite").second.size() == 4);
    CHECK(steps("nothing", "d.sqlite").second.empty());
}

TEST_CASE("warnings of Nsight Systems are reported in its own words") {
    const TempFolder folder;
    const RunPtr run = load_sql(
        folder, small_run() +
                    "CREATE TABLE DIAGNOSTIC_EVENT (timestamp INTEGER, severity INTEGER, text TEXT);"
                    "INSERT INTO DIAGNOSTIC_EVENT VALUES (1, 1, 'fine'), (2, 2, 'no NVTX'), (3, 3, 'lost 5');");
    const Diagnostics& found = run->rank(0).trace().diagnostics;
    REQUIRE(found.count("nsys-warning") == 1);
    REQUIRE(found.count("nsys-error") == 1);
    for (const Diagnostic& entry : found.entries()) {
        if (entry.kind->id == "nsys-warning") CHECK(entry.first == "no NVTX");
        if (entry.kind->id == "nsys-error") CHECK(entry.first == "lost 5");
    }
}

TEST_CASE("payloads of NCCL give ranks and sizes") {
    const TempFolder folder;
    const auto word = [](std::uint64_t value) {
        std::string hex;
        for (int i = 0; i < 8; ++i) {
            constexpr std::string_view kDigits = "0123456789abcdef";
            hex += kDigits[value >> 4 & 15];
            hex += kDigits[value & 15];
            value >>= 8;
        }
        return hex;
    };
    const std::string init =
        word(1) + word(0x1000000) + word(24) + word(32) + word(77) + word(8 | std::uint64_t{3} << 32) + word(0);
    const std::string reduce = word(1) + word(0x1000005) + word(16) + word(32) + word(77) + word(4096);
    const std::string sql =
        small_run() + "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET demangledName = 6;" +
        "ALTER TABLE NVTX_EVENTS ADD COLUMN binaryData TEXT;"
        "CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INTEGER, schemaId INTEGER, idx INTEGER, type INTEGER,"
        " name TEXT, offset INTEGER);"
        "INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (1, 16777216, 0, 18, 'NCCL communicator ID', NULL),"
        " (1, 16777216, 1, 5, 'No. of ranks', 8), (1, 16777216, 2, 5, 'Rank', 12),"
        " (1, 16777221, 0, 18, 'NCCL communicator ID', NULL), (1, 16777221, 1, 22, 'Message size [bytes]', 8);"
        "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId, binaryData) VALUES"
        " (1, 2, 59, 'ncclCommInitRank', " +
        global_text(1000, 1000) + ", 1, '" + init +
        "'),"
        " (90, 160, 59, 'ncclAllReduce', " +
        global_text(1000, 1000) + ", 1, x'" + reduce +
        "'),"
        " (91, 92, 59, 'ncclAllReduce', " +
        global_text(1000, 1000) + ", 1, 'zz');";
    const RunPtr run = load_sql(folder, sql);
    CHECK(run->rank(0).key.number == 3);
    const RankTrace& trace = run->rank(0).trace();
    CHECK(trace.info.world_size == 8);
    const EventId call = find_events(trace, "ncclAllReduce").at(0);
    CHECK(trace.integer(Arg::Bytes, call) == 4096);
    CHECK(trace.argument(Arg::GroupName, call) == "77");
    CHECK(trace.integer(Arg::GroupSize, call) == 8);
    // The kernel launched within the call takes part in the collective that it states.
    const MemberTable& members = run->rank(0).index->members();
    REQUIRE(members.events().size() == 1);
    CHECK(members.events()[0].operation == Operation::AllReduce);
    CHECK(members.events()[0].in_bytes == 4096);
    REQUIRE(members.group_of(members.events()[0]));
    CHECK(members.group_of(members.events()[0])->size == 8);
}

TEST_CASE("other databases and reports are refused in words that say what they are") {
    const TempFolder folder;
    CHECK(message_of(folder, "CREATE TABLE moz_places (id INTEGER)", "c.sqlite").find("without tables of Nsight") !=
          std::string::npos);
    CHECK(message_of(folder, "CREATE TABLE STRING_IDS (id INTEGER); CREATE TABLE TASK (id INTEGER)", "d.db")
              .find("Ascend") != std::string::npos);
    const std::filesystem::path report = folder.path() / "d.nsys-rep";
    std::ofstream(report) << "NVIDIA Tegra Profiler";
    const Result<RunPtr> run = load_database(report);
    REQUIRE_FALSE(run);
    CHECK(run.error().message.find("nsys export -t sqlite") != std::string::npos);
}

TEST_CASE("an export that is not finished is refused") {
    const TempFolder folder;
    const std::filesystem::path path = folder.path() / "run.sqlite";
    DatabaseMaker(path).run(small_run());
    std::ofstream(folder.path() / "run.sqlite-journal") << "half";
    const Result<RunPtr> run = load_database(path);
    REQUIRE_FALSE(run);
    CHECK(run.error().message.find("not finished") != std::string::npos);
}

TEST_CASE("a database whose write-ahead log holds a part of it is refused, with what to do") {
    const TempFolder folder;
    const std::filesystem::path path = folder.path() / "run.sqlite";
    DatabaseMaker(path).run(small_run());
    std::ofstream(folder.path() / "run.sqlite-wal") << "";
    CHECK(load_database(path));
    std::ofstream(folder.path() / "run.sqlite-wal") << "frames";
    const Result<RunPtr> run = load_database(path);
    REQUIRE_FALSE(run);
    CHECK(run.error().message.find("wal_checkpoint") != std::string::npos);
}
