#include "ui/state.hpp"

#include "ui/panel.hpp"

#include <algorithm>

namespace ui {
namespace {

template <class... Fs>
struct Overloaded : Fs... {
    using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;  // clang 16 does not deduce it

bool is_whole(const UiState& state) {
    return state.time.t0 == state.whole.t0 && state.time.fraction_ns == state.whole.fraction_ns &&
           state.time.px_per_ns == state.whole.px_per_ns;
}

void fit_whole(const core::Run& run, UiState& state) {
    state.time.fit(run.window());
    state.whole = state.time;
}

core::EventRef moved(core::EventRef event, const core::Run* before, const core::Run* after) {
    if (!event.valid() || !before || !after || event.slot >= before->ranks().size()) return {};
    const core::RankIndexPtr& index = before->rank(event.slot).index;
    const auto found = std::ranges::find(after->ranks(), index, &core::RankSlot::index);
    if (found == after->ranks().end()) return {};
    event.slot = static_cast<std::uint32_t>(found - after->ranks().begin());
    return event;
}

bool exists(const core::RunPtr& run, core::EventRef event) {
    return run && event.valid() && event.slot < run->ranks().size() &&
           core::index_of(event.event) < run->rank(event.slot).trace().size();
}

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

void open_paths(const OpenPaths& open, core::Session& session, UiState& state) {
    session.open(open.paths);
    state.selected = {};
    state.hovered = {};
    state.area.reset();
    state.chosen_kernels.clear();
}

}  // namespace

Applied apply(std::span<const Intent> intents, core::Session& session, UiState& state) {
    Applied applied;
    const auto apply_one = Overloaded{[&](const SetFilter& set) { session.query().commit({set.filter}, set.gesture); },
                                      [&](const Undo&) { session.query().undo(); },
                                      [&](const Redo&) { session.query().redo(); },
                                      [&](const SelectEvent& select) {
                                          state.selected =
                                              exists(session.run(), select.event) ? select.event : core::EventRef{};
                                          if (!state.selected.valid()) return;
                                          state.right_tab = "details";
                                          if (!select.show) return;
                                          show_event(*session.run(), state.selected, state.time);
                                          applied.reveal = state.selected;
                                      },
                                      [&](const ShowRange& show) { state.time.fit(show.range); },
                                      [&](const ShowRun&) {
                                          if (session.run()) fit_whole(*session.run(), state);
                                      },
                                      [&](const ChooseKernels& choose) { state.chosen_kernels = choose.names; },
                                      [&](const OpenPaths& open) { open_paths(open, session, state); },
                                      [&](const CancelLoad&) { session.cancel_load(); },
                                      [&](const FollowVisible& follow) { state.follow_visible = follow.on; },
                                      [&](const ShowPanel& show) { show_panel(show.id, state); },
                                      [&](const ToggleDrawer&) { state.drawer_open = !state.drawer_open; },
                                      [&](const ToggleColors&) { state.color_by_class = !state.color_by_class; },
                                      [&](const FocusFilter&) { state.focus_filter = true; },
                                      [&](const AskForPath&) { state.ask_for_path = true; },
                                      [&](const Quit&) { applied.quit = true; }};
    for (const Intent& intent : intents) std::visit(apply_one, intent);
    return applied;
}

void follow_run(const core::RunPtr& before, const core::RunPtr& after, UiState& state) {
    state.selected = moved(state.selected, before.get(), after.get());
    state.hovered = {};
    if (after && (!before || is_whole(state))) fit_whole(*after, state);
}

void keep_whole(const core::Run& run, UiState& state) {
    if (state.time.width_px != state.whole.width_px && is_whole(state)) fit_whole(run, state);
}

}  // namespace ui
