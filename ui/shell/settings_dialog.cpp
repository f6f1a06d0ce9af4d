#include "ui/shell/settings_dialog.hpp"

#include "ui/commands/commands.hpp"
#include "ui/style/compat.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace ui {
namespace {

constexpr const char* kTitle = "Settings";
constexpr float kDialogWidth = 560;  // at scale 1
constexpr float kLabelWidth = 130;

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

void draw_cache(Frame& frame) {
    begin_row("Index files");
    int keeps = frame.choices().keep_index_files ? 0 : 1;
    if (choose("index-files", {"Keep", "Never write or read"}, keeps))
        frame.intents.push_back(KeepIndexFiles{keeps == 0});
    tooltip("Next to the traces, or in the cache folder where these cannot be written; a run then opens at once.");
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
    if (settings.empty()) return muted_text("There is no home folder to keep keys, peaks and links in.");
    draw_file("Keys file", "copy-keys", settings,
              "Keys by command id, as lockstep --keys lists them; read at the next start");
    draw_file("Peaks file", "copy-peaks", settings.parent_path() / "peaks.json",
              "What devices can do: FLOP/s and bytes/s by device name; read at the next start");
    draw_file("Links file", "copy-links", settings.parent_path() / "links.txt",
              "Bandwidth between GPUs, lines DEVICE = GB/s; read at the next start");
}

}  // namespace

void SettingsDialog::draw(Frame& frame, bool ask) {
    if (ask) ImGui::OpenPopup(kTitle);
    const ImVec2 full = ImGui::GetIO().DisplaySize;
    const float width = std::min(px(kDialogWidth), full.x - px(32));
    ImGui::SetNextWindowPos({std::floor((full.x - width) / 2), std::floor(full.y * 0.22f)});
    ImGui::SetNextWindowSize({width, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(20), px(16)});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, px(6));
    const bool shown = ImGui::BeginPopupModal(kTitle, nullptr,
                                              ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove |
                                                  ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoScrollbar);
    ImGui::PopStyleVar(2);
    if (!shown) return;
    const ItemScope scope("settings");
    close_on_escape();
    heading("Settings");
    ImGui::Dummy({0, px(4)});
    draw_looks(frame);
    draw_hands(frame);
    draw_cache(frame);
    ImGui::Separator();
    draw_files();
    ImGui::Dummy({0, px(8)});
    if (button("Close##close")) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
}

}  // namespace ui
