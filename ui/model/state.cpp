#include "ui/model/state.hpp"

#include "core/index/work_window.hpp"
#include "ui/model/go_to.hpp"
#include "ui/model/reducer.hpp"

#include <algorithm>
#include <functional>

namespace ui {
namespace {

// Keeps the zoom if the event then fits and can be seen, else shows it with room around.
void show_event(const core::Run& run, core::EventRef event, TimeView& time) {
    const core::RunRange range = run.range_of(event);
    const double length_px = static_cast<double>(range.length().count()) * time.px_per_ns;
    if (length_px > 0.9 * static_cast<double>(time.width_px) || length_px < 3) {
        const core::Duration room = std::max(range.length() * 3, core::Duration{1000});
        time.fit({range.begin - room, range.end + room}, 0);
    }
    const double middle = (time.to_px(range.begin) + time.to_px(range.end)) / 2;
    if (time.to_px(range.begin) < 0 || time.to_px(range.end) > static_cast<double>(time.width_px))
        time.pan(middle - static_cast<double>(time.width_px) / 2);
}

std::optional<core::RunRange> range_to_mark(const core::RunPtr& run, const UiState& state) {
    if (state.area) return state.area;
    if (exists(run, state.selected)) return run->range_of(state.selected);
    if (state.pointer) return core::RunRange{*state.pointer, *state.pointer};
    return std::nullopt;
}

// What intents are done to.
struct AppliedTo {
    core::Session& session;
    const core::RunPtr& run;
    DocumentStore& store;
    UiState& state;
    Applied& applied;
    core::Side side;
    bool had_find;  // before the intent: the find bar was open

    Facts facts() const { return {.session = session, .side = side, .selected = state.selected}; }
};

void mark(const AppliedTo& to, bool keep) {
    if (!to.run) return;
    const std::optional<core::RunRange> range = range_to_mark(to.run, to.state);
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
    std::string note = bookmark ? bookmark->note : std::string();
    bookmark = core::Bookmark{.view = to.state.time.range(), .rank = {}, .note = std::move(note)};
    if (to.state.top_slot && *to.state.top_slot < to.run->ranks().size())
        bookmark->rank = core::format_rank(to.run->rank(*to.state.top_slot).key);
    to.session.set_marks(to.side, std::move(marks));
}

// The rank that is to be on top, if the run has it.
std::optional<std::uint32_t> go_to_bookmark(const AppliedTo& to, std::size_t number) {
    if (!to.run || number >= core::kBookmarks) return std::nullopt;
    const std::optional<core::Bookmark>& bookmark = to.session.marks(to.side).bookmarks[number];
    if (!bookmark) return std::nullopt;
    to.state.time.fit(bookmark->view, 0);
    const auto found = std::ranges::find_if(
        to.run->ranks(), [&](const core::RankSlot& rank) { return core::format_rank(rank.key) == bookmark->rank; });
    if (found == to.run->ranks().end()) return std::nullopt;
    return static_cast<std::uint32_t>(found - to.run->ranks().begin());
}

void open_paths(const OpenPaths& open, const AppliedTo& to) {
    to.session.open(open.paths, open.side);
    if (open.side != core::Side::Baseline) return;
    forget_baseline(to.state);
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
        to.state.dropped = drop.paths;
    } else {
        open_paths({drop.paths, core::Side::Baseline}, to);
    }
}

// What the session holds: runs, filter, alignment.
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
    void operator()(const SetNames& names) const { to.session.set_names(names.rules); }
    void operator()(const CloseRun& close) const {
        change_runs([&] { to.session.close(close.side); });
    }
    void operator()(const SwapRuns&) const {
        change_runs([&] { to.session.swap_runs(); });
    }

private:
    core::BySide<core::RunPtr> runs() const {
        return {to.session.run(core::Side::Baseline), to.session.run(core::Side::Candidate)};
    }
    // What is listed goes with its run.
    void change_runs(const std::function<void()>& change) const {
        if (!to.store.choices().listed) return change();
        const core::RunAlignment* now = to.session.alignment();
        CarryListing carry{.before = runs(), .alignment = now ? std::optional(*now) : std::nullopt, .after = {}};
        change();
        carry.after = runs();
        to.store.apply(std::move(carry), to.facts());
    }
};

