#pragma once
// What the window shows beyond the session: view, selection, choices. Changed between frames by
// applying intents, and by the timeline (its own view) while it handles input. No ImGui here.

#include "core/session/session.hpp"
#include "ui/timeline/time_view.hpp"

#include <array>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace ui {

struct UiState {
    TimeView time;
    core::EventRef selected;                     // invalid when nothing is
    core::EventRef hovered;
    std::optional<core::RunRange> area;          // dragged on the timeline
    bool follow_visible = false;                 // Breakdown of the visible window instead of the filter's
    std::vector<std::string> chosen_kernels;     // full names, for Kernel durations; empty = the top ones
    std::string left_tab = "breakdown";          // panel ids
    std::string right_tab = "details";
    float drawer_share = 0.36f;                  // of the height below the bars
    bool drawer_open = true;
    float scale = 1;                             // of fonts and sizes
    bool color_by_class = false;                 // else by name
};

struct SetFilter { core::Filter filter; std::uint64_t gesture = 0; };
struct Undo {};
struct Redo {};
struct SelectEvent { core::EventRef event; bool show = false; };  // show: bring it into view
struct ShowRange { core::RunRange range; };
struct ShowRun {};                               // the whole run
struct ChooseKernels { std::vector<std::string> names; };
struct OpenPaths { std::vector<std::filesystem::path> paths; };
struct CancelLoad {};
struct FollowVisible { bool on; };
struct ShowPanel { std::string id; };
struct ToggleDrawer {};
struct ToggleColors {};
struct Quit {};
using Intent = std::variant<SetFilter, Undo, Redo, SelectEvent, ShowRange, ShowRun, ChooseKernels, OpenPaths, CancelLoad,
                            FollowVisible, ShowPanel, ToggleDrawer, ToggleColors, Quit>;

struct Applied { bool quit = false; };
Applied apply(std::span<const Intent>, core::Session&, UiState&);

}  // namespace ui
