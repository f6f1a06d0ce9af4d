#include "core/analysis/efficiency/device_peaks.hpp"

#include "core/base/small_json.hpp"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <mutex>

namespace core {
namespace {

constexpr std::int64_t kGb = 1'000'000'000;

// Dense figures; those "with sparsity" in datasheets are twice as large. Sources: D the vendor's datasheet, W its white
// paper, T torchtitan's get_peak_flops, I inductor's device_info.py, C units x FLOP per clock x clock, computed here.
// Only what T, I or C agree with is marked as checked.
// clang-format off
constexpr DeviceRow kDevices[] = {
    {"P100", "P100|GP100", 0, 56, 5.3, 10.6, 0, 0, 21.2, 0, 0, 0, 732, "D"},
    {"V100S", "V100S", 0, 80, 8.2, 16.4, 0, 0, 130, 0, 0, 0, 1134, "D"},
    {"V100 PCIe", "V100*PCI*", 0, 80, 7, 14, 0, 0, 112, 0, 0, 0, 900, "D"},
    {"V100", "V100", 0, 80, 7.8, 15.7, 0, 0, 125, 0, 0, 0, 900, "D, C", true},
    {"T4", "T4$", 0, 40, 0.25, 8.1, 0, 0, 65, 0, 130, 0, 320, "D, C", true},
    {"GTX 1650", "GTX 1650$", 0, 14, 0, 3, 0, 0, 6, 0, 0, 0, 128, "D"},
    {"RTX 2080 Ti", "RTX 2080 Ti$", 0, 68, 0, 13.4, 0, 0, 53.8, 0, 0, 0, 616, "D"},
    {"A10G", "A10G", 0, 80, 0, 31.2, 35, 70, 70, 0, 140, 0, 600, "D"},
    {"A10", "A10$", 0, 72, 0, 31.2, 62.5, 125, 125, 0, 250, 0, 600, "D, C", true},
    {"A100 PCIe 80 GB", "A100*PCI*|A800*PCI*", 60 * kGb, 108, 19.5, 19.5, 156, 312, 312, 0, 624, 0, 1935, "D, T", true},
    {"A100 80 GB", "A100|A800", 60 * kGb, 108, 19.5, 19.5, 156, 312, 312, 0, 624, 0, 2039, "D, T", true},
    {"A100 40 GB", "A100|A800", 0, 108, 19.5, 19.5, 156, 312, 312, 0, 624, 0, 1555, "D, T, C", true},
    {"A40", "A40$", 0, 84, 0, 37.4, 74.8, 149.7, 149.7, 0, 299, 0, 696, "D, T", true},
    {"RTX A6000", "RTX A6000$", 0, 84, 0, 38.7, 77.4, 154.8, 154.8, 0, 310, 0, 768, "D, T", true},
    {"L4", "L4$", 0, 58, 0, 30.3, 60, 121, 121, 242, 242, 0, 300, "D, T", true},
    {"L40S", "L40S", 0, 142, 0, 91.6, 183, 362, 362, 733, 733, 0, 864, "D, T", true},
    {"RTX 3090", "RTX 3090$", 0, 82, 0, 35.6, 35.6, 71.2, 71.2, 0, 285, 0, 936, "W, C", true},
    {"RTX 4090", "RTX 4090$", 0, 128, 0, 82.6, 82.6, 165.2, 165.2, 330, 661, 0, 1008, "W, C", true},
    {"RTX 5090", "RTX 5090$", 0, 170, 0, 104.8, 104.8, 209.5, 209.5, 419, 838, 1676, 1792, "W, C", true},
    {"H100 PCIe", "H100*PCI*|H800*PCI*", 0, 114, 51.2, 51.2, 378, 756, 756, 1513, 1513, 0, 2039, "D, T", true},
    {"H100 NVL", "H100 NVL", 0, 132, 60, 60, 417.5, 835, 835, 1671, 1671, 0, 3938, "D, T", true},
    {"H100 SXM", "H100|H800", 0, 132, 66.9, 66.9, 494.7, 989.4, 989.4, 1978.9, 1978.9, 0, 3352, "D, T, C", true},
    {"H200", "H200", 0, 132, 66.9, 66.9, 494.7, 989.4, 989.4, 1978.9, 1978.9, 0, 4917, "D, T", true},
    {"GH200 144 GB", "GH200", 120 * kGb, 132, 66.9, 66.9, 494.7, 989.4, 989.4, 1978.9, 1978.9, 0, 4915, "D, T", true},
    {"GH200 96 GB", "GH200", 0, 132, 66.9, 66.9, 494.7, 989.4, 989.4, 1978.9, 1978.9, 0, 4023, "D, T", true},
    {"H20", "H20", 0, 78, 1, 44, 74, 148, 148, 296, 296, 0, 4023, "D"},
    {"B200", "B200", 0, 148, 37, 75, 1125, 2250, 2250, 4500, 4500, 9000, 8000, "D, T", true},
    {"GB200", "GB200", 0, 152, 40, 80, 1250, 2500, 2500, 5000, 5000, 10000, 8000, "D"},
    {"B300", "B300", 0, 148, 1.2, 75, 1125, 2250, 2250, 4500, 0, 13500, 8000, "D, T: bf16; the rest is provisional"},
    {"GB300", "GB300", 0, 152, 1.3, 80, 1250, 2500, 2500, 5000, 0, 15000, 8000, "D; provisional"},
    {"MI100", "MI100", 0, 120, 11.5, 46.1, 0, 92.3, 184.6, 0, 184.6, 0, 1229, "D"},
    {"MI210", "MI210", 0, 104, 45.3, 45.3, 0, 181, 181, 0, 181, 0, 1638, "D, T, I", true},
    {"MI250X, one die", "MI250X", 0, 110, 47.9, 47.9, 0, 191.5, 191.5, 0, 191.5, 0, 1638, "D, T, I", true},
    {"MI250, one die", "MI250", 0, 104, 45.3, 45.3, 0, 181, 181, 0, 181, 0, 1638, "D, T, I", true},
    {"MI300A", "MI300A", 0, 228, 122.6, 122.6, 490.3, 980.6, 980.6, 1961, 1961, 0, 5300, "D, I", true},
    {"MI300X", "MI300X", 0, 304, 163.4, 163.4, 653.7, 1307.4, 1307.4, 2614.9, 2614.9, 0, 5300, "D, T, I", true},
    {"MI325X", "MI325X", 0, 304, 163.4, 163.4, 653.7, 1307.4, 1307.4, 2614.9, 2614.9, 0, 6000, "D, T, I", true},
    {"MI350X", "MI350X", 0, 256, 72.1, 144.2, 0, 2309.6, 2309.6, 4614, 4614, 9227, 8000, "D, I", true},
    {"MI355X", "MI355X", 0, 256, 78.6, 157.3, 0, 2516.6, 2516.6, 5033, 5033, 10066, 8000, "D, T, I", true},
};
// clang-format on

bool is_word_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// Position after the part, which begins at a word, from `at` on; npos if there is none.
std::size_t find_part(std::string_view name, std::string_view part, bool word_ends, bool name_ends, std::size_t at) {
    for (std::size_t found = name.find(part, at); found != std::string_view::npos; found = name.find(part, found + 1)) {
        const std::size_t end = found + part.size();
        const bool begins = found == 0 || !is_word_letter(name[found - 1]);
        const bool ends = !word_ends || end == name.size() || !is_word_letter(name[end]);
        if (begins && ends && (!name_ends || end == name.size())) return end;
    }
    return std::string_view::npos;
}

// One alternative of a pattern: parts between *, in order.
bool fits_alternative(std::string_view name, std::string_view pattern) {
    const bool name_ends = pattern.ends_with('$');
    if (name_ends) pattern.remove_suffix(1);
    for (std::size_t at = 0; !pattern.empty();) {
        const std::size_t star = pattern.find('*');
        const bool last = star == std::string_view::npos;
        const bool prefix = !last && star + 1 == pattern.size();
        at = find_part(name, pattern.substr(0, star), !prefix, name_ends && last, at);
        if (at == std::string_view::npos) return false;
        pattern = last ? std::string_view() : pattern.substr(star + 1);
    }
    return true;
}

bool fits(std::string_view name, std::string_view pattern) {
    for (;;) {
        const std::size_t bar = pattern.find('|');
        if (fits_alternative(name, pattern.substr(0, bar))) return true;
        if (bar == std::string_view::npos) return false;
        pattern.remove_prefix(bar + 1);
    }
}

Peaks peaks_of_row(const DeviceRow& row) {
    Peaks peaks;
    const auto set = [&](Precision precision, double tera) {
        if (tera > 0) peaks.flop_per_s[static_cast<std::size_t>(precision)] = tera * 1e12;
    };
    set(Precision::Fp64, row.fp64);
    set(Precision::Fp32, row.fp32);
    set(Precision::Tf32, row.tf32);
    set(Precision::Bf16, row.bf16);
    set(Precision::Fp16, row.fp16);
    set(Precision::Fp8, row.fp8);
    set(Precision::Int8, row.int8);
    set(Precision::Fp4, row.fp4);
    if (row.gb_per_s > 0) peaks.bytes_per_s = row.gb_per_s * 1e9;
    peaks.of = row.title;
    return peaks;
}

// Compute units of a device as its writer lists them.
std::int64_t units_of(const RankInfo& info, std::int64_t device) {
    const Result<nlohmann::json> metadata = parse_small_json(info.metadata_json);
    if (!metadata || !metadata->is_object()) return 0;
    const auto devices = metadata->find("deviceProperties");
    if (devices == metadata->end() || !devices->is_array()) return 0;
    for (const nlohmann::json& one : *devices) {
        if (!one.is_object()) continue;
        const auto id = one.find("id"), units = one.find("numSms");
        const bool numbers =
            id != one.end() && units != one.end() && id->is_number_integer() && units->is_number_integer();
        if (numbers && id->get<std::int64_t>() == device) return units->get<std::int64_t>();
    }
    return 0;
}

// Devices whose driver gives no name of their own.
const DeviceRow* guess_row(const RankInfo& info, const Device& device) {
    struct Size {
        std::int64_t units, gigabytes;
        std::string_view name;
    };
    constexpr Size kSizes[] = {{.units = 304, .gigabytes = 206, .name = "MI300X"},
                               {.units = 304, .gigabytes = 275, .name = "MI325X"},
                               {.units = 228, .gigabytes = 137, .name = "MI300A"}};
    const std::int64_t units = units_of(info, device.id);
    const std::int64_t gigabytes = device.memory_bytes / kGb;
    for (const Size& size : kSizes)
        if (size.units == units && std::abs(size.gigabytes - gigabytes) <= 1) return find_device_row(size.name, 0);
    return nullptr;
}

const Device* find_device(const RankTrace& trace, EventId gpu_event) {
    std::int64_t id = -1;
    if (gpu_event != kNoEvent) {
        id = trace.processes[trace.track_of(gpu_event).process].device;
    } else if (!trace.gpu_events.empty()) {
        id = trace.processes[trace.track_of(trace.gpu_events.front()).process].device;
    }
    const std::vector<Device>& devices = trace.info.devices;
    const auto found = std::ranges::find(devices, id, &Device::id);
    if (found != devices.end()) return &*found;
    // ROCm numbers the rows by agent and lists what the process sees: the same device, if there is one kind only.
    const bool alike = !devices.empty() && std::ranges::all_of(devices, [&](const Device& device) {
        return device.name == devices.front().name && device.memory_bytes == devices.front().memory_bytes;
    });
    return alike ? &devices.front() : nullptr;
}

// Families of which the table of peaks holds some devices only. The first that fits counts: a Quadro RTX 4000 is a
// Turing, an RTX 4000 an Ada. Source: the vendor's white papers of Volta, Turing (its GTX 16 has no such units),
// Ampere.
struct Family {
    std::string_view pattern;  // as in DeviceRow
    MatrixUnits units;
};
constexpr Family kFamilies[] = {
    {"GTX*|Tesla K*|Tesla M*|Tesla P*|Quadro K*|Quadro M*|Quadro P*|TITAN X*", MatrixUnits::None},
    {"Quadro RTX*|TITAN RTX|TITAN V|GV100|RTX 2060*|RTX 2070*|RTX 2080*", MatrixUnits::Float16},
    {"RTX 30*|RTX 40*|RTX 50*", MatrixUnits::Tf32Bf16}};

MatrixUnits matrix_units_of_family(std::string_view device) {
    for (const Family& family : kFamilies)
        if (fits(device, family.pattern)) return family.units;
    return MatrixUnits::Unknown;
}

struct ProcessPeaks {
    std::mutex mutex;
    GivenPeaks of_options;
    std::shared_ptr<const GivenPeaks> all = std::make_shared<const GivenPeaks>();