// What one side shows: time, selection, marks. Marks are steps of undo.
struct ApplyToView {
    const AppliedTo& to;
    void operator()(const SelectEvent& select) const {
        UiState& state = to.state;
        state.selected = exists(to.run, select.event) ? select.event : core::EventRef{};
        if (!state.selected.valid()) return;
        if (select.show) (*this)(ShowEvent{state.selected});
    }
    void operator()(const ShowEvent& show) const {
        if (!exists(to.run, show.event)) return;
        show_event(*to.run, show.event, to.state.time);
        to.applied.reveal = show.event;
    }
    void operator()(const ShowRange& show) const { to.state.time.fit(show.range); }
    void operator()(const ShowRun&) const {
        if (to.run) show_whole(*to.run, to.state);
    }
    void operator()(const RevealEvent& reveal) const {
        if (exists(to.run, reveal.event)) to.applied.reveal = reveal.event;
    }
    void operator()(const ShowStepBeside& show) const {
        if (!to.run) return;
        const auto range = find_step_beside(*to.run, to.state.time.range(), show.forward);
        if (range) to.state.time.fit(*range);
    }
    void operator()(const MarkRange& marked) const { mark(to, marked.keep); }
    void operator()(const SetMarks& set) const { to.session.set_marks(to.side, set.marks); }
    void operator()(const SetBookmark& set) const { set_bookmark(to, set.number); }
    void operator()(const GoToBookmark& go) const { to.applied.top = go_to_bookmark(to, go.number); }
};

// What the next frame takes up: dialogs, the find bar.
struct ApplyToRequests {
    const AppliedTo& to;
    void operator()(const FocusFilter&) const { to.state.focus_filter = true; }
    void operator()(const OpenFind&) const { to.state.focus_find = true; }
    void operator()(const FindStep& step) const { to.state.find_steps += step.steps; }
    void operator()(const StopFind&) const { to.state.stop_find = true; }
    void operator()(const GoToOccurrence& go) const { to.state.occurrence = go.which; }
    void operator()(const Dismiss&) const {
        if (to.had_find) return;
        if (to.state.area)
            to.state.area.reset();
        else
            to.state.selected = {};
    }
    void operator()(const AskForPath& ask) const { to.state.ask_for_path = ask.side; }
    void operator()(const AskToSave& ask) const { to.state.ask_to_save = ask.kind; }
    void operator()(const OpenPalette& open) const { to.state.open_palette = open.mode; }
    void operator()(const Quit&) const { to.applied.quit = true; }
};

// What reduce() has done.
struct LeaveToDocument {
    void operator()(const ChooseKernels&) const {}
    void operator()(const ListEvents&) const {}
    void operator()(const FollowVisible&) const {}
    void operator()(const ShowPanel&) const {}
    void operator()(const ToggleDrawer&) const {}
    void operator()(const ResizeDrawer&) const {}
    void operator()(const ResizeTree&) const {}
    void operator()(const ColorEvents&) const {}
    void operator()(const SetTheme&) const {}
    void operator()(const ResizeInterface&) const {}
    void operator()(const SetRanks&) const {}
    void operator()(const ChangeRanks&) const {}
    void operator()(const MarkOnlyHere&) const {}
    void operator()(const ShowGhosts&) const {}
    void operator()(const ShowPath&) const {}
    void operator()(const ShowSeries&) const {}
    void operator()(const PlaceRuns&) const {}
    void operator()(const LockViews&) const {}
    void operator()(const CloseFind&) const {}
    void operator()(const SetFindText&) const {}
    void operator()(const SearchArguments&) const {}
    void operator()(const SetChoices&) const {}
    void operator()(const ForgetChoices&) const {}
    void operator()(const CarryListing&) const {}
};

// What the window itself does with them, which knows both sides and what leaves it.
struct LeaveToWindow {
    void operator()(const SaveFile&) const {}
    void operator()(const CloseNotice&) const {}
    void operator()(const AlignAtStep&) const {}
    void operator()(const AlignAtSelected&) const {}
    void operator()(const CopyLink&) const {}
    void operator()(const CopyTable&) const {}
    void operator()(const CopyChart&) const {}
    void operator()(const TakeEscape&) const {}
};

