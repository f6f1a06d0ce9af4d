// One row of a stream's or thread's events. A track with deeply nested calls shows its first rows until it is opened.
#include "core/base/format.hpp"
#include "ui/style/text.hpp"
#include "ui/timeline/model/area_rows.hpp"
#include "ui/timeline/parts/tree_row.hpp"
#include "ui/timeline/rows/rows.hpp"
#include "ui/timeline/scene/collect_found.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr float kBookkeepingHeight = 0.7f;  // relative to other threads
constexpr std::uint32_t kClosedThreadLanes = 6;
constexpr std::uint32_t kClosedStreamLanes = 4;

std::uint32_t closed_lanes(const core::Track& track) {
    return track.kind == core::TrackKind::Stream ? kClosedStreamLanes : kClosedThreadLanes;
}

// Number of top rows of a thread with a single Python frame that encloses the next row: the program's entry. All but
// the innermost are skipped unless the user has opened the track.
std::uint32_t count_startup_lanes(const core::RankTrace& trace, const core::Track& track) {
    constexpr std::uint32_t kLeast = 3;
    if (track.kind == core::TrackKind::Stream) return 0;
    const auto holds_next = [&](std::uint32_t i) {
        const core::Lane& lane = trace.lanes[track.first_lane + i];
        const core::Lane& next = trace.lanes[track.first_lane + i + 1];
        if (core::index_of(lane.last) - core::index_of(lane.first) != 1 || next.first >= next.last) return false;
        const auto last = static_cast<core::EventId>(core::index_of(next.last) - 1);
        return trace.category_kind(lane.first) == core::Category::PythonFunction &&
               trace.start[core::index_of(lane.first)] <= trace.start[core::index_of(next.first)] &&
               trace.end(last) <= trace.end(lane.first);
    };
    std::uint32_t count = 0;
    while (count + 1 < track.lane_count && holds_next(count)) ++count;
    return count < kLeast ? 0 : count - 1;
}

constexpr std::uint32_t kMostPileLanes = 32;  // of an open pile

// True for a thread whose rows all begin with instants at the same time, such as a snapshot's blocks at the end: rows
// below the first add nothing.
bool is_pile(const core::RankTrace& trace, const core::Track& track) {
    if (track.kind == core::TrackKind::Stream || track.lane_count <= kClosedThreadLanes) return false;
    const core::Lane* const lanes = &trace.lanes[track.first_lane];
    for (std::uint32_t i = 1; i < track.lane_count; ++i) {
        if (lanes[i].first >= lanes[i].last || !trace.has(lanes[i].first, core::kInstant)) return false;
        if (trace.start[core::index_of(lanes[i].first)] != trace.start[core::index_of(lanes[1].first)]) return false;
    }
    return true;
}

struct ShownLanes {
    std::uint32_t first = 0;  // index of the track's first lane
    std::uint32_t count = 0;
};

ShownLanes closed_lanes_of(const core::RankTrace& trace, const core::Track& track) {
    if (is_pile(trace, track)) return {0, 1};
    const std::uint32_t first = count_startup_lanes(trace, track);
    return {first, std::min(track.lane_count - first, closed_lanes(track))};
}

class LaneRow final : public RowKind {
public:
    std::string_view id() const override { return "lane"; }

    void add_pinned(RankRows& rows, std::span<const std::uint32_t> tracks) const override {
        add_track_rows(rows, tracks, 1);
    }
    std::uint32_t node_item(const LayoutRow& row) const override { return row.track; }
    bool opens_at_first(Opening opening, std::uint32_t) const override { return opening == Opening::Unfolded; }
    std::optional<std::uint32_t> find_holder(const core::RankTrace& trace, std::uint32_t lane) const override {
        const std::uint32_t track = trace.lanes[lane].track;
        const ShownLanes shown = closed_lanes_of(trace, trace.tracks[track]);
        const bool hidden = trace.lanes[lane].row < shown.first || trace.lanes[lane].row >= shown.first + shown.count;
        return hidden ? std::optional(track) : std::nullopt;
    }
    std::string format_label(const core::Run& run, const LayoutRow& row) const override {
        const core::RankTrace& trace = run.rank(row.slot).trace();
        if (trace.lanes[row.item].row != row.skipped) return {};
        const std::string name(trace.text(trace.tracks[row.track].name));
        return row.pinned ? "rank " + core::format_rank(run.rank(row.slot).key) + " \xC2\xB7 " + name : name;
    }
    std::optional<std::uint32_t> lane_of(const LayoutRow& row) const override { return row.item; }
    // Counts for a row; the first row of a track includes hidden rows. Lanes of a track are adjacent.
    std::size_t count_events(const core::FoundEvents& found, const core::Run& run,
                             const LayoutRow& row) const override {
        const core::RankTrace& trace = run.rank(row.slot).trace();
        const core::Track& track = trace.tracks[row.track];
        const std::uint32_t last = row.count > 0 ? track.first_lane + track.lane_count - 1 : row.item;
        const std::uint32_t first = row.count > 0 ? track.first_lane : row.item;
        const core::EventSet& events = found.events(row.slot);
        return events.count_before(trace.lanes[last].last) - events.count_before(trace.lanes[first].first);
    }
    void add_area_rows(const core::Run& run, const LayoutRow& row, std::span<const LayoutRow>,
                       std::vector<core::TrackRows>& rows) const override {
        rows.push_back(name_lane_rows(run.rank(row.slot), row));
    }
    RowIdentity identity(const core::Run& run, const LayoutRow& row) const override {
        return {.item = row.track, .part = run.rank(row.slot).trace().lanes[row.item].row, .by_name = false};
    }
    std::uint32_t find_partner(const RowPartners& partners, std::uint32_t item) const override {
        return RowPartners::look_up(partners.tracks, item);
    }

