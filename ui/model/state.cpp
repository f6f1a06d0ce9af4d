#include "ui/model/state.hpp"

#include "ui/model/intent_value.hpp"
#include "ui/model/reducer.hpp"

#include <algorithm>
#include <chrono>
#include <functional>

namespace ui {
namespace {

std::optional<core::RunRange> range_to_mark(const core::RunPtr& run, const View& view, const SideEphemera& ephemeral) {
    if (view.area) return view.area;
    if (exists(run, view.selected)) return run->range_of(view.selected);
    if (ephemeral.pointer) return core::RunRange{*ephemeral.pointer, *ephemeral.pointer};
    return std::nullopt;
}

// Targets of intents.
struct AppliedTo {
    core::Session& session;
    const core::RunPtr& run;
    DocumentStore& store;
    Ephemera& ephemera;
    Applied& applied;
    core::Side side;

    const View& view() const { return store.view(side); }
    SideRequests& asked() const { return ephemera.asked[side]; }
    Facts facts() const { return {.session = session, .side = side, .work = ephemera.sides[side].work}; }
};

void mark(const AppliedTo& to, bool keep) {
    if (!to.run) return;
    const std::optional<core::RunRange> range = range_to_mark(to.run, to.view(), to.ephemera.sides[to.side]);
    core::Marks marks = to.session.marks(to.side);
    if (keep)
        keep_mark(marks, range);
    else
        mark_range(marks, range);
    to.session.set_marks(to.side, std::move(marks));
}

void set_bookmark(const AppliedTo& to, std::size_t number) {
    if (!to.run || number >= core::kBookmarks) return;
    core::Marks marks = to.session.marks(to.side);
    std::optional<core::Bookmark>& bookmark = marks.bookmarks[number];
    core::Note note = bookmark ? bookmark->note : core::Note{};
    bookmark = core::Bookmark{.view = to.view().time.range(), .rank = {}, .note = std::move(note)};
    const std::optional<std::uint32_t> top = to.view().top_slot;
    if (top && *top < to.run->ranks().size()) bookmark->rank = core::format_rank(to.run->rank(*top).key);
    to.session.set_marks(to.side, std::move(marks));
}

// The rank that is to be on top, if the run has it.
std::optional<std::uint32_t> find_rank_of_bookmark(const AppliedTo& to, std::size_t number) {
    if (!to.run || number >= core::kBookmarks) return std::nullopt;
    const std::optional<core::Bookmark>& bookmark = to.session.marks(to.side).bookmarks[number];
    if (!bookmark) return std::nullopt;
    const auto found = std::ranges::find_if(
        to.run->ranks(), [&](const core::RankSlot& rank) { return core::format_rank(rank.key) == bookmark->rank; });
    if (found == to.run->ranks().end()) return std::nullopt;
    return static_cast<std::uint32_t>(found - to.run->ranks().begin());
}

void open_paths(const OpenPaths& open, const AppliedTo& to) {
    if (open.watch && open.side == core::Side::Baseline)
        to.session.watch(open.paths);
    else
        to.session.open(open.paths, open.side);
    if (open.side != core::Side::Baseline) return;
    to.ephemera.sides[to.side].hovered = {};
    to.store.apply(DropSelection{}, to.facts());
    to.store.apply(ForgetChoices{}, to.facts());
}

// Two folders are two runs, anything else is one; with a run open it may be either of a comparison's.
void drop_paths(const DropPaths& drop, const AppliedTo& to) {
    const auto is_folder = [](const std::filesystem::path& path) {
        std::error_code ignored;
        return std::filesystem::is_directory(path, ignored);
    };
    if (drop.paths.empty()) return;
    if (drop.paths.size() == 2 && std::ranges::all_of(drop.paths, is_folder)) {
        open_paths({{drop.paths.front()}, core::Side::Baseline}, to);
        to.session.open({drop.paths.back()}, core::Side::Candidate);
    } else if (to.session.run()) {
        to.ephemera.window.dropped = drop.paths;
    } else {
        open_paths({drop.paths, core::Side::Baseline}, to);
    }
}

// Intents about the session: runs, filter, alignment.
struct ApplyToSession {
    const AppliedTo& to;
    void operator()(const SetFilter& set) const { to.session.set_filter(set.filter, set.gesture); }
    void operator()(const Undo&) const {
        change_runs([&] { to.session.undo(); });
    }
    void operator()(const Redo&) const {
        change_runs([&] { to.session.redo(); });
    }
    void operator()(const OpenPaths& open) const { open_paths(open, to); }
    void operator()(const DropPaths& drop) const { drop_paths(drop, to); }
    void operator()(const CancelLoad&) const { to.session.cancel_load(); }
    void operator()(const AlignRuns& align) const { to.session.align(align.by); }
    void operator()(const SetClocks& set) const { to.session.set_clocks(to.side, set.choice); }
    void operator()(const SetChoices& set) const {
        to.session.allow_index_files(set.choices.keep_index_files);
        place_index_files(set.choices.index_in_cache, set.choices.cache_limit_gb);
    }
    void operator()(const PlaceIndexFiles& place) const { place_index_files(place.in_cache, place.limit_gb); }
    void operator()(const CutGaps& cut) const { to.session.cut_gaps(to.side, cut.on); }
    void operator()(const KeepIndexFiles& keep) const { to.session.allow_index_files(keep.on); }
    void operator()(const SetNames& names) const { to.session.set_names(names.rules); }
    void operator()(const SetStatistics& statistics) const { to.session.set_statistics(statistics.options); }
    void operator()(const CloseRun& close) const {
        change_runs([&] { to.session.close(close.side); });
    }
    void operator()(const SwapRuns&) const {
        change_runs([&] { to.session.swap_runs(); });
    }

private:
    void place_index_files(bool in_cache, std::int64_t limit_gb) const {
        constexpr std::uint64_t kBytesOfGb = 1'000'000'000;
        to.session.place_index_files(in_cache, static_cast<std::uint64_t>(limit_gb) * kBytesOfGb);
    }
    core::BySide<core::RunPtr> runs() const {
        return {to.session.run(core::Side::Baseline), to.session.run(core::Side::Candidate)};
    }
    // A listing closes with its run.
    void change_runs(const std::function<void()>& change) const {
        if (!to.store.choices().listed) return change();
        const core::RunAlignment* now = to.session.alignment();
        CarryListing carry{.before = runs(), .alignment = now ? std::optional(*now) : std::nullopt, .after = {}};
        change();
        carry.after = runs();
        to.store.apply(std::move(carry), to.facts());
    }
};

// Intents about rows of the timeline and marks, which are steps of undo.
struct ApplyToView {
    const AppliedTo& to;
    void operator()(const SelectEvent& select) const {
        if (select.show) (*this)(RevealEvent{select.event});
    }
    void operator()(const ShowEvent& show) const { (*this)(RevealEvent{show.event}); }
    void operator()(const RevealEvent& reveal) const {
        if (exists(to.run, reveal.event)) to.applied.reveal = reveal.event;
    }
    void operator()(const MarkRange& marked) const { mark(to, marked.keep); }
    void operator()(const SetMarks& set) const {
        core::Marks marks = set.marks;
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        core::sign_notes(to.session.marks(to.side), marks, core::name_of_user(),
                         std::chrono::floor<std::chrono::seconds>(now).count());
        to.session.set_marks(to.side, std::move(marks));
    }
    void operator()(const SetBookmark& set) const { set_bookmark(to, set.number); }
    void operator()(const GoToBookmark& go) const { to.applied.top = find_rank_of_bookmark(to, go.number); }
};

// Requests to the next frame: dialogs, the find bar.
struct ApplyToRequests {
    const AppliedTo& to;
    void operator()(const FocusFilter&) const { to.ephemera.window.focus_filter = true; }
    void operator()(const OpenFind&) const { to.asked().focus_find = true; }
    void operator()(const FindStep& step) const { to.asked().find_steps += step.steps; }
    void operator()(const StopFind&) const {
        for (const core::Side side : core::kSides) to.ephemera.asked[side].stop_find = true;
    }
    void operator()(const WalkGaps& walk) const {
        if (to.run) to.asked().gap_steps += walk.steps;
    }
    void operator()(const GoToOccurrence& go) const { to.asked().occurrence = go.which; }
    void operator()(const AskForPath& ask) const { to.ephemera.window.ask_for_path = ask.side; }
    void operator()(const AskToSave& ask) const { to.ephemera.window.ask_to_save = ask.kind; }
    void operator()(const OpenPalette& open) const { to.ephemera.window.open_palette = open.mode; }
    void operator()(const AskForSettings&) const { to.ephemera.window.ask_for_settings = true; }
    void operator()(const Quit&) const { to.applied.quit = true; }
};

// Intents that reduce() has applied.
struct LeaveToDocument {
    void operator()(const ChooseKernels&) const {}
    void operator()(const ListEvents&) const {}
    void operator()(const FollowVisible&) const {}
    void operator()(const FollowNewest&) const {}
    void operator()(const ShowPanel&) const {}
    void operator()(const ShowPanelAt&) const {}
    void operator()(const ShowPanelBeside&) const {}
    void operator()(const ShowAnalysis&) const {}
    void operator()(const ShowCommunication&) const {}
    void operator()(const SetWhatIf&) const {}
    void operator()(const ToggleDrawer&) const {}
    void operator()(const ResizeDrawer&) const {}
    void operator()(const ResizeTree&) const {}
    void operator()(const ColorEvents&) const {}
    void operator()(const SetTheme&) const {}
    void operator()(const SetWheel&) const {}
    void operator()(const ResizeInterface&) const {}
    void operator()(const SetRanks&) const {}
    void operator()(const ChangeRanks&) const {}
    void operator()(const ChangeRows&) const {}
    void operator()(const MarkUniqueEvents&) const {}
    void operator()(const ShowGhosts&) const {}
    void operator()(const ShowPath&) const {}
    void operator()(const ShowSeries&) const {}
    void operator()(const PlaceRuns&) const {}
    void operator()(const LockViews&) const {}
    void operator()(const CloseFind&) const {}
    void operator()(const SetFindText&) const {}
    void operator()(const SearchArguments&) const {}
    void operator()(const ForgetChoices&) const {}
    void operator()(const CarryListing&) const {}
    void operator()(const ShowRange&) const {}
    void operator()(const ShowRun&) const {}
    void operator()(const ShowStepBeside&) const {}
    void operator()(const Dismiss&) const {}
    void operator()(const MoveView&) const {}
    void operator()(const SelectArea&) const {}
    void operator()(const NoteTopRank&) const {}
    void operator()(const SetView&) const {}
    void operator()(const CarryView&) const {}
    void operator()(const KeepWhole&) const {}
    void operator()(const MirrorView&) const {}
    void operator()(const DropSelection&) const {}
};

// Intents that only the window applies, because they concern both sides or leave it.
struct LeaveToWindow {
    void operator()(const SaveFile&) const {}
    void operator()(const CloseNotice&) const {}
    void operator()(const AlignAtStep&) const {}
    void operator()(const AlignAtSelected&) const {}
    void operator()(const CompareInside&) const {}
    void operator()(const CopyLink&) const {}
    void operator()(const CopyTable&) const {}
    void operator()(const CopyChart&) const {}
    void operator()(const TakeEscape&) const {}
    void operator()(const PressKey&) const {}
    void operator()(const SetDeviceNumber&) const {}
    void operator()(const SetLimit&) const {}
};

struct Applying : ApplyToSession, ApplyToView, ApplyToRequests, LeaveToDocument, LeaveToWindow {
    using ApplyToSession::operator();
    using ApplyToView::operator();
    using LeaveToDocument::operator();
    using ApplyToRequests::operator();
    using LeaveToWindow::operator();
};

}  // namespace

Applied apply(std::span<const Intent> intents, core::Session& session, DocumentStore& store, Ephemera& ephemera,
              core::Side side) {
    Applied applied;
    for (const Intent& intent : intents) {
        const AppliedTo to{.session = session,
                           .run = session.run(side),
                           .store = store,
                           .ephemera = ephemera,
                           .applied = applied,
                           .side = side};
        store.apply(intent, to.facts());
        std::visit(Applying{{to}, {to}, {to}, {}, {}}, intent.value().kind);
    }
    return applied;
}

bool is_of_view(const Intent& intent) {
    return intent.find<SelectEvent>() || intent.find<ShowRange>() || intent.find<ShowRun>() ||
           intent.find<RevealEvent>() || intent.find<SetMarks>() || intent.find<ShowEvent>();
}

bool is_timeline_input(const Intent& intent) {
    return intent.find<MoveView>() || intent.find<SelectArea>() || intent.find<NoteTopRank>();
}

}  // namespace ui
