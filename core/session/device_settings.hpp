#pragma once
// Peaks of devices and links, as the settings show and change them: from the tables of device_peaks.cpp and
// link_speeds.cpp, below the user's peaks.json and links.txt. A change is written into these files, and runs that are
// opened afterwards use it. Numbers in TFLOP/s and GB/s.

#include "core/analysis/engine/link_speeds.hpp"
#include "core/index/run.hpp"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

struct DeviceNumber {
    std::string key;  // "bf16", …, "bandwidth" of memory, "link"
    std::optional<double> value;
    bool is_given = false;  // by the user, not by the table
};

struct DeviceSetting {
    std::string device;  // as traces name it
    std::string table_row;  // "H100 SXM"; empty: the table lacks it
    std::vector<DeviceNumber> numbers;
};

// Devices of the runs, each name once, in order of first appearance. Null runs are skipped. O(ranks).
std::vector<DeviceSetting> collect_device_settings(std::span<const RunPtr> runs);

// The text of peaks.json or links.txt with one number changed; unset: taken away, so that the table decides. Errors:
// the text is not what the program reads (peaks.json with comments is not changed), or another entry outweighs the new
// one.
Result<std::string> change_peak(std::string_view json, std::string_view device, std::string_view key,
                                std::optional<double> value);
Result<std::string> change_link(std::string_view text, std::string_view device, std::optional<double> gb_per_s);

// Writes the number into the file of the settings folder that holds it, and uses it from now on.
Result<bool> set_device_number(const std::filesystem::path& folder, std::string_view device, std::string_view key,
                               std::optional<double> value);

}  // namespace core
