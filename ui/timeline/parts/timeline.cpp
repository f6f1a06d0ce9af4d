#include "ui/timeline/parts/timeline.hpp"

#include "core/base/format.hpp"
#include "core/index/summary_rank.hpp"
#include "ui/charts/heat_colors.hpp"
#include "ui/model/deferred.hpp"
#include "ui/model/filter_clicks.hpp"
#include "ui/model/weak_key.hpp"
#include "ui/style/fill.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"
#include "ui/table/ask.hpp"
#include "ui/table/dimmed_classes.hpp"
#include "ui/timeline/model/gap_walk.hpp"
#include "ui/timeline/model/rank_map.hpp"
#include "ui/timeline/parts/align_menu.hpp"
#include "ui/timeline/parts/area_box.hpp"
#include "ui/timeline/parts/clock_chip.hpp"
#include "ui/timeline/parts/describe_timeline.hpp"
#include "ui/timeline/parts/event_menu.hpp"
#include "ui/timeline/parts/find_bar.hpp"
#include "ui/timeline/parts/mark_flags.hpp"
#include "ui/timeline/parts/occurrence_walk.hpp"
#include "ui/timeline/parts/overview.hpp"
#include "ui/timeline/parts/path_overlay.hpp"
#include "ui/timeline/parts/pinned_band.hpp"
#include "ui/timeline/parts/rank_menu.hpp"
#include "ui/timeline/parts/series_lanes.hpp"
#include "ui/timeline/parts/timeline_parts.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace ui {
namespace {

constexpr float kOverviewHeight = 34;   // sizes at scale 1
constexpr float kRulerHeight = 36;
constexpr float kScrollbar = 8;
constexpr float kLeastTree = 150;

// Draws a message in the middle of the plot if the run has nothing to draw.
void draw_no_events(const TimelineFrame& f) {
    if (f.run->event_count() > 0) return;
    const float y = std::floor((f.plot.min.y + f.plot.max.y) / 2);
    const auto line = [&](float at, ImU32 ink, std::string_view words) {
        const float x = (f.plot.min.x + f.plot.max.x - text_width(ui_style(), words)) / 2;
        draw_text(ImGui::GetWindowDrawList(), ui_style(), {std::max(x, f.plot.min.x), at}, ink, words, f.plot.width());
    };
    line(y - px(20), color::palette().text, "No events");
    line(y, color::palette().muted, "The traces contain none. Import shows what was read.");
    record_rect("##empty:No events", f.plot.min, f.plot.max, false);
}

// The ranks of the filter, each with the work that shares count.
OverviewRanks collect_overview_ranks(const TimelineFrame& f) {
    OverviewRanks ranks;
    const core::Filter& filter = f.frame.filter();
    ranks.dimmed = left_out_classes(filter);
    if (filter.empty()) return ranks;
    const bool chooses_work = filter.chooses_work();
    ranks.highlights = filter.chooses_some_events();
    ranks.time = filter.time_range(*f.run);
    for (std::size_t slot = 0; slot < f.run->ranks().size(); ++slot) {
        if (!filter.accepts_rank(f.run->rank(slot).key)) continue;
        core::SelectionPtr selection =
            chooses_work || ranks.highlights ? f.frame.results.find_selection(f.run, slot, filter) : nullptr;
        ranks.chosen.push_back({static_cast<std::uint32_t>(slot), std::move(selection)});
    }
    ranks.some = true;
    return ranks;
}

}  // namespace

struct Timeline::Impl {
    TimelineRows rows;
    core::EventRef to_reveal;
    std::optional<std::uint32_t> to_top;  // rank to scroll to the top
    const Timeline* partner = nullptr;
    bool drawn = false;  // there was enough room; otherwise input and animation stop
    std::string named_run;              // run that names belongs to
    float named_scale = 0;
    Theme named_theme = Theme::Dark;

    float scroll_y = 0;
    EventNames names;
    Scene scene;
    SceneQuery last_query;              // without the additions of ask_for_groups()
    Deferred<GroupsQuery, GroupStrips> groups;
    bool grouping = false;              // large folded groups show a coarse mean
    Deferred<WeakKey<core::Run>, core::RunWaitSpansPtr> waits;
    Deferred<WeakKey<core::Run>, RankValues> not_computing;
    struct MapKey {
        std::shared_ptr<const void> values;  // the measures that sort the ranks, or values of the run itself
        std::uint64_t layout = 0;  // version
        std::size_t pixels = 0;
        bool operator==(const MapKey&) const = default;
    };
    MapKey map_key;
    RankMap rank_map;
    Overview overview;
    TimelineInput input;
    RulerMenu ruler_menu;
    EventMenu event_menu;
    FindBar find;
    AreaBox area;
    AreaLook area_look;
    MarkFlags flags;
    OccurrenceWalk occurrences;
    GapWalk gaps;
    LinksPtr shown_links;               // links of the selected event
    bool linking = false;               // links are not known yet
    PathOverlay path;
    RunPathOverlay run_path;
    SeriesLanes series;
    RankMenu ranks;
    PinnedBand pinned;
    ShownTimeline shown;                // last frame
    TimelineStats stats;

