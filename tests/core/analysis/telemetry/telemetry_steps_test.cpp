#include "core/analysis/telemetry/rank_samples.hpp"
#include "core/telemetry/telemetry_settings.hpp"
#include "tests/core/analysis/telemetry/telemetry_fixture.hpp"

#include <doctest/doctest.h>

using namespace core;
using namespace core::testing;

namespace {

constexpr std::size_t kClockColumns = 6;  // rank, step, samples, clock, clock_min, clock_ratio

Rows clocks_with(std::string_view name, const std::string& log) {
    const ScratchFolder folder;
    write_telemetry_traces(folder);
    folder.write(name, log);
    const RunPtr run = open_folder(folder);
    const std::shared_ptr<const Telemetry> telemetry = telemetry_of(*run);
    REQUIRE(telemetry->logs.size() == 1);
    CAPTURE(describe_log(telemetry->logs.front()));
    return rows_of(answer_of(*run, "telemetry").main(), kClockColumns);
}

JoinedLog joined(std::string_view name, const std::string& log) {
    const ScratchFolder folder;
    write_telemetry_traces(folder);
    folder.write(name, log);
    const std::shared_ptr<const Telemetry> telemetry = telemetry_of(*open_folder(folder));
    REQUIRE(telemetry->logs.size() == 1);
    return telemetry->logs.front();
}

std::string with_crlf(const std::string& text) {
    std::string lines;
    for (const char c : text) lines += c == '\n' ? "\r\n" : std::string(1, c);
    return lines;
}

std::string older_csv() {
    const std::string header =
        "timestamp, index, clocks.sm, clocks.gr, power.draw, fan.speed, "
        "clocks_throttle_reasons.sw_power_cap, clocks_throttle_reasons.gpu_idle\n";
    return header + telemetry_lines([&](const LoggedSecond& at) {
               const bool restarted = at.second == 5 && at.gpu == 0;
               return (restarted ? header : std::string()) + "2025/12/31 " + clock_text(at.second) + ".000, " +
                      std::to_string(at.gpu) + ", " + std::to_string(at.clock) + ", 345, [N/A], [Not Supported], " +
                      (at.reasons != 0 ? "Active" : "Not Active") + ", Not Active\n";
           });
}

std::string dmon_text() {
    const std::string header =
        "#Date       Time        gpu    pwr  gtemp  mtemp     sm    mem   mclk   pclk\n"
        "#YYYYMMDD   HH:MM:SS    Idx      W      C      C      %      %    MHz    MHz\n";
    return header + telemetry_lines([&](const LoggedSecond& at) {
               return " 20251231   " + clock_text(at.second) + "   " + std::to_string(at.gpu) + "   " +
                      std::to_string(at.power) + "  64   -   100   61   2619   " + std::to_string(at.clock) + "\n" +
                      (at.second == 3 && at.gpu == 3 ? header : std::string());
           });
}

std::string exporter_text() {
    return "# HELP DCGM_FI_DEV_SM_CLOCK SM clock frequency (in MHz).\n" + telemetry_lines([](const LoggedSecond& at) {
               const std::string gpu = "{gpu=\"" + std::to_string(at.gpu) + "\",UUID=\"GPU-" + std::to_string(at.gpu) +
                                       "\",device=\"nvidia0\",modelName=\"NVIDIA H100\",Hostname=\"node-a\"} ";
               const std::string time = " " + std::to_string((kTelemetryBase + at.second) * 1000) + "\n";
               return "DCGM_FI_DEV_SM_CLOCK" + gpu + std::to_string(at.clock) + time + "DCGM_FI_DEV_GPU_TEMP" + gpu +
                      "9223372036854775794" + time;
           });
}

std::string json_text() {
    return telemetry_lines([](const LoggedSecond& at) {
        return R"({"type":"gpu_metric","event":{"timestamp_ns":)" + std::to_string(kTelemetryBase + at.second) +
               R"(000000000,"node_id":"node-a","rank":)" + std::to_string(at.gpu) + R"(,"sm_clock_mhz":)" +
               std::to_string(at.clock) + R"(,"power_watts":)" + std::to_string(at.power) + R"(,"throttle_reasons":)" +
               std::to_string(at.reasons) + "}}\n";
    });
}

std::string amd_text() {
    return "timestamp,gpu,socket_power,gfx_0_clk,gfx_1_clk,hotspot_temperature\n" +
           telemetry_lines([](const LoggedSecond& at) {
               return std::to_string(kTelemetryBase + at.second) + "," + std::to_string(at.gpu) + "," +
                      std::to_string(at.power) + "," + std::to_string(at.clock - 10) + "," +
                      std::to_string(at.clock + 10) + ",64\n";
           });
}

}  // namespace

