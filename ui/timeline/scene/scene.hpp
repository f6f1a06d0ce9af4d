#pragma once
// The visible rows as pixels: calls collect_visible for each, on worker threads if there is much to
// do, and keeps the result on the GPU until an input changes.

#include "core/query/find_events.hpp"
#include "ui/model/theme_name.hpp"
#include "ui/timeline/model/lane_layout.hpp"
#include "ui/timeline/scene/collect_counter.hpp"
#include "ui/timeline/scene/event_names.hpp"
#include "ui/timeline/scene/rect_renderer.hpp"

#include <map>
#include <memory>
#include <vector>

namespace ui {

struct RankLook {                       // a rank under the filter
    core::SelectionPtr selection;       // null: everything passes, or not built yet
    bool rejected = false;              // the filter excludes the whole rank
    bool operator==(const RankLook&) const = default;
};

// The RankLook of each rank with visible rows or headings.
class RankLooks {
public:
    void clear() { looks_.clear(); }
    // Slots may come in any order; check has() first, because each is added once.
    void add(std::uint32_t slot, RankLook look);
    bool has(std::uint32_t slot) const { return find(slot) != nullptr; }
    const RankLook* find(std::uint32_t slot) const;  // null: not visible
    const RankLook& of(std::uint32_t slot) const { return *find(slot); }
    std::size_t index_of(std::uint32_t slot) const;
    std::size_t size() const { return looks_.size(); }
    std::uint32_t slot_at(std::size_t index) const { return looks_[index].first; }
    bool operator==(const RankLooks&) const = default;

private:
    std::vector<std::pair<std::uint32_t, RankLook>> looks_;  // by slot
};

// Strips of rows of folded groups, one entry per pixel column.
struct GroupStrips {
    using ByRow = std::map<std::size_t, std::vector<std::uint32_t>>;  // by row of the layout
    ByRow all;
    ByRow chosen;  // if the scene has highlights
    const ByRow& of(ShownWork work) const { return work == ShownWork::All ? all : chosen; }
};

struct SceneQuery {
    core::RunPtr run;
    std::uint64_t layout_version = 0;
    std::size_t first_row = 0;
    std::size_t last_row = 0;
    float scroll_y = 0;
    TimeView view;
    ColorBy color_by = ColorBy::Name;
    Theme theme = Theme::Dark;
    RankLooks looks;
    core::FoundEventsPtr found;         // marked below the bars; null: none
    core::FoundEventsPtr unique_events;     // marked above the bars, in only_color; null: none
    std::uint32_t only_color = 0;
    core::RunWaitSpansPtr waits;        // null: not known yet
    core::MatchedRunPtr matched;        // for ColorBy::Group; null: not known yet
    std::shared_ptr<const GroupStrips> groups;  // null: coarser ones are computed at once
    core::ClassSet dimmed = 0;  // classes that the filter excludes, in rows of all work
    bool highlights = false;    // rows of all work are dimmed, with events that pass drawn over them
    bool operator==(const SceneQuery&) const = default;

    // Classes dimmed in rows of all work: everything below highlights.
    core::ClassSet dimmed_in_strips() const {
        return highlights ? static_cast<core::ClassSet>((1u << core::kKernelClasses) - 1) : dimmed;
    }
    // Waits to hatch in these rows, if communication isn't dimmed; null: none.
    const core::WaitSpans* find_waits(std::uint32_t slot, ShownWork work) const {
        const bool dim = (dimmed_in_strips() & core::set_of(core::KernelClass::Communication)) != 0;
        return !waits || dim || work == ShownWork::Chosen ? nullptr : &waits->ranks[slot].exposed;
    }
};

// Large folded groups, which exceed a frame's time, at full resolution: for the pool.
struct GroupsQuery {
    SceneQuery scene;
    std::map<std::size_t, std::vector<std::uint32_t>> slots;  // folded groups by row
    bool operator==(const GroupsQuery&) const = default;
};
// Empty if a frame has time for all.
GroupsQuery collect_large_groups(const SceneQuery&, const LaneLayout&);
core::Result<GroupStrips> collect_group_strips(const GroupsQuery&, const core::JobContext&);

// The pixels of one row, filled in by its kind.
struct RowPixels {
    std::vector<VisibleRect> rects;        // left to right
    std::vector<PixelSpan> found;
    std::vector<PixelSpan> unique_events;
    std::vector<core::ValueRange> values;  // scratch for one series, per column
    std::vector<PlotRect> plot;
    std::vector<std::uint32_t> plot_colors;
    CollectScratch scratch;
};

// Input of RowKind::collect.
struct RowCollect {
    const SceneQuery& query;
    const LayoutRow& row;
    std::size_t index = 0;                     // row in the layout
    std::size_t group_cells = 0;               // limit for a folded group
    // By NameId of names and process groups, for kinds that color events; empty if not in use.
    std::span<const std::uint8_t> shades{};
    std::span<const std::uint32_t> colors{};
    std::span<const EventColor> member_colors{};  // process groups, by event
    RowPixels& pixels;
    std::span<std::uint32_t> strip;            // one entry per pixel column, all 0
    ShownWork work = ShownWork::All;           // of classes; Chosen only needs the strip

    const core::RankSlot& rank() const { return query.run->rank(row.slot); }
    const RankLook& look() const { return query.looks.of(row.slot); }
};

// The ranks of a folded group that pass the filter.
std::vector<GroupRank> collect_group_ranks(const SceneQuery&, const std::vector<std::uint32_t>& slots, ShownWork);

class Scene {
public:
    Scene();
    // True if anything had to be collected.
    bool update(const SceneQuery&, const LaneLayout&, EventNames&);
    void queue(ImDrawList* list, ImVec2 origin) {
        renderer_.queue(list, origin);
        if (query_.highlights) highlighter_.queue(list, origin);
    }
    // Rectangles of a visible row, left to right.
    std::span<const VisibleRect> rects(std::size_t row) const;
    std::size_t rect_count() const { return rect_count_; }
    // Draws the plot that queue() draws through the list instead, for vector export. `at` is its upper left corner.
    void draw_plot(ImDrawList*, ImVec2 at, const LayoutRow&, std::size_t row) const;
    void forget() { query_ = {}; }

private:
    std::span<std::uint32_t> strip_of(std::vector<std::uint32_t>& pixels, std::size_t index, int width) const;
    void collect_row(const LaneLayout&, std::size_t index, int width);
    void upload(const LaneLayout&, int width);
    void upload_highlights(const LaneLayout&, int width);

    SceneQuery query_;
    std::vector<std::uint32_t> pixels_;
    std::vector<std::uint32_t> highlights_;  // events that pass, in rows of all work
    std::vector<std::span<const std::uint8_t>> shades_;  // by name, for each of the looks; else empty
    std::vector<std::span<const std::uint32_t>> colors_;  // by group, like shades_
    std::vector<std::span<const EventColor>> member_colors_;  // like shades_
    std::vector<RowPixels> rows_;
    StripQuads quads_;
    std::vector<RectInstance> instances_;
    std::size_t rect_count_ = 0;
    std::size_t group_cells_ = 0;  // limit for a folded group
    unsigned threads_ = 1;
    RectRenderer renderer_;
    RectRenderer highlighter_;
};

}  // namespace ui
