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

// The side that an intent without a side of its own goes to.
enum class IntentSide : std::uint8_t {
    Shared,  // what both sides share, or the baseline
    Pusher,  // the side it was pushed to
    Shown,  // likewise, and this becomes the active side
    Timeline,  // likewise; it reports input to its timeline, so that it comes before the other intents of the frame
    Active,  // the side the mouse was on last
    Selected,  // the side whose event was selected last
};

// Intents that change the document: ui/model/intents/reducer.cpp.
struct SelectEvent {
    core::EventRef event;
    bool show = false;  // brings it into view
    static constexpr IntentSide kSide = IntentSide::Shown;
};
struct ShowEvent {  // brings it into view; the selection stays
    core::EventRef event;
    static constexpr IntentSide kSide = IntentSide::Shown;
};
struct ShowRange {
    core::RunRange range;
    static constexpr IntentSide kSide = IntentSide::Shown;
};
struct ShowRun {  // the whole run
    static constexpr IntentSide kSide = IntentSide::Shown;
};
struct ShowStepBeside {  // the next step, or the one before, of all ranks
    bool forward;
    static constexpr IntentSide kSide = IntentSide::Active;
};
struct GoToBookmark {
    std::size_t number;
    std::optional<core::Side> side = {};  // unset: the active one
    static constexpr IntentSide kSide = IntentSide::Active;
};
struct MoveView {  // input to a timeline moved it; both have its width
    TimeView time;
    TimeView whole;
    static constexpr IntentSide kSide = IntentSide::Timeline;
};
struct SelectArea {
    std::optional<core::RunRange> area;
    std::vector<core::TrackRows> rows;
    static constexpr IntentSide kSide = IntentSide::Timeline;
};
struct NoteTopRank {  // the rank of the uppermost row
    std::optional<std::uint32_t> slot;
    static constexpr IntentSide kSide = IntentSide::Timeline;
};
struct SetView {  // to that of a session file
    View view;
};
struct CarryView {  // to another run, or to the same with more ranks; null: none
    core::RunPtr before;
    core::RunPtr after;
};
struct KeepWhole {};  // a view of the whole run stays one after the plot changed its width
struct MirrorView {  // copies the view of the other side, whose moments are `offset` earlier
    core::Duration offset;
    std::vector<core::TrackRows> area_rows;  // rows of its area, as this side has them
};
struct DropSelection {};  // selected event and area, when another run becomes the baseline
struct ChooseKernels {
    std::vector<std::string> names;
};
struct ListEvents {
    EventListing listing;
};
struct CarryListing {  // to the runs open after some were closed, swapped or restored
    core::BySide<core::RunPtr> before;
    std::optional<core::RunAlignment> alignment;  // of the runs before
    core::BySide<core::RunPtr> after;
};
struct FollowVisible {
    bool on;
};
struct FollowNewest {  // the view goes to the newest complete step whenever the run changes
    bool on = false;
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
struct ToggleDrawer {};
struct ResizeDrawer {
    float share;  // of the height below the bars
};
struct ResizeTree {
    float width;  // at scale 1
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
struct ResizeInterface {
    int steps;  // larger, smaller; 0: as the monitor says
};
struct SetRanks {  // order, groups, pinned and hidden ranks
    RankChoices choices;
};
struct ChangeRanks {  // likewise, for the selected event or the run
    RankChange change;
};
struct ChangeRows {  // pins or hides rows: the selected event's, or all
    RowChange change;
    static constexpr IntentSide kSide = IntentSide::Selected;
};
struct MarkUniqueEvents {
    bool on;
};
struct ShowGhosts {
    bool on;
};
struct ShowPath {  // the critical path, on the rows of its rank
    bool on;
};
struct SetWhatIf {  // the changes that the panel What if replays
    core::Params params;
    std::uint64_t gesture = 0;  // of one drag: one step of undo
};
struct ShowSeries {  // queue length, memory bandwidth and memory as rows of open ranks
    bool on;
};
struct PlaceRuns {
    Placement placement;
};
struct LockViews {
    bool on;
};
struct OpenFind {};
struct CloseFind {};
struct Dismiss {};  // the first that is there of find bar, dragged area, selection
struct SetFindText {
    std::string text;
};
struct SearchArguments {
    bool on;
};
struct SetChoices {  // to those of a session file or of the last start
    UiChoices choices;
};
struct ForgetChoices {};  // about a baseline, when another run becomes the baseline

// Intents that change runs, filter, alignment or marks: ui/model/intents/session_intents.cpp.
struct SetFilter {
    core::Filter filter;
    std::uint64_t gesture = 0;
};
struct Undo {};
struct Redo {};
struct OpenPaths {
    std::vector<std::filesystem::path> paths;
    core::Side side = core::Side::Baseline;
    bool watch = false;  // adds ranks as their files are written; baseline only
};
struct DropPaths {  // dropped on the window; with a run open the user is asked which side they are
    std::vector<std::filesystem::path> paths;
};
struct CancelLoad {};
struct CloseRun {
    core::Side side = core::Side::Candidate;
};
struct SwapRuns {};
struct AlignRuns {
    core::AlignBy by;
};
struct SetClocks {  // of the ranks of a run
    core::ClockChoice choice;
    std::optional<core::Side> side = {};  // unset: the active one
    static constexpr IntentSide kSide = IntentSide::Active;
};
struct SetNames {  // rules by which names of two runs are paired
    core::NameRules rules;
};
struct SetStatistics {  // of verdicts on two runs
    core::StatisticsOptions options;
};
struct CutGaps {  // leaves the time between captures out of the axis
    bool on;
};
struct MarkRange {  // the area, else the selected event, else the moment under the pointer
    bool keep;
    static constexpr IntentSide kSide = IntentSide::Active;
};
struct SetMarks {  // of the pushing side
    core::Marks marks;
    static constexpr IntentSide kSide = IntentSide::Pusher;
};
struct SetBookmark {
    std::size_t number;  // 0 …
    static constexpr IntentSide kSide = IntentSide::Active;
};

// Requests to the next frame: ui/model/intents/frame_requests.cpp.
struct RevealEvent {  // brings its row into view; the selection and the time shown stay
    core::EventRef event;
    static constexpr IntentSide kSide = IntentSide::Shown;
};
struct FindStep {
    int steps;  // 1: the next found event, -1: the one before
    static constexpr IntentSide kSide = IntentSide::Active;
};
struct StopFind {};
struct WalkGaps {  // to shorter gaps, or back to longer ones
    int steps;
    static constexpr IntentSide kSide = IntentSide::Active;
};
struct GoToOccurrence {  // of the selected event's name
    core::Occurrence which;
    static constexpr IntentSide kSide = IntentSide::Selected;
};
struct FocusFilter {};
struct AskForPath {  // opens the Open dialog
    core::Side side = core::Side::Baseline;
};
struct AskToSave {  // opens the Save dialog
    SaveKind kind;
};
struct OpenPalette {
    PaletteMode mode;
};
struct AskForSettings {};  // opens the Settings dialog
struct OpenSample {};  // writes the sample run first
struct Quit {};

// Intents that write files or text, or need both sides: ui/shell/window_intents.cpp.
struct SaveFile {
    SaveKind kind;
    std::filesystem::path file;
};
struct Say {  // a sentence in the status bar
    std::string words;
};
struct CloseNotice {};
struct CopyLink {};  // the command line that opens what is shown, to the clipboard
struct CopyTable {  // as text, to the clipboard
    std::optional<TableSource> table = {};  // unset: that of the panel the mouse was on last
};
struct CopyChart {};  // the numbers of the chart whose menu it was, likewise
struct TakeEscape {};  // a panel has used the Escape key of this frame
struct PressKey {  // does what a key of the timeline does
    std::string id;
};
struct SetDeviceNumber {  // a peak of a device, in the user's files; see core/session/device_settings
    std::string device;
    std::string key;
    std::optional<double> value;  // unset: the number of the table
};
struct SetLimit {  // a limit of verdict or health, in the user's limits.json; see core/session/limit_settings
    std::string id;
    std::optional<double> value;  // unset: the number of the table
};
struct AlignAtStep {};  // the one under the pointer, else of the selected event
struct AlignAtSelected {};  // the starts of the events selected on both sides
// Compares parts of the baseline: the same run on both sides, a part of it on each.
enum class InsideKind : std::uint8_t { RankWithMedian, StepWithMedian, RanksWithOthers, Captures };
struct CompareInside {
    InsideKind kind;
    std::optional<core::RankKey> rank = {};  // unset: the selected event's; RanksWithOthers: the filter's
    std::optional<std::int64_t> step = {};  // unset: the one under the pointer, else of the selected event
};

template <class... T>
struct IntentKinds {
    template <class One>
    static constexpr bool kHas = (std::is_same_v<One, T> || ...);
};
using DocumentIntents =
    IntentKinds<SelectEvent, ShowEvent, ShowRange, ShowRun, ShowStepBeside, GoToBookmark, MoveView, SelectArea,
                NoteTopRank, SetView, CarryView, KeepWhole, MirrorView, DropSelection, ChooseKernels, ListEvents,
                CarryListing, FollowVisible, FollowNewest, ShowPanel, ShowPanelAt, ShowPanelBeside, ShowAnalysis,
                ShowCommunication, ToggleDrawer, ResizeDrawer, ResizeTree, ColorEvents, SetTheme, SetWheel,
                KeepIndexFiles, PlaceIndexFiles, ResizeInterface, SetRanks, ChangeRanks, ChangeRows, MarkUniqueEvents,
                ShowGhosts, ShowPath, SetWhatIf, ShowSeries, PlaceRuns, LockViews, OpenFind, CloseFind, Dismiss,
                SetFindText, SearchArguments, SetChoices, ForgetChoices>;
using SessionIntents =
    IntentKinds<SetFilter, Undo, Redo, OpenPaths, DropPaths, CancelLoad, CloseRun, SwapRuns, AlignRuns, SetClocks,
                SetNames, SetStatistics, CutGaps, MarkRange, SetMarks, SetBookmark>;
using FrameRequests = IntentKinds<RevealEvent, FindStep, StopFind, WalkGaps, GoToOccurrence, FocusFilter, AskForPath,
                                  AskToSave, OpenPalette, AskForSettings, OpenSample, Quit>;
using WindowIntents = IntentKinds<SaveFile, Say, CloseNotice, CopyLink, CopyTable, CopyChart, TakeEscape, PressKey,
                                  SetDeviceNumber, SetLimit, AlignAtStep, AlignAtSelected, CompareInside>;

template <class T>
concept is_intent =
    DocumentIntents::kHas<T> || SessionIntents::kHas<T> || FrameRequests::kHas<T> || WindowIntents::kHas<T>;

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
