#pragma once
// Shared by the parts of the timeline (tree, ruler, bars, input) within one frame: geometry,
// visible data, output. Built by Timeline::draw for each frame.

#include "ui/model/link_model.hpp"
#include "ui/model/panels/critical_path_model.hpp"
#include "ui/timeline/model/area_rows.hpp"
#include "ui/timeline/model/lane_layout.hpp"
#include "ui/timeline/model/sticky_rows.hpp"
#include "ui/timeline/parts/timeline.hpp"
#include "ui/timeline/scene/event_names.hpp"
#include "ui/timeline/scene/scene.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace ui {

// Converts times and rows to screen positions.
struct PlotShape {
    core::RunPtr run;
    const LaneLayout* layout = nullptr;
    TimeView time;
    float scroll_y = 0;
    Box plot{};

    float row_top(const LayoutRow& row) const { return plot.min.y + row.y - scroll_y; }
    // Box of an event, visible or not; if its own row is closed, in the row that contains it. Nullopt if its rank is
    // hidden.
    std::optional<Box> event_box(core::EventRef) const;
    bool shows(core::EventRef) const;  // has its own row, visible or not
};

struct TimelineFrame {
    Frame& frame;
    View& view;  // the document's view with this frame's input; changes become intents
    SideEphemera& ephemeral;
    SideRequests& asked;
    core::RunPtr run;
    const LaneLayout& layout;
    EventNames& names;
    RankLooks& looks;  // of visible ranks
    const AreaLook& area_look;  // of view.area_rows
    std::size_t first_row = 0;  // visible rows, half-open
    std::size_t last_row = 0;
    std::vector<StickyRow> sticky{};  // headings over the top of the rows
    float scroll_y = 0;
    bool compact = false;
    const EventLinks* links = nullptr;  // links of the selected event; null: none, or not known yet
    const RankOrder* order = nullptr;  // of the rows
    const CriticalPath* path = nullptr;  // drawn path of a rank; null: none
    const RunCriticalPath* run_path = nullptr;  // drawn path across the ranks; null: none
    core::RunWaitSpansPtr waits{};  // null: none, or not known yet
    Box overview{};
    Box corner{};  // left of overview and ruler
    Box ruler{};
    Box tree{};
    Box plot{};
    const LaneLayout* pinned = nullptr;  // rows between ruler and plot that do not scroll with the others
    Box pinned_tree{};  // zero height: none
    Box pinned_plot{};
    float pinned_scroll = 0;

    const CriticalPath* path_on(const core::RankSlot& rank, std::uint32_t slot) const {
        if (run_path && slot < run_path->ranks.size() && run_path->ranks[slot].rank == rank.index)
            return &run_path->ranks[slot];
        return path && path->rank == rank.index ? path : nullptr;
    }
    // Origin of displayed times: the run's, or in a comparison the aligned moment.
    core::RunTime zero() const {
        const core::RunAlignment* alignment = frame.session.alignment();
        return alignment ? alignment->anchor[frame.side] : run->origin();
    }
    const UiChoices& choices() const { return frame.choices(); }
    // Events unique to this run, or null.
    core::FoundEventsPtr unique_events() const {
        return choices().mark_unique_events ? ephemeral.unique_events : nullptr;
    }
    // Top of the rows below the headings.
    float uncovered_top() const { return plot.min.y + sticky_height(layout, sticky); }
    core::RunRange bounds() const { return ephemeral.bounds.empty() ? run->window() : ephemeral.bounds; }
    float row_top(const LayoutRow& row) const { return plot.min.y + row.y - scroll_y; }
    float x_of(core::RunTime t) const;  // screen, whole pixels, clamped just outside the plot
    PlotShape shape() const {
        return {.run = run, .layout = &layout, .time = view.time, .scroll_y = scroll_y, .plot = plot};
    }
    std::optional<Box> event_box(core::EventRef ref) const { return shape().event_box(ref); }
    bool shows(core::EventRef ref) const { return shape().shows(ref); }
    bool fades(core::EventRef) const;  // excluded by the filter; for visible ranks only
};