TEST_CASE("every spelling of a log gives one table of clocks") {
    const Rows expected = clocks_with("node-a.csv", query_csv());
    REQUIRE(expected.size() == kTelemetryRanks * (kTelemetrySteps + 1));
    CHECK(expected[2 * (kTelemetrySteps + 1)].ends_with("1410.000000 1410.000000 1.404255"));
    CHECK(clocks_with("node-a.csv", with_crlf(query_csv())) == expected);
    CHECK(clocks_with("node-a.csv", query_csv() + "2025/12/31 14:00:29.500, 0, GPU-0000") == expected);
    CHECK(clocks_with("older.csv", older_csv()) == expected);
    CHECK(clocks_with("dmon.txt", dmon_text()) == expected);
    CHECK(clocks_with("dcgm.prom", exporter_text()) == expected);
    CHECK(clocks_with("gpus.jsonl", json_text()) == expected);
    CHECK(clocks_with("amd.csv", amd_text()) == expected);
}

TEST_CASE("local times are read at the offset at which they cover the traces") {
    CHECK(clocks_with("node-a.csv", query_csv(2)) == clocks_with("node-a.csv", query_csv()));
    const JoinedLog log = joined("node-a.csv", query_csv(2));
    CHECK(log.utc_offset == 7200);
    CHECK(log.is_zone_found);
}

TEST_CASE("a log of another day, of other GPUs, without time or header is named with the reason") {
    std::string text = query_csv();
    for (std::size_t at = 0; (at = text.find("2025/12/31", at)) != std::string::npos;)
        text.replace(at, 10, "2025/11/21");
    CHECK(joined("node-a.csv", text).fate == LogFate::OtherTime);
    const std::string header = text.substr(0, text.find('\n') + 1);
    CHECK(joined("node-a.csv", query_csv().substr(header.size())).fate == LogFate::NoHeader);
    CHECK(joined("dmon.log",
                 "# gpu   pwr gtemp mtemp    sm   pclk\n# Idx     W     C     C     %    MHz\n"
                 "    0   699    71    83   100   1410\n")
              .fate == LogFate::NoTime);
    const std::string others = telemetry_lines([](const LoggedSecond& at) {
        return "2025/12/31 " + clock_text(at.second) + ".000, " + std::to_string(at.gpu + 4) + ", 1410 MHz\n";
    });
    CHECK(joined("node-a.csv", "timestamp, index, clocks.sm [MHz]\n" + others).fate == LogFate::OtherDevice);
}

TEST_CASE("the clock is the cause of the late rank, with the reason that the log states") {
    const ScratchFolder folder;
    write_telemetry_traces(folder);
    folder.write("node-a.csv", query_csv());
    const Table causes = answer_of(*open_folder(folder), "straggler-causes").main();
    REQUIRE(causes.rows() >= 1);
    CHECK(row_text(causes, 0, 2) == "2 clocks");
    CHECK(causes.text(0, causes.find_column("reason")) == "power");
    CHECK(causes.number(0, causes.find_column("clock_ratio")) == doctest::Approx(1980.0 / 1410));
    CHECK(causes.text(0, causes.find_column("what")).find("which is the clock ratio") != std::string_view::npos);
}

