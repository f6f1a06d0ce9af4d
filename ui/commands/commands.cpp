#include "ui/commands/commands.hpp"

#include "ui/style/compat.hpp"

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

template <bool kFolded>
Intent fold_groups(const UiState& state) {
    return SetRanks{fold_all_groups(state.ranks, kFolded)};
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

constexpr std::string_view kGroupNames[] = {"File",    "Edit", "View", "Go", "Ranks", "Colours and theme",
                                            "Compare", "Help"};
static_assert(std::size(kGroupNames) == kCommandGroups);

// Group by group, in the order of menus.
constexpr Command kCommands[] = {
    {"open",
     CommandGroup::File,
     "Open\xE2\x80\xA6",
     {GLFW_KEY_O, true, false},
     [](const UiState&) -> Intent { return AskForPath{}; }},
    {"save-session",
     CommandGroup::File,
     "Save the session\xE2\x80\xA6",
     {GLFW_KEY_S, true, false},
     [](const UiState&) -> Intent { return AskToSave{SaveKind::Session}; }},
    {"save-picture",
     CommandGroup::File,
     "Save a picture of the window\xE2\x80\xA6",
     {},
     [](const UiState&) -> Intent { return AskToSave{SaveKind::Picture}; }},
    {"write-report",
     CommandGroup::File,
     "Write a report\xE2\x80\xA6",
     {},
     [](const UiState&) -> Intent { return AskToSave{SaveKind::Report}; }},
    {"quit", CommandGroup::File, "Quit", {GLFW_KEY_Q, true, false}, [](const UiState&) -> Intent { return Quit{}; }},
    {"undo", CommandGroup::Edit, "Undo", {GLFW_KEY_Z, true, false}, [](const UiState&) -> Intent { return Undo{}; }},
    {"redo", CommandGroup::Edit, "Redo", {GLFW_KEY_Z, true, true}, [](const UiState&) -> Intent { return Redo{}; }},
    {"filter",
     CommandGroup::Edit,
     "Edit the filter",
     {GLFW_KEY_L, true, false},
     [](const UiState&) -> Intent { return FocusFilter{}; }},
    {"clear-filter",
     CommandGroup::Edit,
     "Clear the filter",
     {GLFW_KEY_BACKSPACE, true, false},
     [](const UiState&) -> Intent { return SetFilter{}; }},
    {"copy-link",
     CommandGroup::Edit,
     "Copy the command line that opens this place",
     {GLFW_KEY_C, true, true},
     [](const UiState&) -> Intent { return CopyLink{}; }},
    {"copy-table",
     CommandGroup::Edit,
     "Copy the table of the panel the mouse is on",
     {},
     [](const UiState&) -> Intent { return CopyTable{}; }},
    {"mark",
     CommandGroup::Edit,
     "Mark the area, the selected event or the moment under the pointer",
     {GLFW_KEY_M, false, false},
     [](const UiState&) -> Intent { return MarkRange{false}; }},
    {"keep-mark",
     CommandGroup::Edit,
     "Keep that mark",
     {GLFW_KEY_M, false, true},
     [](const UiState&) -> Intent { return MarkRange{true}; }},
    {"dismiss",
     CommandGroup::Edit,
     "Close the find bar, drop the area, select nothing",
     {GLFW_KEY_ESCAPE, false, false},
     [](const UiState&) -> Intent { return Dismiss{}; }},
    {"set-bookmark-1", CommandGroup::Edit, "Set bookmark 1", {GLFW_KEY_1, true, false}, set_bookmark<0>},
    {"set-bookmark-2", CommandGroup::Edit, "Set bookmark 2", {GLFW_KEY_2, true, false}, set_bookmark<1>},
    {"set-bookmark-3", CommandGroup::Edit, "Set bookmark 3", {GLFW_KEY_3, true, false}, set_bookmark<2>},
    {"set-bookmark-4", CommandGroup::Edit, "Set bookmark 4", {GLFW_KEY_4, true, false}, set_bookmark<3>},
    {"set-bookmark-5", CommandGroup::Edit, "Set bookmark 5", {GLFW_KEY_5, true, false}, set_bookmark<4>},
    {"set-bookmark-6", CommandGroup::Edit, "Set bookmark 6", {GLFW_KEY_6, true, false}, set_bookmark<5>},
    {"set-bookmark-7", CommandGroup::Edit, "Set bookmark 7", {GLFW_KEY_7, true, false}, set_bookmark<6>},
    {"set-bookmark-8", CommandGroup::Edit, "Set bookmark 8", {GLFW_KEY_8, true, false}, set_bookmark<7>},
    {"set-bookmark-9", CommandGroup::Edit, "Set bookmark 9", {GLFW_KEY_9, true, false}, set_bookmark<8>},
    {"whole-run",
     CommandGroup::View,
     "Show the whole run",
     {GLFW_KEY_HOME, false, false},
     [](const UiState&) -> Intent { return ShowRun{}; }},
    {"drawer",
     CommandGroup::View,
     "Show or hide the drawers",
     {GLFW_KEY_Q, false, false},
     [](const UiState&) -> Intent { return ToggleDrawer{}; }},
    {"follow",
     CommandGroup::View,
     "Breakdown of the visible window",
     {GLFW_KEY_V, false, false},
     [](const UiState& state) -> Intent { return FollowVisible{!state.follow_visible}; }},
    {"critical-path",
     CommandGroup::View,
     "Show the critical path of a rank, or not",
     {GLFW_KEY_P, false, false},
     [](const UiState& state) -> Intent { return ShowPath{!state.critical_path}; }},
    {"series",
     CommandGroup::View,
     "Show queue length, memory bandwidth and memory of open ranks, or not",
     {GLFW_KEY_L, false, false},
     [](const UiState& state) -> Intent { return ShowSeries{!state.series_lanes}; }},
    {"larger", CommandGroup::View, "Larger interface", {GLFW_KEY_EQUAL, true, false}, resize_by<1>},
    {"larger-plus", CommandGroup::View, "Larger interface", {GLFW_KEY_EQUAL, true, true}, resize_by<1>},
    {"smaller", CommandGroup::View, "Smaller interface", {GLFW_KEY_MINUS, true, false}, resize_by<-1>},
    {"normal-size", CommandGroup::View, "Normal size of the interface", {GLFW_KEY_0, true, false}, resize_by<0>},
    {"find",
     CommandGroup::Go,
     "Find events",
     {GLFW_KEY_F, true, false},
     [](const UiState&) -> Intent { return OpenFind{}; }},
    {"find-slash",
     CommandGroup::Go,
     "Find events",
     {GLFW_KEY_SLASH, false, false},
     [](const UiState&) -> Intent { return OpenFind{}; }},
    {"find-next",
     CommandGroup::Go,
     "Next found event",
     {GLFW_KEY_F3, false, false},
     [](const UiState&) -> Intent { return FindStep{1}; }},
    {"find-previous",
     CommandGroup::Go,
     "Previous found event",
     {GLFW_KEY_F3, false, true},
     [](const UiState&) -> Intent { return FindStep{-1}; }},
    {"list-found",
     CommandGroup::Go,
     "List what is found",
     {},
     [](const UiState&) -> Intent { return ShowPanel{"found"}; }},
    {"area-details",
     CommandGroup::Go,
     "What the area holds",
     {},
     [](const UiState&) -> Intent { return ShowPanel{"area"}; }},
    {"next-occurrence",
     CommandGroup::Go,
     "Next occurrence of this name",
     {},
     [](const UiState&) -> Intent { return GoToOccurrence{core::Occurrence::Next}; }},
    {"previous-occurrence",
     CommandGroup::Go,
     "Previous occurrence of this name",
     {},
     [](const UiState&) -> Intent { return GoToOccurrence{core::Occurrence::Previous}; }},
    {"longest-occurrence",
     CommandGroup::Go,
     "Longest occurrence of this name",
     {},
     [](const UiState&) -> Intent { return GoToOccurrence{core::Occurrence::Longest}; }},
    {"worst-rank-occurrence",
     CommandGroup::Go,
     "Longest occurrence of this name on the rank it costs most",
     {},
     [](const UiState&) -> Intent { return GoToOccurrence{core::Occurrence::LongestOfWorstRank}; }},
    {"go-to",
     CommandGroup::Go,
     "Go to a time, step, rank or stream\xE2\x80\xA6",
     {GLFW_KEY_P, true, false},
     [](const UiState&) -> Intent { return OpenPalette{PaletteMode::GoTo}; }},
    {"next-step",
     CommandGroup::Go,
     "Next step",
     {GLFW_KEY_PERIOD, true, false},
     [](const UiState&) -> Intent { return ShowStepBeside{true}; }},
    {"previous-step",
     CommandGroup::Go,
     "Previous step",
     {GLFW_KEY_COMMA, true, false},
     [](const UiState&) -> Intent { return ShowStepBeside{false}; }},
    {"bookmark-1", CommandGroup::Go, "Go to bookmark 1", {GLFW_KEY_1, false, false}, go_to_bookmark<0>},
    {"bookmark-2", CommandGroup::Go, "Go to bookmark 2", {GLFW_KEY_2, false, false}, go_to_bookmark<1>},
    {"bookmark-3", CommandGroup::Go, "Go to bookmark 3", {GLFW_KEY_3, false, false}, go_to_bookmark<2>},
    {"bookmark-4", CommandGroup::Go, "Go to bookmark 4", {GLFW_KEY_4, false, false}, go_to_bookmark<3>},
    {"bookmark-5", CommandGroup::Go, "Go to bookmark 5", {GLFW_KEY_5, false, false}, go_to_bookmark<4>},
    {"bookmark-6", CommandGroup::Go, "Go to bookmark 6", {GLFW_KEY_6, false, false}, go_to_bookmark<5>},
    {"bookmark-7", CommandGroup::Go, "Go to bookmark 7", {GLFW_KEY_7, false, false}, go_to_bookmark<6>},
    {"bookmark-8", CommandGroup::Go, "Go to bookmark 8", {GLFW_KEY_8, false, false}, go_to_bookmark<7>},
    {"bookmark-9", CommandGroup::Go, "Go to bookmark 9", {GLFW_KEY_9, false, false}, go_to_bookmark<8>},
    {"pin-rank",
     CommandGroup::Ranks,
     "Pin the selected event's rank to the top, or not",
     {},
     [](const UiState&) -> Intent { return ChangeRanks{RankChange::PinSelected}; }},
    {"hide-rank",
     CommandGroup::Ranks,
     "Hide the selected event's rank",
     {},
     [](const UiState&) -> Intent { return ChangeRanks{RankChange::HideSelected}; }},
    {"hide-other-ranks",
     CommandGroup::Ranks,
     "Hide all ranks but the selected event's",
     {},
     [](const UiState&) -> Intent { return ChangeRanks{RankChange::HideOthers}; }},
    {"show-ranks", CommandGroup::Ranks, "Show hidden ranks", {}, show_all_ranks},
    {"sort-by-rank", CommandGroup::Ranks, "Sort ranks by number", {}, sort_ranks<RankSort::Rank>},
    {"sort-by-step-time", CommandGroup::Ranks, "Sort ranks by step time", {}, sort_ranks<RankSort::StepTime>},
    {"sort-by-idle", CommandGroup::Ranks, "Sort ranks by idle time", {}, sort_ranks<RankSort::Idle>},
    {"sort-by-exposed", CommandGroup::Ranks, "Sort ranks by exposed communication", {}, sort_ranks<RankSort::Exposed>},
    {"sort-by-kernel",
     CommandGroup::Ranks,
     "Sort ranks by the duration of the selected kernel",
     {},
     [](const UiState&) -> Intent { return ChangeRanks{RankChange::SortBySelected}; }},
    {"reverse-ranks", CommandGroup::Ranks, "Reverse the order of ranks", {}, reverse_ranks},
    {"group-ranks",
     CommandGroup::Ranks,
     "Group ranks by node, by process group or not",
     {},
     [](const UiState&) -> Intent { return ChangeRanks{RankChange::NextGrouping}; }},
    {"fold-groups", CommandGroup::Ranks, "Fold all groups of ranks", {}, fold_groups<true>},
    {"unfold-groups", CommandGroup::Ranks, "Unfold all groups of ranks", {}, fold_groups<false>},
    {"colors", CommandGroup::Colours, "Colour events the next way", {GLFW_KEY_C, false, false}, color_next_way},
    {"color-name", CommandGroup::Colours, "Colour events by name", {}, color_events<ColorBy::Name>},
    {"color-class", CommandGroup::Colours, "Colour events by class", {}, color_events<ColorBy::Class>},
    {"color-rank", CommandGroup::Colours, "Colour events by rank", {}, color_events<ColorBy::Rank>},
    {"color-group", CommandGroup::Colours, "Colour collectives by process group", {}, color_events<ColorBy::Group>},
    {"color-duration", CommandGroup::Colours, "Colour events by duration", {}, color_events<ColorBy::Duration>},
    {"theme-dark",
     CommandGroup::Colours,
     "Theme: dark",
     {},
     [](const UiState&) -> Intent { return SetTheme{Theme::Dark}; }},
    {"theme-light",
     CommandGroup::Colours,
     "Theme: light",
     {},
     [](const UiState&) -> Intent { return SetTheme{Theme::Light}; }},
    {"theme-safe",
     CommandGroup::Colours,
     "Theme: colour-blind safe",
     {},
     [](const UiState&) -> Intent { return SetTheme{Theme::Safe}; }},
    {"open-candidate",
     CommandGroup::Compare,
     "Open a run to compare with\xE2\x80\xA6",
     {GLFW_KEY_O, true, true},
     [](const UiState&) -> Intent { return AskForPath{core::Side::Candidate}; }},
    {"swap",
     CommandGroup::Compare,
     "Swap baseline and candidate",
     {},
     [](const UiState&) -> Intent { return SwapRuns{}; }},
    {"close-candidate",
     CommandGroup::Compare,
     "Close the candidate",
     {},
     [](const UiState&) -> Intent { return CloseRun{}; }},
    {"arrange",
     CommandGroup::Compare,
     "Runs stacked or side by side",
     {},
     [](const UiState& state) -> Intent {
         return PlaceRuns{state.placement == Placement::Stacked ? Placement::SideBySide : Placement::Stacked};
     }},
    {"lock",
     CommandGroup::Compare,
     "Zoom and pan both runs together, or not",
     {},
     [](const UiState& state) -> Intent { return LockViews{!state.locked}; }},
    {"align-step",
     CommandGroup::Compare,
     "Align the runs at the first complete step",
     {},
     [](const UiState&) -> Intent {
         return AlignRuns{{core::AlignBy::Kind::FirstStep, 0, {}, {}}};
     }},
    {"align-start",
     CommandGroup::Compare,
     "Align the runs at their starts",
     {},
     [](const UiState&) -> Intent {
         return AlignRuns{{core::AlignBy::Kind::Start, 0, {}, {}}};
     }},
    {"align-here",
     CommandGroup::Compare,
     "Align the runs at this step",
     {GLFW_KEY_T, false, false},
     [](const UiState&) -> Intent { return AlignAtStep{}; }},
    {"align-events",
     CommandGroup::Compare,
     "Align the runs at the two selected events",
     {GLFW_KEY_T, false, true},
     [](const UiState&) -> Intent { return AlignAtSelected{}; }},
    {"only-here",
     CommandGroup::Compare,
     "Mark events that only one run has, or not",
     {},
     [](const UiState& state) -> Intent { return MarkOnlyHere{!state.mark_only_here}; }},
    {"ghost-steps",
     CommandGroup::Compare,
     "Show where the other run's steps begin, or not",
     {},
     [](const UiState& state) -> Intent { return ShowGhosts{!state.ghost_steps}; }},
    {"palette",
     CommandGroup::Help,
     "Every command\xE2\x80\xA6",
     {GLFW_KEY_P, true, true},
     [](const UiState&) -> Intent { return OpenPalette{PaletteMode::Commands}; }},
    {"keys",
     CommandGroup::Help,
     "All keys",
     {GLFW_KEY_SLASH, false, true},
     [](const UiState&) -> Intent { return OpenPalette{PaletteMode::Keys}; }},
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

static_assert(std::ranges::is_sorted(kCommands, {}, &Command::group));

}  // namespace

std::string_view name_of(CommandGroup group) { return kGroupNames[static_cast<std::size_t>(group)]; }

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