// Ranks of the filter that the utilisation row of a rank or folded group covers.
std::vector<std::uint32_t> collect_shown_ranks(const TimelineFrame&, const LayoutRow&);
void add_times(core::ClassTimes& sum, const core::ClassTimes&);
void draw_step_lines(const TimelineFrame&);  // one rank, across its rows

// A step of the other run in a comparison, in this run's time.
struct GhostStep {
    std::int64_t number = 0;  // in the other run's numbering
    core::RunTime begin{};
};
std::vector<GhostStep> collect_ghost_steps(const TimelineFrame&);  // visible ones; empty if switched off
void draw_ghost_lines(const TimelineFrame&, std::span<const GhostStep>);

// Context menu of the ruler: aligns two runs at a step, or compares the step with the median one of its run.
class RulerMenu {
public:
    void draw(TimelineFrame&);

private:
    void draw_alone(TimelineFrame&);

    std::optional<core::BySide<std::int64_t>> step_;
    std::optional<std::int64_t> own_step_;  // with one run open
};

// User input on the tree.
struct TreeClicks {
    std::vector<std::pair<NodeKey, bool>> opened;  // key, now open
    std::optional<std::uint32_t> menu;  // right-clicked rank
    std::optional<std::uint32_t> menu_track;  // and the track of its row
    std::string menu_pin;  // or the name that pins the row
    std::optional<RankChoices> fold;  // choices after folding or unfolding a group
    std::optional<float> scroll_to;  // row at the top of which only the heading is visible
};
TreeClicks draw_tree(TimelineFrame&);
TreeClicks draw_pinned_tree(TimelineFrame&);  // frame of the pinned rows

void draw_sticky_bands(const TimelineFrame&);  // behind the headings over the plot
void draw_grid(const TimelineFrame&);
void draw_color_legend(const TimelineFrame&);  // for colours whose scale no label explains
void draw_ruler(const TimelineFrame&, std::span<const GhostStep>);
// Marks cuts, where the axis omits the time between captures: a line through the rows, and a break in the ruler with
// the omitted time. A click on the break shows that time again.
void draw_cut_lines(const TimelineFrame&);
void draw_cut_marks(TimelineFrame&);
std::size_t draw_labels(const TimelineFrame&, const Scene&);
void draw_marks(const TimelineFrame&);  // selection, hover, area, the filter's time

// Number of drawn arrows for the selected event's links and calls.
struct ArrowsDrawn {
    std::size_t links = 0;
    std::size_t calls = 0;
};
ArrowsDrawn draw_arrows(const TimelineFrame&);
void draw_event_tooltip(const TimelineFrame&, core::EventRef);
void draw_utilisation_tooltip(const TimelineFrame&, const LayoutRow&);
void draw_counter_tooltip(const TimelineFrame&, const LayoutRow&);
void offer_plots(const TimelineFrame&, const Scene&);  // right-click export of rows with values

bool keys_are_ours();  // true unless a text field, popup or modifier uses the keyboard

// Mouse and keyboard input over the plot.
class TimelineInput {
public:
    void handle(TimelineFrame&, float& scroll_y);
    bool moving() const { return moving_; }  // a key is held: draw another frame
    bool dragging() const { return drag_ == Drag::Area || drag_ == Drag::Ruler; }

private:
    enum class Drag : std::uint8_t { None, Area, Ruler, Pan };
    void handle_wheel(TimelineFrame&, float& scroll_y);
    void handle_drag(TimelineFrame&, float& scroll_y);
    void handle_click(TimelineFrame&);
    void handle_keys(TimelineFrame&);
    void walk(TimelineFrame&);
    void show_selected(TimelineFrame&);

    void drag_ruler(TimelineFrame&);
    void choose_area(TimelineFrame&, float scroll_y);

    Drag drag_ = Drag::None;
    core::RunTime drag_from_{};
    float drag_from_y_ = 0;  // relative to the rows
    bool moving_ = false;
    std::vector<std::string_view> held_;  // ids of keys pressed for the timeline
};

}  // namespace ui
