#include "core/session/device_settings.hpp"

#include "core/analysis/efficiency/device_peaks.hpp"
#include "core/base/ascii.hpp"
#include "core/base/output_file.hpp"
#include "core/base/small_file.hpp"
#include "core/base/small_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace core {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLinkKey = "link";
constexpr std::string_view kBandwidthKey = "bandwidth";

bool is_same(std::optional<double> a, double b) { return a && std::abs(*a - b) <= 1e-6 * std::abs(b); }

std::optional<double> in_units(std::optional<double> value, double unit) {
    return value ? std::optional(*value / unit) : std::nullopt;
}

DeviceSetting setting_of(const Run& run, std::size_t slot, const std::string& device) {
    const Peaks table = table_peaks_of(run, slot, kNoEvent);
    Peaks given, all = table;
    given_peaks()->apply(device, given);
    given_peaks()->apply(device, all);
    DeviceSetting setting{.device = device, .table_row = table.of, .numbers = {}};
    for (std::size_t p = 1; p < kPrecisions; ++p)
        setting.numbers.push_back({std::string(name_of(static_cast<Precision>(p))), in_units(all.flop_per_s[p], 1e12),
                                   given.flop_per_s[p].has_value()});
    setting.numbers.push_back(
        {std::string(kBandwidthKey), in_units(all.bytes_per_s, 1e9), given.bytes_per_s.has_value()});
    const std::optional<double> link = link_speeds()->find(device);
    setting.numbers.push_back(
        {std::string(kLinkKey), in_units(link, 1e9), link != LinkSpeeds::standard().find(device)});
    return setting;
}

// The text of a small file; empty if there is none.
Result<std::string> read_if_there(const fs::path& file) {
    Result<std::string> text = read_small_file(file);
    if (!text && text.error().code == ErrorCode::NotFound) return std::string();
    return text;
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

std::string_view trim(std::string_view text) {
    while (!text.empty() && is_blank(text.substr(0, 1))) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.substr(text.size() - 1))) text.remove_suffix(1);
    return text;
}

bool is_line_of(std::string_view line, std::string_view device) {
    line = line.substr(0, line.find('#'));
    const std::size_t equals = line.find('=');
    return equals != std::string_view::npos &&
           std::ranges::equal(trim(line.substr(0, equals)), trim(device), {}, lower_ascii, lower_ascii);
}

Error outweighed(std::string_view file) {
    return Error{ErrorCode::BadInput,
                 "another entry of " + std::string(file) + " decides for this device: change it there"};
}

}  // namespace

std::vector<DeviceSetting> collect_device_settings(std::span<const RunPtr> runs) {
    std::vector<DeviceSetting> settings;
    for (const RunPtr& run : runs) {
        for (std::size_t slot = 0; run && slot < run->ranks().size(); ++slot) {
            const std::string device = device_name_of(*run, slot, kNoEvent);
            const bool is_known = std::ranges::find(settings, device, &DeviceSetting::device) != settings.end();
            if (!device.empty() && !is_known) settings.push_back(setting_of(*run, slot, device));
        }
    }
    return settings;
}

Result<std::string> change_peak(std::string_view json, std::string_view device, std::string_view key,
                                std::optional<double> value) {
    nlohmann::json peaks = nlohmann::json::object();
    if (!is_blank(json)) {
        Result<nlohmann::json> parsed = parse_small_json(json, {.depth = 4});
        if (!parsed) return std::move(parsed).error().within("peaks.json cannot be changed here");
        peaks = *std::move(parsed);
    }
    if (device.empty()) return bad_input("the trace does not name its device");
    if (!peaks.is_object()) return bad_input("peaks.json is not a JSON object");
    nlohmann::json& own = peaks[std::string(device)];
    if (!own.is_null() && !own.is_object()) return bad_input("peaks.json has no object for this device");
    if (value)
        own[std::string(key)] = *value;
    else if (own.is_object())
        own.erase(std::string(key));
    if (own.empty()) peaks.erase(std::string(device));
    std::string text = peaks.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    GivenPeaks given;
    if (std::optional<Error> wrong = given.add_json(text)) return *std::move(wrong);
    Peaks found;
    given.apply(device, found);
    std::optional<double> now = in_units(found.bytes_per_s, 1e9);
    for (std::size_t p = 1; p < kPrecisions; ++p)
        if (name_of(static_cast<Precision>(p)) == key) now = in_units(found.flop_per_s[p], 1e12);
    if (value && !is_same(now, *value)) return outweighed("peaks.json");
    return text;
}

Result<std::string> change_link(std::string_view text, std::string_view device, std::optional<double> gb_per_s) {
    if (trim(device).empty()) return bad_input("the trace does not name its device");
    if (device.find_first_of("=#\n\r") != std::string_view::npos)
        return bad_input("links.txt cannot hold the name of this device");
    std::string changed;
    for (std::string_view rest = text; !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        if (!is_line_of(line, device)) changed.append(line).append("\n");
    }
    if (gb_per_s) changed += fmt::format("{} = {:.10g}\n", trim(device), *gb_per_s);
    const Result<LinkSpeeds> speeds = LinkSpeeds::parse(changed);
    if (!speeds) return speeds.error();
    if (gb_per_s && *gb_per_s > 0 && !is_same(in_units(speeds->find(device), 1e9), *gb_per_s))
        return outweighed("links.txt");
    return changed;
}

Result<bool> set_device_number(const fs::path& folder, std::string_view device, std::string_view key,
                               std::optional<double> value) {
    if (folder.empty()) return bad_input("there is no folder that peaks and links could be kept in");
    const bool is_link = key == kLinkKey;
    const fs::path file = folder / (is_link ? "links.txt" : "peaks.json");
    const Result<std::string> before = read_if_there(file);
    if (!before) return before.error();
    const Result<std::string> text =
        is_link ? change_link(*before, device, value) : change_peak(*before, device, key, value);
    if (!text) return text.error();
    std::error_code ignored;
    fs::create_directories(folder, ignored);
    if (const Result<std::uint64_t> written = write_whole_file(file, *text); !written) return written.error();
    if (is_link) {
        replace_file_links(*LinkSpeeds::parse(*text));
        return true;
    }
    GivenPeaks given;
    if (std::optional<Error> wrong = given.add_json(*text)) return *std::move(wrong);
    replace_file_peaks(std::move(given));
    return true;
}

}  // namespace core
