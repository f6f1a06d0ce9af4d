#pragma once
// The visible rows as pixels: asks collect_visible for each, on worker threads when there is much to do, and
// keeps the result on the GPU until something it depends on changes.

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

struct RankLook {                       // of one rank under the filter
    core::SelectionPtr selection;       // null: everything passes, or not built yet
    bool rejected = false;              // the filter drops the whole rank
    bool operator==(const RankLook&) const = default;
};

// Of the ranks that have visible rows or headings.
class RankLooks {
public:
    void clear() { looks_.clear(); }
    // Slots may come in any order; one that is known already is passed over by has().
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
    ByRow chosen;  // where the scene has highlights
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
    core::FoundEventsPtr found;         // marked below their bars; null: nothing to mark
    core::FoundEventsPtr unique_events;     // marked above their bars, in only_color; null: nothing to mark
    std::uint32_t only_color = 0;
    core::RunWaitSpansPtr waits;        // null: not known yet
    core::MatchedRunPtr matched;        // for ColorBy::Group; null: not known yet
    std::shared_ptr<const GroupStrips> groups;  // null: coarser ones are made at once
    core::ClassSet dimmed = 0;  // in rows of all work: what the filter leaves out
    bool highlights = false;    // in rows of all work, which is dimmed, the events that pass are drawn over it
    bool operator==(const SceneQuery&) const = default;

    // Of rows of all work: everything is dim below highlights.
    core::ClassSet dimmed_in_strips() const {
        return highlights ? static_cast<core::ClassSet>((1u << core::kKernelClasses) - 1) : dimmed;
    }
    // Waiting is hatched in them where communication is not dim; null: nowhere.
    const core::WaitSpans* find_waits(std::uint32_t slot, ShownWork work) const {
        const bool dim = (dimmed_in_strips() & core::set_of(core::KernelClass::Communication)) != 0;
        return !waits || dim || work == ShownWork::Chosen ? nullptr : &waits->ranks[slot].exposed;
    }
};

// Folded groups of more ranks than a frame has time for, at every pixel: for the pool.
struct GroupsQuery {
    SceneQuery scene;
    std::map<std::size_t, std::vector<std::uint32_t>> slots;  // of the folded groups, by row
    bool operator==(const GroupsQuery&) const = default;
};
// Empty where a frame has time for all.
GroupsQuery collect_large_groups(const SceneQuery&, const LaneLayout&);
core::Result<GroupStrips> collect_group_strips(const GroupsQuery&, const core::JobContext&);

// The pixels of one row, as its kind fills them in.
struct RowPixels {
    std::vector<VisibleRect> rects;        // left to right
    std::vector<PixelSpan> found;
    std::vector<PixelSpan> unique_events;
    std::vector<core::ValueRange> values;  // scratch, of one series, per column
    std::vector<PlotRect> plot;
    std::vector<std::uint32_t> plot_colors;
    CollectScratch scratch;
};

// Input of RowKind::collect.
struct RowCollect {
    const SceneQuery& query;
    const LayoutRow& row;
    std::size_t index = 0;                     // of the row in the layout
    std::size_t group_cells = 0;               // that a folded group may take
    // Of names and process groups by NameId, for kinds that color events; empty if not in use.
    std::span<const std::uint8_t> shades{};
    std::span<const std::uint32_t> colors{};
    std::span<const EventColor> member_colors{};  // of process groups, by event
    RowPixels& pixels;
    std::span<std::uint32_t> strip;            // one entry per pixel column, all 0
    ShownWork work = ShownWork::All;           // of classes; with Chosen only the strip is wanted

    const core::RankSlot& rank() const { return query.run->rank(row.slot); }
    const RankLook& look() const { return query.looks.of(row.slot); }
};

// The ranks of a folded group that the filter leaves.
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
    // What queue() draws of a plot, once more by way of the list: for a drawing. `at` is the plot's upper left corner.
    void draw_plot(ImDrawList*, ImVec2 at, const LayoutRow&, std::size_t row) const;
    void forget() { query_ = {}; }

private:
    std::span<std::uint32_t> strip_of(std::vector<std::uint32_t>& pixels, std::size_t index, int width) const;
    void collect_row(const LaneLayout&, std::size_t index, int width);
    void upload(const LaneLayout&, int width);
    void upload_highlights(const LaneLayout&, int width);

    SceneQuery query_;
    std::vector<std::uint32_t> pixels_;
    std::vector<std::uint32_t> highlights_;  // pixels of the events that pass, in rows of all work
    std::vector<std::span<const std::uint8_t>> shades_;  // by name, of each of the looks; else empty
    std::vector<std::span<const std::uint32_t>> colors_;  // by group, likewise
    std::vector<std::span<const EventColor>> member_colors_;  // likewise
    std::vector<RowPixels> rows_;
    StripQuads quads_;
    std::vector<RectInstance> instances_;
    std::size_t rect_count_ = 0;
    std::size_t group_cells_ = 0;  // that a folded group may take
    unsigned threads_ = 1;
    RectRenderer renderer_;
    RectRenderer highlighter_;
};

}  // namespace ui