    bool is_pinned_rank(std::uint32_t slot) const;
    void open_hidden(const core::Run&);
    void scroll_to_revealed(TimelineFrame&, float height);
    void put_on_top(TimelineFrame&);
    Box place(TimelineFrame&, ImVec2 at, ImVec2 size) const;
    // The parts of a frame, in drawing order.
    Box place_parts(TimelineFrame&, ImVec2 size);
    void handle_input(TimelineFrame&);
    void choose_rows(TimelineFrame&);
    void update_parts(TimelineFrame&);
    std::vector<GhostStep> draw_rows(TimelineFrame&);
    void draw_over_rows(TimelineFrame&);

    void collect_looks(TimelineFrame&, RankLooks&);
    void want_whole_ranks(const TimelineFrame&) const;
    void serve_undrawn(Frame&, SideEphemera&, SideRequests&);
    void push_view(const TimelineFrame&);
    void draw_frame_lines(const TimelineFrame&, const Box& whole);
    void draw_bars(TimelineFrame&, const std::vector<GhostStep>&);
    void drag_tree_edge(const TimelineFrame&);
    void drag_scrollbar(const TimelineFrame&);
    void draw_rank_map(const TimelineFrame&, ImVec2 min);
    void draw_tooltip(const TimelineFrame&);
    static std::optional<std::uint32_t> find_top_slot(const TimelineFrame&);
    void store_shown(const TimelineFrame&, std::vector<GhostStep>);
    void ask_for_links(TimelineFrame&);
    void ask_for_groups(const TimelineFrame&, SceneQuery&);
    void ask_for_waits(TimelineFrame&);
};

Timeline::Timeline() : impl_(std::make_unique<Impl>()) {}
Timeline::~Timeline() = default;

const TimelineStats& Timeline::stats() const { return impl_->stats; }

bool Timeline::busy() const {
    const Impl& impl = *impl_;
    if (impl.area.busy() || impl.find.busy() || impl.occurrences.busy() || impl.gaps.busy()) return true;
    return impl.drawn && (impl.linking || impl.grouping || impl.waits.busy() || impl.path.busy() ||
                          impl.run_path.busy() || impl.series.busy() || impl.ranks.busy());
}

// The later of two calls in one frame wins, because each would scroll away from the other's event.
void Timeline::reveal(core::EventRef event) {
    impl_->to_reveal = event;
    impl_->to_top.reset();
}

void Timeline::carry_over(const core::Run* before, const core::Run* after) {
    impl_->to_reveal = carry_over_event(impl_->to_reveal, before, after);
    if (!impl_->to_top) return;
    const core::EventRef top = carry_over_event({*impl_->to_top, core::EventId{0}}, before, after);
    impl_->to_top = top.valid() ? std::optional(top.slot) : std::nullopt;
}

void Timeline::put_on_top(std::uint32_t slot) {
    impl_->to_top = slot;
    impl_->to_reveal = {};
}

void Timeline::clear_run() {
    TimelineRows rows = std::move(impl_->rows);
    impl_ = std::make_unique<Impl>();
    impl_->rows = std::move(rows);
    impl_->rows.forget_run();
}

void Timeline::open_all(bool open) { impl_->rows.open_all(open); }

TimelineRows& Timeline::rows() { return impl_->rows; }

float Timeline::scroll() const { return impl_->scroll_y; }

void Timeline::scroll_to(float y) { impl_->scroll_y = y; }

void Timeline::set_partner(const Timeline* partner) { impl_->partner = partner; }

void Timeline::prepare(const core::Run& run, float height) {
    if (run.name() != impl_->named_run || scale() != impl_->named_scale || theme() != impl_->named_theme)
        impl_->names.forget();
    impl_->named_run = run.name();
    impl_->named_scale = scale();
    impl_->named_theme = theme();
    impl_->open_hidden(run);
    impl_->rows.update(run, scale(), height - px(kOverviewHeight) - px(kRulerHeight));
}