    RowInset inset(const LayoutRow& row) const override { return inset_of_bars(row); }
    bool colors_events() const override { return true; }
    void collect(const RowCollect& c) const override {
        const core::RankSlot& rank = c.rank();
        const RankLook& look = c.look();
        LaneQuery lane;
        lane.rank = &rank;
        lane.lane = c.row.item;
        lane.color_by = c.query.color_by;
        lane.name_shades = c.shades;
        lane.group_colors = c.colors;
        lane.member_colors = c.member_colors;
        lane.rank_color = color::of_rank(rank.key.number);
        lane.selection = look.selection.get();
        lane.faded = look.rejected;
        if (c.query.waits) lane.waits = c.query.waits->ranks[c.row.slot].of_lane(c.row.item);
        lane.background = color::palette().background;
        collect_lane(lane, c.query.view, c.pixels.scratch, c.strip, c.pixels.rects);
        const auto mark = [&](const core::FoundEventsPtr& events, std::vector<PixelSpan>& spans) {
            if (events) collect_found(rank, c.row.item, events->events(c.row.slot), c.query.view, spans);
        };
        mark(c.query.found, c.pixels.found);
        mark(c.query.unique_events, c.pixels.unique_events);
    }
    void draw_in_tree(TreeRow& r) const override {
        const std::string label = format_label(*r.f.run, r.row);
        r.draw_triangle();
        float right = r.right();
        if (r.row.count > 0) {
            const std::string more = "+" + core::format_plural(r.row.count, "row", "rows");
            draw_text_right(r.list, small_style(), {right, r.text_y(small_style())}, color::palette().faint, more);
            right -= text_width(small_style(), more) + px(8);
        }
        r.draw_unique_events();
        r.draw_label(label, small_style(), r.text_color(), right);
        r.handle_clicks(label);
    }
    core::EventRef find_event(const core::Run& run, const LayoutRow& row, const TimeView& view,
                              double px) const override {
        const core::EventId event = find_event_at(run.rank(row.slot), row.item, view, px);
        return event == core::kNoEvent ? core::EventRef{} : core::EventRef{row.slot, event};
    }
};

}  // namespace

const RowKind& lane_kind() {
    static const LaneRow kKind;
    return kKind;
}

void add_track_rows(RankRows& rows, std::span<const std::uint32_t> tracks, std::uint8_t depth) {
    for (const std::uint32_t index : tracks) {
        const core::Track& track = rows.trace().tracks[index];
        const bool small = is_bookkeeping(rows.trace(), track);
        const bool open = rows.is_open(lane_kind(), index) && !small;
        const ShownLanes closed = closed_lanes_of(rows.trace(), track);
        ShownLanes shown = closed;
        if (open) shown = {closed.first, track.lane_count - closed.first};
        if (rows.is_opened(lane_kind(), index)) shown = {0, track.lane_count};
        if (is_pile(rows.trace(), track)) shown.count = std::min(shown.count, kMostPileLanes);
        const float height = track.kind == core::TrackKind::Stream ? rows.sizes().stream
                             : small                               ? std::floor(rows.sizes().lane * kBookkeepingHeight)
                                                                   : rows.sizes().lane;
        for (std::uint32_t i = 0; i < shown.count; ++i) {
            LayoutRow& row = rows.add(lane_kind(), depth, track.first_lane + shown.first + i, height);
            row.track = index;
            row.opens = i == 0 && track.lane_count > closed.count;
            row.open = open || rows.is_opened(lane_kind(), index);
            row.skipped = i == 0 ? shown.first : 0;
            row.count = i == 0 ? track.lane_count - shown.count : 0;
        }
    }
}

}  // namespace ui
