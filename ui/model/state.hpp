#pragma once
// What the window shows beyond session and document: view, selection, requests, and the intents that change any of
// these between frames. The timeline changes its own view while it handles input. No ImGui here.

#include "core/query/area_summary.hpp"
#include "core/query/find_events.hpp"
#include "core/query/occurrences.hpp"
#include "core/session/session.hpp"
#include "ui/model/document.hpp"
#include "ui/model/selected_links.hpp"
#include "ui/model/table_source.hpp"
#include "ui/model/time_view.hpp"

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace ui {

// What the box in the middle of the window offers.
enum class PaletteMode : std::uint8_t { Commands, GoTo, Keys };

// What leaves the window as a file.
enum class SaveKind : std::uint8_t { Session, Picture, Report, ChartPicture, ChartDrawing };
// What a side's search is at.
struct FindStatus {
    core::FoundEventsPtr found;  // null: nothing is searched for or known yet
    std::string text;            // searched for
    std::string error;
    bool searching = false;
    double progress = 0;         // 0..1, of a search through arguments
};

// What one side of a comparison shows: each side has its own.
struct UiView {
    TimeView time;
    TimeView whole;  // the view last fitted to the whole run; time follows it until moved
    core::EventRef selected;  // invalid when nothing is
    core::EventRef hovered;
    std::shared_ptr<SelectedLinks> links = std::make_shared<SelectedLinks>();  // asked by who shows them
    std::optional<core::RunRange> area;  // dragged on the timeline
    std::vector<core::TrackRows> area_rows;  // that the area is of; none: of everything
    std::shared_ptr<const core::AreaSummary> area_summary;  // null: not known yet
    FindStatus search;
    core::RunRange bounds{};             // what can be panned to; empty: the run
    core::RunRange work{};               // what "the whole run" shows; empty: the run's own
    std::optional<core::RunTime> pointer;  // where the mouse is on this side's timeline
    std::optional<core::RunTime> echo;     // where it is on the other side's, in this side's time
    core::FoundEventsPtr only_here;      // events whose names the other run has not; null: not known
    std::size_t only_here_names = 0;
    std::optional<std::uint32_t> top_slot;  // whose row is the uppermost on the screen
    bool other_selected = false;         // an event of the other side is selected
    bool has_hands = true;               // keys of the timeline are this side's
};

// What the next frame is asked to do, and takes.
struct UiRequests {
    bool focus_filter = false;
    bool focus_find = false;
    std::optional<core::Occurrence> occurrence;  // of the selected event's name, to be gone to
    bool stop_find = false;  // until something else is searched for
    int find_steps = 0;  // to walk among the found events, forward or back; taken once they are known
    std::optional<core::Side> ask_for_path;
    std::optional<PaletteMode> open_palette;
    std::optional<SaveKind> ask_to_save;
    std::vector<std::filesystem::path> dropped;  // to be asked about: a run is open already
};

struct UiState : UiView, UiRequests {};

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
struct ListEvents {
    EventListing listing;
};
struct OpenPaths {
    std::vector<std::filesystem::path> paths;
    core::Side side = core::Side::Baseline;
};
struct DropPaths {  // what was dropped on the window: with a run open the user says what it is
    std::vector<std::filesystem::path> paths;
};
struct CloseRun {
    core::Side side = core::Side::Candidate;
};
struct SwapRuns {};
struct AlignRuns {
    core::AlignBy by;
};
struct AlignAtStep {};      // the one under the pointer, else of the selected event
struct AlignAtSelected {};  // the starts of the events selected on both sides
struct SetClocks {  // that the ranks of a run are put on
    core::ClockChoice choice;
    std::optional<core::Side> side = {};  // whose; unset: of the run the hands are on
};
struct MarkOnlyHere {
    bool on;
};
struct ShowGhosts {
    bool on;
};
struct ShowPath {  // the critical path, over the rows of its rank
    bool on;
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
struct SetNames {  // how names of two runs are paired
    core::NameRules rules;
};
struct PlaceRuns {
    Placement placement;
};
struct LockViews {
    bool on;
};
struct CancelLoad {};
struct FollowVisible {
    bool on;
};
struct ShowPanel {
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
struct CarryListing {     // to the runs that are open after runs were closed, swapped or brought back
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
    std::optional<core::Side> side = {};  // whose; unset: of the run the hands are on
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
using Intent =
    std::variant<SetFilter, Undo, Redo, SelectEvent, ShowRange, ShowRun, ChooseKernels, OpenPaths, CancelLoad,
                 FollowVisible, ShowPanel, ToggleDrawer, ColorEvents, SetTheme, ResizeInterface, FocusFilter, OpenFind,
                 FindStep, Dismiss, AskForPath, CloseRun, SwapRuns, AlignRuns, SetNames, AlignAtStep, AlignAtSelected,
                 MarkOnlyHere, ShowGhosts, ShowPath, ShowSeries, SetRanks, ChangeRanks, PlaceRuns, LockViews, DropPaths,
                 ListEvents, OpenPalette, RevealEvent, ShowStepBeside, StopFind, GoToOccurrence, CopyLink, CopyTable,
                 CopyChart, TakeEscape, MarkRange, SetMarks, SetBookmark, GoToBookmark, AskToSave, SaveFile,
                 CloseNotice, Quit, CloseFind, SetFindText, SearchArguments, ResizeDrawer, ResizeTree, SetChoices,
                 ForgetChoices, CarryListing, ShowEvent, SetClocks>;

struct Applied {
    bool quit = false;
    core::EventRef reveal;  // an event whose lane the timeline should bring into view
    std::optional<std::uint32_t> top;  // a rank whose row should be the uppermost
};
class DocumentStore;
// `side`: whose view the state is.
Applied apply(std::span<const Intent>, core::Session&, DocumentStore&, UiState&,
              core::Side side = core::Side::Baseline);
// Whether it is about one side's view; all else is about what both sides share.
bool is_of_view(const Intent&);

// A rank has arrived, or another run was opened: slots move, and an unmoved view shows the whole run again.
void follow_run(const core::RunPtr& before, const core::RunPtr& after, UiState&);
bool exists(const core::RunPtr&, core::EventRef);
// What is about the baseline that another one takes the place of.
void forget_baseline(UiState&);
// The same event of the same rank; invalid if that rank is not there any more. Either may be null.
core::EventRef follow_event(core::EventRef, const core::Run* before, const core::Run* after);
// Of a comparison, both runs' at once; empty: this run's own. An unmoved view shows the whole again.
void set_bounds(const core::Run&, core::RunRange bounds, core::RunRange work, UiState&);
// `to` shows the same as `from`, whose moments are `offset` earlier.
void follow_view(const UiState& from, core::Duration offset, UiState& to);
// Of an area that followed the leader's: its rows, as they are there; without any it is none.
void name_area_rows(std::vector<core::TrackRows> partners, UiState& to);
// Whether the whole run is shown, however long it is; the view then follows it.
bool shows_whole(const UiState&);
void show_whole(const core::Run&, UiState&);
// After the plot changed its width: a view of the whole run stays one.
void keep_whole(const core::Run&, UiState&);

}  // namespace ui
