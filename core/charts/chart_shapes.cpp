#include "core/charts/chart_shapes.hpp"

#include <algorithm>
#include <ranges>

namespace core {

ChartShape& ChartShapes::add(ChartShape shape) {
    shape.item = item_;
    shape.side = side_;
    return shapes_.emplace_back(std::move(shape));
}

ChartShape& ChartShapes::rect(ChartRole role, const ChartBox& box) {
    return add({.kind = ChartShape::Kind::Rect, .role = role, .a = box.min, .b = box.max});
}

ChartShape& ChartShapes::dot(ChartRole role, ChartPoint middle, float radius) {
    ChartShape& shape = rect(role, {{middle.x - radius, middle.y - radius}, {middle.x + radius, middle.y + radius}});
    shape.rounding = radius;
    return shape;
}

ChartShape& ChartShapes::hatch(const ChartBox& box) {
    return add({.kind = ChartShape::Kind::Hatch, .role = ChartRole::Candidate, .a = box.min, .b = box.max});
}

ChartShape& ChartShapes::triangle(ChartRole role, ChartPoint a, ChartPoint b, ChartPoint c) {
    return add({.kind = ChartShape::Kind::Triangle, .role = role, .a = a, .b = b, .c = c});
}

ChartShape& ChartShapes::text(ChartRole role, ChartFace face, ChartPoint at, std::string_view words,
                              ChartShape::Align align) {
    return add({.kind = ChartShape::Kind::Text,
                .role = role,
                .a = at,
                .face = face,
                .align = align,
                .text = std::string(words)});
}

void ChartShapes::set_datum(std::size_t item, Side side) {
    item_ = item;
    side_ = side;
}

const ChartShape* find_part(std::span<const ChartShape> shapes, ChartPoint at) {
    // Parts narrower than a pixel overlap the next one, so the last one drawn is the visible one.
    const auto covers = [&](const ChartShape& shape) {
        return shape.role == ChartRole::Part && shape.kind == ChartShape::Kind::Rect && at.x >= shape.a.x &&
               at.x < shape.b.x + shape.gap && at.y >= shape.a.y && at.y < shape.b.y;
    };
    const auto reversed = std::views::reverse(shapes);
    const auto found = std::ranges::find_if(reversed, covers);
    return found == reversed.end() ? nullptr : &*found;
}

std::string only_in(Side side) { return std::string("only in the ").append(name_of(side)); }

}  // namespace core
