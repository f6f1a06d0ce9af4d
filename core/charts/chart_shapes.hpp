#pragma once
// A chart laid out as shapes in drawing order, with roles instead of colours. The window draws them
// with ImGui and the report writes them as SVG, which keeps both equal. A shape of data carries the
// index of its datum, and the target of the pointer is found in the same shapes. Lengths are floats
// because the window's pixels depend on their rounding.

#include "core/diff/align/side.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace core {

struct ChartPoint {
    float x = 0;
    float y = 0;
};

struct ChartBox {
    ChartPoint min{};
    ChartPoint max{};
    float width() const { return max.x - min.x; }
    float height() const { return max.y - min.y; }
};

enum class ChartFace : std::uint8_t { Label, Small, Number };

// Sizes of text and lengths where the chart will be drawn. Layouts call it often: implementations
// answer without allocating.
class TextMetrics {
public:
    virtual ~TextMetrics() = default;
    virtual float width(ChartFace, std::string_view) const = 0;
    virtual float height(ChartFace) const = 0;             // of a line
    virtual float length(float at_scale_one) const = 0;    // scaled and rounded as the drawing needs it
    virtual std::string fit(ChartFace, std::string_view, float room) const = 0;  // the text, shortened to the room
};

enum class ChartRole : std::uint8_t {
    Label,         // name of an item
    Value,         // number next to an item
    Tick,          // number on an axis
    Grid,
    Zero,          // the grid line at 0, or of no change
    Limit,         // a line that divides the values, and its words
    Hint,          // says how to read an axis
    Part,          // part of a bar, a whole bar, or a dot
    Share,         // percentage on a part
    Candidate,     // hatching on the candidate's bar
    Gap,           // says that a bar is missing
    Mean,
    Interval,
    Whisker,
    FaintWhisker   // of a faded bar, or one of many too narrow for caps
};

struct ChartShape {
    enum class Kind : std::uint8_t { Rect, Hatch, Triangle, Text };
    enum class Align : std::uint8_t { Left, Middle, Right };  // of the text at `a`

    Kind kind;
    ChartRole role;
    ChartPoint a{};  // corner of the least x and y; text: the top of the line
    ChartPoint b{};  // opposite corner; text: unused
    ChartPoint c{};  // triangles only
    Side side = Side::Baseline;
    std::size_t item = 0;
    std::size_t part = 0;
    float rounding = 0;        // radius of the corners; half of the side makes a dot
    float gap = 0;             // blank pixels to the right that react to the pointer like the shape
    ChartFace face = ChartFace::Label;
    Align align = Align::Left;
    std::string text{};
    std::optional<float> room{};  // width that the text must fit into
};

// Collects shapes. The references returned are valid until the next shape is added.
class ChartShapes {
public:
    ChartShape& rect(ChartRole, const ChartBox&);
    ChartShape& dot(ChartRole, ChartPoint middle, float radius);
    ChartShape& hatch(const ChartBox&);
    ChartShape& triangle(ChartRole, ChartPoint a, ChartPoint b, ChartPoint c);
    ChartShape& text(ChartRole, ChartFace, ChartPoint, std::string_view words,
                     ChartShape::Align = ChartShape::Align::Left);

    // Everything added from now on belongs to this item of this side.
    void set_datum(std::size_t item, Side);
    std::span<const ChartShape> all() const { return shapes_; }
    void clear() { shapes_.clear(); }

private:
    ChartShape& add(ChartShape);
    std::vector<ChartShape> shapes_;
    std::size_t item_ = 0;
    Side side_ = Side::Baseline;
};

// Topmost part of a bar below the point.
const ChartShape* find_part(std::span<const ChartShape>, ChartPoint);

// "only in the candidate"
std::string only_in(Side);

}  // namespace core
