#include "core/telemetry/metric.hpp"

#include "core/base/ascii.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

namespace core {
namespace {

struct NamedField {
    std::string_view name;
    FieldMeaning meaning;
};

constexpr FieldMeaning value_of(Metric metric, double factor = 1, int preference = 1) {
    return {.field = LogField::Value, .metric = metric, .factor = factor, .bit = 0, .preference = preference};
}

constexpr double kMilli = 1e-3;

// Lower case, without the unit in brackets.
constexpr NamedField kFields[] = {
    {"timestamp", {.field = LogField::Time}},
    {"timestamp_ns", {.field = LogField::Time, .preference = 2}},
    {"ts", {.field = LogField::Time}},
    {"time", {.field = LogField::Time}},
    {"rank", {.field = LogField::Rank}},
    {"host", {.field = LogField::Host}},
    {"hostname", {.field = LogField::Host}},
    {"node_id", {.field = LogField::Host}},
    {"node", {.field = LogField::Host}},
    {"index", {.field = LogField::Index}},
    {"gpu", {.field = LogField::Index}},
    {"gpu_index", {.field = LogField::Index}},
    {"gpu_id", {.field = LogField::Index}},
    {"device", {.field = LogField::Index}},
    {"uuid", {.field = LogField::Uuid}},
    {"gpu_uuid", {.field = LogField::Uuid}},
    {"pci.bus_id", {.field = LogField::Bus}},
    {"gpu_bus_id", {.field = LogField::Bus}},
    {"pci_bus_id", {.field = LogField::Bus}},
    {"bus_id", {.field = LogField::Bus}},
    {"bdf", {.field = LogField::Bus}},
    {"clocks.sm", value_of(Metric::SmClock, 1, 3)},
    {"clocks.current.sm", value_of(Metric::SmClock, 1, 3)},
    {"clocks.gr", value_of(Metric::SmClock, 1, 2)},
    {"clocks.current.graphics", value_of(Metric::SmClock, 1, 2)},
    {"sm_clock_mhz", value_of(Metric::SmClock, 1, 3)},
    {"sm_clock", value_of(Metric::SmClock, 1, 3)},
    {"clock_sm_mhz", value_of(Metric::SmClock, 1, 3)},
    {"clock_sm", value_of(Metric::SmClock, 1, 3)},
    {"sm clock", value_of(Metric::SmClock, 1, 3)},
    {"gpc clock frequency", value_of(Metric::SmClock, 1, 3)},
    {"sclk", value_of(Metric::SmClock)},
    {"mclk", value_of(Metric::MemoryClock)},
    {"clocks.mem", value_of(Metric::MemoryClock)},
    {"clocks.current.memory", value_of(Metric::MemoryClock)},
    {"mem_clock_mhz", value_of(Metric::MemoryClock)},
    {"memory_clock_mhz", value_of(Metric::MemoryClock)},
    {"mem_clock", value_of(Metric::MemoryClock)},
    {"memory clock", value_of(Metric::MemoryClock)},
    {"clocks.max.sm", value_of(Metric::MaxSmClock, 1, 2)},
    {"clocks.max.gr", value_of(Metric::MaxSmClock)},
    {"clocks.max.graphics", value_of(Metric::MaxSmClock)},
    {"power.draw.average", value_of(Metric::Power, 1, 2)},
    {"power.draw", value_of(Metric::Power, 1, 3)},
    {"power.draw.instant", value_of(Metric::Power)},
    {"power", value_of(Metric::Power)},
    {"power_w", value_of(Metric::Power)},
    {"power_watts", value_of(Metric::Power)},
    {"power_draw_w", value_of(Metric::Power)},
    {"power_draw", value_of(Metric::Power)},
    {"power_mw", value_of(Metric::Power, kMilli)},
    {"socket_power", value_of(Metric::Power)},
    {"current_socket_power", value_of(Metric::Power)},
    {"average_socket_power", value_of(Metric::Power)},
    {"enforced.power.limit", value_of(Metric::PowerLimit, 1, 2)},
    {"power.limit", value_of(Metric::PowerLimit)},
    {"power_limit", value_of(Metric::PowerLimit)},
    {"power_limit_w", value_of(Metric::PowerLimit)},
    {"temperature.gpu", value_of(Metric::Temperature, 1, 2)},
    {"temperature_c", value_of(Metric::Temperature, 1, 2)},
    {"temperature", value_of(Metric::Temperature, 1, 2)},
    {"temp", value_of(Metric::Temperature, 1, 2)},
    {"temp_c", value_of(Metric::Temperature, 1, 2)},
    {"temperature.memory", value_of(Metric::MemoryTemperature)},
    {"memory_temperature_c", value_of(Metric::MemoryTemperature)},
    {"utilization.gpu", value_of(Metric::Utilisation)},
    {"utilization_pct", value_of(Metric::Utilisation)},
    {"utilization", value_of(Metric::Utilisation)},
    {"gpu_util", value_of(Metric::Utilisation)},
    {"clocks_event_reasons.active", value_of(Metric::Reasons)},
    {"clocks_throttle_reasons.active", value_of(Metric::Reasons)},
    {"clocks_event_reasons", value_of(Metric::Reasons)},
    {"clocks_throttle_reasons", value_of(Metric::Reasons)},
    {"throttle_reasons", value_of(Metric::Reasons)},
    {"ecc.errors.corrected.volatile.total", value_of(Metric::EccSingle)},
    {"ecc.errors.uncorrected.volatile.total", value_of(Metric::EccDouble)},
    {"ecc_errors_sbe", value_of(Metric::EccSingle)},
    {"ecc_errors_dbe", value_of(Metric::EccDouble)},
    {"pcie.link.width.current", value_of(Metric::PciWidth)},
    {"pcie.link.width.max", value_of(Metric::PciWidthMax)},
    {"xid", value_of(Metric::Xid)},
    {"compute_procs", value_of(Metric::Processes)},
};

constexpr NamedField kDmonFields[] = {
    {"gpu", {.field = LogField::Index}},
    {"pwr", value_of(Metric::Power)},
    {"gtemp", value_of(Metric::Temperature)},
    {"temp", value_of(Metric::Temperature)},
    {"mtemp", value_of(Metric::MemoryTemperature)},
    {"sm", value_of(Metric::Utilisation)},
    {"pclk", value_of(Metric::SmClock)},
    {"mclk", value_of(Metric::MemoryClock)},
    {"sbecc", value_of(Metric::EccSingle)},
    {"dbecc", value_of(Metric::EccDouble)},
    {"pci", value_of(Metric::PciReplays)},
    {"smclk", value_of(Metric::SmClock)},
    {"memclk", value_of(Metric::MemoryClock)},
    {"mmclk", value_of(Metric::MemoryClock)},
    {"power", value_of(Metric::Power)},
    {"totec", value_of(Metric::Energy, kMilli)},
    {"tmptr", value_of(Metric::Temperature)},
    {"mmtmp", value_of(Metric::MemoryTemperature)},
    {"gputl", value_of(Metric::Utilisation)},
    {"xider", value_of(Metric::Xid)},
    {"evrsn", value_of(Metric::Reasons)},
    {"thrtl", value_of(Metric::Reasons)},
    {"dvccl", value_of(Metric::Reasons)},
};

constexpr NamedField kDcgmFields[] = {
    {"dev_sm_clock", value_of(Metric::SmClock)},
    {"dev_mem_clock", value_of(Metric::MemoryClock)},
    {"dev_max_sm_clock", value_of(Metric::MaxSmClock)},
    {"dev_clock_throttle_reasons", value_of(Metric::Reasons)},
    {"dev_clocks_event_reasons", value_of(Metric::Reasons)},
    {"dev_memory_temp", value_of(Metric::MemoryTemperature)},
    {"dev_gpu_temp", value_of(Metric::Temperature)},
    {"dev_power_usage", value_of(Metric::Power)},
    {"dev_power_mgmt_limit", value_of(Metric::PowerLimit)},
    {"dev_enforced_power_limit", value_of(Metric::PowerLimit, 1, 2)},
    {"dev_total_energy_consumption", value_of(Metric::Energy, kMilli)},
    {"dev_pcie_replay_counter", value_of(Metric::PciReplays)},
    {"dev_xid_errors", value_of(Metric::Xid)},
    {"dev_ecc_sbe_vol_total", value_of(Metric::EccSingle)},
    {"dev_ecc_dbe_vol_total", value_of(Metric::EccDouble)},
    {"dev_gpu_util", value_of(Metric::Utilisation)},
    {"dev_pcie_link_width", value_of(Metric::PciWidth)},
    {"dev_pcie_max_link_width", value_of(Metric::PciWidthMax)},
};

std::string_view trim_field(std::string_view text) {
    const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '"' || c == '\''; };
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

// Lower case, without quotes and "[MHz]" or "(MHz)".
std::string plain_field(std::string_view name) {
    name = trim_field(name);
    if (const std::size_t unit = name.find_first_of("[("); unit != std::string_view::npos && unit > 0)
        name = trim_field(name.substr(0, unit));
    std::string plain(name.substr(0, 80));
    std::ranges::transform(plain, plain.begin(), lower_ascii);
    return plain;
}

FieldMeaning find_in(std::span<const NamedField> fields, std::string_view name) {
    const auto found = std::ranges::find(fields, name, &NamedField::name);
    return found == fields.end() ? FieldMeaning{} : found->meaning;
}

// amd-smi and rocm-smi change names of columns between versions: by their parts.
FieldMeaning meaning_of_amd(std::string_view name) {
    const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
    if (has("max") || has("min") || has("limit") || has("cap") || has("lock")) {
        if (!has("clock") || has("max") || has("min")) return {};
    }
    if ((has("gfx") && has("clk")) || has("sclk clock speed") || has("gfx_clock")) return value_of(Metric::SmClock);
    if (has("mclk clock speed") || (has("mem") && has("clk"))) return value_of(Metric::MemoryClock);
    if (has("power") && !has("violation") && !has("throttle") && !has("management"))
        return value_of(Metric::Power, 1, has("socket") ? 2 : 1);
    if (has("hotspot") || has("junction")) return value_of(Metric::Temperature, 1, 1);
    if (has("edge")) return value_of(Metric::Temperature, 1, 0);
    return {};
}

bool is_absent(std::string_view text) {
    return text.empty() || text.front() == '[' || text == "-" || text == "N/A" || text == "n/a" || text == "null" ||
           text == "None";
}

// DCGM's blank values of its three kinds of numbers: the value and up to fifteen codes after it.
bool is_dcgm_blank(double value) {
    return value >= 9223372036854775000.0 || (value >= 140737488355328.0 && value < 140737488355344.0) ||
           (value >= 2147483632.0 && value < 2147483648.0);
}

}  // namespace

std::string_view name_of(Metric metric) {
    constexpr std::array<std::string_view, kMetrics> kNames = {
        "sm_clock_mhz",  "memory_clock_mhz", "max_sm_clock_mhz", "power_w",  "power_limit_w", "temperature_c",
        "memory_temp_c", "utilisation_pct",  "clock_reasons",    "energy_j", "pcie_width",    "pcie_width_max",
        "pcie_replays",  "ecc_corrected",    "ecc_uncorrected",  "xid",      "processes"};
    return kNames[static_cast<std::size_t>(metric)];
}

FieldMeaning meaning_of(std::string_view name) {
    const std::string plain = plain_field(name);
    if (const FieldMeaning found = find_in(kFields, plain); found.field != LogField::Unknown) return found;
    if (plain.starts_with("clocks_event_reasons.") || plain.starts_with("clocks_throttle_reasons.")) {
        const std::string_view reason = std::string_view(plain).substr(plain.find('.') + 1);
        const auto* const known = std::ranges::find(kReasons, reason, &ClockReason::name);
        if (known == kReasons.end()) return {};
        return {.field = LogField::ReasonBit, .metric = Metric::Reasons, .factor = 1, .bit = known->bit};
    }
    return meaning_of_amd(plain);
}

FieldMeaning meaning_of_dmon(std::string_view name) { return find_in(kDmonFields, plain_field(name)); }

FieldMeaning meaning_of_dcgm(std::string_view name) {
    constexpr std::string_view kPrefix = "dcgm_fi_";
    const std::string plain = plain_field(name);
    if (!plain.starts_with(kPrefix)) return {};
    return find_in(kDcgmFields, std::string_view(plain).substr(kPrefix.size()));
}

std::optional<double> parse_measurement(std::string_view text) {
    text = trim_field(text);
    if (is_absent(text)) return std::nullopt;
    if (text.front() == '(') text = trim_field(text.substr(1));
    if (text == "Active") return 1;
    if (text == "Not Active") return 0;
    const char* const end = text.data() + text.size();
    if (text.starts_with("0x") || text.starts_with("0X")) {
        std::uint64_t bits = 0;
        const auto [stop, error] = std::from_chars(text.data() + 2, end, bits, 16);
        if (error != std::errc() || stop != end) return std::nullopt;
        return static_cast<double>(bits);
    }
    double value = 0;
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || !std::isfinite(value) || is_dcgm_blank(value)) return std::nullopt;
    const std::string_view unit = trim_field({stop, static_cast<std::size_t>(end - stop)});
    // A unit is a word; a second number would be another value.
    if (std::ranges::any_of(unit, is_digit)) return std::nullopt;
    return unit == "mW" ? value * kMilli : value;
}

}  // namespace core
