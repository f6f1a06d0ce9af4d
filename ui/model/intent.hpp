#pragma once
// The intents: every change that panels, commands and the timeline ask for. An Intent holds one of them and is cheap to
// copy, and a file that only pushes intents is spared the variant of all of them, which only intent_value.hpp has. No
// ImGui here.

#include "core/collectives/choose_clocks.hpp"
#include "core/session/session.hpp"
#include "ui/model/document.hpp"
#include "ui/model/ephemera.hpp"
#include "ui/model/table_source.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace ui {

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
struct MoveView {  // by input to a timeline; both have its width
    TimeView time;
    TimeView whole;
};
struct SelectArea {
    std::optional<core::RunRange> area;
    std::vector<core::TrackRows> rows;
};
struct NoteTopRank {  // whose row is the uppermost by now
    std::optional<std::uint32_t> slot;
};
struct SetView {  // as a session file has it
    View view;
};
struct CarryView {  // to another run, or to the same with more ranks; null: none
    core::RunPtr before;
    core::RunPtr after;
};
struct KeepWhole {};  // after the plot changed its width: a view of the whole run stays one
struct MirrorView {  // shows the same as the other side, whose moments are `offset` earlier
    core::Duration offset;
    std::vector<core::TrackRows> area_rows;  // those of its area, as they are here
};
struct DropSelection {};  // of a baseline which another one takes the place of: selected event and area
struct ChooseKernels {
    std::vector<std::string> names;
};
struct ListEvents {
    EventListing listing;
};
struct OpenPaths {
    std::vector<std::filesystem::path> paths;
    core::Side side = core::Side::Baseline;
    bool watch = false;  // goes on adding what is written there; of the baseline
};
struct DropPaths {  // what was dropped on the window: with a run open the user says what it is
    std::vector<std::filesystem::path> paths;
};
struct CloseRun {
    core::Side side = core::Side::Candidate;
};
struct SwapRuns {};
// Compares parts of the baseline: the same run on both sides, a part of it on each.
enum class InsideKind : std::uint8_t { RankWithMedian, StepWithMedian, RanksWithOthers, Captures };
struct CompareInside {
    InsideKind kind;
    std::optional<core::RankKey> rank =
        {};  // unset: that of the selected event; of RanksWithOthers those of the filter
    std::optional<std::int64_t> step = {};  // unset: the one under the pointer, else of the selected event
};
struct AlignRuns {
    core::AlignBy by;
};
struct AlignAtStep {};  // the one under the pointer, else of the selected event
struct AlignAtSelected {};  // the starts of the events selected on both sides
struct SetClocks {  // that the ranks of a run are put on
    core::ClockChoice choice;
    std::optional<core::Side> side = {};  // whose; unset: of the run used last
};
struct MarkUniqueEvents {
    bool on;
};
struct ShowGhosts {
    bool on;
};
struct ShowPath {  // the critical path, over the rows of its rank
    bool on;
};
struct SetWhatIf {  // what the panel What if replays
    core::Params params;
    std::uint64_t gesture = 0;  // of one drag: one step of undo
};
struct ShowSeries {  // queue length, memory bandwidth and memory as rows of open ranks
    bool on;
};
struct SetRanks {  // how they are sorted and grouped, which are pinned or hidden
    RankChoices choices;
};
struct ChangeRanks {  // the same, for the selected event or the run
    RankChange change;
};
struct ChangeRows {  // which rows are pinned or hidden, for the selected event's or all
    RowChange change;
};
struct SetNames {  // how names of two runs are paired
    core::NameRules rules;
};
struct SetStatistics {  // what verdicts on two runs go by
    core::StatisticsOptions options;
};
struct PlaceRuns {
    Placement placement;
};
struct LockViews {
    bool on;
};
struct CancelLoad {};
struct FollowNewest {  // the view goes to the newest complete step whenever the run changes
    bool on = false;
};
struct FollowVisible {
    bool on;
};
struct ShowPanel {
    std::string id;
};
struct ShowPanelAt {  // the tab of the left drawer, from 0
    std::size_t number;
};
struct ShowPanelBeside {  // the next tab of the left drawer, or the one before
    int steps;
};
struct ShowAnalysis {  // in the panel Analyses
    std::string id;
};
struct ShowCommunication {  // a view of the panel Communication
    std::string view;
};
struct WalkGaps {  // to shorter gaps, or back to longer ones
    int steps;
};
struct PressKey {  // does what a key of the timeline does
    std::string id;
};
struct ToggleDrawer {};
struct ResizeDrawer {
    float share;  // of the height below the bars
};
struct ResizeTree {
    float width;  // at scale 1
};
struct SetChoices {  // those of a session file, or of the last start
    UiChoices choices;
};
struct ForgetChoices {};  // those that are about a baseline which another one takes the place of
struct CarryListing {  // to the runs that are open after runs were closed, swapped or brought back
    core::BySide<core::RunPtr> before;
    std::optional<core::RunAlignment> alignment;  // of these
    core::BySide<core::RunPtr> after;
};
struct ColorEvents {
    ColorBy by;
};
struct SetTheme {
    Theme theme;
};
struct SetWheel {
    bool zooms;  // without a key; with Ctrl it then scrolls
};
struct KeepIndexFiles {  // of runs opened from now on
    bool on;
};
struct PlaceIndexFiles {  // likewise
    bool in_cache;
    std::int64_t limit_gb;  // of the cache folder; 0: none
};
struct SetDeviceNumber {  // what a device can do, in the user's files; see core/session/device_settings
    std::string device;
    std::string key;
    std::optional<double> value;  // unset: as the table has it
};
struct SetLimit {  // of verdict and health, in the user's limits.json; see core/session/limit_settings
    std::string id;
    std::optional<double> value;  // unset: as the table has it
};
struct CutGaps {  // the time between captures out of the axis
    bool on;
};
struct AskForSettings {};  // the dialog
struct ResizeInterface {
    int steps;  // larger, smaller; 0: as the monitor says
};
struct FocusFilter {};
struct OpenFind {};
struct CloseFind {};
struct SetFindText {
    std::string text;
};
struct SearchArguments {
    bool on;
};
struct FindStep {
    int steps;  // 1: the next found event, -1: the one before
};
struct StopFind {};
struct GoToOccurrence {  // of the selected event's name
    core::Occurrence which;
};
struct Dismiss {};  // what is uppermost of find bar, dragged area, selection
struct AskForPath {  // the Open dialog
    core::Side side = core::Side::Baseline;
};
struct OpenPalette {
    PaletteMode mode;
};
struct RevealEvent {  // brings its row into view; the selection and the time shown stay
    core::EventRef event;
};
struct ShowEvent {  // brings it into view; the selection stays
    core::EventRef event;
};
struct ShowStepBeside {  // the next step, or the one before, of all ranks
    bool forward;
};
struct TakeEscape {};  // of this frame: a panel has made use of it
struct CopyLink {};  // the command line that opens what is shown, to the clipboard
struct CopyTable {  // as text, to the clipboard
    std::optional<TableSource> table = {};  // unset: that of the panel the mouse was on last
};
struct CopyChart {};  // the numbers of the chart whose menu it was, likewise
struct MarkRange {  // the area, else the selected event, else the moment under the pointer
    bool keep;
};
struct SetMarks {  // of this side
    core::Marks marks;
};
struct SetBookmark {
    std::size_t number;  // 0 …
};
struct GoToBookmark {
    std::size_t number;
    std::optional<core::Side> side = {};  // whose; unset: of the run used last
};
struct AskToSave {  // the dialog
    SaveKind kind;
};
struct SaveFile {
    SaveKind kind;
    std::filesystem::path file;
};
struct CloseNotice {};
struct Quit {};