    void join(GivenPeaks of_file) {
        of_file.add(of_options);
        all = std::make_shared<const GivenPeaks>(std::move(of_file));
    }
};

ProcessPeaks& process_peaks() {
    static ProcessPeaks peaks;
    return peaks;
}

constexpr std::string_view kPeakHelp = "give peaks as bf16=989,fp8=1979,bandwidth=3352 (TFLOP/s, GB/s)";

}  // namespace

std::span<const DeviceRow> device_rows() { return kDevices; }

const DeviceRow* find_device_row(std::string_view device, std::int64_t memory_bytes) {
    if (device.find(" MIG ") != std::string_view::npos) return nullptr;  // a part of one
    for (const DeviceRow& row : kDevices)
        if (memory_bytes >= row.least_memory && fits(device, row.pattern)) return &row;
    return nullptr;
}

std::optional<Error> GivenPeaks::set(One& one, std::string_view key, double value) {
    if (!std::isfinite(value) || value <= 0 || value > 1e9)
        return Error{ErrorCode::BadInput,
                     "the peak of " + std::string(key) + " is not a number above 0: " + std::string(kPeakHelp)};
    if (key == "bandwidth") {
        one.bytes_per_s = value * 1e9;
        return std::nullopt;
    }
    for (std::size_t p = 1; p < kPrecisions; ++p) {
        if (name_of(static_cast<Precision>(p)) != key) continue;
        one.flop_per_s[p] = value * 1e12;
        return std::nullopt;
    }
    return Error{ErrorCode::BadInput, "no precision is called " + std::string(key.substr(0, 40)) +
                                          ": use fp64, fp32, tf32, bf16, fp16, fp8, int8, fp4 or bandwidth"};
}

std::optional<Error> GivenPeaks::add(std::string_view text) {
    One one;
    if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
        one.device = text.substr(0, colon);
        text.remove_prefix(colon + 1);
    }
    for (bool more = true; more;) {
        const std::size_t comma = text.find(',');
        std::string_view pair = text.substr(0, comma);
        while (pair.starts_with(' ')) pair.remove_prefix(1);
        while (pair.ends_with(' ')) pair.remove_suffix(1);
        const std::size_t equals = pair.find('=');
        if (equals == std::string_view::npos)
            return Error{ErrorCode::BadInput, "a peak without a value: " + std::string(kPeakHelp)};
        double value = 0;
        const char* const end = pair.data() + pair.size();
        const auto [read, error] = std::from_chars(pair.data() + equals + 1, end, value);
        if (error != std::errc{} || read != end) value = 0;
        if (std::optional<Error> wrong = set(one, pair.substr(0, equals), value)) return wrong;
        more = comma != std::string_view::npos;
        if (more) text.remove_prefix(comma + 1);
    }
    given_.push_back(std::move(one));
    return std::nullopt;
}

