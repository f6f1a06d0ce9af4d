#include "ui/state.hpp"

#include "core/index/work_window.hpp"
#include "ui/panel.hpp"
#include "ui/view_models/go_to.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

template <class... Fs>
struct Overloaded : Fs... {
    using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;  // clang 16 does not deduce it

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
    const core::RunPtr& run = session.run(side);
    Applied applied;
    const auto apply_one = Overloaded{
        [&](const SetFilter& set) { session.set_filter(set.filter, set.gesture); },
        [&](const Undo&) { session.undo(); }, [&](const Redo&) { session.redo(); },
        [&](const SelectEvent& select) {
            state.selected = exists(run, select.event) ? select.event : core::EventRef{};
            if (!state.selected.valid()) return;
            state.right_tab = "details";
            if (!select.show) return;
            show_event(*run, state.selected, state.time);
            applied.reveal = state.selected;
        },
        [&](const ShowRange& show) { state.time.fit(show.range); },
        [&](const ShowRun&) {
            if (run) show_whole(*run, state);
        },
        [&](const ChooseKernels& choose) { state.chosen_kernels = choose.names; },
        [&](const OpenPaths& open) { open_paths(open, session, state); },
        [&](const CancelLoad&) { session.cancel_load(); },
        [&](const FollowVisible& follow) { state.follow_visible = follow.on; },
        [&](const ShowPanel& show) { show_panel(show.id, state); },
        [&](const ToggleDrawer&) { state.drawer_open = !state.drawer_open; },
        [&](const ColorEvents& color) { state.color_by = color.by; },
        [&](const SetTheme& set) { state.theme = set.theme; },
        [&](const ResizeInterface& resize) {
            state.interface_size = resize_interface(state.interface_size, resize.steps);
        },
        [&](const FocusFilter&) { state.focus_filter = true; },
        [&](const OpenFind&) { state.find_open = state.focus_find = true; },
        [&](const FindStep& step) { state.find_steps += step.steps; },
        [&](const StopFind&) { state.find_stopped = true; },
        [&](const GoToOccurrence& go) { state.occurrence = go.which; }, [&](const Dismiss&) { dismiss(state); },
        [&](const AskForPath& ask) { state.ask_for_path = ask.side; },
        [&](const AskToSave& ask) { state.ask_to_save = ask.kind; }, [](const SaveFile&) {},
        [](const CloseNotice&) {},  // the window's
        [&](const OpenPalette& open) { state.open_palette = open.mode; },
        [&](const RevealEvent& reveal) {
            if (exists(run, reveal.event)) applied.reveal = reveal.event;
        },
        [&](const ShowStepBeside& show) {
            if (!run) return;
            if (const auto range = find_step_beside(*run, state.time.range(), show.forward)) state.time.fit(*range);
        },
        [&](const CloseRun& close) {
            session.close(close.side);
            state.listed.reset();
        },
        [&](const SwapRuns&) {
            session.swap_runs();
            state.listed.reset();
        },
        [&](const ListEvents& list) {
            state.listed = list.listing;
            show_panel("events", state);
        },
        [&](const AlignRuns& align) { session.align(align.by); },
        [&](const SetRanks& set) { state.ranks = set.choices; },
        [&](const ChangeRanks& change) {
            if (run) state.ranks = change_ranks(state.ranks, change.change, *run, state.selected, state.chosen_kernels);
        },
        [&](const SetNames& names) { session.set_names(names.rules); },
                                      // The window, which knows both sides, makes AlignRuns of these two.
        [](const AlignAtStep&) {}, [](const AlignAtSelected&) {}, [](const CopyLink&) {},
        [](const TakeEscape&) {},  // the window's
        [&](const MarkRange& marked) { mark(run, marked.keep, state); },
        [&](const SetMarks& set) { state.marks = set.marks; },
        [&](const SetBookmark& set) { set_bookmark(run, set.number, state); },
        [&](const GoToBookmark& go) { applied.top = go_to_bookmark(run, go.number, state); },
        [&](const MarkOnlyHere& mark) { state.mark_only_here = mark.on; },
        [&](const ShowGhosts& show) { state.ghost_steps = show.on; },
        [&](const ShowPath& show) { state.critical_path = show.on; },
        [&](const ShowSeries& show) { state.series_lanes = show.on; },
        [&](const DropPaths& drop) { drop_paths(drop, session, state); },
        [&](const PlaceRuns& arrange) { state.placement = arrange.placement; },
        [&](const LockViews& lock) { state.locked = lock.on; }, [&](const Quit&) { applied.quit = true; }};
    for (const Intent& intent : intents) std::visit(apply_one, intent);
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

void keep_whole(const core::Run& run, UiState& state) {
    if (state.time.width_px != state.whole.width_px && shows_whole(state)) show_whole(run, state);
}

}  // namespace ui
