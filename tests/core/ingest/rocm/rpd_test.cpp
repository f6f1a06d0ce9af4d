#include "core/ingest/rocm/rocm_file.hpp"
#include "tests/core/ingest/rocm/rocm_fixture.hpp"

using namespace core;
using namespace core::testing;

namespace {

// Two steps, in each a launch on the queue 0 of a GPU.
std::string process_rows(int pid, int gpu, std::int64_t session) {
    const std::int64_t ids = session << 32;
    std::string sql;
    for (int step = 0; step < 2; ++step) {
        const std::int64_t at = 1'000'000 + 1000 * step, call = ids + 10 * step + 1, op = ids + 10 * step + 1;
        sql += rpd_call(call, pid, at + 10, at + 30, 7) + rpd_op(op, gpu, 0, at + 100, at + 400, 6, 2) +
               rpd_link(call, op) + "INSERT INTO rocpd_kernelapi VALUES (" + std::to_string(call) +
               ", '0x0', 4, 2, 1, 256, 1, 1, 512, 0, 6);" + rpd_call(call + 1, pid, at, at + 900, 9, 10 + step);
    }
    return sql;
}

}  // namespace

TEST_CASE("work of rpdTracer has its name, times, GPU, queue, sizes and launch") {
    const TempFolder folder;
    const RunPtr run = load_rpd(folder, kRpdTables + process_rows(100, 2, 0));
    REQUIRE(run->ranks().size() == 1);
    const RankTrace& trace = run->rank(0).trace();
    CHECK(trace.info.trace_name == "rpdTracer");
    REQUIRE(trace.gpu_events.size() == 2);
    const EventId kernel = trace.gpu_events[1];
    CHECK(trace.name_text(kernel) == "gemm(float*)");
    CHECK(trace.category_kind(kernel) == Category::Kernel);
    CHECK(ns_of(trace.start[index_of(kernel)]) == 1'001'100);
    CHECK(trace.duration[index_of(kernel)] == Duration{300});
    CHECK(trace.integer(Arg::Device, kernel) == 2);
    CHECK(trace.track_of(kernel).stream == 0);
    CHECK(text_of(trace, kernel).find(R"("grid": [4, 2, 1], "block": [256, 1, 1], "shared memory": 512)") !=
          std::string::npos);
    const EventId launch = trace.parent[index_of(kernel)];
    REQUIRE(launch != kNoEvent);
    CHECK(trace.name_text(launch) == "hipLaunchKernel");
    CHECK(ns_of(trace.start[index_of(launch)]) == 1'001'010);
    REQUIRE(trace.steps.size() == 2);
    CHECK(ns_of(trace.steps[1].range.begin) == 1'001'000);
}

TEST_CASE("copies, fills and barriers of rpdTracer are told apart") {
    const TempFolder folder;
    const RunPtr run = load_rpd(
        folder, kRpdTables + process_rows(100, 0, 0) + rpd_call(50, 100, 1'002'000, 1'002'010, 8) +
                    rpd_op(50, 0, 1, 1'002'100, 1'002'200, 1, 3) + rpd_link(50, 50) +
                    "INSERT INTO rocpd_copyapi VALUES (50, '0x0', 8192, 1);" +
                    rpd_op(51, 0, 1, 1'002'200, 1'002'210, 1, 4) + rpd_op(52, 0, 1, 1'002'210, 1'002'220, 1, 5));
    const RankTrace& trace = run->rank(0).trace();
    const std::vector<EventId> copies = find_events(trace, "Memcpy HtoD (Host -> Device)");
    REQUIRE(copies.size() == 1);
    CHECK(trace.category_kind(copies[0]) == Category::GpuMemcpy);
    CHECK(trace.integer(Arg::Bytes, copies[0]) == 8192);
    CHECK(trace.integer(Arg::BandwidthMbPerS, copies[0]) == 81920);
    REQUIRE(find_events(trace, "Memset (Device)").size() == 1);
    REQUIRE(find_events(trace, "Barrier").size() == 1);
    CHECK_FALSE(trace.has(find_events(trace, "Barrier")[0], kGpuEvent));
    CHECK(trace.gpu_events.size() == 4);
}