// Opens whatever hides the event to reveal.
void Timeline::Impl::open_hidden(const core::Run& run) {
    if (!to_reveal.valid() || to_reveal.slot >= run.ranks().size()) return;
    const auto lane = static_cast<std::uint32_t>(run.rank(to_reveal.slot).trace().find_lane(to_reveal.event));
    const RowChoices& chosen = rows.choices();
    for (const NodeKey& key : collect_ancestors(run, to_reveal.slot, lane)) {
        const auto choice = chosen.find(key);
        if (choice == chosen.end() || !choice->second) rows.open(key, true);
    }
}

void Timeline::Impl::ask_for_links(TimelineFrame& f) {
    shown_links = nullptr;
    if (!f.view.selected.valid()) {
        f.ephemeral.links->forget();  // cancels the search for the last selection's links
        linking = false;
        return;
    }
    shown_links = f.ephemeral.links->ask(f.frame.session.pool(), f.run, f.view.selected);
    linking = !f.ephemeral.links->fresh();
    f.links = shown_links.get();
}

// Shows a hidden rank first; within a folded group, moves its row to the top.
void Timeline::Impl::put_on_top(TimelineFrame& f) {
    const LaneLayout& layout = rows.layout();
    const auto [first, last] = layout.find_rank_rows(*to_top);
    const std::optional<std::size_t> row = first < last ? std::optional(first) : layout.find_folded(*to_top);
    const bool is_hidden = std::ranges::find(rows.order().hidden, *to_top) != rows.order().hidden.end();
    if (const auto [begin, end] = rows.pinned().find_rank_rows(*to_top); !row && begin < end)
        pinned.reveal(rows.pinned().rows()[begin]);
    if (!row && is_hidden) return ranks.show(f, *to_top, rows.order());
    if (row) scroll_y = layout.rows()[*row].y - room_for_heading(layout, *to_top);
    to_top.reset();
}

// True if the rank is pinned.
bool Timeline::Impl::is_pinned_rank(std::uint32_t slot) const {
    return std::ranges::any_of(rows.order().sections, [slot](const RankOrder::Section& section) {
        return section.pinned && std::ranges::find(section.slots, slot) != section.slots.end();
    });
}

// Scrolls to the event; keeps the request while its rank is hidden.
void Timeline::Impl::scroll_to_revealed(TimelineFrame& f, float height) {
    if (to_top) put_on_top(f);
    const core::EventRef event = to_reveal;
    if (!event.valid() || event.slot >= f.run->ranks().size()) return;
    const std::vector<core::RankKey>& only = rows.sorting().only;
    if (!only.empty() && std::ranges::find(only, f.run->rank(event.slot).key) == only.end()) {
        to_reveal = {};  // its rank isn't part of this side
        return;
    }
    const auto lane = static_cast<std::uint32_t>(f.run->rank(event.slot).trace().find_lane(event.event));
    const LaneLayout& layout = rows.layout();
    const std::optional<std::size_t> at = layout.find_lane_row(*f.run, event.slot, lane);
    if (!at && is_pinned_rank(event.slot)) {
        if (ranks.show_row(f, event.slot, f.run->rank(event.slot).trace().lanes[lane].track)) return;
        if (const auto in_band = rows.pinned().find_lane_row(*f.run, event.slot, lane))
            pinned.reveal(rows.pinned().rows()[*in_band]);
        to_reveal = {};
        return;
    }
    if (!at || is_folded(layout.rows()[*at])) return ranks.show(f, event.slot, rows.order());
    if (ranks.show_row(f, event.slot, f.run->rank(event.slot).trace().lanes[lane].track)) return;
    to_reveal = {};
    const LayoutRow& row = layout.rows()[*at];
    const float covered = sticky_height(layout, collect_sticky(layout, row.y));
    if (row.y < scroll_y + covered || row.y + row.height > scroll_y + height)
        scroll_y = row.y + row.height / 2 - height / 2;
}

// Places overview and ruler above, tree left, plot right.
Box Timeline::Impl::place(TimelineFrame& f, ImVec2 at, ImVec2 size) const {
    const ImVec2 end{at.x + size.x, at.y + size.y};
    const float tree = std::floor(
        std::clamp(f.choices().tree_width * scale(), std::min(px(kLeastTree), size.x * 0.3f), size.x * 0.5f));
    const float x = at.x + tree;
    const float ruler_top = at.y + px(kOverviewHeight);
    const float top = ruler_top + px(kRulerHeight);
    const float right = end.x - px(kScrollbar);
    f.overview = {{x, at.y + px(6)}, {right, ruler_top - px(4)}};
    f.corner = {{at.x, at.y}, {x, top}};
    f.ruler = {{x, ruler_top}, {right, top}};
    f.tree = {{at.x, top}, {x, end.y}};
    f.plot = {{x, top}, {std::max(right, x + 1), end.y}};
    return {at, end};
}

