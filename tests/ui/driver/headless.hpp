#pragma once
// Dear ImGui without a window or a GL context: frames are laid out and never rendered.

#include "ui/model/deferred.hpp"
#include "ui/model/intents/apply.hpp"
#include "ui/model/intents/document_store.hpp"
#include "ui/model/panel.hpp"
#include "ui/style/compat.hpp"
#include "ui/style/theme.hpp"

#include <imgui.h>

namespace ui::testing {

// Changes choices as a session file would.
template <class Change>
void change_view(DocumentStore& store, const core::Session& session, core::Side side, const Change& change) {
    View view = store.view(side);
    change(view);
    store.apply(SetView{std::move(view)}, {.session = session, .side = side});
}

// Shows the whole run of a side.
inline void show_run(DocumentStore& store, const core::Session& session, core::Side side = core::Side::Baseline) {
    store.apply(CarryView{.before = nullptr, .after = session.run(side)}, {.session = session, .side = side});
}

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

    // Sets the mouse position from the next frame on.
    void point_at(ImVec2 position, bool left_button, bool ctrl = false) {
        ImGuiIO& io = ImGui::GetIO();
#if LOCKSTEP_IMGUI_EVENTS
        io.AddMousePosEvent(position.x, position.y);
        io.AddMouseButtonEvent(0, left_button);
        io.AddKeyEvent(ImGuiMod_Ctrl, ctrl);
#else
        io.MousePos = position;
        io.MouseDown[0] = left_button;
        io.KeyCtrl = ctrl;
#endif
    }

    // Draws one frame of one panel, for both runs if two are open, then applies its intents. Returns the number of
    // vertices.
    int draw(Panel& panel, core::Session& session, DocumentStore& store, Ephemera& ephemera, ImVec2 size) {
        session.update();
        ++frame_count;
        ImGui::NewFrame();
        ImGui::SetNextWindowPos({0, 0});
        ImGui::SetNextWindowSize(size);
        ImGui::Begin("panel", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground);
        intents.clear();
        candidate_intents.clear();
        Frame frame{session, session.results(), store.document(), ephemera, intents};
        Frame candidate{session,  session.results(), store.document(),
                        ephemera, candidate_intents, core::Side::Candidate};
        if (session.alignment()) frame.candidate = &candidate;
        panel.draw(frame);
        ImGui::End();
        ImGui::Render();
        session.results().end_frame();
        apply(intents, session, store, ephemera);
        apply(candidate_intents, session, store, ephemera, core::Side::Candidate);
        return ImGui::GetDrawData()->TotalVtxCount;
    }
    std::vector<Intent> intents;   // of the last frame
    std::vector<Intent> candidate_intents;
};

}  // namespace ui::testing
