#pragma once
// The most that a device can do: FLOP/s per precision, dense, at the datasheet's clock, and bytes/s of its memory.
// From the user's options first, then from the table in device_peaks.cpp. A device that neither knows has no peaks:
// never those of another one.

#include "core/analysis/efficiency/operator_work.hpp"
#include "core/base/result.hpp"
#include "core/index/run.hpp"

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

struct Peaks {
    std::array<std::optional<double>, kPrecisions> flop_per_s{};
    std::optional<double> bytes_per_s{};
    std::string of;         // what they are the peaks of: "H100 SXM", "given"; empty without any
    bool is_guessed = false;  // from the number of its units and its memory, as it has no name
    std::optional<double> of_precision(Precision p) const { return flop_per_s[static_cast<std::size_t>(p)]; }
    bool empty() const { return of.empty(); }
};

// A row of the table. In a pattern | separates alternatives, * stands for anything; parts are whole words unless a *
// follows at once, and $ ends the name.
struct DeviceRow {
    std::string_view title;
    std::string_view pattern;
    std::int64_t least_memory = 0;  // bytes
    int units = 0;                  // streaming multiprocessors or compute units
    // TFLOP/s; 0: it has no such path, or none that is documented.
    double fp64 = 0, fp32 = 0, tf32 = 0, bf16 = 0, fp16 = 0, fp8 = 0, int8 = 0, fp4 = 0;
    double gb_per_s = 0;
    std::string_view source;  // letters, explained above the table
    bool is_checked = false;  // against its source
};
std::span<const DeviceRow> device_rows();
const DeviceRow* find_device_row(std::string_view device, std::int64_t memory_bytes);

// Peaks that the user gave: "bf16=989,fp8=1979,bandwidth=3352" (TFLOP/s, GB/s), for all devices or with "NAME: " in
// front for those whose name contains it. Later ones win; what they leave out comes from the table.
class GivenPeaks {
public:
    std::optional<Error> add(std::string_view text);
    // {"bf16": 989, …} for all devices, {"NAME": {"bf16": 989, …}} for some.
    std::optional<Error> add_json(std::string_view json);
    void add(const GivenPeaks& more) { given_.insert(given_.end(), more.given_.begin(), more.given_.end()); }
    void apply(std::string_view device, Peaks& peaks) const;
    bool empty() const { return given_.empty(); }
    std::string text() const;  // differs where any peak does

private:
    struct One {
        std::string device;  // empty: all
        std::array<std::optional<double>, kPrecisions> flop_per_s{};
        std::optional<double> bytes_per_s{};
    };
    std::optional<Error> set(One&, std::string_view key, double value);
    std::vector<One> given_;
};

// Sets the peaks for all runs that this process asks about later. Options override the user's file.
void set_given_peaks(GivenPeaks of_file, GivenPeaks of_options);
void replace_file_peaks(GivenPeaks of_file);
std::shared_ptr<const GivenPeaks> given_peaks();
// Peaks given for a run: those in run.derived(), else the process's.
std::shared_ptr<const GivenPeaks> given_peaks_of(const Run&);

// Those of the table alone.
Peaks table_peaks_of(const Run&, std::size_t slot, EventId gpu_event);
// Peaks of the device that ran a GPU event, or of the rank's first device if the event is kNoEvent.
Peaks peaks_of(const Run&, std::size_t slot, EventId gpu_event);
// Why shares are absent: says the device and the option; empty if its peaks are known.
std::string explain_no_peaks(const Run&, std::size_t slot);
std::string device_name_of(const Run&, std::size_t slot, EventId gpu_event);  // empty if the trace does not say

// Precisions below single that the matrix units (tensor cores) of a device multiply in.
enum class MatrixUnits : std::uint8_t {
    Unknown,    // neither its peaks nor its name tell
    None,       // it has no such units
    Float16,    // float16 alone: Volta, Turing
    Bf16,       // bfloat16, but no TF32
    Tf32Bf16,   // TF32 and bfloat16
};
// From its peaks; those of a device that the table does not hold from the family that its name tells.
MatrixUnits matrix_units_of(const Run&, std::size_t slot, EventId gpu_event);

}  // namespace core
