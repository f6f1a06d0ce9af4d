#pragma once
// Names and units of what logs of GPUs measure, and of the reasons for which a GPU lowers its clock.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace core {

enum class Metric : std::uint8_t {
    SmClock,  // MHz
    MemoryClock,  // MHz
    MaxSmClock,  // MHz
    Power,  // W
    PowerLimit,  // W
    Temperature,  // °C
    MemoryTemperature,  // °C
    Utilisation,  // %
    Reasons,  // bits of kReasons
    Energy,  // J since some moment
    PciWidth,  // lanes
    PciWidthMax,  // lanes
    PciReplays,  // counter
    EccSingle,  // counter of corrected errors
    EccDouble,  // counter of uncorrected errors
    Xid,  // number of the last error
    Processes,  // on the GPU
};
inline constexpr std::size_t kMetrics = 17;
std::string_view name_of(Metric);  // "sm_clock_mhz"

// Why a GPU lowered its clock: bits of NVML's nvmlClocksEventReasons.
inline constexpr std::uint64_t kReasonIdle = 0x1;
inline constexpr std::uint64_t kReasonSetting = 0x2;
inline constexpr std::uint64_t kReasonPowerCap = 0x4;
inline constexpr std::uint64_t kReasonHardware = 0x8;
inline constexpr std::uint64_t kReasonSyncBoost = 0x10;
inline constexpr std::uint64_t kReasonSoftThermal = 0x20;
inline constexpr std::uint64_t kReasonHardThermal = 0x40;
inline constexpr std::uint64_t kReasonPowerBrake = 0x80;
inline constexpr std::uint64_t kReasonDisplay = 0x100;

struct ClockReason {
    std::uint64_t bit = 0;
    std::string_view name;  // "sw_power_cap", as nvidia-smi's columns end
    std::string_view word;  // "power": what it comes down to
    std::string_view phrase;  // "power cap"
};
// The most telling first.
inline constexpr std::array<ClockReason, 9> kReasons = {{
    {kReasonHardThermal, "hw_thermal_slowdown", "thermal", "hardware thermal slowdown"},
    {kReasonSoftThermal, "sw_thermal_slowdown", "thermal", "thermal slowdown"},
    {kReasonPowerBrake, "hw_power_brake_slowdown", "power", "power brake"},
    {kReasonHardware, "hw_slowdown", "hardware slowdown", "hardware slowdown"},
    {kReasonPowerCap, "sw_power_cap", "power", "power cap"},
    {kReasonSyncBoost, "sync_boost", "sync boost", "sync boost"},
    {kReasonSetting, "applications_clocks_setting", "clock set by the user", "clock set by the user"},
    {kReasonDisplay, "display_clock_setting", "display", "display clock setting"},
    {kReasonIdle, "gpu_idle", "idle", "idle"},
}};

// A column or member of a log.
enum class LogField : std::uint8_t { Time, Rank, Host, Index, Uuid, Bus, Value, ReasonBit, Unknown };
struct FieldMeaning {
    LogField field = LogField::Unknown;
    Metric metric = Metric::SmClock;  // of Value
    double factor = 1;  // to the metric's unit
    std::uint64_t bit = 0;  // of ReasonBit
    int preference = 0;  // of several columns for one metric the highest counts; equal ones are averaged
};
// The meaning of a name as nvidia-smi, amd-smi, DCGM or a sampler of one's own writes it, in any case, with or without
// a unit.
FieldMeaning meaning_of(std::string_view name);
// The same of a column of nvidia-smi dmon or dcgmi dmon, in any case.
FieldMeaning meaning_of_dmon(std::string_view name);
// The same of DCGM's field names, "DCGM_FI_DEV_SM_CLOCK".
FieldMeaning meaning_of_dcgm(std::string_view name);

// "1410", "1980 MHz", "(1410Mhz)", "87 %", "0x4", "Active", also with quotes. Absent: "[N/A]", "-", DCGM's blanks,
// text.
std::optional<double> parse_measurement(std::string_view text);

}  // namespace core