std::optional<Error> GivenPeaks::add_json(std::string_view json) {
    const Result<nlohmann::json> parsed = parse_small_json(json, {.depth = 4, .comments = true});
    if (!parsed) return parsed.error();
    if (!parsed->is_object())
        return Error{ErrorCode::BadInput, "the peaks are not a JSON object: {\"bf16\": 989, \"bandwidth\": 3352}"};
    One all;
    std::vector<One> some;
    const auto add_number = [&](One& one, const std::string& key, const nlohmann::json& value) {
        return set(one, key, value.is_number() ? value.get<double>() : 0);
    };
    for (const auto& [key, value] : parsed->items()) {
        if (value.is_object()) {
            One& one = some.emplace_back();
            one.device = key;
            for (const auto& [precision, number] : value.items())
                if (std::optional<Error> wrong = add_number(one, precision, number)) return wrong;
        } else if (std::optional<Error> wrong = add_number(all, key, value)) {
            return wrong;
        }
    }
    given_.push_back(std::move(all));
    given_.insert(given_.end(), some.begin(), some.end());
    return std::nullopt;
}

void GivenPeaks::apply(std::string_view device, Peaks& peaks) const {
    for (const One& one : given_) {
        if (!one.device.empty() && device.find(one.device) == std::string_view::npos) continue;
        bool any = one.bytes_per_s.has_value();
        if (one.bytes_per_s) peaks.bytes_per_s = one.bytes_per_s;
        for (std::size_t p = 0; p < kPrecisions; ++p) {
            if (!one.flop_per_s[p]) continue;
            peaks.flop_per_s[p] = one.flop_per_s[p];
            any = true;
        }
        if (any && !peaks.of.ends_with("given")) peaks.of += peaks.of.empty() ? "given" : ", given";
    }
}