void Timeline::Impl::collect_looks(TimelineFrame& f, RankLooks& looks) {
    looks.clear();
    std::vector<std::uint32_t> slots;
    for (std::size_t i = f.first_row; i < f.last_row; ++i) {
        const LayoutRow& row = f.layout.rows()[i];
        slots.push_back(row.slot);
        if (is_folded(row)) slots.insert(slots.end(), row.slots->begin(), row.slots->end());
    }
    // A rank's heading stays while only the gap below its rows is visible.
    for (const StickyRow& heading : f.sticky) slots.push_back(f.layout.rows()[heading.row].slot);
    PinnedBand::collect_slots(f, slots);
    if (slots.empty()) return;
    std::ranges::sort(slots);  // looks are ordered by slot
    const auto rest = std::ranges::unique(slots);
    slots.erase(rest.begin(), rest.end());
    const core::Filter& filter = f.frame.filter();
    // The selection decides which events fade.
    if (!filter.without_time_and_rank().empty()) ask_for_selection(f.frame, "timeline", filter);
    for (const std::uint32_t slot : slots) {
        if (looks.has(slot)) continue;
        RankLook look;
        if (!filter.empty()) look.rejected = !filter.accepts_rank(f.run->rank(slot).key);
        if (!filter.without_time_and_rank().empty())
            look.selection = f.frame.results.find_selection(f.run, slot, filter);
        looks.add(slot, std::move(look));
    }
}

// Requests whole ranks of a run summary: those in view where the zoom exceeds the summary's resolution, and those that
// the user has opened.
void Timeline::Impl::want_whole_ranks(const TimelineFrame& f) const {
    constexpr double kPixels = 2;
    std::vector<std::uint32_t>& wanted = f.ephemeral.wanted_whole;
    wanted.clear();
    const core::Run& summary = f.run->summary() ? *f.run->summary() : *f.run;
    const RankChoices& chosen_order = f.choices().ranks;
    const RankChoices& shown_order = rows.sorting().choices;
    const bool lies_elsewhere_soon =
        shown_order.grouping != chosen_order.grouping || shown_order.fold_groups != chosen_order.fold_groups;
    if (!summary.parts().pages || lies_elsewhere_soon) return;
    for (std::size_t i = f.first_row; i < f.last_row; ++i) {
        const LayoutRow& row = f.layout.rows()[i];
        if (is_heading(row) || (!wanted.empty() && wanted.back() == row.slot)) continue;
        const core::RankSlot& rank = summary.rank(row.slot);
        const core::SummaryFacts* const facts = core::summary_of(rank.trace());
        if (!facts) continue;
        const auto chosen = rows.choices().find({.rank = rank.key.packed(), .kind = &rank_kind(), .item = 0});
        const bool opened = chosen != rows.choices().end() && chosen->second;
        const bool close = static_cast<double>(facts->resolution) * f.view.time.px_per_ns > kPixels;
        if (opened || close) wanted.push_back(row.slot);
    }
}

// Serves pending requests when the timeline is too small to draw.
void Timeline::Impl::serve_undrawn(Frame& frame, SideEphemera& ephemeral, SideRequests& asked) {
    area.update(frame, frame.view(), ephemeral, false);
    if (!frame.run()) return;
    find.update(frame, ephemeral.search, asked);
    occurrences.update(frame, asked);
    gaps.update(frame, asked);
}

// Inserts the view's change before the frame's other intents, which refer to the new view.
void Timeline::Impl::push_view(const TimelineFrame& f) {
    const View& before = f.frame.view();
    std::vector<Intent>& intents = f.frame.intents;
    if (!(f.view.time == before.time) || !(f.view.whole == before.whole))
        intents.insert(intents.begin(), MoveView{.time = f.view.time, .whole = f.view.whole});
    if (f.view.area != before.area || f.view.area_rows != before.area_rows)
        intents.insert(intents.begin(), SelectArea{.area = f.view.area, .rows = f.view.area_rows});
    if (f.view.top_slot != before.top_slot) intents.insert(intents.begin(), NoteTopRank{f.view.top_slot});
}