TEST_CASE("a log changes no number of another analysis") {
    const ScratchFolder plain, with_log;
    write_telemetry_traces(plain);
    write_telemetry_traces(with_log);
    with_log.write("node-a.csv", query_csv());
    const RunPtr without = open_folder(plain), with = open_folder(with_log);
    for (const Analysis& analysis : all_analyses()) {
        if (analysis.id == "telemetry" || analysis.id == "energy") continue;
        CAPTURE(analysis.id);
        const Table a = answer_of(*without, analysis.id).main(), b = answer_of(*with, analysis.id).main();
        REQUIRE(a.columns() == b.columns());
        // Findings of clocks and words of causes are what a log adds.
        if (analysis.id == "findings" || analysis.id == "what-to-do" || analysis.id == "health") continue;
        REQUIRE(a.rows() == b.rows());
        for (std::size_t c = 0; c < a.columns().size(); ++c) {
            const std::string& name = a.columns()[c].name;
            if (a.columns()[c].unit == Unit::Text || name == "clock_ratio" || name == "explained") continue;
            for (std::size_t row = 0; row < a.rows(); ++row) CHECK(a.cell(row, c) == b.cell(row, c));
        }
    }
}

TEST_CASE("energy of a rank is its power times its time") {
    const ScratchFolder folder;
    write_telemetry_traces(folder);
    folder.write("node-a.csv", query_csv());
    const Table energy = answer_of(*open_folder(folder), "energy").main();
    REQUIRE(energy.rows() == kTelemetryRanks * (kTelemetrySteps + 1));
    CHECK(energy.number(0, energy.find_column("power")) == doctest::Approx(500));
    CHECK(energy.number(1, energy.find_column("energy")) == doctest::Approx(500 * 4.99));
}

TEST_CASE("energy of all ranks is the sum of theirs, with the error of the source") {
    const ScratchFolder folder;
    write_telemetry_traces(folder);
    folder.write("node-a.csv", query_csv());
    const Answer energy = answer_of(*open_folder(folder), "energy");
    const Table& all = *energy.find("all ranks");
    REQUIRE(all.rows() == kTelemetrySteps + 1);
    CHECK(all.text(0, 0) == "all");
    CHECK(all.integer(0, all.find_column("ranks")) == kTelemetryRanks);
    CHECK(all.number(0, all.find_column("power")) == doctest::Approx(3 * 500 + 699));
    CHECK(all.number(1, all.find_column("energy")) == doctest::Approx((3 * 500 + 699) * 4.99));
    CHECK(all.number(1, all.find_column("error")) == doctest::Approx(0.1));
}

TEST_CASE("finding and what-to-do say the clock in the same words, and how often the rank is late") {
    const ScratchFolder folder;
    write_telemetry_traces(folder);
    folder.write("node-a.csv", query_csv());
    const RunPtr run = open_folder(folder);
    const std::string words =
        "its SM clock is 1,410 MHz, the others' 1,980, power cap in 100 % of samples; its kernels take 1.404 times as "
        "long, which is the clock ratio";
    const auto evidence_of = [&](std::string_view analysis) {
        const Table table = answer_of(*run, analysis).main();
        return std::string(table.text(0, table.find_column("evidence")));
    };
    for (const std::string_view analysis : {"findings", "what-to-do"}) {
        CAPTURE(analysis);
        const std::string evidence = evidence_of(analysis);
        CHECK_MESSAGE(evidence.find(words) != std::string::npos, evidence);
        CHECK_MESSAGE(evidence.find("in 6 of 6 steps") != std::string::npos, evidence);
    }
}

