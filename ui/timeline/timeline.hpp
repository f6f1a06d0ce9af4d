#pragma once
// The multi-rank timeline: tree of rank ▸ device ▸ stream / thread on the left, ruler on top, lanes on
// the right, overview strip above. draw() handles input (it changes state.time, hovered and area), lays lanes
// out, collects what is visible and draws it with shaders of our own. Cost per frame follows pixels, not
// events; an unchanged view collects nothing. Main thread only; needs a GL context from beginning to end.

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

struct TimelineStats {           // of the last frame, for the status bar, tests and benchmarks
    std::size_t lanes = 0;       // visible
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
    // The whole area (overview strip, tree, ruler, lanes) at the cursor of the current ImGui window.
    void draw(Frame&, UiState&, ImVec2 size);
    // Lays the rows out for an area this high; draw() does so if nobody has. What reveal() wants is open then.
    void prepare(const core::Run&, float height);
    TimelineRows& rows();
    float scroll() const;        // of the rows, px
    void scroll_to(float);
    // The timeline of the other run of a comparison, whose find results the bar shows too; null without one.
    void set_partner(const Timeline*);
    // Brings an event's lane into view and expands what hides it; the caller sets the time view.
    void reveal(core::EventRef);
    void put_on_top(std::uint32_t slot);  // scrolls so that this rank's row is the uppermost, as far as that goes
    void follow_run(const core::Run* before, const core::Run* after);  // what is still to be brought into view; or null
    void let_go();  // of all that it keeps of a run that was closed; rows stay open
    void open_all(bool open);  // every rank with all it holds, or every rank closed
    const TimelineStats& stats() const;
    bool busy() const;  // work is under way: what is shown will change
    void describe(nlohmann::json& shown) const;  // as Panel::describe
    // Where the last frame drew an event, cut to the plot; nullopt if it did not.
    std::optional<Box> place_of(core::EventRef) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace ui
