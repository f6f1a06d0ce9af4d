#pragma once
// What the helpers of ui/widgets/text draw, kept as shapes, so that a part of a frame can be written as an SVG: the same
// rectangles, lines and texts at the same places. Kept only while a Drawing is in progress. Main thread only.

#include "ui/style/text.hpp"

#include <imgui.h>

#include <string>
#include <string_view>
#include <vector>

namespace ui {

class Drawing {
public:
    // Colours are final, alpha included; what the list clips away is left out.
    void add_rect(const ImDrawList*, ImVec2 min, ImVec2 max, ImU32 color, float rounding);
    void add_line(const ImDrawList*, ImVec2 from, ImVec2 to, ImU32 color, float thickness);
    void add_triangle(const ImDrawList*, ImVec2 a, ImVec2 b, ImVec2 c, ImU32 color);
    // At its upper left corner; whole: what it was shortened from, or empty.
    void add_text(const ImDrawList*, const TextStyle&, ImVec2 at, ImU32 color, std::string_view text,
                  std::string_view whole);

    // Of what was drawn so far only what can be seen in the rectangle is kept; what comes now lies around it.
    void keep_within(ImVec2 min, ImVec2 max);
    // What lies in the rectangle of pixels, on the background: well-formed XML that needs no other file.
    std::string to_svg(ImVec2 min, ImVec2 max, std::string_view title, ImU32 background) const;

private:
    struct Box {
        ImVec2 min, max;
    };
    enum class Kind : std::uint8_t { Rect, Line, Triangle, Text };
    struct Shape {
        Kind kind;
        Box clip;
        ImVec2 a, b, c;
        ImU32 color;
        float size;  // rounding, thickness, of letters
        std::string text{}, whole{};
        bool mono = false, bold = false;
    };
    static Box box_of(const Shape&);
    static Box common(const Box&, const Box&);
    static bool is_empty(const Box&);
    static bool holds(const Box& outer, const Box& inner);
    void add(const ImDrawList*, Shape shape);
    static std::string element(const Shape&, const Box& picture, std::string_view clip);
    std::vector<Shape> shapes_;
};

Drawing* drawing_in_progress();  // null: nothing is kept
void set_drawing_in_progress(Drawing*);

}  // namespace ui
