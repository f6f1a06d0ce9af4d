#include "ui/commands.hpp"

#include "ui/widgets/compat.hpp"

#include <algorithm>

namespace ui {
namespace {

template <std::size_t kNumber>
Intent set_bookmark(const UiState&) {
    return SetBookmark{kNumber};
}
template <std::size_t kNumber>
Intent go_to_bookmark(const UiState&) {
    return GoToBookmark{kNumber};
}

template <RankSort kSort>
Intent sort_ranks(const UiState& state) {
    return SetRanks{sorted_by(state.ranks, kSort)};
}

Intent reverse_ranks(const UiState& state) {
    RankChoices ranks = state.ranks;
    ranks.descending = !ranks.descending;
    return SetRanks{std::move(ranks)};
}

Intent show_all_ranks(const UiState& state) {
    RankChoices ranks = state.ranks;
    ranks.hidden.clear();
    return SetRanks{std::move(ranks)};
}

template <ColorBy kBy>
Intent color_events(const UiState&) {
    return ColorEvents{kBy};
}

Intent color_next_way(const UiState& state) {
    const auto next = (static_cast<std::size_t>(state.color_by) + 1) % std::size(kColorWays);
    return ColorEvents{kColorWays[next]};
}

template <int kSteps>
Intent resize_by(const UiState&) {
    return ResizeInterface{kSteps};
}

constexpr Command kCommands[] = {
    {"open", "Open\xE2\x80\xA6", {GLFW_KEY_O, true, false}, [](const UiState&) -> Intent { return AskForPath{}; }},
    {"open-candidate",
     "Open a run to compare with\xE2\x80\xA6",
     {GLFW_KEY_O, true, true},
     [](const UiState&) -> Intent { return AskForPath{core::Side::Candidate}; }},
    {"swap", "Swap baseline and candidate", {}, [](const UiState&) -> Intent { return SwapRuns{}; }},
    {"close-candidate", "Close the candidate", {}, [](const UiState&) -> Intent { return CloseRun{}; }},
    {"arrange",
     "Runs stacked or side by side",
     {},
     [](const UiState& state) -> Intent {
         return PlaceRuns{state.placement == Placement::Stacked ? Placement::SideBySide : Placement::Stacked};
     }},
    {"lock",
     "Zoom and pan both runs together, or not",
     {},
     [](const UiState& state) -> Intent { return LockViews{!state.locked}; }},
    {"align-step",
     "Align the runs at the first complete step",
     {},
     [](const UiState&) -> Intent {
         return AlignRuns{{core::AlignBy::Kind::FirstStep, 0, {}, {}}};
     }},
    {"align-start",
     "Align the runs at their starts",
     {},
     [](const UiState&) -> Intent {
         return AlignRuns{{core::AlignBy::Kind::Start, 0, {}, {}}};
     }},
    {"align-here",
     "Align the runs at this step",
     {GLFW_KEY_T, false, false},
     [](const UiState&) -> Intent { return AlignAtStep{}; }},
    {"align-events",
     "Align the runs at the two selected events",
     {GLFW_KEY_T, false, true},
     [](const UiState&) -> Intent { return AlignAtSelected{}; }},
    {"only-here",
     "Mark events that only one run has, or not",
     {},
     [](const UiState& state) -> Intent { return MarkOnlyHere{!state.mark_only_here}; }},
    {"ghost-steps",
     "Show where the other run's steps begin, or not",
     {},
     [](const UiState& state) -> Intent { return ShowGhosts{!state.ghost_steps}; }},
    {"undo", "Undo", {GLFW_KEY_Z, true, false}, [](const UiState&) -> Intent { return Undo{}; }},
    {"redo", "Redo", {GLFW_KEY_Z, true, true}, [](const UiState&) -> Intent { return Redo{}; }},
    {"filter", "Edit the filter", {GLFW_KEY_L, true, false}, [](const UiState&) -> Intent { return FocusFilter{}; }},
    {"find", "Find events", {GLFW_KEY_F, true, false}, [](const UiState&) -> Intent { return OpenFind{}; }},
    {"find-slash", "Find events", {GLFW_KEY_SLASH, false, false}, [](const UiState&) -> Intent { return OpenFind{}; }},
    {"find-next",
     "Next found event",
     {GLFW_KEY_F3, false, false},
     [](const UiState&) -> Intent { return FindStep{1}; }},
    {"find-previous",
     "Previous found event",
     {GLFW_KEY_F3, false, true},
     [](const UiState&) -> Intent { return FindStep{-1}; }},
    {"list-found", "List what is found", {}, [](const UiState&) -> Intent { return ShowPanel{"found"}; }},
    {"area-details", "What the area holds", {}, [](const UiState&) -> Intent { return ShowPanel{"area"}; }},
    {"next-occurrence",
     "Next occurrence of this name",
     {},
     [](const UiState&) -> Intent { return GoToOccurrence{core::Occurrence::Next}; }},
    {"previous-occurrence",
     "Previous occurrence of this name",
     {},
     [](const UiState&) -> Intent { return GoToOccurrence{core::Occurrence::Previous}; }},
    {"longest-occurrence",
     "Longest occurrence of this name",
     {},
     [](const UiState&) -> Intent { return GoToOccurrence{core::Occurrence::Longest}; }},
    {"worst-rank-occurrence",
     "Longest occurrence of this name on the rank it costs most",
     {},
     [](const UiState&) -> Intent { return GoToOccurrence{core::Occurrence::LongestOfWorstRank}; }},
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
    {"colors", "Colour events the next way", {GLFW_KEY_C, false, false}, color_next_way},
    {"color-name", "Colour events by name", {}, color_events<ColorBy::Name>},
    {"color-class", "Colour events by class", {}, color_events<ColorBy::Class>},
    {"color-rank", "Colour events by rank", {}, color_events<ColorBy::Rank>},
    {"color-group", "Colour collectives by process group", {}, color_events<ColorBy::Group>},
    {"color-duration", "Colour events by duration", {}, color_events<ColorBy::Duration>},
    {"theme-dark", "Theme: dark", {}, [](const UiState&) -> Intent { return SetTheme{Theme::Dark}; }},
    {"theme-light", "Theme: light", {}, [](const UiState&) -> Intent { return SetTheme{Theme::Light}; }},
    {"theme-safe", "Theme: colour-blind safe", {}, [](const UiState&) -> Intent { return SetTheme{Theme::Safe}; }},
    {"larger", "Larger interface", {GLFW_KEY_EQUAL, true, false}, resize_by<1>},
    {"larger-plus", "Larger interface", {GLFW_KEY_EQUAL, true, true}, resize_by<1>},
    {"smaller", "Smaller interface", {GLFW_KEY_MINUS, true, false}, resize_by<-1>},
    {"normal-size", "Normal size of the interface", {GLFW_KEY_0, true, false}, resize_by<0>},
    {"follow",
     "Breakdown of the visible window",
     {GLFW_KEY_V, false, false},
     [](const UiState& state) -> Intent { return FollowVisible{!state.follow_visible}; }},
    {"critical-path",
     "Show the critical path of a rank, or not",
     {GLFW_KEY_P, false, false},
     [](const UiState& state) -> Intent { return ShowPath{!state.critical_path}; }},
    {"series",
     "Show queue length, memory bandwidth and memory of open ranks, or not",
     {GLFW_KEY_L, false, false},
     [](const UiState& state) -> Intent { return ShowSeries{!state.series_lanes}; }},
    {"pin-rank",
     "Pin the selected event's rank to the top, or not",
     {},
     [](const UiState&) -> Intent { return ChangeRanks{RankChange::PinSelected}; }},
    {"hide-rank",
     "Hide the selected event's rank",
     {},
     [](const UiState&) -> Intent { return ChangeRanks{RankChange::HideSelected}; }},
    {"hide-other-ranks",
     "Hide all ranks but the selected event's",
     {},
     [](const UiState&) -> Intent { return ChangeRanks{RankChange::HideOthers}; }},
    {"show-ranks", "Show hidden ranks", {}, show_all_ranks},
    {"sort-by-rank", "Sort ranks by number", {}, sort_ranks<RankSort::Rank>},
    {"sort-by-step-time", "Sort ranks by step time", {}, sort_ranks<RankSort::StepTime>},
    {"sort-by-idle", "Sort ranks by idle time", {}, sort_ranks<RankSort::Idle>},
    {"sort-by-exposed", "Sort ranks by exposed communication", {}, sort_ranks<RankSort::Exposed>},
    {"sort-by-kernel",
     "Sort ranks by the duration of the selected kernel",
     {},
     [](const UiState&) -> Intent { return ChangeRanks{RankChange::SortBySelected}; }},
    {"reverse-ranks", "Reverse the order of ranks", {}, reverse_ranks},
    {"group-ranks",
     "Group ranks by node, by process group or not",
     {},
     [](const UiState&) -> Intent { return ChangeRanks{RankChange::NextGrouping}; }},
    {"go-to",
     "Go to a time, step, rank or stream\xE2\x80\xA6",
     {GLFW_KEY_P, true, false},
     [](const UiState&) -> Intent { return OpenPalette{PaletteMode::GoTo}; }},
    {"next-step",
     "Next step",
     {GLFW_KEY_PERIOD, true, false},
     [](const UiState&) -> Intent { return ShowStepBeside{true}; }},
    {"previous-step",
     "Previous step",
     {GLFW_KEY_COMMA, true, false},
     [](const UiState&) -> Intent { return ShowStepBeside{false}; }},
    {"copy-link",
     "Copy the command line that opens this place",
     {GLFW_KEY_C, true, true},
     [](const UiState&) -> Intent { return CopyLink{}; }},
    {"save-session",
     "Save the session\xE2\x80\xA6",
     {GLFW_KEY_S, true, false},
     [](const UiState&) -> Intent { return AskToSave{SaveKind::Session}; }},
    {"save-picture",
     "Save a picture of the window\xE2\x80\xA6",
     {},
     [](const UiState&) -> Intent { return AskToSave{SaveKind::Picture}; }},
    {"write-report",
     "Write a report\xE2\x80\xA6",
     {},
     [](const UiState&) -> Intent { return AskToSave{SaveKind::Report}; }},
    {"mark",
     "Mark the area, the selected event or the moment under the pointer",
     {GLFW_KEY_M, false, false},
     [](const UiState&) -> Intent { return MarkRange{false}; }},
    {"keep-mark",
     "Keep that mark",
     {GLFW_KEY_M, false, true},
     [](const UiState&) -> Intent { return MarkRange{true}; }},
    {"bookmark-1", "Go to bookmark 1", {GLFW_KEY_1, false, false}, go_to_bookmark<0>},
    {"bookmark-2", "Go to bookmark 2", {GLFW_KEY_2, false, false}, go_to_bookmark<1>},
    {"bookmark-3", "Go to bookmark 3", {GLFW_KEY_3, false, false}, go_to_bookmark<2>},
    {"bookmark-4", "Go to bookmark 4", {GLFW_KEY_4, false, false}, go_to_bookmark<3>},
    {"bookmark-5", "Go to bookmark 5", {GLFW_KEY_5, false, false}, go_to_bookmark<4>},
    {"bookmark-6", "Go to bookmark 6", {GLFW_KEY_6, false, false}, go_to_bookmark<5>},
    {"bookmark-7", "Go to bookmark 7", {GLFW_KEY_7, false, false}, go_to_bookmark<6>},
    {"bookmark-8", "Go to bookmark 8", {GLFW_KEY_8, false, false}, go_to_bookmark<7>},
    {"bookmark-9", "Go to bookmark 9", {GLFW_KEY_9, false, false}, go_to_bookmark<8>},
    {"set-bookmark-1", "Set bookmark 1", {GLFW_KEY_1, true, false}, set_bookmark<0>},
    {"set-bookmark-2", "Set bookmark 2", {GLFW_KEY_2, true, false}, set_bookmark<1>},
    {"set-bookmark-3", "Set bookmark 3", {GLFW_KEY_3, true, false}, set_bookmark<2>},
    {"set-bookmark-4", "Set bookmark 4", {GLFW_KEY_4, true, false}, set_bookmark<3>},
    {"set-bookmark-5", "Set bookmark 5", {GLFW_KEY_5, true, false}, set_bookmark<4>},
    {"set-bookmark-6", "Set bookmark 6", {GLFW_KEY_6, true, false}, set_bookmark<5>},
    {"set-bookmark-7", "Set bookmark 7", {GLFW_KEY_7, true, false}, set_bookmark<6>},
    {"set-bookmark-8", "Set bookmark 8", {GLFW_KEY_8, true, false}, set_bookmark<7>},
    {"set-bookmark-9", "Set bookmark 9", {GLFW_KEY_9, true, false}, set_bookmark<8>},
    {"palette",
     "Every command\xE2\x80\xA6",
     {GLFW_KEY_P, true, true},
     [](const UiState&) -> Intent { return OpenPalette{PaletteMode::Commands}; }},
    {"keys",
     "All keys",
     {GLFW_KEY_SLASH, false, true},
     [](const UiState&) -> Intent { return OpenPalette{PaletteMode::Keys}; }},
    {"dismiss",
     "Close the find bar, drop the area, select nothing",
     {GLFW_KEY_ESCAPE, false, false},
     [](const UiState&) -> Intent { return Dismiss{}; }},
    {"quit", "Quit", {GLFW_KEY_Q, true, false}, [](const UiState&) -> Intent { return Quit{}; }},
};

constexpr Gesture kGestures[] = {
    {"Wheel", "Scroll the rows"},
    {"Ctrl+wheel", "Zoom at the pointer"},
    {"Shift+wheel", "Pan"},
    {"Drag", "Select an area: of the rows it crosses, along one of everything"},
    {"Drag on the ruler", "Select a time of everything"},
    {"Shift+drag, middle drag", "Pan in both directions"},
    {"Double click", "Zoom to the event"},
    {"1 \xE2\x80\xA6 9", "Go to a bookmark"},
    {"Ctrl+1 \xE2\x80\xA6 9", "Set a bookmark to what is shown"},
};

constexpr std::string_view kAboutTwoRuns[] = {"swap",       "close-candidate", "arrange",    "lock",
                                              "align-step", "align-start",     "align-here", "align-events",
                                              "only-here",  "ghost-steps"};

}  // namespace

std::span<const Command> all_commands() { return kCommands; }
std::span<const Gesture> all_gestures() { return kGestures; }

bool is_about_two_runs(const Command& command) {
    return std::ranges::find(kAboutTwoRuns, command.id) != std::end(kAboutTwoRuns);
}

bool is_alias(const Command& command) { return command.id == "find-slash" || command.id == "larger-plus"; }

bool is_of_number(const Command& command) {
    return command.id.starts_with("bookmark-") || command.id.starts_with("set-bookmark-");
}

const Command* find_command(std::string_view id) {
    const auto found = std::ranges::find(kCommands, id, &Command::id);
    return found == std::end(kCommands) ? nullptr : found;
}

void collect_pressed(const UiState& state, bool escape_taken, std::vector<Intent>& intents) {
    const ImGuiIO& io = ImGui::GetIO();
    if (io.WantTextInput || io.KeyAlt || ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) return;
    for (const Command& command : kCommands) {
        if (command.id == "dismiss" && escape_taken) continue;
        if (key_map().pressed(command.id)) intents.push_back(command.intent(state));
    }
}

}  // namespace ui