void Timeline::Impl::draw_frame_lines(const TimelineFrame& f, const Box& whole) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    fill(list, whole.min, {whole.max.x, f.plot.min.y}, color::palette().panel);
    fill(list, {whole.min.x, f.plot.min.y}, {f.plot.min.x, whole.max.y}, color::palette().panel);
    fill(list, f.plot.min, whole.max, color::palette().background);
    fill(list, {whole.min.x, f.plot.min.y - 1}, {whole.max.x, f.plot.min.y}, color::palette().line);
    fill(list, {f.plot.min.x - 1, f.corner.min.y}, {f.plot.min.x, whole.max.y}, color::palette().line);
    const std::string length = core::format_duration(f.run->window().length());
    const float y = f.corner.min.y + px(11);
    draw_text(list, heading_style(), {f.corner.min.x + px(10), y - px(2)}, color::palette().text, length);
    const float after = f.corner.min.x + px(16) + text_width(heading_style(), length);
    const float room = f.corner.max.x - after - ranks.button_width() - px(12);
    if (room > text_width(small_style(), "whole run"))
        draw_text(list, small_style(), {after, y}, color::palette().muted, "whole run");
}

// Requests waits for hatching; matching takes longer than a frame, so they appear later.
void Timeline::Impl::ask_for_waits(TimelineFrame& f) {
    const auto made = waits.ask(f.frame.session.pool(), f.run, [run = f.run] { return core::wait_spans_of(*run); });
    if (made && waits.fresh()) f.waits = *made;
}

// A moving view shows a coarse mean of large groups; at rest the fine one is computed on the pool.
void Timeline::Impl::ask_for_groups(const TimelineFrame& f, SceneQuery& query) {
    const bool rests = query == last_query;
    if (!rests) last_query = query;
    const GroupsQuery large = collect_large_groups(query, f.layout);
    grouping = !large.slots.empty();
    if (!grouping) return;
    if (!rests) {
        groups = {};
        return;
    }
    const auto made = groups.ask(f.frame.session.pool(), large,
                                 [large](const core::JobContext& job) { return collect_group_strips(large, job); });
    grouping = !groups.fresh();
    if (groups.fresh()) query.groups = made;
}

void Timeline::Impl::draw_bars(TimelineFrame& f, const std::vector<GhostStep>& ghosts) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    SceneQuery query;
    query.run = f.run;
    query.layout_version = rows.version();
    query.first_row = f.first_row;
    query.last_row = f.last_row;
    query.scroll_y = f.scroll_y;
    query.view = f.view.time;
    query.color_by = f.choices().color_by;
    query.theme = theme();
    query.looks = f.looks;
    query.found = find.found();
    query.unique_events = f.unique_events();
    query.only_color = color::of_side(f.frame.side);
    query.dimmed = left_out_classes(f.frame.filter());
    query.highlights = f.frame.filter().chooses_some_events();
    if (f.waits && f.waits->any) query.waits = f.waits;
    if (const core::WaitsPtr source = f.waits ? f.waits->source.lock() : nullptr;
        query.color_by == ColorBy::Group && source)
        query.matched = source->matched;
    ask_for_groups(f, query);
    const auto began = std::chrono::steady_clock::now();
    stats.collected = scene.update(query, f.layout, names);
    stats.collect_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
    list->PushClipRect(f.plot.min, f.plot.max, true);
    // Bottom up: a heading covers the line above the row below it.
    for (std::size_t i = f.last_row; i > f.first_row; --i) {
        const LayoutRow& row = f.layout.rows()[i - 1];
        row.kind->draw_behind(f, row);
    }
    draw_grid(f);
    scene.queue(list, f.plot.min);
    stats.labels = draw_labels(f, scene);
    draw_ghost_lines(f, ghosts);
    draw_step_lines(f);
    path.draw(f, query.found != nullptr);
    run_path.draw(f, query.found != nullptr);
    flags.draw_lines(f);
    draw_cut_lines(f);
    draw_marks(f);
    const ArrowsDrawn arrows = draw_arrows(f);
    stats.arrows = arrows.links;
    stats.call_arrows = arrows.calls;
    draw_sticky_bands(f);
    draw_color_legend(f);
    draw_no_events(f);
    list->PopClipRect();
    pinned.draw_bars(f, query, rows.version(), [&](const TimelineFrame& band) {
        draw_step_lines(band);
        path.draw(band, query.found != nullptr);
        run_path.draw(band, query.found != nullptr);
        flags.draw_lines(band);
        draw_cut_lines(band);
    });
    stats.lanes = f.last_row - f.first_row;
    stats.rects = scene.rect_count();
}

