#include "ui/model/state.hpp"

#include "core/index/work_window.hpp"
#include "ui/model/panel.hpp"
#include "ui/model/go_to.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace ui {
namespace {

// Keeps the zoom if the event then fits and can be seen, else shows it with room around.
void show_event(const core::Run& run, core::EventRef event, TimeView& time) {
    const core::RankSlot& rank = run.rank(event.slot);
    const core::RunRange range = rank.clock.to_run(rank.trace().range(event.event));
    const double length_px = static_cast<double>(range.length().count()) * time.px_per_ns;
    if (length_px > 0.9 * static_cast<double>(time.width_px) || length_px < 3) {
        const core::Duration room = std::max(range.length() * 3, core::Duration{1000});
        time.fit({range.begin - room, range.end + room}, 0);
    }
    const double middle = (time.to_px(range.begin) + time.to_px(range.end)) / 2;
    if (time.to_px(range.begin) < 0 || time.to_px(range.end) > static_cast<double>(time.width_px))
        time.pan(middle - static_cast<double>(time.width_px) / 2);
}

void show_panel(std::string_view id, UiState& state) {
    const PanelType* panel = find_panel(id);
    if (!panel) return;
    (panel->drawer == Drawer::Left ? state.left_tab : state.right_tab) = panel->id;
    state.drawer_open = true;
}

void dismiss(UiState& state) {
    if (state.find_open)
        state.find_open = false;
    else if (state.area)
        state.area.reset();
    else
        state.selected = {};
}

std::optional<core::RunRange> range_to_mark(const core::RunPtr& run, const UiState& state) {
    if (state.area) return state.area;
    if (exists(run, state.selected)) {
        const core::RankSlot& rank = run->rank(state.selected.slot);
        return rank.clock.to_run(rank.trace().range(state.selected.event));
    }
    if (state.pointer) return core::RunRange{*state.pointer, *state.pointer};
    return std::nullopt;
}

void mark(const core::RunPtr& run, bool keep, UiState& state) {
    if (!run) return;
    const std::optional<core::RunRange> range = range_to_mark(run, state);
    if (keep)
        keep_mark(state.marks, range);
    else
        mark_range(state.marks, range);
}

void set_bookmark(const core::RunPtr& run, std::size_t number, UiState& state) {
    if (!run || number >= kBookmarks) return;
    std::optional<Bookmark>& bookmark = state.marks.bookmarks[number];
    std::string note = bookmark ? bookmark->note : std::string();
    bookmark = Bookmark{state.time.range(), {}, std::move(note)};
    if (state.top_slot && *state.top_slot < run->ranks().size())
        bookmark->rank = core::format_rank(run->rank(*state.top_slot).key);
}

// The rank that is to be on top, if the run has it.
std::optional<std::uint32_t> go_to_bookmark(const core::RunPtr& run, std::size_t number, UiState& state) {
    if (!run || number >= kBookmarks || !state.marks.bookmarks[number]) return std::nullopt;
    const Bookmark& bookmark = *state.marks.bookmarks[number];
    state.time.fit(bookmark.view, 0);
    const auto found = std::ranges::find_if(
        run->ranks(), [&](const core::RankSlot& rank) { return core::format_rank(rank.key) == bookmark.rank; });
    if (found == run->ranks().end()) return std::nullopt;
    return static_cast<std::uint32_t>(found - run->ranks().begin());
}

void open_paths(const OpenPaths& open, core::Session& session, UiState& state) {
    session.open(open.paths, open.side);
    if (open.side == core::Side::Baseline) forget_baseline(state);
}

// Two folders are two runs, anything else is one; with a run open it may be either of a comparison's.
void drop_paths(const DropPaths& drop, core::Session& session, UiState& state) {
    const auto is_folder = [](const std::filesystem::path& path) {
        std::error_code ignored;
        return std::filesystem::is_directory(path, ignored);
    };
    if (drop.paths.empty()) return;
    if (drop.paths.size() == 2 && std::ranges::all_of(drop.paths, is_folder)) {
        open_paths({{drop.paths.front()}, core::Side::Baseline}, session, state);
        session.open({drop.paths.back()}, core::Side::Candidate);
    } else if (session.run()) {
        state.dropped = drop.paths;
    } else {
        open_paths({drop.paths, core::Side::Baseline}, session, state);
    }
}

// What intents are done to.
struct AppliedTo {
    core::Session& session;
    const core::RunPtr& run;
    UiState& state;
    Applied& applied;
};

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
    void operator()(const OpenPaths& open) const { open_paths(open, to.session, to.state); }
    void operator()(const DropPaths& drop) const { drop_paths(drop, to.session, to.state); }
    void operator()(const CancelLoad&) const { to.session.cancel_load(); }
    void operator()(const AlignRuns& align) const { to.session.align(align.by); }
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
        if (!to.state.listed) return change();
        const core::BySide<core::RunPtr> before = runs();
        const core::RunAlignment* now = to.session.alignment();
        const std::optional<core::RunAlignment> alignment = now ? std::optional(*now) : std::nullopt;
        change();
        to.state.listed =
            ui::follow_listing(*std::move(to.state.listed), before, alignment ? &*alignment : nullptr, runs());
    }
};

