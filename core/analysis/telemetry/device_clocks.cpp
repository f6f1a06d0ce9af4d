#include "core/analysis/telemetry/device_clocks.hpp"

#include "core/base/ascii.hpp"

namespace core {
namespace {

struct DeviceClock {
    std::string_view name;  // part of the device's
    std::string_view but;   // not with this one; empty: any
    double megahertz = 0;
};

constexpr DeviceClock kDeviceClocks[] = {
    {"H100 80GB HBM3", "", 1980}, {"H100 SXM", "", 1980},  {"H100 PCIe", "", 1755}, {"H800", "PCIe", 1980},
    {"H200", "NVL", 1980},        {"H20", "", 1980},       {"A100", "", 1410},      {"A800", "", 1410},
    {"V100-SXM2", "", 1530},      {"V100-SXM3", "", 1597}, {"V100-PCIE", "", 1380},
};

double clock_of_name(std::string_view device) {
    for (const DeviceClock& one : kDeviceClocks)
        if (contains_any_case(device, one.name) && (one.but.empty() || !contains_any_case(device, one.but)))
            return one.megahertz;
    return 0;
}

}  // namespace

double highest_clock_of(const RankTrace& trace) {
    double clock = 0;
    for (const Device& device : trace.info.devices) {
        const double own = clock_of_name(device.name);
        if (own <= 0 || (clock > 0 && own != clock)) return 0;
        clock = own;
    }
    return clock;
}

}  // namespace core
