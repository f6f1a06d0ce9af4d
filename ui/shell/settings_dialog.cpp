#include "ui/shell/settings_dialog.hpp"

#include "ui/commands/commands.hpp"
#include "ui/style/compat.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"

#include "core/base/format.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <utility>

namespace ui {
namespace {

constexpr const char* kSettingsTitle = "Settings";
constexpr float kDialogWidth = 680;  // at scale 1
constexpr float kLabelWidth = 130;
constexpr float kNumberLabel = 64;  // of what a device can do: label, field, both
constexpr float kNumberWidth = 56;
constexpr float kNumberColumn = 128;
constexpr std::size_t kNumbersOfLine = 5;
constexpr float kLimitLabel = 190;
constexpr float kLimitsHeight = 220;
constexpr std::size_t kMostDevices = 4;
constexpr std::int64_t kCacheLimits[] = {0, 5, 20, 100};  // GB

void begin_row(const char* label) {
    ImGui::AlignTextToFramePadding();
    muted_text(label);
    ImGui::SameLine(px(kLabelWidth));
}

void draw_looks(Frame& frame) {
    begin_row("Theme");
    int theme = static_cast<int>(frame.choices().theme);
    if (choose("theme", {"Dark", "Light", "Colour-blind safe"}, theme))
        frame.intents.push_back(SetTheme{static_cast<Theme>(theme)});
    begin_row("Size");
    if (button("\xE2\x88\x92##smaller")) frame.intents.push_back(ResizeInterface{-1});
    ImGui::SameLine(0, px(8));
    const long percent = std::lround(frame.choices().interface_size * 100);
    if (button((std::to_string(percent) + " %##normal-size").c_str())) frame.intents.push_back(ResizeInterface{0});
    tooltip("Of the monitor's own scale. Click for 100 %.");
    ImGui::SameLine(0, px(8));
    if (button("+##larger")) frame.intents.push_back(ResizeInterface{1});
}

void draw_hands(Frame& frame) {
    begin_row("Mouse wheel");
    int zooms = frame.choices().wheel_zooms ? 1 : 0;
    if (choose("wheel", {"Scrolls, Ctrl+wheel zooms", "Zooms, Ctrl+wheel scrolls"}, zooms))
        frame.intents.push_back(SetWheel{zooms == 1});
    begin_row("Keys");
    if (button("All keys\xE2\x80\xA6##keys")) {
        frame.intents.push_back(OpenPalette{PaletteMode::Keys});
        ImGui::CloseCurrentPopup();
    }
    tooltip("Keys are changed in settings.json, such as {\"keys\": {\"zoom-in\": \"i\"}}");
}

// A file of the settings folder: where it is, and whether it is there.
void draw_file(const char* label, const char* id, const std::filesystem::path& file, const char* about) {
    begin_row(label);
    std::error_code ignored;
    const bool is_there = std::filesystem::exists(file, ignored);
    const float room = ImGui::GetContentRegionAvail().x - px(70);
    fitted_text(fit_text(ui_style(), file.string() + (is_there ? "" : " (none)"), room),
                is_there ? color::palette().text : color::palette().muted);
    tooltip(about);
    ImGui::SameLine(std::max(ImGui::GetContentRegionMax().x - px(60), px(kLabelWidth)));
    if (button(("Copy##" + std::string(id)).c_str())) ImGui::SetClipboardText(file.string().c_str());
    tooltip("Copy the path");
}

void draw_files() {
    const std::filesystem::path settings = settings_file();
    if (settings.empty()) return muted_text("There is no home folder to keep keys, peaks, links and limits in.");
    draw_file("Keys file", "copy-keys", settings,
              "Keys by command id, as lockstep --keys lists them; read at the next start");
    draw_file("Peaks file", "copy-peaks", settings.parent_path() / "peaks.json",
              "What devices can do: FLOP/s and bytes/s by device name; read at the next start");
    draw_file("Links file", "copy-links", settings.parent_path() / "links.txt",
              "Bandwidth between GPUs, lines DEVICE = GB/s; read at the next start");
    draw_file("Limits file", "copy-limits", settings.parent_path() / "limits.json",
              "Limits of verdict and health, as ratios by id; read at the next start");
}

}  // namespace

void SettingsDialog::open(Frame& frame) {
    ImGui::OpenPopup(kSettingsTitle);
    measure_ = core::Job<core::CacheUse>::start(
        frame.session.pool(),
        [](const core::JobContext&) -> core::Result<core::CacheUse> { return core::measure_index_cache(); });
    measuring_ = true;
    stale_ = true;
    changed_ = false;
}

void SettingsDialog::draw_cache(Frame& frame) {
    const UiChoices& now = frame.choices();
    begin_row("Index files");
    int keeps = now.keep_index_files ? 0 : 1;
    if (choose("index-files", {"Keep", "Never write or read"}, keeps))
        frame.intents.push_back(KeepIndexFiles{keeps == 0});
    tooltip("A run whose index files are there opens at once. Counts for runs opened from now on.");
    const std::string folder = core::index_cache_folder().string();
    if (folder.empty()) return;
    begin_row("");
    int place = now.index_in_cache ? 1 : 0;
    if (choose("index-place", {"Next to the traces", "In the cache folder"}, place))
        frame.intents.push_back(PlaceIndexFiles{place == 1, now.cache_limit_gb});
    tooltip("The other place is used where this one cannot be written.");
    begin_row("Cache folder");
    const std::string use = measuring_ ? std::string("\xE2\x80\xA6")
                                       : core::format_plural(cache_.files, "file", "files") + ", " +
                                             core::format_bytes(static_cast<std::int64_t>(cache_.bytes));
    fitted_text(folder + "  \xC2\xB7  " + use);
    begin_row("At most");
    const auto known = std::ranges::find(kCacheLimits, now.cache_limit_gb);
    int limit = known == std::end(kCacheLimits) ? -1 : static_cast<int>(known - std::begin(kCacheLimits));
    if (choose("cache-limit", {"No limit", "5 GB", "20 GB", "100 GB"}, limit))
        frame.intents.push_back(PlaceIndexFiles{now.index_in_cache, kCacheLimits[limit]});
    tooltip("When another index file is written into the cache folder, those written first are removed.");
}

bool SettingsDialog::edit_number(const std::string& id, bool is_given, std::optional<double>& value) {
    const auto typed = typed_.find(id);
    std::string words = typed != typed_.end() ? typed->second : value ? fmt::format("{:.6g}", *value) : "";
    if (is_given) ImGui::PushStyleColor(ImGuiCol_Text, color::palette().accent);
    const bool entered = input_text(("##" + id).c_str(), "\xE2\x80\x93", words, px(kNumberWidth),
                                    ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CharsDecimal);
    const bool is_left = ImGui::IsItemDeactivatedAfterEdit();
    if (ImGui::IsItemActive())
        typed_[id] = words;
    else
        typed_.erase(id);
    if (is_given) ImGui::PopStyleColor();
    tooltip(is_given ? "Yours. Empty: as the table has it." : "From the table. Type another one to use that.");
    if (!entered && !is_left) return false;
    double read = 0;
    const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), read);
    const bool is_number = error == std::errc{} && end == words.data() + words.size();
    if (!words.empty() && !is_number) return false;
    if (is_number && value && std::abs(read - *value) <= 1e-5 * std::abs(read)) return false;
    if (words.empty() && !is_given) return false;
    value = is_number ? std::optional(read) : std::nullopt;
    changed_ = true;
    stale_ = true;
    return true;
}

