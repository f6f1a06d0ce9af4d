#include "ui/shell/drop_dialog.hpp"

#include "ui/style/compat.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr const char* kDropTitle = "Dropped";
constexpr float kWidth = 520;  // at scale 1

std::string name_of(const std::vector<std::filesystem::path>& paths) {
    std::filesystem::path path = paths.front();
    if (!path.has_filename()) path = path.parent_path();  // "/runs/a/"
    std::string name = path.filename().string();
    if (paths.size() > 1) name.append(" and ").append(std::to_string(paths.size() - 1)).append(" more");
    return name;
}

}  // namespace

void DropDialog::draw(Frame& frame, std::vector<std::filesystem::path> dropped) {
    if (!dropped.empty()) {
        paths_ = std::move(dropped);
        ImGui::OpenPopup(kDropTitle);
    }
    const ImVec2 full = ImGui::GetIO().DisplaySize;
    const float width = std::min(px(kWidth), full.x - px(32));
    ImGui::SetNextWindowPos({std::floor((full.x - width) / 2), std::floor(full.y * 0.3f)});
    ImGui::SetNextWindowSize({width, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(20), px(16)});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, px(6));
    const bool shown = ImGui::BeginPopupModal(kDropTitle, nullptr,
                                              ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove |
                                                  ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoScrollbar);
    ImGui::PopStyleVar(2);
    if (!shown) return;
    const ItemScope scope("drop");
    const core::RunPtr& run = frame.session.run();
    bool close = compat::is_key_pressed(GLFW_KEY_ESCAPE) || !run;
    const auto open = [&](core::Side side) {
        frame.intents.push_back(OpenPaths{paths_, side});
        close = true;
    };
    heading("Open " + fit_text(heading_style(), name_of(paths_), width - px(90)));
    if (run) fitted_text("Compare it with " + run->name() + ", or open it instead?", color::palette().muted);
    ImGui::Dummy({0, px(8)});
    ImGui::PushStyleColor(ImGuiCol_Button, color::mix(color::palette().raised, color::palette().accent, 0.45f));
    if (button("Compare##compare") || compat::is_key_pressed(GLFW_KEY_ENTER)) open(core::Side::Candidate);
    ImGui::PopStyleColor();
    tooltip(frame.session.comparing() ? "As the candidate, instead of the one that is open   Enter"
                                      : "As the candidate beside the run that is open   Enter");
    ImGui::SameLine(0, px(8));
    if (button("Open instead##replace")) {
        if (frame.session.comparing()) frame.intents.push_back(CloseRun{});
        open(core::Side::Baseline);
    }
    tooltip("Undo brings back what is open now");
    ImGui::SameLine(0, px(8));
    if (button("Cancel##cancel")) close = true;
    if (close) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
}

}  // namespace ui
