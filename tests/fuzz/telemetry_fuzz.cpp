// Any bytes as a log of GPUs. The first byte chooses the reader, the rest are its lines. Columns are as long as their
// times, times ascend, and no value is infinite.

#include "core/telemetry/log_lines.hpp"
#include "core/telemetry/read_telemetry.hpp"
#include "core/telemetry/telemetry_settings.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <algorithm>
#include <cmath>

namespace {

constexpr core::TelemetryWindow kWindow{.begin = 1'788'383'600'000'000'000, .end = 1'788'383'700'000'000'000};
constexpr int kReaders = 6;

std::unique_ptr<core::LogLines> reader_of(std::uint8_t choice) {
    switch (choice % kReaders) {
        case 0:
            return core::make_table_lines({}, {});
        case 1:
            return core::make_table_lines("timestamp,index,clocks.sm,power.draw", {});
        case 2:
            return core::make_dmon_lines();
        case 3:
            return core::make_exporter_lines();
        case 4:
            return core::make_kernel_lines();
        default:
            return core::make_json_lines();
    }
}

void check(const core::TelemetryLog& log) {
    for (const core::GpuSamples& gpu : log.gpus) {
        if (!std::ranges::is_sorted(gpu.time)) fuzz::fail("times out of order");
        for (const std::vector<double>& column : gpu.values) {
            if (!column.empty() && column.size() != gpu.time.size()) fuzz::fail("a column of another length");
            if (std::ranges::any_of(column, [](double value) { return std::isinf(value); }))
                fuzz::fail("an infinite value");
        }
    }
}

}  // namespace

std::vector<std::string> fuzz::make_seeds() {
    using namespace std::string_literals;
    return {
        "\0timestamp, index, uuid, clocks.current.sm [MHz], power.draw [W], clocks_event_reasons.active\n"
        "2026/09/02 21:14:03.117, 2, GPU-6f1c, 1410 MHz, 699.12 W, 0x0000000000000004\n"s,
        "\0timestamp,gpu,socket_power,gfx_0_clk,gfx_1_clk\n1788383643,0,700,2100,2090\n"s,
        "\1"
        "2026/09/02 21:14:03.117, 2, 1410, [N/A]\r\n"s,
        "\2#Date Time gpu pwr pclk\n#YYYYMMDD HH:MM:SS Idx W MHz\n 20260902 21:14:03 2 699 1410\n"s,
        "\2"
        "2026-09-02T21:14:03Z #Entity SMCLK POWER\nID\n2026-09-02T21:14:03Z GPU 2 1410 699.1\n"s,
        "\3"
        "DCGM_FI_DEV_SM_CLOCK{gpu=\"2\",UUID=\"GPU-6f\",Hostname=\"node-a\"} 1410 1788383643117\n"s,
        "\4Sep  2 21:14:03 node-a kernel: NVRM: Xid (PCI:0000:41:00): 63, pid=1\n"
        "NVRM: GPU at PCI:0000:41:00: GPU-8ba1\n"s,
        "\5{\"type\":\"gpu_metric\",\"event\":{\"timestamp_ns\":1788383643117000000,\"rank\":2,\"sm_clock_mhz\":1410,"
        "\"throttle_reasons\":[\"sw_power_cap\"]}}\n"s};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    std::string_view text = fuzz::as_text(data + 1, size - 1);
    (void)core::recognise_telemetry(text);
    (void)core::parse_gpu_map(text);
    core::TelemetryLog log;
    core::LogBuilder builder(log, kWindow, std::nullopt);
    const std::unique_ptr<core::LogLines> lines = reader_of(*data);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines->add_line(text.substr(0, end), builder);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    builder.finish();
    check(log);
    return 0;
}
