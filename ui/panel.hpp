#pragma once
// A panel reads the session, draws itself, and says what the user wants. It changes nothing shared:
// intents take effect between frames, so the order of panels cannot matter.

#include "ui/state.hpp"

#include <memory>
#include <span>
#include <string_view>

namespace ui {

struct Frame {
    const core::Session& session;
    core::ResultCache& results;       // asking is all a panel may do to shared state
    const UiState& state;
    std::vector<Intent>& intents;
};

struct Panel {
    virtual ~Panel() = default;
    virtual void draw(Frame&) = 0;    // into the current ImGui child window
    virtual bool busy() const { return false; }  // work of its own is under way: what is shown will change
};

enum class Drawer : std::uint8_t { Left, Right };

struct PanelType {
    std::string_view id;
    std::string_view title;
    Drawer drawer;
    std::unique_ptr<Panel> (*make)();
};

std::span<const PanelType> all_panels();
const PanelType* find_panel(std::string_view id);

}  // namespace ui
