#pragma once
// What the window shows beyond the session: view, selection, choices. Changed between frames by
// applying intents, and by the timeline (its own view) while it handles input. No ImGui here.

#include "core/session/session.hpp"
#include "ui/timeline/time_view.hpp"

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace ui {

struct UiState {
    TimeView time;
    TimeView whole;  // the view last fitted to the whole run; time follows it until moved
    core::EventRef selected;  // invalid when nothing is
    core::EventRef hovered;
    std::optional<core::RunRange> area;  // dragged on the timeline
    bool follow_visible = false;  // Breakdown of the visible window instead of the filter's
    std::vector<std::string> chosen_kernels;  // full names, for Kernel durations; empty = the top ones
    std::string left_tab = "breakdown";  // panel ids
    std::string right_tab = "overview";
    float drawer_share = 0.38f;  // of the height below the bars
    bool drawer_open = true;
    float scale = 1;  // of fonts and sizes
    bool color_by_class = false;  // else by name
    bool focus_filter = false;  // taken by the next frame, like the one below
    bool ask_for_path = false;
};

struct SetFilter {
    core::Filter filter;
    std::uint64_t gesture = 0;
};
struct Undo {};
struct Redo {};
struct SelectEvent {
    core::EventRef event;
    bool show = false;
};  // show: bring it into view
struct ShowRange {
    core::RunRange range;
};
struct ShowRun {};  // the whole run
struct ChooseKernels {
    std::vector<std::string> names;
};
struct OpenPaths {
    std::vector<std::filesystem::path> paths;
};
struct CancelLoad {};
struct FollowVisible {
    bool on;
};
struct ShowPanel {
    std::string id;
};
struct ToggleDrawer {};
struct ToggleColors {};
struct FocusFilter {};
struct AskForPath {};  // the Open dialog
struct Quit {};
using Intent =
    std::variant<SetFilter, Undo, Redo, SelectEvent, ShowRange, ShowRun, ChooseKernels, OpenPaths, CancelLoad,
                 FollowVisible, ShowPanel, ToggleDrawer, ToggleColors, FocusFilter, AskForPath, Quit>;

struct Applied {
    bool quit = false;
    core::EventRef reveal;  // an event whose lane the timeline should bring into view
};
Applied apply(std::span<const Intent>, core::Session&, UiState&);

// A rank has arrived, or another run was opened: slots move, and an unmoved view shows the whole run again.
void follow_run(const core::RunPtr& before, const core::RunPtr& after, UiState&);
// After the plot changed its width: a view of the whole run stays one.
void keep_whole(const core::Run&, UiState&);

}  // namespace ui