void Timeline::Impl::drag_tree_edge(const TimelineFrame& f) {
    ImGui::SetCursorScreenPos({f.tree.max.x - px(3), f.corner.min.y});
    invisible_button("##tree-edge", {px(6), f.tree.max.y - f.corner.min.y});
    record_item("##tree-edge");
    if (!ImGui::IsItemHovered() && !ImGui::IsItemActive()) return;
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    ImGui::GetWindowDrawList()->AddRectFilled({f.tree.max.x - px(1), f.corner.min.y},
                                              {f.tree.max.x + px(1), f.tree.max.y}, color::palette().accent);
    if (ImGui::IsItemActive())
        f.frame.intents.push_back(
            ResizeTree{std::max(kLeastTree, f.choices().tree_width + ImGui::GetIO().MouseDelta.x / scale())});
}

void Timeline::Impl::drag_scrollbar(const TimelineFrame& f) {
    const float height = f.plot.height();
    const LaneLayout& layout = rows.layout();
    if (layout.height() <= height) return;
    const ImVec2 min{f.plot.max.x, f.plot.min.y};
    ImGui::SetCursorScreenPos(min);
    invisible_button("##scrollbar", {px(kScrollbar), height});
    record_item("##scrollbar");
    const float bar = std::max(px(24), height * height / layout.height());
    const float per_px = (layout.height() - height) / std::max(1.0f, height - bar);
    if (ImGui::IsItemActive()) scroll_y += ImGui::GetIO().MouseDelta.y * per_px;
    draw_rank_map(f, min);
    const float y = min.y + scroll_y / per_px;
    const bool lit = ImGui::IsItemHovered() || ImGui::IsItemActive();
    ImGui::GetWindowDrawList()->AddRectFilled({min.x + px(2), y}, {min.x + px(kScrollbar) - px(1), y + bar},
                                              lit ? color::palette().scrollbar_active : color::palette().scrollbar,
                                              px(3));
}

// With many ranks, the scrollbar marks the worst ones: by the current sort measure, or by non-compute time.
void Timeline::Impl::draw_rank_map(const TimelineFrame& f, ImVec2 min) {
    constexpr std::size_t kFewestRanks = 32;
    if (f.run->ranks().size() < kFewestRanks) return;
    const RankSorting& sorting = rows.sorting();
    const auto idle = sorting.measures ? nullptr : not_computing.ask(f.frame.session.pool(), f.run, [run = f.run] {
        return collect_not_computing(*run);
    });
    MapKey key{.values = sorting.measures,
               .layout = rows.version(),
               .pixels = static_cast<std::size_t>(std::max(0.0f, f.plot.height()))};
    if (!sorting.measures) key.values = idle;
    if (!key.values) return;
    if (!(key == map_key)) {
        const RankValues values = sorting.measures ? collect_measures(*f.run, *sorting.measures) : *idle;
        rank_map = RankMap::of(rows.layout(), values, key.pixels);
        map_key = key;
    }
    ImDrawList* const list = ImGui::GetWindowDrawList();
    for (std::size_t at = 0; at < rank_map.pixels.size(); ++at) {
        if (!std::isfinite(rank_map.pixels[at])) continue;
        const float y = min.y + static_cast<float>(at);
        fill(list, {min.x + px(1), y}, {min.x + px(kScrollbar), y + 1},
             heat_color(rank_map.scale, rank_map.pixels[at]));
    }
    record_rect("rank-map", min, {min.x + px(kScrollbar), min.y + f.plot.height()}, false);
}

void Timeline::Impl::draw_tooltip(const TimelineFrame& f) {
    if (!ImGui::IsWindowHovered() || ImGui::IsMouseDown(0)) return;
    const bool is_pinned = f.pinned && ImGui::IsMouseHoveringRect(f.pinned_plot.min, f.pinned_plot.max);
    if (!is_pinned && !ImGui::IsMouseHoveringRect(f.plot.min, f.plot.max)) return;
    if (ImGui::GetIO().MousePos.y < f.uncovered_top() && !is_pinned) return;
    if (f.ephemeral.hovered.valid()) return draw_event_tooltip(f, f.ephemeral.hovered);
    const LaneLayout& layout = is_pinned ? *f.pinned : f.layout;
    const float y = ImGui::GetIO().MousePos.y;
    const auto index =
        layout.find_row_at(is_pinned ? y - f.pinned_plot.min.y + f.pinned_scroll : y - f.plot.min.y + f.scroll_y);
    if (!index) return;
    const LayoutRow& row = layout.rows()[*index];
    row.kind->draw_tooltip(f, row);
}

