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

TEST_CASE("a map of GPUs needs columns that it knows") {
    CHECK(parse_gpu_map("host,local_rank,uuid\nnode-a,1,GPU-7\n")->front().gpu == "GPU-7");
    CHECK_FALSE(parse_gpu_map("host,place,uuid\nnode-a,1,GPU-7\n"));
    CHECK_FALSE(parse_gpu_map("rank,uuid\n,GPU-7\n"));
}