std::string GivenPeaks::text() const {
    std::string text;
    for (const One& one : given_) {
        text += fmt::format("{:?}:{}", one.device, one.bytes_per_s.value_or(-1));
        for (const std::optional<double>& flop : one.flop_per_s) text += fmt::format(",{}", flop.value_or(-1));
        text += '\n';
    }
    return text;
}

void set_given_peaks(GivenPeaks of_file, GivenPeaks of_options) {
    ProcessPeaks& peaks = process_peaks();
    const std::lock_guard lock(peaks.mutex);
    peaks.of_options = std::move(of_options);
    peaks.join(std::move(of_file));
}

void replace_file_peaks(GivenPeaks of_file) {
    ProcessPeaks& peaks = process_peaks();
    const std::lock_guard lock(peaks.mutex);
    peaks.join(std::move(of_file));
}

std::shared_ptr<const GivenPeaks> given_peaks() {
    ProcessPeaks& peaks = process_peaks();
    const std::lock_guard lock(peaks.mutex);
    return peaks.all;
}

std::shared_ptr<const GivenPeaks> given_peaks_of(const Run& run) {
    return run.derived().get<GivenPeaks>([] { return given_peaks(); });
}

Peaks table_peaks_of(const Run& run, std::size_t slot, EventId gpu_event) {
    const RankTrace& trace = run.rank(slot).trace();
    const Device* const device = find_device(trace, gpu_event);
    if (device == nullptr) return {};
    const DeviceRow* row = find_device_row(device->name, device->memory_bytes);
    const bool nameless = device->name.empty() || device->name == "AMD Radeon Graphics";
    const bool guess = row == nullptr && nameless;
    if (guess) row = guess_row(trace.info, *device);
    if (row == nullptr) return {};
    Peaks peaks = peaks_of_row(*row);
    peaks.is_guessed = guess;
    return peaks;
}

