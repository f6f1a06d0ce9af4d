#include "core/sample/gpu_logs.hpp"

#include "core/base/output_file.hpp"
#include "core/sample/kineto_writer.hpp"
#include "core/sample/sample_event.hpp"
#include "core/sample/sample_plan.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <string>

namespace core::sample {
namespace {

constexpr std::int64_t kMilli = 1'000'000;
constexpr std::int64_t kSecond = 1'000 * kMilli;
constexpr std::int64_t kMargin = kSecond / 2;  // of a log, before and after the work
constexpr std::int64_t kMostLines = 200'000;  // within the work, of a log
constexpr std::uint64_t kIdleMask = 1;

struct GpuState {
    int rank = 0;
    std::int64_t at_ns = 0;  // UTC
    int clock = kFullClock;
    int watts = 612;
    int degrees = 61;
    int busy = 97;  // percent
    std::uint64_t mask = 0;
};

std::string padded(std::int64_t number, std::size_t width) {
    const std::string digits = std::to_string(number);
    return digits.size() < width ? std::string(width - digits.size(), '0') + digits : digits;
}

// "2025/10/28" and "03:38:14.901", with any separator of the date.
struct ClockText {
    std::string date, time, milliseconds;
};
ClockText text_of(std::int64_t utc_ns, std::string_view separator) {
    const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(utc_ns / kMilli)};
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss<std::chrono::milliseconds> of_day{time - day};
    const std::string between(separator);
    return {.date = padded(int{date.year()}, 4) + between + padded(unsigned{date.month()}, 2) + between +
                    padded(unsigned{date.day()}, 2),
            .time = padded(of_day.hours().count(), 2) + ":" + padded(of_day.minutes().count(), 2) + ":" +
                    padded(of_day.seconds().count(), 2),
            .milliseconds = padded(of_day.subseconds().count(), 3)};
}

std::string csv_line(const GpuState& gpu) {
    const ClockText at = text_of(gpu.at_ns, "/");
    const std::string_view digits = "0123456789abcdef";
    const std::string mask = {digits[gpu.mask >> 4 & 15], digits[gpu.mask & 15]};
    return at.date + " " + at.time + "." + at.milliseconds + ", " + std::to_string(gpu.rank) + ", GPU-5a3b1e0" +
           std::to_string(gpu.rank) + ", " + std::to_string(gpu.clock) + " MHz, 2619 MHz, " +
           std::to_string(gpu.watts) + ".00 W, 700.00 W, " + std::to_string(gpu.degrees) + ", " +
           std::to_string(gpu.busy) + " %, 0x00000000000000" + mask + "\n";
}

std::string dmon_line(const GpuState& gpu) {
    const ClockText at = text_of(gpu.at_ns, "");
    return " " + at.date + "   " + at.time + "   " + std::to_string(gpu.rank) + "   " + std::to_string(gpu.watts) +
           "   " + std::to_string(gpu.degrees) + "   -   " + std::to_string(gpu.busy) + "   40   2619   " +
           std::to_string(gpu.clock) + "\n";
}

std::string exporter_line(const GpuState& gpu) {
    const std::string names = "{gpu=\"" + std::to_string(gpu.rank) + "\",UUID=\"GPU-5a3b1e0" +
                              std::to_string(gpu.rank) + "\",device=\"nvidia" + std::to_string(gpu.rank) +
                              "\",modelName=\"NVIDIA H100 80GB HBM3\"} ";
    const std::string at = " " + std::to_string(gpu.at_ns / kMilli) + "\n";
    return "DCGM_FI_DEV_SM_CLOCK" + names + std::to_string(gpu.clock) + at + "DCGM_FI_DEV_POWER_USAGE" + names +
           std::to_string(gpu.watts) + at + "DCGM_FI_DEV_GPU_TEMP" + names + std::to_string(gpu.degrees) + at +
           "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS" + names + std::to_string(gpu.mask) + at;
}

std::string json_line(const GpuState& gpu) {
    return "{\"timestamp_ns\": " + std::to_string(gpu.at_ns) + ", \"rank\": " + std::to_string(gpu.rank) +
           ", \"sm_clock_mhz\": " + std::to_string(gpu.clock) + ", \"power_watts\": " + std::to_string(gpu.watts) +
           ", \"temperature_c\": " + std::to_string(gpu.degrees) +
           ", \"throttle_reasons\": " + std::to_string(gpu.mask) + "}\n";
}

struct LogForm {
    std::string_view file;
    std::string_view header;
    std::int64_t interval_ns = 0;
    std::string (*line)(const GpuState&) = nullptr;
    bool names_ranks = false;
};
constexpr std::array<LogForm, 4> kForms = {{
    {"sample_nvidia_smi.csv",
     "timestamp, index, uuid, clocks.current.sm [MHz], clocks.current.memory [MHz], power.draw [W], "
     "enforced.power.limit [W], temperature.gpu, utilization.gpu [%], clocks_event_reasons.active\n",
     5 * kMilli, csv_line},
    {"sample_dmon.txt",
     "#Date       Time        gpu    pwr  gtemp  mtemp     sm    mem   mclk   pclk\n"
     "#YYYYMMDD   HH:MM:SS    Idx      W      C      C      %      %    MHz    MHz\n",
     kSecond, dmon_line},
    {"sample_dcgm.prom", "# HELP DCGM_FI_DEV_SM_CLOCK SM clock frequency (in MHz).\n", 100 * kMilli, exporter_line},
    {"sample_gpus.jsonl", "", 10 * kMilli, json_line, true},
}};

std::string write_form(const LogForm& form, const SampleOptions& options, std::int64_t begin, std::int64_t end) {
    const ClockTrait trait = trait_of(options.faults.clock);
    const Planted planted = plan_faults(options);
    const std::int64_t interval = std::max(form.interval_ns, (end - begin) / kMostLines * options.ranks);
    std::string text(form.header);
    for (std::int64_t at = begin - kMargin; at < end + kMargin; at += interval)
        for (int rank = 0; rank < options.ranks; ++rank) {
            GpuState gpu{.rank = rank, .at_ns = kBaseTimeNs + at};
            if (at < begin || at >= end) {
                gpu.clock = 345;
                gpu.watts = 71;
                gpu.busy = 0;
                gpu.mask = kIdleMask;
            } else if (planted.is_straggler(rank)) {
                gpu.clock = lowered_clock(options.faults.clock);
                gpu.watts = trait.watts;
                gpu.degrees = trait.degrees;
                gpu.mask = trait.mask;
            }
            text += form.line(gpu);
        }
    return text;
}

}  // namespace

ClockTrait trait_of(ClockFault fault) {
    constexpr std::uint64_t kSetting = 0x2, kPowerCap = 0x4, kThermal = 0x20;
    if (fault == ClockFault::Power)
        return {.slower_percent = 140, .reason = "power", .mask = kPowerCap, .watts = 699, .degrees = 70};
    if (fault == ClockFault::Thermal)
        return {.slower_percent = 165, .reason = "thermal", .mask = kThermal, .watts = 402, .degrees = 91};
    return {.slower_percent = 150, .reason = "clock set by the user", .mask = kSetting, .watts = 455, .degrees = 57};
}

Result<bool> write_gpu_logs(const std::filesystem::path& dir, const SampleOptions& options, std::int64_t begin_ns,
                            std::int64_t end_ns) {
    for (const LogForm& form : kForms) {
        if (!form.names_ranks && options.ranks > kGpusPerHost) continue;
        const Result<std::uint64_t> size =
            write_whole_file(dir / form.file, write_form(form, options, begin_ns, end_ns));
        if (!size) return size.error();
    }
    return true;
}

}  // namespace core::sample