TEST_CASE("ranges of emit_nvtx are operators; facts taken out of their names count too") {
    const TempFolder folder;
    const RunPtr run = load_rpd(
        folder, kRpdTables + process_rows(100, 0, 0) + rpd_call(60, 100, 1'000'040, 1'000'060, 9, 12) +
                    rpd_call(61, 100, 1'000'070, 1'000'080, 9, 6) + rpd_call(62, 100, 1'000'085, 1'000'085, 9, 13) +
                    "CREATE TABLE ext_autogradapi (api_ptr_id integer NOT NULL PRIMARY KEY, seq integer, sizes text);"
                    "INSERT INTO ext_autogradapi VALUES (61, 8, '[[2, 3]]');");
    const RankTrace& trace = run->rank(0).trace();
    REQUIRE(find_events(trace, "aten::mm").size() == 1);
    CHECK(trace.category_kind(find_events(trace, "aten::mm")[0]) == Category::CpuOp);
    CHECK(trace.integer(Arg::SequenceNumber, find_events(trace, "aten::mm")[0]) == 5);
    bool is_operator = false;
    for (const EventId e : find_events(trace, "gemm(float*)"))
        if (trace.category_kind(e) == Category::CpuOp)
            is_operator = trace.integer(Arg::SequenceNumber, e) == 8 && trace.argument(Arg::InputDims, e) == "[[2,3]]";
    CHECK(is_operator);
    REQUIRE(find_events(trace, "ptr=0x7f").size() == 1);
    CHECK(trace.has(find_events(trace, "ptr=0x7f")[0], kInstant));
}

TEST_CASE("samples of GPUs are counters of the rank that uses them") {
    const TempFolder folder;
    const std::string samples =
        "INSERT INTO rocpd_monitor (deviceType, deviceId, monitorType, start, end, value) VALUES"
        " ('gpu', 0, 'sclk', 1000000, 1000500, '1700'), ('gpu', 0, 'sclk', 1000500, 1001000, 2100.5),"
        " ('gpu', 1, 'sclk', 1000000, 1001000, '900'), ('gpu', 7, 'sclk', 1000000, 1001000, '132'),"
        " ('gpu', 0, 'sclk', 1000000, 1001000, 'fast');";
    const RunPtr run = load_rpd(folder, kRpdTables + process_rows(100, 0, 1) + process_rows(200, 1, 2) + samples);
    REQUIRE(run->ranks().size() == 2);
    const RankTrace& first = run->rank(0).trace();
    REQUIRE(first.counters.size() == 1);
    CHECK(first.text(first.counters[0].name) == "sclk");
    REQUIRE(first.counter_values.size() == 3);  // the last point is the end of the last sample
    CHECK(first.counter_values[1] == doctest::Approx(2100.5));
    CHECK(ns_of(first.counter_times[2]) == 1'001'000);
    CHECK(run->rank(1).trace().counter_values.size() == 2);
    CHECK(run->all_diagnostics().count("process-left-out") >= 1);
    CHECK(run->all_diagnostics().count("event-malformed") == 1);
}

TEST_CASE("each process of a file that uses a GPU is a rank; others are left out and counted") {
    const TempFolder folder;
    const RunPtr run = load_rpd(folder, kRpdTables + process_rows(200, 1, 2) + process_rows(100, 0, 1) +
                                            rpd_call(5, 300, 1'000'000, 1'000'100, 9, 10) +
                                            rpd_op(77, 1, 3, 1'003'000, 1'003'100, 6, 2));
    REQUIRE(run->ranks().size() == 2);
    CHECK(run->rank(0).trace().integer(Arg::Device, run->rank(0).trace().gpu_events[0]) == 0);
    CHECK(run->rank(0).trace().gpu_events.size() == 2);
    CHECK(run->rank(1).trace().gpu_events.size() == 3);  // the one without a call is of the only process on GPU 1
    CHECK(run->all_diagnostics().count("process-left-out") == 1);
    CHECK(run->all_diagnostics().count("correlation-reused") == 0);
}

