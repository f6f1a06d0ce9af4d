#pragma once
// Dear ImGui without a window or a GL context: frames are laid out and never rendered.

#include "ui/panel.hpp"
#include "ui/theme.hpp"

#include <imgui.h>

namespace ui::testing {

class Headless {
public:
    explicit Headless(ImVec2 size = {1280, 720}) {
        ImGui::CreateContext();
        ImGuiIO& io = ImGui::GetIO();
        io.IniFilename = nullptr;
        io.DisplaySize = size;
        io.DeltaTime = 1.0f / 60;
        build_fonts(1);
    }
    ~Headless() { ImGui::DestroyContext(); }
    Headless(const Headless&) = delete;
    Headless& operator=(const Headless&) = delete;

    // One frame of one panel; its intents take effect afterwards. Returns how many vertices it made.
    int draw(Panel& panel, core::Session& session, UiState& state, ImVec2 size) {
        session.update();
        ImGui::NewFrame();
        ImGui::SetNextWindowPos({0, 0});
        ImGui::SetNextWindowSize(size);
        ImGui::Begin("panel", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground);
        std::vector<Intent> intents;
        Frame frame{session, session.results(), state, intents};
        panel.draw(frame);
        ImGui::End();
        ImGui::Render();
        session.results().end_frame();
        apply(intents, session, state);
        return ImGui::GetDrawData()->TotalVtxCount;
    }
};

}  // namespace ui::testing