struct Applying : ApplyToSession, ApplyToView, ApplyToRequests, LeaveToDocument, LeaveToWindow {
    using ApplyToSession::operator();
    using ApplyToView::operator();
    using LeaveToDocument::operator();
    using ApplyToRequests::operator();
    using LeaveToWindow::operator();
};

}  // namespace

void forget_baseline(UiState& state) {
    state.selected = {};
    state.hovered = {};
    state.area.reset();
    state.area_rows.clear();
}

bool exists(const core::RunPtr& run, core::EventRef event) {
    return run && event.valid() && event.slot < run->ranks().size() &&
           core::index_of(event.event) < run->rank(event.slot).trace().size();
}

bool shows_whole(const UiState& state) {
    return state.time.t0 == state.whole.t0 && state.time.fraction_ns == state.whole.fraction_ns &&
           state.time.px_per_ns == state.whole.px_per_ns;
}

void show_whole(const core::Run& run, UiState& state) {
    state.time.fit(state.work.empty() ? core::find_work_window(run) : state.work);
    state.whole = state.time;
}

Applied apply(std::span<const Intent> intents, core::Session& session, DocumentStore& store, UiState& state,
              core::Side side) {
    Applied applied;
    for (const Intent& intent : intents) {
        const AppliedTo to{.session = session,
                           .run = session.run(side),
                           .store = store,
                           .state = state,
                           .applied = applied,
                           .side = side,
                           .had_find = store.choices().find_open};
        store.apply(intent, to.facts());
        std::visit(Applying{{to}, {to}, {to}, {}, {}}, intent);
    }
    return applied;
}

core::EventRef follow_event(core::EventRef event, const core::Run* before, const core::Run* after) {
    if (!event.valid() || !before || !after || event.slot >= before->ranks().size()) return {};
    const core::RankIndexPtr& index = before->rank(event.slot).index;
    const auto found = std::ranges::find(after->ranks(), index, &core::RankSlot::index);
    if (found == after->ranks().end()) return {};
    event.slot = static_cast<std::uint32_t>(found - after->ranks().begin());
    return event;
}

void follow_run(const core::RunPtr& before, const core::RunPtr& after, UiState& state) {
    state.selected = follow_event(state.selected, before.get(), after.get());
    state.hovered = {};
    state.area_summary.reset();  // its examples are in slots of before
    state.search.found.reset();
    if (after && (!before || shows_whole(state))) show_whole(*after, state);
}

bool is_of_view(const Intent& intent) {
    return std::holds_alternative<SelectEvent>(intent) || std::holds_alternative<ShowRange>(intent) ||
           std::holds_alternative<ShowRun>(intent) || std::holds_alternative<RevealEvent>(intent) ||
           std::holds_alternative<SetMarks>(intent) || std::holds_alternative<ShowEvent>(intent);
}

void set_bounds(const core::Run& run, core::RunRange bounds, core::RunRange work, UiState& state) {
    if (bounds == state.bounds && work == state.work) return;
    const bool whole = shows_whole(state);
    state.bounds = bounds;
    state.work = work;
    if (whole) show_whole(run, state);
}

void follow_view(const UiState& from, core::Duration offset, UiState& to) {
    const float width = to.time.width_px;
    to.time = from.time;
    to.time.t0 += offset;
    to.time.width_px = width;
    to.whole = from.whole;
    to.whole.t0 += offset;
    to.whole.width_px = width;
    to.area.reset();
    to.area_rows = from.area_rows;
    if (from.area) to.area = core::RunRange{from.area->begin + offset, from.area->end + offset};
}

void name_area_rows(std::vector<core::TrackRows> partners, UiState& to) {
    if (to.area_rows.empty()) return;
    to.area_rows = std::move(partners);
    if (to.area_rows.empty()) to.area.reset();  // without rows it would be of everything
}

void keep_whole(const core::Run& run, UiState& state) {
    if (state.time.width_px != state.whole.width_px && shows_whole(state)) show_whole(run, state);
}

}  // namespace ui