void SettingsDialog::draw_number(Frame& frame, const core::DeviceSetting& device, const core::DeviceNumber& number) {
    const float left = ImGui::GetCursorPosX();
    ImGui::AlignTextToFramePadding();
    muted_text(number.key == "link" ? "links" : number.key);
    ImGui::SameLine(left + px(kNumberLabel), 0);
    std::optional<double> value = number.value;
    if (edit_number("number:" + device.device + "/" + number.key, number.is_given, value))
        frame.intents.push_back(SetDeviceNumber{device.device, number.key, value});
}

void SettingsDialog::draw_limit(Frame& frame, std::size_t row) {
    const core::LimitRow& limit = core::limit_rows()[row];
    ImGui::AlignTextToFramePadding();
    text(limit.id);
    ImGui::SameLine(px(kLimitLabel), 0);
    std::optional<double> value = limits_.value(row) < 0 ? std::nullopt : std::optional(limits_.value(row));
    if (edit_number("limit:" + std::string(limit.id), limits_.is_given(row), value))
        frame.intents.push_back(SetLimit{std::string(limit.id), value});
    ImGui::SameLine(px(kLimitLabel + kNumberWidth + 12), 0);
    ImGui::AlignTextToFramePadding();
    const std::string meaning(limit.meaning);
    const std::string fitted = fit_text(ui_style(), meaning, ImGui::GetContentRegionAvail().x - px(8));
    muted_text(fitted);
    tooltip(meaning + ". Source: " + std::string(limit.source));
}