Peaks peaks_of(const Run& run, std::size_t slot, EventId gpu_event) {
    Peaks peaks = table_peaks_of(run, slot, gpu_event);
    const Device* const device = find_device(run.rank(slot).trace(), gpu_event);
    given_peaks_of(run)->apply(device ? std::string_view(device->name) : std::string_view(), peaks);
    return peaks;
}

std::string explain_no_peaks(const Run& run, std::size_t slot) {
    if (!peaks_of(run, slot, kNoEvent).empty()) return {};
    const std::string device = device_name_of(run, slot, kNoEvent);
    return "shares of peak, as the peaks of " + (device.empty() ? std::string("its device") : "\"" + device + "\"") +
           " are not known: --peak 'bf16=989,fp8=1979,bandwidth=3352' gives them (TFLOP/s, GB/s)";
}

std::string device_name_of(const Run& run, std::size_t slot, EventId gpu_event) {
    const Device* const device = find_device(run.rank(slot).trace(), gpu_event);
    return device ? device->name : std::string();
}

MatrixUnits matrix_units_of(const Run& run, std::size_t slot, EventId gpu_event) {
    // Plain units have at most twice the rate at half the width, matrix units four times and more.
    constexpr double kLeastFactor = 4;
    const Peaks peaks = peaks_of(run, slot, gpu_event);
    const std::optional<double> fp32 = peaks.of_precision(Precision::Fp32), fp16 = peaks.of_precision(Precision::Fp16);
    if (peaks.of_precision(Precision::Tf32)) return MatrixUnits::Tf32Bf16;
    if (peaks.of_precision(Precision::Bf16)) return MatrixUnits::Bf16;
    if (fp32 && fp16 && *fp16 >= kLeastFactor * *fp32) return MatrixUnits::Float16;
    if (!table_peaks_of(run, slot, gpu_event).empty()) return MatrixUnits::None;
    return matrix_units_of_family(device_name_of(run, slot, gpu_event));
}

}  // namespace core
