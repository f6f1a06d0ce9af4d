#include "ui/model/intents/reducer.hpp"

#include "core/analysis/catalogue/registry.hpp"
#include "ui/model/go_to.hpp"
#include "ui/model/intent_value.hpp"
#include "ui/model/panel.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

void choose_panel(std::string_view id, UiChoices& choices) {
    const PanelType* panel = find_panel(id);
    if (!panel) return;
    (panel->drawer == Drawer::Left ? choices.left_tab : choices.right_tab) = panel->id;
    choices.drawer_open = true;
}

// Those that have a tab, but for panels on demand.
std::vector<const PanelType*> collect_left_tabs(const core::Session& session) {
    std::vector<const PanelType*> tabs;
    for (const PanelType& panel : all_panels()) {
        const bool has_tab = panel.part_of.empty() && (!panel.appears || panel.appears(session));
        if (panel.drawer == Drawer::Left && !panel.on_demand && has_tab) tabs.push_back(&panel);
    }
    return tabs;
}

// False: no step is complete.
bool show_newest_step(const core::Run& run, View& view) {
    const std::optional<core::RunRange> range = find_newest_step(run);
    if (range) view.time.fit(*range);
    return range.has_value();
}

// One function for each intent that changes the document.
struct Reducing {
    Document& document;
    const Facts& facts;

    const core::RunPtr& run() const { return facts.session.run(facts.side); }
    View& view() const { return document.views[facts.side]; }