void SettingsDialog::draw_limits(Frame& frame) {
    ImGui::Separator();
    begin_row("Limits");
    if (button(shows_limits_ ? "Hide##limits" : "Of verdict and health\xE2\x80\xA6##limits"))
        shows_limits_ = !shows_limits_;
    tooltip("Where a verdict or a light of health turns, as ratios");
    if (!shows_limits_) return;
    const float high = std::min(px(kLimitsHeight), std::floor(ImGui::GetIO().DisplaySize.y * 0.3f));
    ImGui::BeginChild("limits", {0, high}, false);
    const ItemScope scope("limits");
    for (std::size_t row = 0; row < core::kLimits; ++row) draw_limit(frame, row);
    ImGui::EndChild();
}

void SettingsDialog::draw_devices(Frame& frame) {
    if (devices_.empty()) return;
    ImGui::Separator();
    const ItemScope scope("devices");
    const std::size_t shown = std::min(devices_.size(), kMostDevices);
    for (std::size_t i = 0; i < shown; ++i) {
        const core::DeviceSetting& device = devices_[i];
        heading(fit_text(heading_style(), device.device, ImGui::GetContentRegionAvail().x));
        muted_text(device.table_row.empty() ? "Not in the table" : "Table: " + device.table_row);
        ImGui::SameLine(0, px(12));
        muted_text("TFLOP/s; bandwidth of memory and links in GB/s");
        for (std::size_t n = 0; n < device.numbers.size(); ++n) {
            const auto column = static_cast<float>(n % kNumbersOfLine);
            if (n % kNumbersOfLine != 0) ImGui::SameLine(px(20) + column * px(kNumberColumn), 0);
            draw_number(frame, device, device.numbers[n]);
        }
    }
    if (devices_.size() > shown) muted_text("and " + core::format_plural(devices_.size() - shown, "other", "others"));
}

// For runs that were opened before a number was changed.
void SettingsDialog::draw_reopen(Frame& frame) const {
    if (!changed_) return;
    const core::RunLoad* load = frame.session.load(core::Side::Baseline);
    if (load && !frame.session.comparing() && button("Open the run again##reopen")) {
        frame.intents.push_back(OpenPaths{load->paths(), core::Side::Baseline});
        ImGui::CloseCurrentPopup();
    }
    tooltip("Changed numbers count for runs opened from now on.");
}

void SettingsDialog::draw(Frame& frame, bool ask) {
    if (ask) open(frame);
    if (const core::Result<core::CacheUse>* use = measure_ ? measure_.poll() : nullptr) {
        if (*use) cache_ = **use;
        measure_ = {};
        measuring_ = false;
    }
    shown_ = ImGui::IsPopupOpen(kSettingsTitle);
    if (!shown_) return;
    if (std::exchange(stale_, false) || ask) {
        const std::array<core::RunPtr, 2> runs{frame.session.run(core::Side::Baseline),
                                               frame.session.run(core::Side::Candidate)};
        devices_ = core::collect_device_settings(runs);
        limits_ = core::current_limits();
    }
    const ImVec2 full = ImGui::GetIO().DisplaySize;
    const float width = std::min(px(kDialogWidth), full.x - px(32));
    ImGui::SetNextWindowPos({std::floor((full.x - width) / 2), std::floor(full.y * 0.08f)});
    ImGui::SetNextWindowSize({width, 0});
    ImGui::SetNextWindowSizeConstraints({width, 0}, {width, std::floor(full.y * 0.88f)});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(20), px(16)});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, px(6));
    const bool shown = ImGui::BeginPopupModal(
        kSettingsTitle, nullptr, ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize);
    ImGui::PopStyleVar(2);
    if (!shown) return;
    const ItemScope scope("settings");
    close_on_escape();
    heading("Settings");
    ImGui::Dummy({0, px(4)});
    draw_looks(frame);
    draw_hands(frame);
    draw_cache(frame);
    draw_devices(frame);
    draw_limits(frame);
    draw_reopen(frame);
    ImGui::Separator();
    draw_files();
    ImGui::Dummy({0, px(8)});
    if (button("Close##close")) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
}

void SettingsDialog::describe(nlohmann::json& shown) const {
    if (!shown_) return;
    shown["cache"] = {{"files", cache_.files}, {"bytes", cache_.bytes}};
    for (const core::DeviceSetting& device : devices_)
        for (const core::DeviceNumber& number : device.numbers)
            shown["devices"][device.device][number.key] = {
                {"value", number.value ? nlohmann::json(*number.value) : nlohmann::json()}, {"given", number.is_given}};
    for (std::size_t row = 0; shows_limits_ && row < core::kLimits; ++row)
        shown["limits"][core::limit_rows()[row].id] = {{"value", limits_.value(row)}, {"given", limits_.is_given(row)}};
}

}  // namespace ui