TEST_CASE("health warns of a low clock and is bad with grave errors, and knows neither without logs") {
    const auto statuses = [](const ScratchFolder& folder) {
        write_telemetry_traces(folder);
        const Table health = answer_of(*open_folder(folder), "health").main();
        Rows rows;
        for (std::size_t row = 0; row < health.rows(); ++row)
            if (health.text(row, 0) == "clocks" || health.text(row, 0) == "errors")
                rows.push_back(row_text(health, row, 2));
        return rows;
    };
    const ScratchFolder plain, slow, broken;
    CHECK(statuses(plain) == Rows{"clocks unknown", "errors unknown"});
    slow.write("node-a.csv", query_csv());
    CHECK(statuses(slow) == Rows{"clocks warn", "errors unknown"});
    broken.write("links.csv", "timestamp, index, pci.bus_id, clocks.sm\n" + telemetry_lines([](const LoggedSecond& at) {
                                  const std::string gpu = std::to_string(at.gpu);
                                  return "2025/12/31 " + clock_text(at.second) + ".000, " + gpu + ", 00000000:4" + gpu +
                                         ":00.0, 1980 MHz\n";
                              }));
    broken.write("kern.log", "2025-12-31T14:00:07+00:00 node-a kernel: NVRM: Xid (PCI:0000:43:00): 79, pid=1, x\n");
    CHECK(statuses(broken) == Rows{"clocks ok", "errors bad"});
}

TEST_CASE("a local clock that is set back within the log is one time") {
    // At 14:00:10 of the log's own clock it is set back by an hour.
    const std::string header = "timestamp, index, clocks.sm [MHz]\n";
    const auto lines = [](int hours_after) {
        return telemetry_lines([&](const LoggedSecond& at) {
            return "2025/12/31 " + clock_text(at.second, at.second < 10 ? 0 : hours_after) + ".000, " +
                   std::to_string(at.gpu) + ", " + std::to_string(at.clock) + " MHz\n";
        });
    };
    CHECK(clocks_with("node-a.csv", header + lines(-1)) == clocks_with("node-a.csv", header + lines(0)));
}

TEST_CASE("slices of a GPU say that clock and power are the whole GPU's") {
    const std::string log = "timestamp, index, uuid, clocks.sm [MHz]\n" + telemetry_lines([](const LoggedSecond& at) {
                                return "2025/12/31 " + clock_text(at.second) + ".000, " + std::to_string(at.gpu) +
                                       ", MIG-0000000" + std::to_string(at.gpu) + ", " + std::to_string(at.clock) +
                                       " MHz\n";
                            });
    const ScratchFolder folder;
    write_telemetry_traces(folder);
    folder.write("node-a.csv", log);
    const Table table = answer_of(*open_folder(folder), "telemetry").main();
    const std::string source(table.text(0, table.find_column("source")));
    CHECK_MESSAGE(source.find("MIG: clock and power are those of the whole GPU") != std::string::npos, source);
}

TEST_CASE("another process on the late rank's GPU is said next to the cause") {
    const std::string log = telemetry_lines([](const LoggedSecond& at) {
        return R"({"timestamp_ns":)" + std::to_string(kTelemetryBase + at.second) + R"(000000000,"rank":)" +
               std::to_string(at.gpu) + R"(,"sm_clock_mhz":1980,"compute_procs":)" + (at.gpu == kSlowRank ? "2" : "1") +
               "}\n";
    });
    const ScratchFolder folder;
    write_telemetry_traces(folder);
    folder.write("gpus.jsonl", log);
    const Table causes = answer_of(*open_folder(folder), "straggler-causes").main();
    CHECK(row_text(causes, 0, 2) == "2 slower kernels at the same clock");
    CHECK(causes.text(0, causes.find_column("what")).find("another process is on its GPU") != std::string_view::npos);
}

TEST_CASE("a map of GPUs needs columns that it knows") {
    CHECK(parse_gpu_map("host,local_rank,uuid\nnode-a,1,GPU-7\n")->front().gpu == "GPU-7");
    CHECK_FALSE(parse_gpu_map("host,place,uuid\nnode-a,1,GPU-7\n"));
    CHECK_FALSE(parse_gpu_map("rank,uuid\n,GPU-7\n"));
}
