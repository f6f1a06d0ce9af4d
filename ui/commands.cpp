#include "ui/commands.hpp"

#include "ui/widgets/compat.hpp"

#include <algorithm>

namespace ui {
namespace {

constexpr Command kCommands[] = {
    {"open", "Open\xE2\x80\xA6", {GLFW_KEY_O, true, false}, [](const UiState&) -> Intent { return AskForPath{}; }},
    {"undo", "Undo filter", {GLFW_KEY_Z, true, false}, [](const UiState&) -> Intent { return Undo{}; }},
    {"redo", "Redo filter", {GLFW_KEY_Z, true, true}, [](const UiState&) -> Intent { return Redo{}; }},
    {"filter", "Edit the filter", {GLFW_KEY_F, true, false}, [](const UiState&) -> Intent { return FocusFilter{}; }},
    {"filter-slash",
     "Edit the filter",
     {GLFW_KEY_SLASH, false, false},
     [](const UiState&) -> Intent { return FocusFilter{}; }},
    {"clear-filter",
     "Clear the filter",
     {GLFW_KEY_BACKSPACE, true, false},
     [](const UiState&) -> Intent { return SetFilter{}; }},
    {"whole-run",
     "Show the whole run",
     {GLFW_KEY_HOME, false, false},
     [](const UiState&) -> Intent { return ShowRun{}; }},
    {"drawer",
     "Show or hide the drawers",
     {GLFW_KEY_Q, false, false},
     [](const UiState&) -> Intent { return ToggleDrawer{}; }},
    {"colors",
     "Colour by class or by name",
     {GLFW_KEY_C, false, false},
     [](const UiState&) -> Intent { return ToggleColors{}; }},
    {"follow",
     "Breakdown of the visible window",
     {GLFW_KEY_V, false, false},
     [](const UiState& state) -> Intent { return FollowVisible{!state.follow_visible}; }},
    {"deselect",
     "Select nothing",
     {GLFW_KEY_ESCAPE, false, false},
     [](const UiState&) -> Intent { return SelectEvent{}; }},
    {"quit", "Quit", {GLFW_KEY_Q, true, false}, [](const UiState&) -> Intent { return Quit{}; }},
};

std::string name_of_key(int key) {
    switch (key) {
        case GLFW_KEY_HOME:
            return "Home";
        case GLFW_KEY_ESCAPE:
            return "Esc";
        case GLFW_KEY_BACKSPACE:
            return "Backspace";
        default:
            return std::string(1, static_cast<char>(key));  // printable keys are their ASCII capitals
    }
}

}  // namespace

std::span<const Command> all_commands() { return kCommands; }

const Command* find_command(std::string_view id) {
    const auto found = std::ranges::find(kCommands, id, &Command::id);
    return found == std::end(kCommands) ? nullptr : found;
}

std::string format_chord(const Chord& chord) {
    if (chord.key == 0) return {};
    return std::string(chord.ctrl ? "Ctrl+" : "") + (chord.shift ? "Shift+" : "") + name_of_key(chord.key);
}

void collect_pressed(const UiState& state, std::vector<Intent>& intents) {
    const ImGuiIO& io = ImGui::GetIO();
    if (io.WantTextInput || io.KeyAlt) return;
    for (const Command& command : kCommands) {
        const Chord& chord = command.chord;
        if (chord.key == 0 || chord.ctrl != io.KeyCtrl || chord.shift != io.KeyShift) continue;
        if (compat::is_key_pressed(chord.key)) intents.push_back(command.intent(state));
    }
}

}  // namespace ui