// Rank of the uppermost row that no group heading covers: the inverse of put_on_top().
std::optional<std::uint32_t> Timeline::Impl::find_top_slot(const TimelineFrame& f) {
    if (f.first_row >= f.last_row) return std::nullopt;
    const std::uint32_t slot = f.layout.rows()[f.first_row].slot;
    const float top = f.scroll_y + room_for_heading(f.layout, slot);
    const std::size_t row = f.layout.find_visible(top, top).first;
    return row < f.last_row ? f.layout.rows()[row].slot : slot;
}

void Timeline::Impl::store_shown(const TimelineFrame& f, std::vector<GhostStep> ghosts) {
    shown.alignment = format_alignment(f.frame.session, f.frame.side);
    shown.ghosts = std::move(ghosts);
    shown.unique_events = f.ephemeral.unique_events;
    shown.unique_names = f.ephemeral.unique_names;
    shown.marks_unique_events = f.choices().mark_unique_events;
    shown.shape = f.shape();
    if (f.pinned)
        shown.pinned = {
            .run = f.run, .layout = f.pinned, .time = f.view.time, .scroll_y = f.pinned_scroll, .plot = f.pinned_plot};
    shown.first_row = f.first_row;
    shown.last_row = f.last_row;
    shown.looks = f.looks;
    shown.selected = f.view.selected;
    shown.hovered = f.ephemeral.hovered;
    shown.area = f.view.area;
    shown.find_open = f.choices().find_open;
    for (const core::CutGap& gap : f.frame.session.cut_gaps_of(f.frame.side))
        shown.cut_gaps_ns.push_back(gap.length.count());
}

void Timeline::describe(nlohmann::json& shown) const {
    shown = nlohmann::json::object();
    describe_timeline(impl_->shown, impl_->stats, shown);
    if (!shown.contains("begin_ns")) return;
    impl_->overview.describe(shown["overview"]);
    shown["scroll_y"] = impl_->scroll_y;
    if (impl_->path.on()) impl_->path.describe(shown["critical_path"]);
    if (impl_->run_path.on()) impl_->run_path.describe(shown["critical_path"]);
    RankMenu::describe(shown["ranks"], *impl_->shown.shape.run, impl_->rows.order(), impl_->rows.sorting());
    shown["cut_gaps_ns"] = impl_->shown.cut_gaps_ns;
    PinnedBand::describe(shown["pinned_rows"], *impl_->shown.shape.run, impl_->rows.pinned());
    shown["hidden_rows"] = impl_->rows.hidden_rows();
    if (impl_->series.on()) impl_->series.describe(shown["series"]);
    if (impl_->shown.find_open) impl_->find.describe(shown["find"], impl_->shown.selected);
    if (impl_->shown.area) impl_->area.describe(shown["area"], *impl_->shown.area);
}

std::optional<Box> Timeline::place_of(core::EventRef ref) const { return find_place(impl_->shown, ref); }

Box Timeline::Impl::place_parts(TimelineFrame& f, ImVec2 size) {
    const Box whole = place(f, ImGui::GetCursorScreenPos(), size);
    pinned.place(f, rows, partner ? &partner->impl_->rows : nullptr);
    scroll_to_revealed(f, f.plot.height());
    f.compact = rows.arrangement().compact;
    View& view = f.view;
    if (view.time.width_px != f.plot.width()) {  // same range with another width
        const double ratio =
            static_cast<double>(f.plot.width()) / static_cast<double>(std::max(1.0f, view.time.width_px));
        view.time.px_per_ns *= ratio;
        view.whole.px_per_ns *= ratio;
        view.time.width_px = f.plot.width();
    }
    return whole;
}

// Handles input, and what depends on it before rows are chosen: searches, the overview, the scrollbar.
void Timeline::Impl::handle_input(TimelineFrame& f) {
    drag_tree_edge(f);
    f.scroll_y = std::floor(scroll_y);  // keeps sub-pixel scrolling of trackpads
    input.handle(f, scroll_y);
    pinned.update_scroll(f);
    find.update(f.frame, f.ephemeral.search, f.asked);
    occurrences.update(f.frame, f.asked);
    gaps.update(f.frame, f.asked);
    const OverviewMarks marks{find.found().get(), f.unique_events().get(), color::of_side(f.frame.side), f.waits,
                              collect_overview_ranks(f)};
    overview.draw(f.run, f.bounds(), marks, f.view, f.overview.min, {f.overview.width(), f.overview.height()});
    f.view.time.clamp(f.bounds());
    drag_scrollbar(f);
}

