#include "ui/charts/draw_shapes.hpp"

#include "ui/style/hatch.hpp"

namespace ui {
namespace {

TextStyle style_of(core::ChartFace face) {
    switch (face) {
        case core::ChartFace::Label:
            return ui_style();
        case core::ChartFace::Small:
            return small_style();
        case core::ChartFace::Number:
            break;
    }
    return mono_style();
}

class WindowMetrics : public core::TextMetrics {
public:
    float width(core::ChartFace face, std::string_view text) const override { return text_width(style_of(face), text); }
    float height(core::ChartFace face) const override { return style_of(face).size_px; }
    float length(float at_scale_one) const override { return px(at_scale_one); }
    std::string fit(core::ChartFace face, std::string_view text, float room) const override {
        return fit_text(style_of(face), text, room);
    }
};

void draw_words(ImDrawList* list, const core::ChartShape& shape, ImU32 color) {
    const TextStyle style = style_of(shape.face);
    ImVec2 at = to_imgui(shape.a);
    if (shape.align == core::ChartShape::Align::Right) at.x -= text_width(style, shape.text);
    if (shape.align == core::ChartShape::Align::Middle) at.x -= text_width(style, shape.text) / 2;
    if (shape.room)
        draw_text(list, style, at, color, shape.text, *shape.room);
    else
        draw_text(list, style, at, color, shape.text);
}

}  // namespace

const core::TextMetrics& window_metrics() {
    static const WindowMetrics kMetrics;
    return kMetrics;
}

void draw_shapes(ImDrawList* list, std::span<const core::ChartShape> shapes, const ColorOfShape& color_of) {
    using Kind = core::ChartShape::Kind;
    for (const core::ChartShape& shape : shapes) {
        if (shape.kind == Kind::Hatch) {
            draw_hatch(list, to_imgui(shape.a), to_imgui(shape.b));
            continue;
        }
        const ImU32 color = color_of(shape);
        if (color == 0) continue;
        if (shape.kind == Kind::Rect) draw_rect(list, to_imgui(shape.a), to_imgui(shape.b), color, shape.rounding);
        if (shape.kind == Kind::Triangle)
            draw_triangle(list, to_imgui(shape.a), to_imgui(shape.b), to_imgui(shape.c), color);
        if (shape.kind == Kind::Text) draw_words(list, shape, color);
    }
}

}  // namespace ui
