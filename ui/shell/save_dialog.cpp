#include "ui/shell/save_dialog.hpp"

#include "core/base/ascii.hpp"
#include "ui/model/session/saved_session.hpp"
#include "ui/style/compat.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/widgets/chart_export.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ui {
namespace {

namespace fs = std::filesystem;
constexpr const char* kSaveTitle = "Save";
constexpr float kSaveWidth = 640;  // at scale 1

struct SaveWords {
    const char* title;
    const char* what;
    const char* extension;
};

constexpr std::array<SaveWords, 5> kSaveWords = {{
    {"Save the session", "Runs, filter, views, marks and notes. Opens again like a run.", ".lockstep"},
    {"Save a picture of the window", "A PNG, as the window is now.", ".png"},
    {"Write a report", "One HTML page: figures, findings, charts, tables and this picture.", ".html"},
    {"Save the chart as a picture", "A PNG of what is shown, with title and legend.", ".png"},
    {"Save the chart as a drawing", "An SVG of what is shown, with title and legend: sharp at any size.", ".svg"},
}};

const SaveWords& words_of(SaveKind kind) { return kSaveWords[static_cast<std::size_t>(kind)]; }

// A session opens again by its extension.
fs::path with_extension(fs::path file, SaveKind kind) {
    if (kind == SaveKind::Session && !is_session_file(file)) file += words_of(kind).extension;
    return file;
}

// "run-kernel-durations"
std::string with_words(std::string name, std::string_view words) {
    if (!words.empty()) name += '-';
    for (const char c : words) name += c == ' ' ? '-' : core::lower_ascii(c);
    return name;
}

}  // namespace

fs::path usual_file(SaveKind kind, const std::string& run_name) {
    std::string name;
    for (const char c : run_name) name += c == '/' || static_cast<unsigned char>(c) < 0x20 ? '_' : c;
    if (name.empty() || name.front() == '.') name.insert(0, "run");
    std::error_code ignored;
    return fs::current_path(ignored) / (name + words_of(kind).extension);
}

void SaveDialog::draw(Frame& frame, std::optional<SaveKind> ask) {
    if (ask && frame.run()) {
        kind_ = *ask;
        const bool is_chart = kind_ == SaveKind::ChartPicture || kind_ == SaveKind::ChartDrawing;
        path_ = usual_file(kind_, with_words(frame.run()->name(), is_chart ? chart_export().title() : "")).string();
        if (names_) path_ = fs::path(path_).filename().string();
        focus_ = true;
        ImGui::OpenPopup(kSaveTitle);
    }
    const ImVec2 full = ImGui::GetIO().DisplaySize;
    const float width = std::min(px(kSaveWidth), full.x - px(32));
    ImGui::SetNextWindowPos({std::floor((full.x - width) / 2), std::floor(full.y * 0.3f)});
    ImGui::SetNextWindowSize({width, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(20), px(16)});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, px(6));
    const bool shown = ImGui::BeginPopupModal(kSaveTitle, nullptr,
                                              ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove |
                                                  ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoScrollbar);
    ImGui::PopStyleVar(2);
    if (!shown) return;
    const ItemScope scope("save");
    const SaveWords& words = words_of(kind_);
    heading(words.title);
    fitted_text(words.what, color::palette().muted);
    ImGui::Dummy({0, px(4)});
    if (std::exchange(focus_, false)) ImGui::SetKeyboardFocusHere();
    bool save = input_text("##path", "File", path_, -1, ImGuiInputTextFlags_EnterReturnsTrue);
    std::error_code ignored;
    const bool exists = !names_ && !path_.empty() && fs::exists(path_, ignored);
    fitted_text(exists ? "The file there is replaced." : " ", color::palette().warning);
    ImGui::Dummy({0, px(4)});
    ImGui::PushStyleColor(ImGuiCol_Button, color::mix(color::palette().raised, color::palette().accent, 0.45f));
    save |= button("Save##save");
    ImGui::PopStyleColor();
    ImGui::SameLine(0, px(8));
    const bool cancel = button("Cancel##cancel") || compat::is_key_pressed(GLFW_KEY_ESCAPE);
    if (save && !path_.empty()) frame.intents.push_back(SaveFile{kind_, with_extension(path_, kind_)});
    if (cancel || (save && !path_.empty())) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
}

}  // namespace ui