    void operator()(const SelectEvent& select) const {
        view().selected = exists(run(), select.event) ? select.event : core::EventRef{};
        if (!view().selected.valid()) return;
        document.choices.right_tab = "details";
        if (select.show) show_event(*run(), select.event, view().time);
    }
    void operator()(const ShowEvent& show) const {
        if (exists(run(), show.event)) show_event(*run(), show.event, view().time);
    }
    void operator()(const ShowRange& show) const { view().time.fit(show.range); }
    void operator()(const ShowRun&) const {
        if (run()) show_whole(*run(), facts.work, view());
    }
    void operator()(const ShowStepBeside& show) const {
        if (!run()) return;
        const auto range = find_step_beside(*run(), view().time.range(), show.forward);
        if (range) view().time.fit(*range);
    }
    void operator()(const GoToBookmark& go) const {
        if (!run() || go.number >= core::kBookmarks) return;
        if (const auto& bookmark = facts.session.marks(facts.side).bookmarks[go.number])
            view().time.fit(bookmark->view, 0);
    }
    void operator()(const MoveView& move) const {
        view().time = move.time;
        view().whole = move.whole;
    }
    void operator()(const SelectArea& select) const {
        view().area = select.area;
        view().area_rows = select.rows;
    }
    void operator()(const NoteTopRank& top) const { view().top_slot = top.slot; }
    void operator()(const SetView& set) const { view() = set.view; }
    void operator()(const CarryView& carry) const {
        view().selected = carry_over_event(view().selected, carry.before.get(), carry.after.get());
        if (carry.after && document.choices.follow_newest && facts.session.watched(facts.side) &&
            show_newest_step(*carry.after, view()))
            return;
        if (carry.after && shows_whole(view())) show_whole(*carry.after, facts.work, view());
    }
    void operator()(const KeepWhole&) const {
        if (run() && view().time.width_px != view().whole.width_px && shows_whole(view()))
            show_whole(*run(), facts.work, view());
    }
    void operator()(const MirrorView& mirror) const {
        const View& from = document.views[core::other_side(facts.side)];
        View& to = view();
        const float width = to.time.width_px;
        to.time = from.time;
        to.time.t0 += mirror.offset;
        to.time.width_px = width;
        to.whole = from.whole;
        to.whole.t0 += mirror.offset;
        to.whole.width_px = width;
        to.area.reset();
        if (from.area) to.area = core::RunRange{from.area->begin + mirror.offset, from.area->end + mirror.offset};
        to.area_rows = mirror.area_rows;
        if (!from.area_rows.empty() && to.area_rows.empty()) to.area.reset();  // without rows it would be of everything
    }
    void operator()(const DropSelection&) const {
        view().selected = {};
        view().area.reset();
        view().area_rows.clear();
    }
    void operator()(const ChooseKernels& choose) const { document.choices.chosen_kernels = choose.names; }
    void operator()(const ListEvents& list) const {
        document.choices.listed = list.listing;
        choose_panel("events", document.choices);
    }
    void operator()(const FollowVisible& follow) const { document.choices.follow_visible = follow.on; }
    void operator()(const FollowNewest& follow) const {
        document.choices.follow_newest = follow.on;
        if (follow.on && run()) show_newest_step(*run(), view());
    }
    void operator()(const ShowPanel& show) const { choose_panel(show.id, document.choices); }
    void operator()(const ShowPanelAt& show) const {
        const std::vector<const PanelType*> tabs = collect_left_tabs(facts.session);
        if (show.number < tabs.size()) choose_panel(tabs[show.number]->id, document.choices);
    }
    void operator()(const ShowPanelBeside& show) const {
        const std::vector<const PanelType*> tabs = collect_left_tabs(facts.session);
        const PanelType* const panel = find_panel(document.choices.left_tab);
        const auto shown = std::ranges::find(tabs, panel ? &tab_of(*panel) : nullptr);
        const auto count = static_cast<std::ptrdiff_t>(tabs.size());
        const std::ptrdiff_t at = shown == tabs.end() ? 0 : shown - tabs.begin() + show.steps;
        choose_panel(tabs[static_cast<std::size_t>((at % count + count) % count)]->id, document.choices);
    }
    void operator()(const ShowAnalysis& show) const {
        if (!core::find_analysis(show.id)) return;
        document.choices.analysis = show.id;
        choose_panel("analysis", document.choices);
    }
    void operator()(const ShowCommunication& show) const {
        document.choices.communication = show.view;
        choose_panel("communication", document.choices);
    }
    void operator()(const ToggleDrawer&) const { document.choices.drawer_open = !document.choices.drawer_open; }
    void operator()(const ResizeDrawer& resize) const {
        if (std::isfinite(resize.share))
            document.choices.drawer_share = std::clamp(resize.share, kLeastDrawer, kMostDrawer);
    }
    void operator()(const ResizeTree& resize) const {
        if (std::isfinite(resize.width)) document.choices.tree_width = resize.width;
    }
    void operator()(const ColorEvents& color) const { document.choices.color_by = color.by; }
    void operator()(const SetTheme& set) const { document.choices.theme = set.theme; }
    void operator()(const SetWheel& set) const { document.choices.wheel_zooms = set.zooms; }
    void operator()(const KeepIndexFiles& keep) const { document.choices.keep_index_files = keep.on; }
    void operator()(const PlaceIndexFiles& place) const {
        document.choices.index_in_cache = place.in_cache;
        document.choices.cache_limit_gb = std::max<std::int64_t>(0, place.limit_gb);
    }
    void operator()(const ResizeInterface& resize) const {
        document.choices.interface_size = resize_interface(document.choices.interface_size, resize.steps);
    }
    void operator()(const SetRanks& set) const { document.choices.ranks = set.choices; }
    void operator()(const ChangeRanks& change) const {
        if (!run()) return;
        RankChoices& ranks = document.choices.ranks;
        ranks = change_ranks(ranks, change.change, *run(), view().selected, document.choices.chosen_kernels);
        if (change.change == RankChange::HideOthers && exists(run(), view().selected))
            ranks =
                hide_others(ranks, collect_rank_names(facts.session), run()->rank(view().selected.slot).key.packed());
    }
    void operator()(const ChangeRows& change) const {
        if (!run()) return;
        const core::EventRef selected = exists(run(), view().selected) ? view().selected : core::EventRef{};
        const std::vector<std::int64_t> names = names_of_ranks(facts.session, facts.side);
        std::int64_t name = 0;
        if (selected.valid())
            name = selected.slot < names.size() ? names[selected.slot] : run()->rank(selected.slot).key.packed();
        RankChoices& ranks = document.choices.ranks;
        ranks = change_rows(std::move(ranks), change.change, *run(), selected, name);
    }
    void operator()(const MarkUniqueEvents& mark) const { document.choices.mark_unique_events = mark.on; }
    void operator()(const ShowGhosts& show) const { document.choices.ghost_steps = show.on; }
    void operator()(const ShowPath& show) const { document.choices.critical_path = show.on; }
    void operator()(const SetWhatIf& set) const {
        const core::Analysis& analysis = *core::find_analysis("what-if");
        if (set.params.size() == analysis.params.size()) document.choices.what_if = set.params;
    }
    void operator()(const ShowSeries& show) const { document.choices.series_lanes = show.on; }
    void operator()(const PlaceRuns& arrange) const { document.choices.placement = arrange.placement; }
    void operator()(const LockViews& lock) const { document.choices.locked = lock.on; }
    void operator()(const OpenFind&) const { document.choices.find_open = true; }
    void operator()(const CloseFind&) const { document.choices.find_open = false; }
    // Dismisses both areas of two runs, else both selections.
    void operator()(const Dismiss&) const {
        if (std::exchange(document.choices.find_open, false)) return;
        const bool both = facts.session.alignment() != nullptr;
        const bool any_area =
            both ? document.views.baseline.area || document.views.candidate.area : view().area.has_value();
        for (const core::Side side : core::kSides) {
            if (!both && side != facts.side) continue;
            if (any_area)
                document.views[side].area.reset();
            else
                document.views[side].selected = {};
        }
    }
    void operator()(const SetFindText& set) const { document.choices.find_text = set.text; }
    void operator()(const SearchArguments& search) const { document.choices.find_arguments = search.on; }
    void operator()(const SetChoices& set) const { document.choices = set.choices; }
    void operator()(const ForgetChoices&) const {
        document.choices.chosen_kernels.clear();
        document.choices.ranks = {};
        document.choices.listed.reset();
        document.choices.what_if.clear();
    }
    void operator()(const CarryListing& carry) const {
        std::optional<EventListing>& listed = document.choices.listed;
        if (!listed) return;
        listed = carry_over_listing(*std::move(listed), carry.before, carry.alignment ? &*carry.alignment : nullptr,
                                    carry.after);
    }
};

}  // namespace

