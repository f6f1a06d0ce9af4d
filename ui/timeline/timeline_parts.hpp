#pragma once
// What the parts of the timeline share in one frame: where things lie, what is shown, and who listens.
// Made anew each frame by Timeline::draw; the parts (tree, ruler, bars, hands) draw and read it.

#include "ui/timeline/model/area_rows.hpp"
#include "ui/timeline/scene/event_names.hpp"
#include "ui/timeline/lane_layout.hpp"
#include "ui/timeline/scene/scene.hpp"
#include "ui/timeline/model/sticky_rows.hpp"
#include "ui/timeline/timeline.hpp"
#include "ui/model/panels/critical_path_model.hpp"
#include "ui/model/link_model.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace ui {

// How times and rows become places on the screen.
struct PlotShape {
    core::RunPtr run;
    const LaneLayout* layout = nullptr;
    TimeView time;
    float scroll_y = 0;
    Box plot{};

    float row_top(const LayoutRow& row) const { return plot.min.y + row.y - scroll_y; }
    // Where an event is or would be; in the row that holds it if it is closed. Nullopt of a hidden rank.
    std::optional<Box> event_box(core::EventRef) const;
    bool shows(core::EventRef) const;     // has a row of its own, visible or scrolled away
};

struct TimelineFrame {
    Frame& frame;
    UiState& state;
    core::RunPtr run;
    const LaneLayout& layout;
    EventNames& names;
    RankLooks& looks;                   // of the visible ranks
    const AreaLook& area_look;          // of state.area_rows
    std::size_t first_row = 0;          // visible rows
    std::size_t last_row = 0;
    std::vector<StickyRow> sticky{};    // headings that lie over the top of the rows
    float scroll_y = 0;
    bool compact = false;
    const EventLinks* links = nullptr;  // of the selected event; null: none, or not known yet
    const RankOrder* order = nullptr;   // of the rows
    const CriticalPath* path = nullptr; // that is drawn; null: none
    Box overview{};
    Box corner{};                      // left of overview and ruler
    Box ruler{};
    Box tree{};
    Box plot{};

    // What times are counted from: the run's origin, or in a comparison the moment that is the same in both.
    core::RunTime zero() const {
        const core::RunAlignment* alignment = frame.session.alignment();
        return alignment ? alignment->anchor[frame.side] : run->origin();
    }
    // What is to be marked as only here; null: nothing.
    core::FoundEventsPtr only_here() const { return state.mark_only_here ? state.only_here : nullptr; }
    // Where the rows begin that no heading covers.
    float uncovered_top() const { return plot.min.y + sticky_height(layout, sticky); }
    core::RunRange bounds() const { return state.bounds.empty() ? run->window() : state.bounds; }
    float row_top(const LayoutRow& row) const { return plot.min.y + row.y - scroll_y; }
    float x_of(core::RunTime t) const;  // screen, whole pixels, cut a little outside the plot
    PlotShape shape() const { return {run, &layout, state.time, scroll_y, plot}; }
    std::optional<Box> event_box(core::EventRef ref) const { return shape().event_box(ref); }
    bool shows(core::EventRef ref) const { return shape().shows(ref); }
    bool fades(core::EventRef) const;   // the filter drops it; only for visible ranks
};

core::RunRange event_range(const core::Run&, core::EventRef);
// Ranks of a rank's row or of a folded group's whose utilisation it shows: without those that the filter drops.
std::vector<std::uint32_t> collect_shown_ranks(const TimelineFrame&, const LayoutRow&);
void add_times(core::ClassTimes& sum, const core::ClassTimes&);
void draw_step_lines(const TimelineFrame&);               // of one rank, across its rows

// Where steps of the other run of a comparison begin, in this run's time.
struct GhostStep {
    std::int64_t number = 0;    // the other run's
    core::RunTime begin{};
};
std::vector<GhostStep> collect_ghost_steps(const TimelineFrame&);  // those that are visible; none when switched off
void draw_ghost_lines(const TimelineFrame&, std::span<const GhostStep>);

// The menu of a right click on the ruler: aligns two runs at a step.
class RulerMenu {
public:
    void draw(TimelineFrame&);

private:
    std::optional<core::BySide<std::int64_t>> step_;
};

// How many of the events that only this run has a row or what it holds has.
std::size_t count_only_here(const core::FoundEvents&, const core::Run&, const LayoutRow&);

// What the user did to the tree.
struct TreeClicks {
    std::vector<std::pair<NodeKey, bool>> opened;  // key, now open
    std::optional<std::uint32_t> menu;             // the rank that was right clicked
    std::optional<RankChoices> fold;               // with a group folded, or not any more
    std::optional<float> scroll_to;                // a row that was at the top only as a heading
};
TreeClicks draw_tree(TimelineFrame&);

void draw_group_lines(const TimelineFrame&);              // headings and separators between ranks
void draw_sticky_bands(const TimelineFrame&);             // behind the headings over the plot
void draw_grid(const TimelineFrame&);
void draw_color_legend(const TimelineFrame&);             // of colours whose scale no bar says
void draw_ruler(const TimelineFrame&, std::span<const GhostStep>);
std::size_t draw_labels(const TimelineFrame&, const Scene&);
void draw_marks(const TimelineFrame&);                    // selection, hover, area, filter's time

// Of the selected event's links and calls; how many there are.
struct ArrowsDrawn {
    std::size_t links = 0;
    std::size_t calls = 0;
};
ArrowsDrawn draw_arrows(const TimelineFrame&);
void draw_event_tooltip(const TimelineFrame&, core::EventRef);
void draw_utilisation_tooltip(const TimelineFrame&, const LayoutRow&);
void draw_counter_tooltip(const TimelineFrame&, const LayoutRow&);
void offer_plots(const TimelineFrame&, const Scene&);  // rows of values that a right click takes out of the window

bool keys_are_ours();                                     // no text field, popup or modifier takes them

// Mouse and keys over the plot.
class TimelineHands {
public:
    void handle(TimelineFrame&, float& scroll_y);
    bool moving() const { return moving_; }               // a key is held: the next frame differs
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
    float drag_from_y_ = 0;                               // of the rows
    bool moving_ = false;
    std::vector<std::string_view> held_;                  // keys that were pressed for the timeline, by id
};

}  // namespace ui