TEST_CASE("a file of several nodes has the ranks of each, with the numbers that its GPUs have there") {
    const TempFolder folder;
    const RunPtr run = load_rpd(
        folder, kRpdTables + process_rows(70'000'100, 7001, 4) + process_rows(70'000'200, 7000, 3) +
                    process_rows(10'000'300, 1000, 2) +
                    "INSERT INTO rocpd_metadata (tag, value) VALUES ('gpu_stride', '1000'), ('pid_stride', '10000000');"
                    "INSERT INTO rocpd_monitor (deviceType, deviceId, monitorType, start, end, value) VALUES"
                    " ('gpu', 7000, 'sclk', 1000000, 1000500, '1700');");
    REQUIRE(run->ranks().size() == 3);
    const auto device = [&](std::size_t i) {
        const RankTrace& trace = run->rank(i).trace();
        return trace.integer(Arg::Device, trace.gpu_events[0]);
    };
    CHECK(device(0) == 0);
    CHECK(device(1) == 0);
    CHECK(device(2) == 1);
    CHECK(run->rank(0).trace().counters.empty());
    CHECK(run->rank(1).trace().counters.size() == 1);
    CHECK(run->all_diagnostics().count("event-malformed") == 0);
}

TEST_CASE("work without calls is the only process', or that of its GPU") {
    const TempFolder folder;
    const std::string work =
        rpd_op(70, 0, 0, 1'000'000, 1'000'100, 6, 2) + rpd_op(71, 1, 0, 1'000'000, 1'000'100, 6, 2);
    const RunPtr one = load_rpd(folder, kRpdTables + rpd_call(5, 300, 1'000'000, 1'000'100, 9, 10) + work, "one.rpd");
    REQUIRE(one->ranks().size() == 1);
    CHECK(one->rank(0).trace().gpu_events.size() == 2);
    CHECK(find_events(one->rank(0).trace(), "step 0").size() == 1);
    const RunPtr none = load_rpd(folder, kRpdTables + work, "none.rpd");
    CHECK(none->ranks().size() == 2);
}

TEST_CASE("the schema with domains and texts of their own reads like the older one") {
    const TempFolder folder;
    const RunPtr run = load_rpd(folder, R"(
        CREATE TABLE rocpd_string (id integer NOT NULL PRIMARY KEY, string varchar(4096) NOT NULL);
        CREATE TABLE rocpd_ustring (id integer NOT NULL PRIMARY KEY, string varchar(4096) NOT NULL);
        CREATE TABLE rocpd_api (id integer NOT NULL PRIMARY KEY, pid integer, tid integer, start integer, "end" integer,
          apiName_id bigint, category_id bigint, domain_id bigint, args_id bigint);
        INSERT INTO rocpd_string VALUES (1, ''), (2, 'hip'), (3, 'roctx'), (4, 'torch'), (5, 'hipFree'), (6, 'UserMarker'),
          (7, 'aten::add');
        INSERT INTO rocpd_ustring VALUES (1, ''), (2, 'forward'), (3, 'ptr=0x1');
        INSERT INTO rocpd_api VALUES (1, 10, 11, 100, 200, 6, 1, 3, 2), (2, 10, 11, 110, 120, 7, 1, 4, 1),
          (3, 10, 11, 130, 140, 5, 1, 2, 3);)");
    const RankTrace& trace = run->rank(0).trace();
    REQUIRE(trace.size() == 3);
    CHECK(trace.category_kind(find_events(trace, "forward").at(0)) == Category::UserAnnotation);
    CHECK(trace.category_kind(find_events(trace, "aten::add").at(0)) == Category::CpuOp);
    CHECK(trace.category_kind(find_events(trace, "hipFree").at(0)) == Category::Runtime);
    CHECK(text_of(trace, find_events(trace, "hipFree").at(0)).find("ptr=0x1") != std::string::npos);
}