template <class... T>
struct IntentKinds {
    static constexpr std::size_t kCount = sizeof...(T);
    template <class One>
    static constexpr bool kHas = (std::is_same_v<One, T> || ...);
};
using AllIntents = IntentKinds<
    SetFilter, Undo, Redo, SelectEvent, ShowRange, ShowRun, ChooseKernels, OpenPaths, CancelLoad, FollowVisible,
    FollowNewest, ShowPanel, ToggleDrawer, ColorEvents, SetTheme, ResizeInterface, FocusFilter, OpenFind, FindStep,
    Dismiss, AskForPath, CloseRun, SwapRuns, AlignRuns, SetNames, AlignAtStep, AlignAtSelected, MarkUniqueEvents,
    ShowGhosts, ShowPath, SetWhatIf, ShowSeries, SetRanks, ChangeRanks, ChangeRows, PlaceRuns, LockViews, DropPaths,
    ListEvents, OpenPalette, RevealEvent, ShowStepBeside, StopFind, GoToOccurrence, CopyLink, CopyTable, CopyChart,
    TakeEscape, MarkRange, SetMarks, SetBookmark, GoToBookmark, AskToSave, SaveFile, CloseNotice, Quit, CloseFind,
    SetFindText, SearchArguments, ResizeDrawer, ResizeTree, SetChoices, ForgetChoices, CarryListing, ShowEvent,
    SetClocks, MoveView, SelectArea, NoteTopRank, SetView, CarryView, KeepWhole, MirrorView, DropSelection, ShowPanelAt,
    ShowPanelBeside, ShowAnalysis, ShowCommunication, WalkGaps, PressKey, CompareInside, SetWheel, KeepIndexFiles,
    AskForSettings, PlaceIndexFiles, SetDeviceNumber, SetLimit, CutGaps, SetStatistics>;

template <class T>
concept is_intent = AllIntents::kHas<T>;

struct IntentValue;

class Intent {
public:
    template <is_intent T>
    Intent(T);  // NOLINT(google-explicit-constructor); intent.cpp has it for every kind
    const IntentValue& value() const { return *value_; }
    // The intent if it is of that kind, or nullptr. Defined in intent_value.hpp.
    template <is_intent T>
    const T* find() const;

private:
    std::shared_ptr<const IntentValue> value_;  // null after a move
};

}  // namespace ui