// What one side shows: time, selection, marks.
struct ApplyToView {
    const AppliedTo& to;
    void operator()(const SelectEvent& select) const {
        UiState& state = to.state;
        state.selected = exists(to.run, select.event) ? select.event : core::EventRef{};
        if (!state.selected.valid()) return;
        state.right_tab = "details";
        if (!select.show) return;
        show_event(*to.run, state.selected, state.time);
        to.applied.reveal = state.selected;
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
    void operator()(const MarkRange& marked) const { mark(to.run, marked.keep, to.state); }
    void operator()(const SetMarks& set) const { to.state.marks = set.marks; }
    void operator()(const SetBookmark& set) const { set_bookmark(to.run, set.number, to.state); }
    void operator()(const GoToBookmark& go) const { to.applied.top = go_to_bookmark(to.run, go.number, to.state); }
};

// What both sides share: panels, colours, the order of ranks, how two runs stand.
struct ApplyToChoices {
    const AppliedTo& to;
    void operator()(const ChooseKernels& choose) const { to.state.chosen_kernels = choose.names; }
    void operator()(const ListEvents& list) const {
        to.state.listed = list.listing;
        show_panel("events", to.state);
    }
    void operator()(const FollowVisible& follow) const { to.state.follow_visible = follow.on; }
    void operator()(const ShowPanel& show) const { show_panel(show.id, to.state); }
    void operator()(const ToggleDrawer&) const { to.state.drawer_open = !to.state.drawer_open; }
    void operator()(const ColorEvents& color) const { to.state.color_by = color.by; }
    void operator()(const SetTheme& set) const { to.state.theme = set.theme; }
    void operator()(const ResizeInterface& resize) const {
        to.state.interface_size = resize_interface(to.state.interface_size, resize.steps);
    }
    void operator()(const SetRanks& set) const { to.state.ranks = set.choices; }
    void operator()(const ChangeRanks& change) const {
        UiState& state = to.state;
        if (to.run)
            state.ranks = change_ranks(state.ranks, change.change, *to.run, state.selected, state.chosen_kernels);
        if (change.change == RankChange::HideOthers && exists(to.run, state.selected))
            state.ranks = hide_others(state.ranks, collect_rank_names(to.session),
                                      to.run->rank(state.selected.slot).key.packed());
    }
    void operator()(const MarkOnlyHere& mark) const { to.state.mark_only_here = mark.on; }
    void operator()(const ShowGhosts& show) const { to.state.ghost_steps = show.on; }
    void operator()(const ShowPath& show) const { to.state.critical_path = show.on; }
    void operator()(const ShowSeries& show) const { to.state.series_lanes = show.on; }
    void operator()(const PlaceRuns& arrange) const { to.state.placement = arrange.placement; }
    void operator()(const LockViews& lock) const { to.state.locked = lock.on; }
};

// What the next frame takes up: dialogs, the find bar.
struct ApplyToRequests {
    const AppliedTo& to;
    void operator()(const FocusFilter&) const { to.state.focus_filter = true; }
    void operator()(const OpenFind&) const { to.state.find_open = to.state.focus_find = true; }
    void operator()(const FindStep& step) const { to.state.find_steps += step.steps; }
    void operator()(const StopFind&) const { to.state.find_stopped = true; }
    void operator()(const GoToOccurrence& go) const { to.state.occurrence = go.which; }
    void operator()(const Dismiss&) const { dismiss(to.state); }
    void operator()(const AskForPath& ask) const { to.state.ask_for_path = ask.side; }
    void operator()(const AskToSave& ask) const { to.state.ask_to_save = ask.kind; }
    void operator()(const OpenPalette& open) const { to.state.open_palette = open.mode; }
    void operator()(const Quit&) const { to.applied.quit = true; }
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

struct Applying : ApplyToSession, ApplyToView, ApplyToChoices, ApplyToRequests, LeaveToWindow {
    using ApplyToSession::operator();
    using ApplyToView::operator();
    using ApplyToChoices::operator();
    using ApplyToRequests::operator();
    using LeaveToWindow::operator();
};

}  // namespace

void forget_baseline(UiState& state) {
    state.selected = {};
    state.hovered = {};
    state.area.reset();
    state.area_rows.clear();
    state.chosen_kernels.clear();
    state.ranks = {};
    state.listed.reset();
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

float resize_interface(float size, int steps) {
    if (steps == 0) return 1;
    const float tenths = std::round(size * 10) + static_cast<float>(steps);
    return std::clamp(tenths / 10, kLeastInterface, kMostInterface);
}

Applied apply(std::span<const Intent> intents, core::Session& session, UiState& state, core::Side side) {
    Applied applied;
    const AppliedTo to{session, session.run(side), state, applied};
    const Applying applying{{to}, {to}, {to}, {to}, {}};
    for (const Intent& intent : intents) std::visit(applying, intent);
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

bool wants_find(const UiState& state) {
    const bool listed = state.drawer_open && state.left_tab == "found";
    return !state.find_text.empty() && (state.find_open || listed);
}

bool is_of_view(const Intent& intent) {
    return std::holds_alternative<SelectEvent>(intent) || std::holds_alternative<ShowRange>(intent) ||
           std::holds_alternative<ShowRun>(intent) || std::holds_alternative<RevealEvent>(intent) ||
           std::holds_alternative<SetMarks>(intent);
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
