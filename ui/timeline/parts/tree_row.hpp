#pragma once
// One row of the left column while it is drawn: place, hover state and clicks. Row kinds draw
// themselves with these functions.

#include "ui/style/text.hpp"
#include "ui/timeline/parts/timeline_parts.hpp"

#include <cmath>
#include <string>
#include <string_view>

namespace ui {

inline constexpr float kTreeNumberWidth = 50;  // each of the two number columns, at scale 1

struct GroupWorst {
    std::uint32_t slot = 0;
    std::string share;  // "34 %"
    std::string what;   // "idle"
    std::string mean;
};

class TreeRow {
public:
    struct Place {
        Box box;             // visible part of the row
        float top = 0;       // of the whole row
        bool sticky = false; // a heading that stays at the top
    };
    TreeRow(const TimelineFrame& f, const LayoutRow& row, const Place& place, TreeClicks& clicks, std::string& tooltip);

    const TimelineFrame& f;
    const LayoutRow& row;
    const Box box;
    const float top;
    const bool sticky;
    const bool hovered;
    ImDrawList* const list;
    TreeClicks& clicks;
    std::string& tooltip;  // tooltip of the tree in this frame

    float left() const;                              // left edge of the name
    float right() const { return box.max.x - px(8); }
    float middle() const { return std::floor(top + row.height / 2); }
    float text_y(const TextStyle&) const;
    bool rejected() const { return f.looks.of(row.slot).rejected; }  // the filter excludes it; not for headings
    ImU32 text_color() const;

    void fill_behind(ImU32 color) const;
    void draw_triangle(float x) const;
    void draw_triangle() const;
    // Draws a dot at the left edge if the row contains events unique to this run.
    void draw_unique_events() const;
    // Draws exposed communication and idle time, right-aligned. Returns the width used.
    float draw_shares(ImU32 color) const;
    // The rank of a folded group whose share is furthest above the group's mean; nullopt if none stands out.
    std::optional<GroupWorst> find_worst() const;
    // Draws the row's name, up to `right`.
    void draw_label(const std::string& label, const TextStyle&, ImU32 color, float right) const;
    // Opens the rank's menu on right click; a click on a row with a triangle opens or closes it.
    void handle_clicks(const std::string& label, bool on_button = false) const;
    // Triangle, mark, name and clicks: everything a plain row needs.
    void draw_plain() const;
};

}  // namespace ui
