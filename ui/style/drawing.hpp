#pragma once
// Records the rectangles, lines and texts that ui/style/text draws, and writes a part of the frame as
// SVG. Any chart can be exported without a second layout. Records only while a Drawing is in
// progress. Main thread only.

#include "ui/style/text.hpp"

#include <imgui.h>

#include <string>
#include <string_view>
#include <vector>

namespace ui {

class Drawing {
public:
    // Colours are final, including alpha. Shapes outside the list's clip rectangle are skipped.
    void add_rect(const ImDrawList*, ImVec2 min, ImVec2 max, ImU32 color, float rounding);
    void add_line(const ImDrawList*, ImVec2 from, ImVec2 to, ImU32 color, float thickness);
    void add_triangle(const ImDrawList*, ImVec2 a, ImVec2 b, ImVec2 c, ImU32 color);
    // at: upper left corner. whole: full text if `text` is shortened, else empty.
    void add_text(const ImDrawList*, const TextStyle&, ImVec2 at, ImU32 color, std::string_view text,
                  std::string_view whole);

    // Clips everything recorded so far to the rectangle; later shapes may be outside.
    void keep_within(ImVec2 min, ImVec2 max);
    // SVG of the rectangle (pixels) on the background: well-formed XML without external files.
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
        float size;  // rounding, thickness or font size
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

Drawing* drawing_in_progress();  // null: not recording
void set_drawing_in_progress(Drawing*);

}  // namespace ui
