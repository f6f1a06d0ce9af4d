#include "ui/commands/commands.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "ui/style/compat.hpp"
#include "ui/style/items.hpp"

#include "core/analysis/catalogue/analysis_groups.hpp"
#include "ui/model/panel.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

namespace ui {
namespace {

template <std::size_t kNumber>
Intent set_bookmark(const UiChoices&) {
    return SetBookmark{kNumber};
}
template <std::size_t kNumber>
Intent go_to_bookmark(const UiChoices&) {
    return GoToBookmark{kNumber};
}

template <RankSort kSort>
Intent sort_ranks(const UiChoices& choices) {
    return SetRanks{sorted_by(choices.ranks, kSort)};
}

Intent reverse_ranks(const UiChoices& choices) {
    RankChoices ranks = choices.ranks;
    ranks.descending = !ranks.descending;
    return SetRanks{std::move(ranks)};
}

Intent show_all_ranks(const UiChoices& choices) {
    RankChoices ranks = choices.ranks;
    ranks.hidden.clear();
    return SetRanks{std::move(ranks)};
}

Intent ask_for_settings(const UiChoices&) { return AskForSettings{}; }

Intent change_index_files(const UiChoices& choices) { return KeepIndexFiles{!choices.keep_index_files}; }

Intent change_index_place(const UiChoices& choices) {
    return PlaceIndexFiles{!choices.index_in_cache, choices.cache_limit_gb};
}

Intent change_wheel(const UiChoices& choices) { return SetWheel{!choices.wheel_zooms}; }

template <bool kOn>
Intent cut_gaps(const UiChoices&) {
    return CutGaps{kOn};
}

template <core::AlignBy::Kind kKind>
Intent align_runs(const UiChoices&) {
    return AlignRuns{{.kind = kKind, .step = 0, .moments = {}, .names = {}}};
}

Intent show_hidden(const UiChoices& choices) {
    RankChoices ranks = choices.ranks;
    ranks.hidden.clear();
    ranks.hidden_rows.clear();
    return SetRanks{std::move(ranks)};
}

template <RowChange kChange>
Intent change_rows(const UiChoices&) {
    return ChangeRows{kChange};
}

template <InsideKind kKind>
Intent compare_inside(const UiChoices&) {
    return CompareInside{kKind, {}, {}};
}

template <bool kFolded>
Intent fold_groups(const UiChoices& choices) {
    return SetRanks{fold_all_groups(choices.ranks, kFolded)};
}

template <ColorBy kBy>
Intent color_events(const UiChoices&) {
    return ColorEvents{kBy};
}

template <core::ClockChoice kChoice>
Intent choose_clocks(const UiChoices&) {
    return SetClocks{kChoice};
}

Intent color_next_way(const UiChoices& choices) {
    const auto next = (static_cast<std::size_t>(choices.color_by) + 1) % std::size(kColorWays);
    return ColorEvents{kColorWays[next]};
}

template <int kSteps>
Intent resize_by(const UiChoices&) {
    return ResizeInterface{kSteps};
}

template <std::size_t kNumber>
Intent panel_at(const UiChoices&) {
    return ShowPanelAt{kNumber};
}

constexpr const char* kCommunicationViews[] = {"waiting", "bandwidth", "matrix", "collectives", "pipeline"};
template <std::size_t kView>
Intent show_communication(const UiChoices&) {
    return ShowCommunication{kCommunicationViews[kView]};
}

// Commands of the rows of the panel and analysis tables, by position.
template <std::size_t kRow>
Intent show_panel(const UiChoices&) {
    return ShowPanel{kRow < all_panels().size() ? std::string(all_panels()[kRow].id) : std::string()};
}
template <std::size_t kRow>
Intent show_analysis(const UiChoices&) {
    return ShowAnalysis{kRow < core::all_analyses().size() ? std::string(core::all_analyses()[kRow].id)
                                                           : std::string()};
}

using IntentFunction = Intent (*)(const UiChoices&);
constexpr std::size_t kMostPanels = 32;
constexpr std::size_t kMostAnalyses = 96;
template <std::size_t... kRows>
constexpr std::array<IntentFunction, sizeof...(kRows)> show_panels(std::index_sequence<kRows...>) {
    return {show_panel<kRows>...};
}
template <std::size_t... kRows>
constexpr std::array<IntentFunction, sizeof...(kRows)> show_analyses(std::index_sequence<kRows...>) {
    return {show_analysis<kRows>...};
}
constexpr auto kShowPanel = show_panels(std::make_index_sequence<kMostPanels>());
constexpr auto kShowAnalysis = show_analyses(std::make_index_sequence<kMostAnalyses>());

constexpr std::string_view kGroupNames[] = {
    "File", "Edit", "View", "Go", "Panels", "Analyses", "Ranks", "Colours and theme", "Compare", "Help"};
static_assert(std::size(kGroupNames) == kCommandGroups);

// Sorted by group, in the order of menus.
constexpr Command
    kCommands[] =
        {
            {"open",
             CommandGroup::File,
             "Open\xE2\x80\xA6",
             {GLFW_KEY_O, true, false},
             [](const UiChoices&) -> Intent { return AskForPath{}; }},
            {"open-sample",
             CommandGroup::File,
             "Open a sample run",
             {},
             [](const UiChoices&) -> Intent { return OpenSample{}; }},
            {"save-session",
             CommandGroup::File,
             "Save the session\xE2\x80\xA6",
             {GLFW_KEY_S, true, false},
             [](const UiChoices&) -> Intent { return AskToSave{SaveKind::Session}; }},
            {"save-picture",
             CommandGroup::File,
             "Save a picture of the window\xE2\x80\xA6",
             {},
             [](const UiChoices&) -> Intent { return AskToSave{SaveKind::Picture}; }},
            {"write-report",
             CommandGroup::File,
             "Write a report\xE2\x80\xA6",
             {},
             [](const UiChoices&) -> Intent { return AskToSave{SaveKind::Report}; }},
            {"settings",
             CommandGroup::File,
             "Settings: theme, size, mouse wheel, index files, keys\xE2\x80\xA6",
             {GLFW_KEY_F2, false, false},
             ask_for_settings},
            {"device-numbers",
             CommandGroup::File,
             "Peaks and links of devices\xE2\x80\xA6",
             {},
             ask_for_settings,
             CommandTrait::InPalette},
            {"index-files",
             CommandGroup::File,
             "Switch index files on or off",
             {},
             change_index_files,
             CommandTrait::InPalette},
            {"index-place",
             CommandGroup::File,
             "Keep index files in the cache folder, or next to the traces",
             {},
             change_index_place,
             CommandTrait::InPalette},
            {"quit",
             CommandGroup::File,
             "Quit",
             {GLFW_KEY_Q, true, false},
             [](const UiChoices&) -> Intent { return Quit{}; }},
            {"undo",
             CommandGroup::Edit,
             "Undo",
             {GLFW_KEY_Z, true, false},
             [](const UiChoices&) -> Intent { return Undo{}; }},
            {"redo",
             CommandGroup::Edit,
             "Redo",
             {GLFW_KEY_Z, true, true},
             [](const UiChoices&) -> Intent { return Redo{}; }},
            {"filter",
             CommandGroup::Edit,
             "Edit the filter",
             {GLFW_KEY_L, true, false},
             [](const UiChoices&) -> Intent { return FocusFilter{}; }},
            {"clear-filter",
             CommandGroup::Edit,
             "Clear the filter",
             {GLFW_KEY_BACKSPACE, true, false},
             [](const UiChoices&) -> Intent { return SetFilter{}; }},
            {"copy-link",
             CommandGroup::Edit,
             "Copy the command line that opens this place",
             {GLFW_KEY_C, true, true},
             [](const UiChoices&) -> Intent { return CopyLink{}; }},
            {"copy-table",
             CommandGroup::Edit,
             "Copy the table of the panel the mouse is on",
             {},
             [](const UiChoices&) -> Intent { return CopyTable{}; }},
            {"mark",
             CommandGroup::Edit,
             "Mark the area, the selected event or the moment under the pointer",
             {GLFW_KEY_M, false, false},
             [](const UiChoices&) -> Intent { return MarkRange{false}; }},
            {"keep-mark",
             CommandGroup::Edit,
             "Keep that mark",
             {GLFW_KEY_M, false, true},
             [](const UiChoices&) -> Intent { return MarkRange{true}; }},
            {"dismiss",
             CommandGroup::Edit,
             "Close the find bar, drop the area, select nothing",
             {GLFW_KEY_ESCAPE, false, false},
             [](const UiChoices&) -> Intent { return Dismiss{}; }},
            {"set-bookmark-1",
             CommandGroup::Edit,
             "Set bookmark 1",
             {GLFW_KEY_1, true, false},
             set_bookmark<0>,
             CommandTrait::OfNumber},
            {"set-bookmark-2",
             CommandGroup::Edit,
             "Set bookmark 2",
             {GLFW_KEY_2, true, false},
             set_bookmark<1>,
             CommandTrait::OfNumber},
            {"set-bookmark-3",
             CommandGroup::Edit,
             "Set bookmark 3",
             {GLFW_KEY_3, true, false},
             set_bookmark<2>,
             CommandTrait::OfNumber},
            {"set-bookmark-4",
             CommandGroup::Edit,
             "Set bookmark 4",
             {GLFW_KEY_4, true, false},
             set_bookmark<3>,
             CommandTrait::OfNumber},
            {"set-bookmark-5",
             CommandGroup::Edit,
             "Set bookmark 5",
             {GLFW_KEY_5, true, false},
             set_bookmark<4>,
             CommandTrait::OfNumber},
            {"set-bookmark-6",
             CommandGroup::Edit,
             "Set bookmark 6",
             {GLFW_KEY_6, true, false},
             set_bookmark<5>,
             CommandTrait::OfNumber},
            {"set-bookmark-7",
             CommandGroup::Edit,
             "Set bookmark 7",
             {GLFW_KEY_7, true, false},
             set_bookmark<6>,
             CommandTrait::OfNumber},
            {"set-bookmark-8",
             CommandGroup::Edit,
             "Set bookmark 8",
             {GLFW_KEY_8, true, false},
             set_bookmark<7>,
             CommandTrait::OfNumber},
            {"set-bookmark-9",
             CommandGroup::Edit,
             "Set bookmark 9",
             {GLFW_KEY_9, true, false},
             set_bookmark<8>,
             CommandTrait::OfNumber},
            {"whole-run",
             CommandGroup::View,
             "Show the whole run",
             {GLFW_KEY_HOME, false, false},
             [](const UiChoices&) -> Intent { return ShowRun{}; }},
            {"drawer",
             CommandGroup::View,
             "Show or hide the drawers",
             {GLFW_KEY_Q, false, false},
             [](const UiChoices&) -> Intent { return ToggleDrawer{}; }},
            {"follow",
             CommandGroup::View,
             "Breakdown of the visible window",
             {GLFW_KEY_V, false, false},
             [](const UiChoices& choices) -> Intent { return FollowVisible{!choices.follow_visible}; }},
            {"follow-newest",
             CommandGroup::View,
             "Follow the newest complete step of a watched folder",
             {},
             [](const UiChoices& choices) -> Intent { return FollowNewest{!choices.follow_newest}; }},
            {"critical-path",
             CommandGroup::View,
             "Critical path of the run, or of the rank of the selected event",
             {GLFW_KEY_P, false, false},
             [](const UiChoices& choices) -> Intent { return ShowPath{!choices.critical_path}; }},
            {"series",
             CommandGroup::View,
             "Show or hide queue length, memory bandwidth and memory of open ranks",
             {GLFW_KEY_L, false, false},
             [](const UiChoices& choices) -> Intent { return ShowSeries{!choices.series_lanes}; }},
            {"clocks-auto",
             CommandGroup::View,
             "Clocks of the ranks: aligned if reliable and needed",
             {},
             choose_clocks<core::ClockChoice::Auto>},
            {"clocks-aligned",
             CommandGroup::View,
             "Clocks of the ranks: aligned whenever reliable",
             {},
             choose_clocks<core::ClockChoice::Aligned>},
            {"clocks-recorded",
             CommandGroup::View,
             "Clocks of the ranks: as recorded",
             {},
             choose_clocks<core::ClockChoice::Recorded>},
            {"cut-gaps",
             CommandGroup::View,
             "Captures of one run: cut the time between them out of the axis",
             {},
             cut_gaps<true>,
             CommandTrait::InPalette},
            {"show-gaps",
             CommandGroup::View,
             "Captures of one run: show the time between them",
             {},
             cut_gaps<false>,
             CommandTrait::InPalette},
            {"wheel", CommandGroup::View, "Mouse wheel: zoom or scroll", {}, change_wheel, CommandTrait::InPalette},
            {"larger", CommandGroup::View, "Larger interface", {GLFW_KEY_EQUAL, true, false}, resize_by<1>},
            {"larger-plus",
             CommandGroup::View,
             "Larger interface",
             {GLFW_KEY_EQUAL, true, true},
             resize_by<1>,
             CommandTrait::Alias},
            {"smaller", CommandGroup::View, "Smaller interface", {GLFW_KEY_MINUS, true, false}, resize_by<-1>},
            {"normal-size",
             CommandGroup::View,
             "Normal size of the interface",
             {GLFW_KEY_0, true, false},
             resize_by<0>},
            {"find",
             CommandGroup::Go,
             "Find events",
             {GLFW_KEY_F, true, false},
             [](const UiChoices&) -> Intent { return OpenFind{}; }},
            {"find-slash",
             CommandGroup::Go,
             "Find events",
             {GLFW_KEY_SLASH, false, false},
             [](const UiChoices&) -> Intent { return OpenFind{}; },
             CommandTrait::Alias},
            {"find-next",
             CommandGroup::Go,
             "Next found event",
             {GLFW_KEY_F3, false, false},
             [](const UiChoices&) -> Intent { return FindStep{1}; }},
            {"find-previous",
             CommandGroup::Go,
             "Previous found event",
             {GLFW_KEY_F3, false, true},
             [](const UiChoices&) -> Intent { return FindStep{-1}; }},
            {"list-found",
             CommandGroup::Go,
             "List what is found",
             {},
             [](const UiChoices&) -> Intent { return ShowPanel{"found"}; }},
            {"area-details",
             CommandGroup::Go,
             "What the area holds",
             {},
             [](const UiChoices&) -> Intent { return ShowPanel{"area"}; }},
            {"communication",
             CommandGroup::Go,
             "Communication: waiting, stragglers, bandwidth, collectives",
             {},
             [](const UiChoices&) -> Intent { return ShowPanel{"communication"}; }},
            {"next-occurrence",
             CommandGroup::Go,
             "Next occurrence of this name",
             {},
             [](const UiChoices&) -> Intent { return GoToOccurrence{core::Occurrence::Next}; }},
            {"previous-occurrence",
             CommandGroup::Go,
             "Previous occurrence of this name",
             {},
             [](const UiChoices&) -> Intent { return GoToOccurrence{core::Occurrence::Previous}; }},
            {"longest-occurrence",
             CommandGroup::Go,
             "Longest occurrence of this name",
             {},
             [](const UiChoices&) -> Intent { return GoToOccurrence{core::Occurrence::Longest}; }},
            {"worst-rank-occurrence",
             CommandGroup::Go,
             "Longest occurrence of this name on the rank it costs most",
             {},
             [](const UiChoices&) -> Intent { return GoToOccurrence{core::Occurrence::LongestOfWorstRank}; }},
            {"go-to",
             CommandGroup::Go,
             "Go to a time, step, rank or stream\xE2\x80\xA6",
             {GLFW_KEY_P, true, false},
             [](const UiChoices&) -> Intent { return OpenPalette{PaletteMode::GoTo}; }},
            {"next-step",
             CommandGroup::Go,
             "Next step",
             {GLFW_KEY_PERIOD, true, false},
             [](const UiChoices&) -> Intent { return ShowStepBeside{true}; }},
            {"previous-step",
             CommandGroup::Go,
             "Previous step",
             {GLFW_KEY_COMMA, true, false},
             [](const UiChoices&) -> Intent { return ShowStepBeside{false}; }},
            {"bookmark-1",
             CommandGroup::Go,
             "Go to bookmark 1",
             {GLFW_KEY_1, false, false},
             go_to_bookmark<0>,
             CommandTrait::OfNumber},
            {"bookmark-2",
             CommandGroup::Go,
             "Go to bookmark 2",
             {GLFW_KEY_2, false, false},
             go_to_bookmark<1>,
             CommandTrait::OfNumber},
            {"bookmark-3",
             CommandGroup::Go,
             "Go to bookmark 3",
             {GLFW_KEY_3, false, false},
             go_to_bookmark<2>,
             CommandTrait::OfNumber},
            {"bookmark-4",
             CommandGroup::Go,
             "Go to bookmark 4",
             {GLFW_KEY_4, false, false},
             go_to_bookmark<3>,
             CommandTrait::OfNumber},
            {"bookmark-5",
             CommandGroup::Go,
             "Go to bookmark 5",
             {GLFW_KEY_5, false, false},
             go_to_bookmark<4>,
             CommandTrait::OfNumber},
            {"bookmark-6",
             CommandGroup::Go,
             "Go to bookmark 6",
             {GLFW_KEY_6, false, false},
             go_to_bookmark<5>,
             CommandTrait::OfNumber},
            {"bookmark-7",
             CommandGroup::Go,
             "Go to bookmark 7",
             {GLFW_KEY_7, false, false},
             go_to_bookmark<6>,
             CommandTrait::OfNumber},
            {"bookmark-8",
             CommandGroup::Go,
             "Go to bookmark 8",
             {GLFW_KEY_8, false, false},
             go_to_bookmark<7>,
             CommandTrait::OfNumber},
            {"bookmark-9",
             CommandGroup::Go,
             "Go to bookmark 9",
             {GLFW_KEY_9, false, false},
             go_to_bookmark<8>,
             CommandTrait::OfNumber},
            {"next-gap",
             CommandGroup::Go,
             "Next-longest GPU gap",
             {GLFW_KEY_G, false, false},
             [](const UiChoices&) -> Intent { return WalkGaps{1}; }},
            {"previous-gap",
             CommandGroup::Go,
             "Previous GPU gap",
             {GLFW_KEY_G, false, true},
             [](const UiChoices&) -> Intent { return WalkGaps{-1}; }},
            {"next-panel",
             CommandGroup::Panels,
             "Next panel",
             {GLFW_KEY_TAB, true, false},
             [](const UiChoices&) -> Intent { return ShowPanelBeside{1}; }},
            {"previous-panel",
             CommandGroup::Panels,
             "Previous panel",
             {GLFW_KEY_TAB, true, true},
             [](const UiChoices&) -> Intent { return ShowPanelBeside{-1}; }},
            {"panel-1",
             CommandGroup::Panels,
             "Panel 1",
             {GLFW_KEY_1, false, false, true},
             panel_at<0>,
             CommandTrait::OfNumber},
            {"panel-2",
             CommandGroup::Panels,
             "Panel 2",
             {GLFW_KEY_2, false, false, true},
             panel_at<1>,
             CommandTrait::OfNumber},
            {"panel-3",
             CommandGroup::Panels,
             "Panel 3",
             {GLFW_KEY_3, false, false, true},
             panel_at<2>,
             CommandTrait::OfNumber},
            {"panel-4",
             CommandGroup::Panels,
             "Panel 4",
             {GLFW_KEY_4, false, false, true},
             panel_at<3>,
             CommandTrait::OfNumber},
            {"panel-5",
             CommandGroup::Panels,
             "Panel 5",
             {GLFW_KEY_5, false, false, true},
             panel_at<4>,
             CommandTrait::OfNumber},
            {"panel-6",
             CommandGroup::Panels,
             "Panel 6",
             {GLFW_KEY_6, false, false, true},
             panel_at<5>,
             CommandTrait::OfNumber},
            {"panel-7",
             CommandGroup::Panels,
             "Panel 7",
             {GLFW_KEY_7, false, false, true},
             panel_at<6>,
             CommandTrait::OfNumber},
            {"panel-8",
             CommandGroup::Panels,
             "Panel 8",
             {GLFW_KEY_8, false, false, true},
             panel_at<7>,
             CommandTrait::OfNumber},
            {"panel-9",
             CommandGroup::Panels,
             "Panel 9",
             {GLFW_KEY_9, false, false, true},
             panel_at<8>,
             CommandTrait::OfNumber},
            {"communication-waiting",
             CommandGroup::Panels,
             "Communication: waiting",
             {},
             show_communication<0>,
             CommandTrait::InPalette},
            {"communication-bandwidth",
             CommandGroup::Panels,
             "Communication: bandwidth",
             {},
             show_communication<1>,
             CommandTrait::InPalette},
            {"communication-matrix",
             CommandGroup::Panels,
             "Communication: matrix",
             {},
             show_communication<2>,
             CommandTrait::InPalette},
            {"communication-collectives",
             CommandGroup::Panels,
             "Communication: collectives",
             {},
             show_communication<3>,
             CommandTrait::InPalette},
            {"communication-pipeline",
             CommandGroup::Panels,
             "Communication: pipeline",
             {},
             show_communication<4>,
             CommandTrait::InPalette},
            {"pin-rank",
             CommandGroup::Ranks,
             "Pin or unpin the selected event's rank",
             {},
             [](const UiChoices&) -> Intent { return ChangeRanks{RankChange::PinSelected}; }},
            {"hide-rank",
             CommandGroup::Ranks,
             "Hide the selected event's rank",
             {},
             [](const UiChoices&) -> Intent { return ChangeRanks{RankChange::HideSelected}; }},
            {"hide-other-ranks",
             CommandGroup::Ranks,
             "Hide all ranks but the selected event's",
             {},
             [](const UiChoices&) -> Intent { return ChangeRanks{RankChange::HideOthers}; }},
            {"show-ranks", CommandGroup::Ranks, "Show hidden ranks", {}, show_all_ranks},
            {"pin-row",
             CommandGroup::Ranks,
             "Pin or unpin the selected event's row",
             {GLFW_KEY_K, false, false},
             change_rows<RowChange::PinSelected>},
            {"hide-row",
             CommandGroup::Ranks,
             "Hide the selected event's row",
             {GLFW_KEY_H, false, false},
             change_rows<RowChange::HideSelected>},
            {"hide-row-everywhere",
             CommandGroup::Ranks,
             "Hide the selected event's row of every rank",
             {},
             change_rows<RowChange::HideOnEveryRank>},
            {"show-rows", CommandGroup::Ranks, "Show hidden rows and ranks", {GLFW_KEY_H, false, true}, show_hidden},
            {"unpin-rows", CommandGroup::Ranks, "Unpin all rows", {}, change_rows<RowChange::UnpinAll>},
            {"sort-by-rank", CommandGroup::Ranks, "Sort ranks by number", {}, sort_ranks<RankSort::Rank>},
            {"sort-by-step-time", CommandGroup::Ranks, "Sort ranks by step time", {}, sort_ranks<RankSort::StepTime>},
            {"sort-by-idle", CommandGroup::Ranks, "Sort ranks by idle time", {}, sort_ranks<RankSort::Idle>},
            {"sort-by-exposed",
             CommandGroup::Ranks,
             "Sort ranks by exposed communication",
             {},
             sort_ranks<RankSort::Exposed>},
            {"sort-by-kernel",
             CommandGroup::Ranks,
             "Sort ranks by the duration of the selected kernel",
             {},
             [](const UiChoices&) -> Intent { return ChangeRanks{RankChange::SortBySelected}; }},
            {"reverse-ranks", CommandGroup::Ranks, "Reverse the order of ranks", {}, reverse_ranks},
            {"group-ranks",
             CommandGroup::Ranks,
             "Group ranks by node, by process group or not",
             {},
             [](const UiChoices&) -> Intent { return ChangeRanks{RankChange::NextGrouping}; }},
            {"fold-groups", CommandGroup::Ranks, "Fold all groups of ranks", {}, fold_groups<true>},
            {"unfold-groups", CommandGroup::Ranks, "Unfold all groups of ranks", {}, fold_groups<false>},
            {"colors", CommandGroup::Colours, "Next colouring of events", {GLFW_KEY_C, false, false}, color_next_way},
            {"color-name", CommandGroup::Colours, "Colour events by name", {}, color_events<ColorBy::Name>},
            {"color-class", CommandGroup::Colours, "Colour events by class", {}, color_events<ColorBy::Class>},
            {"color-rank", CommandGroup::Colours, "Colour events by rank", {}, color_events<ColorBy::Rank>},
            {"color-group",
             CommandGroup::Colours,
             "Colour collectives by process group",
             {},
             color_events<ColorBy::Group>},
            {"color-duration", CommandGroup::Colours, "Colour events by duration", {}, color_events<ColorBy::Duration>},
            {"theme-dark",
             CommandGroup::Colours,
             "Theme: dark",
             {},
             [](const UiChoices&) -> Intent { return SetTheme{Theme::Dark}; }},
            {"theme-light",
             CommandGroup::Colours,
             "Theme: light",
             {},
             [](const UiChoices&) -> Intent { return SetTheme{Theme::Light}; }},
            {"theme-safe",
             CommandGroup::Colours,
             "Theme: colour-blind safe",
             {},
             [](const UiChoices&) -> Intent { return SetTheme{Theme::Safe}; }},
            {"open-candidate",
             CommandGroup::Compare,
             "Open a run to compare with\xE2\x80\xA6",
             {GLFW_KEY_O, true, true},
             [](const UiChoices&) -> Intent { return AskForPath{core::Side::Candidate}; }},
            {"compare-rank-median",
             CommandGroup::Compare,
             "Compare the selected event's rank with the median rank",
             {},
             compare_inside<InsideKind::RankWithMedian>},
            {"compare-step-median",
             CommandGroup::Compare,
             "Compare this step with the median step",
             {},
             compare_inside<InsideKind::StepWithMedian>},
            {"compare-ranks-others",
             CommandGroup::Compare,
             "Compare the ranks of the filter with the other ranks",
             {},
             compare_inside<InsideKind::RanksWithOthers>},
            {"compare-captures",
             CommandGroup::Compare,
             "Compare the first two captures of this run",
             {},
             compare_inside<InsideKind::Captures>},
            {"swap",
             CommandGroup::Compare,
             "Swap baseline and candidate",
             {},
             [](const UiChoices&) -> Intent { return SwapRuns{}; },
             CommandTrait::AboutTwoRuns},
            {"close-candidate",
             CommandGroup::Compare,
             "Close the candidate",
             {},
             [](const UiChoices&) -> Intent { return CloseRun{}; },
             CommandTrait::AboutTwoRuns},
            {"arrange",
             CommandGroup::Compare,
             "Runs stacked or side by side",
             {},
             [](const UiChoices& choices) -> Intent {
                 return PlaceRuns{choices.placement == Placement::Stacked ? Placement::SideBySide : Placement::Stacked};
             },
             CommandTrait::AboutTwoRuns},
            {"lock",
             CommandGroup::Compare,
             "Lock or unlock zoom and pan of both runs",
             {},
             [](const UiChoices& choices) -> Intent { return LockViews{!choices.locked}; },
             CommandTrait::AboutTwoRuns},
            {"align-step",
             CommandGroup::Compare,
             "Align the runs at the first complete step",
             {},
             align_runs<core::AlignBy::Kind::FirstStep>,
             CommandTrait::AboutTwoRuns},
            {"align-start",
             CommandGroup::Compare,
             "Align the runs at their starts",
             {},
             align_runs<core::AlignBy::Kind::Start>,
             CommandTrait::AboutTwoRuns},
            {"align-here",
             CommandGroup::Compare,
             "Align the runs at this step",
             {GLFW_KEY_T, false, false},
             [](const UiChoices&) -> Intent { return AlignAtStep{}; },
             CommandTrait::AboutTwoRuns},
            {"align-events",
             CommandGroup::Compare,
             "Align the runs at the two selected events",
             {GLFW_KEY_T, false, true},
             [](const UiChoices&) -> Intent { return AlignAtSelected{}; },
             CommandTrait::AboutTwoRuns},
            {"only-here",
             CommandGroup::Compare,
             "Mark or unmark events that only one run has",
             {},
             [](const UiChoices& choices) -> Intent { return MarkUniqueEvents{!choices.mark_unique_events}; },
             CommandTrait::AboutTwoRuns},
            {"ghost-steps",
             CommandGroup::Compare,
             "Show or hide where the other run's steps begin",
             {},
             [](const UiChoices& choices) -> Intent { return ShowGhosts{!choices.ghost_steps}; },
             CommandTrait::AboutTwoRuns},
            {"palette",
             CommandGroup::Help,
             "Command palette\xE2\x80\xA6",
             {GLFW_KEY_P, true, true},
             [](const UiChoices&) -> Intent { return OpenPalette{PaletteMode::Commands}; },
             CommandTrait::NotInPalette},
            {"keys",
             CommandGroup::Help,
             "All keys",
             {GLFW_KEY_SLASH, false, true},
             [](const UiChoices&) -> Intent { return OpenPalette{PaletteMode::Keys}; }},
};

constexpr Gesture kGestures[] = {
    {"Wheel", "Scroll the rows"},
    {"Ctrl+wheel", "Zoom at the pointer"},
    {"Shift+wheel", "Pan"},
    {"Drag", "Select an area of the rows it crosses"},
    {"Drag on the ruler", "Select a time range of all rows"},
    {"Shift+drag, middle drag", "Pan in both directions"},
    {"Double click", "Zoom to the event"},
    {"1 \xE2\x80\xA6 9", "Go to a bookmark"},
    {"Ctrl+1 \xE2\x80\xA6 9", "Set a bookmark to what is shown"},
    {"Alt+1 \xE2\x80\xA6 9", "Show a panel, in the order of the tabs"},
};

struct CommandWords {
    std::string_view id;
    std::string_view words;
};
constexpr CommandWords kCommandWords[] = {
    {"open", "load trace folder run import"},
    {"open-sample", "example demo try tutorial synthetic"},
    {"save-picture", "screenshot image png export"},
    {"write-report", "export html send"},
    {"copy-link", "share url place"},
    {"copy-table", "export csv clipboard"},
    {"filter", "restrict only"},
    {"clear-filter", "reset everything"},
    {"dismiss", "close deselect"},
    {"mark", "note flag measure"},
    {"whole-run", "zoom out fit home everything"},
    {"drawer", "panels bottom"},
    {"critical-path", "longest path"},
    {"series", "counters memory"},
    {"larger", "zoom font text size"},
    {"smaller", "zoom font text size"},
    {"find", "search"},
    {"go-to", "jump time step rank stream"},
    {"next-gap", "idle bubble pause walk"},
    {"previous-gap", "idle bubble pause walk"},
    {"next-panel", "tab"},
    {"previous-panel", "tab"},
    {"pin-row", "keep top stream thread track favourite star"},
    {"hide-row", "remove stream thread track collapse"},
    {"hide-row-everywhere", "remove stream thread track all"},
    {"show-rows", "unhide restore hidden everything"},
    {"unpin-rows", "release"},
    {"pin-rank", "keep top"},
    {"show-ranks", "unhide restore"},
    {"theme-dark", "settings appearance"},
    {"theme-light", "settings appearance"},
    {"theme-safe", "settings appearance deuteranopia protanopia"},
    {"open-candidate", "diff second run"},
    {"compare-rank-median", "diff slow straggler typical average against"},
    {"compare-step-median", "diff slow iteration typical average against"},
    {"compare-ranks-others", "diff group node against rest"},
    {"compare-captures", "diff windows sessions against files"},
    {"settings", "preferences options configure zoom scroll cache peaks links appearance"},
    {"device-numbers", "settings flops tflops bandwidth nvlink gpu override"},
    {"index-files", "settings cache"},
    {"index-place", "settings cache folder"},
    {"cut-gaps", "windows sessions collapse pause"},
    {"show-gaps", "windows sessions pause"},
    {"wheel", "settings mouse zooms scrolls"},
    {"keys", "shortcuts help bindings"},
    {"panel-findings", "problems issues bottleneck straggler advice"},
    {"panel-breakdown", "compute communication idle share"},
    {"panel-steps", "iterations heat map"},
    {"panel-communication", "collectives waiting straggler nccl"},
    {"panel-compare", "diff two runs waterfall"},
    {"panel-kernels", "top statistics table"},
    {"panel-kernel-durations", "histogram distribution error bars"},
    {"panel-flame-graph", "call stack profile"},
    {"panel-area", "histogram selection totals"},
    {"panel-import", "doctor files damaged truncated warnings"},
    {"panel-hang", "deadlock stuck flight recorder"},
    {"panel-marks", "notes bookmarks"},
    {"panel-overview", "summary headline"},
    {"panel-details", "arguments event"},
};

// The commands of the table; those of panels and analyses follow at the end of their groups.
std::vector<Command> collect_commands() {
    static std::deque<std::string> ids;  // commands refer to them
    std::vector<Command> rows(std::begin(kCommands), std::end(kCommands));
    for (std::size_t i = 0; i < std::min(all_panels().size(), kMostPanels); ++i) {
        const PanelType& panel = all_panels()[i];
        rows.push_back({ids.emplace_back("panel-" + std::string(panel.id)),
                        CommandGroup::Panels,
                        panel.title,
                        {},
                        kShowPanel[i],
                        panel.on_demand ? CommandTrait::InPalette : CommandTrait::None});
    }
    for (std::size_t i = 0; i < std::min(core::all_analyses().size(), kMostAnalyses); ++i) {
        const core::Analysis& analysis = core::all_analyses()[i];
        rows.push_back({ids.emplace_back("analysis-" + std::string(analysis.id)),
                        CommandGroup::Analyses,
                        analysis.title,
                        {},
                        kShowAnalysis[i],
                        CommandTrait::InPalette});
    }
    std::ranges::stable_sort(rows, {}, &Command::group);
    return rows;
}

static_assert(std::ranges::is_sorted(kCommands, {}, &Command::group));

}  // namespace

std::string_view name_of(CommandGroup group) { return kGroupNames[static_cast<std::size_t>(group)]; }

const core::Catalogue<Command>& commands() {
    static const std::vector<Command> kRows = collect_commands();
    static const core::Catalogue<Command> kCatalogue(kRows);
    return kCatalogue;
}
std::span<const Gesture> all_gestures() { return kGestures; }

const Command* find_command(std::string_view id) {
    const auto found = std::ranges::find(all_commands(), id, &Command::id);
    return found == all_commands().end() ? nullptr : &*found;
}

std::string_view synonyms_of(const Command& command) {
    const auto found = std::ranges::find(kCommandWords, command.id, &CommandWords::id);
    if (found != std::end(kCommandWords)) return found->words;
    constexpr std::string_view kBefore = "analysis-";
    if (!command.id.starts_with(kBefore)) return {};
    const core::Analysis* analysis = core::find_analysis(command.id.substr(kBefore.size()));
    return analysis ? core::synonyms_of(*analysis) : std::string_view();
}

void collect_pressed(const UiChoices& choices, bool escape_taken, std::vector<Intent>& intents) {
    const ImGuiIO& io = ImGui::GetIO();
    if (io.WantTextInput) return;
    const bool popup = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
    if (popup && !popups_can_close()) return;
    for (const Command& command : all_commands()) {
        if (command.id == "dismiss" && (escape_taken || popup)) continue;
        if (popup && !io.KeyCtrl && !io.KeyAlt) continue;  // popups take plain letters
        if (!key_map().pressed(command.id)) continue;
        if (popup) close_popups();
        intents.push_back(command.intent(choices));
    }
}

}  // namespace ui