float resize_interface(float size, int steps) {
    if (steps == 0) return 1;
    const float tenths = std::round(size * 10) + static_cast<float>(steps);
    return std::clamp(tenths / 10, kLeastInterface, kMostInterface);
}

bool wants_find(const UiChoices& choices) {
    if (choices.find_text.empty()) return false;
    const PanelType* const tab = choices.drawer_open ? find_panel(choices.left_tab) : nullptr;
    return choices.find_open || (tab && tab->lists_found);
}

Document reduce(Document document, const Intent& intent, const Facts& facts) {
    if (const auto* one = std::get_if<DocumentIntent>(&intent.value().home))
        std::visit(Reducing{.document = document, .facts = facts}, *one);
    return document;
}

Document with_query(Document document, core::ViewQuery query) {
    core::BySide<View> views;
    for (const core::Side side : core::kSides) {
        const core::OpenRunPtr& run = query.runs[side];
        core::Side from = side;
        if (run && run != document.query.runs[side] && run == document.query.runs[core::other_side(side)])
            from = core::other_side(side);
        views[side] = document.views[from];
        const bool is_new = run != document.query.runs[from];
        if (!is_new || (run && run->run)) continue;  // one that was read before it was opened takes the view over
        views[side] = {};
        views[side].time.width_px = document.views[side].time.width_px;
    }
    document.views = std::move(views);
    document.query = std::move(query);
    return document;
}

Document with_step(Document now, const Document& then) {
    Document document = with_query(std::move(now), then.query);
    copy_pins(then.choices.ranks, document.choices.ranks);
    document.choices.what_if = then.choices.what_if;
    for (const core::Side side : core::kSides) {
        View& view = document.views[side];
        const View& wanted = then.views[side];
        if (!wanted.fitted || (view.fitted && show_same_time(wanted, view))) continue;
        view.fitted = true;
        view.time.fit(wanted.time.range(), 0);
        view.whole = shows_whole(wanted) ? view.time : wanted.whole;
    }
    return document;
}

}  // namespace ui
