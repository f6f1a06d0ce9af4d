#pragma once
// The multi-rank timeline: tree of rank ▸ device ▸ stream / thread on the left, ruler on top, lanes
// on the right, overview above. draw() handles input, draws the view, and pushes view changes as
// intents. Frames cost O(pixels), not O(events); an unchanged view collects nothing. Main thread
// only; needs a GL context for its lifetime.

#include "ui/model/panel.hpp"
#include "ui/timeline/model/timeline_rows.hpp"

#include <imgui.h>
#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <optional>

namespace ui {

struct Box {
    ImVec2 min{};
    ImVec2 max{};
    float width() const { return max.x - min.x; }
    float height() const { return max.y - min.y; }
};

struct TimelineStats {           // last frame, for the status bar, tests and benchmarks
    std::size_t lanes = 0;       // visible ones
    std::size_t rects = 0;
    std::size_t labels = 0;
    std::size_t call_arrows = 0;  // to callers of a kernel, or to kernels of a call
    std::size_t arrows = 0;      // launch arrows of the selected event
    double collect_ms = 0;
    bool collected = false;      // something changed since the frame before
    bool moving = false;         // a key is held or rows are opening: draw another frame
};

class Timeline {
public:
    Timeline();
    ~Timeline();
    // Draws the whole timeline (overview, tree, ruler, lanes) at the cursor of the current ImGui window. Updates the
    // ephemera of this side, and consumes its requests.
    void draw(Frame&, SideEphemera&, SideRequests&, ImVec2 size);
    // Lays out the rows for this height and opens what reveal() needs. draw() does so if it wasn't called.
    void prepare(const core::Run&, float height);
    TimelineRows& rows();
    float scroll() const;  // in pixels
    void scroll_to(float);
    // Sets the other run's timeline in a comparison, whose find results the bar shows too; null without one.
    void set_partner(const Timeline*);
    // Scrolls to an event's lane and opens what hides it; the caller sets the time view.
    void reveal(core::EventRef);
    void put_on_top(std::uint32_t slot);  // scrolls this rank's row to the top, as far as possible
    // Moves pending reveals to the new run; either may be null.
    void carry_over(const core::Run* before, const core::Run* after);
    void clear_run();  // drops everything about a closed run; rows stay open
    void open_all(bool open);  // opens or closes every rank with everything below it
    const TimelineStats& stats() const;
    bool busy() const;  // work is pending: the picture will change
    void describe(nlohmann::json& shown) const;  // see Panel::describe
    // Box of the event in the last frame, clipped to the plot; nullopt if it was not drawn.
    std::optional<Box> place_of(core::EventRef) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace ui