void Timeline::Impl::choose_rows(TimelineFrame& f) {
    scroll_y = std::clamp(scroll_y, 0.0f, std::max(0.0f, f.layout.height() - f.plot.height()));
    f.scroll_y = std::floor(scroll_y);
    std::tie(f.first_row, f.last_row) = f.layout.find_visible(f.scroll_y, f.scroll_y + f.plot.height());
    f.order = &rows.order();
    f.sticky = collect_sticky(f.layout, f.scroll_y);
}

void Timeline::Impl::update_parts(TimelineFrame& f) {
    ranks.update(f, rows);
    path.update(f, rows.version());
    path.draw_title(f);
    run_path.update(f, rows.version());
    series.update(f, rows);
    series.draw_title(f);
}

// Draws tree, ruler and bars, and handles clicks on the tree. Returns the other run's steps that the ruler shows.
std::vector<GhostStep> Timeline::Impl::draw_rows(TimelineFrame& f) {
    ranks.draw(f, rows);
    TreeClicks clicks = draw_tree(f);
    run_path.draw_around_plot(f);
    if (TreeClicks of_pinned = pinned.draw_tree(f); of_pinned.menu || !of_pinned.opened.empty())
        clicks = std::move(of_pinned);
    if (clicks.menu) ranks.open_for(*clicks.menu, clicks.menu_track, clicks.menu_pin);
    if (clicks.fold) f.frame.intents.push_back(SetRanks{*clicks.fold});
    if (clicks.scroll_to) scroll_y = *clicks.scroll_to;
    std::vector<GhostStep> ghosts = collect_ghost_steps(f);
    draw_ruler(f, ghosts);
    area_look.update(f.run, f.view.area_rows);
    draw_bars(f, ghosts);
    offer_plots(f, scene);
    for (const auto& [key, open] : clicks.opened) rows.open(key, open);
    return ghosts;
}

void Timeline::Impl::draw_over_rows(TimelineFrame& f) {
    flags.draw(f);
    draw_cut_marks(f);
    draw_clock_chip(f);
    ruler_menu.draw(f);
    event_menu.draw(f);
    draw_tooltip(f);
    const bool led = f.frame.choices().locked && partner && partner->impl_->input.dragging();
    area.update(f.frame, f.view, f.ephemeral, input.dragging() || led);
    area.draw(f);
    // The baseline's find bar serves both runs.
    if (f.frame.side == core::Side::Baseline) find.draw(f, partner ? &partner->impl_->find : nullptr);
}

void Timeline::draw(Frame& frame, SideEphemera& ephemeral, SideRequests& asked, ImVec2 size) {
    Impl& impl = *impl_;
    impl.stats = {};
    impl.shown = {};
    const core::RunPtr& run = frame.run();
    impl.drawn = run && size.x >= px(120) && size.y >= px(kOverviewHeight + kRulerHeight + 20);
    if (!impl.drawn) return impl.serve_undrawn(frame, ephemeral, asked);
    impl.rows.name_ranks(frame.session, frame.side);
    prepare(*run, size.y);
    impl.ranks.update_names(impl.rows);
    RankLooks looks;
    View view = frame.view();
    TimelineFrame f{.frame = frame,
                    .view = view,
                    .ephemeral = ephemeral,
                    .asked = asked,
                    .run = run,
                    .layout = impl.rows.layout(),
                    .names = impl.names,
                    .looks = looks,
                    .area_look = impl.area_look};
    const Box whole = impl.place_parts(f, size);
    impl.draw_frame_lines(f, whole);
    impl.ask_for_links(f);
    impl.ask_for_waits(f);
    impl.handle_input(f);
    impl.choose_rows(f);
    impl.collect_looks(f, looks);
    impl.want_whole_ranks(f);
    impl.update_parts(f);
    std::vector<GhostStep> ghosts = impl.draw_rows(f);
    impl.draw_over_rows(f);
    impl.store_shown(f, std::move(ghosts));
    view.top_slot = impl.find_top_slot(f);
    impl.push_view(f);
    // One extra frame after a movement, to detect its end.
    const bool rests_next = impl.grouping && impl.groups.fresh();
    impl.stats.moving = impl.input.moving() || impl.rows.pending() || rests_next;
}

}  // namespace ui
