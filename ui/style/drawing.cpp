#include "ui/style/drawing.hpp"

#include "core/export/report/html_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace ui {
namespace {

Drawing* g_drawing = nullptr;

// Metrics of the faces in assets. ImGui's size in pixels spans ascent to descent; SVG's is the em.
struct FaceMetrics {
    float em;
    float baseline;
    const char* family;
};
constexpr FaceMetrics kSans{
    .em = 0.826f, .baseline = 0.8f, .family = "Inter, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"};
constexpr FaceMetrics kFixed{
    .em = 0.758f, .baseline = 0.773f, .family = "'JetBrains Mono', Consolas, Menlo, 'DejaVu Sans Mono', monospace"};

std::string attribute(std::string_view name, float value) {
    return " " + std::string(name) + "=\"" + core::coordinate(static_cast<double>(value)) + "\"";
}

std::string paint(std::string_view name, ImU32 color) {
    const auto channel = [&](int shift) { return (color >> shift) & 255u; };
    std::string out = fmt::format(" {}=\"#{:02x}{:02x}{:02x}\"", name, channel(IM_COL32_R_SHIFT),
                                  channel(IM_COL32_G_SHIFT), channel(IM_COL32_B_SHIFT));
    const unsigned alpha = channel(IM_COL32_A_SHIFT);
    if (alpha == 255) return out;
    return out + fmt::format(" {}-opacity=\"{:.3f}\"", name, static_cast<double>(alpha) / 255);
}

std::string rect_element(ImVec2 min, ImVec2 max, std::string_view more) {
    return "<rect" + attribute("x", min.x) + attribute("y", min.y) + attribute("width", max.x - min.x) +
           attribute("height", max.y - min.y) + std::string(more) + "/>\n";
}

}  // namespace

Drawing* drawing_in_progress() { return g_drawing; }
void set_drawing_in_progress(Drawing* drawing) { g_drawing = drawing; }

Drawing::Box Drawing::common(const Box& a, const Box& b) {
    return {{std::max(a.min.x, b.min.x), std::max(a.min.y, b.min.y)},
            {std::min(a.max.x, b.max.x), std::min(a.max.y, b.max.y)}};
}

bool Drawing::is_empty(const Box& box) { return !(box.max.x > box.min.x && box.max.y > box.min.y); }

bool Drawing::holds(const Box& outer, const Box& inner) {
    return inner.min.x >= outer.min.x && inner.min.y >= outer.min.y && inner.max.x <= outer.max.x &&
           inner.max.y <= outer.max.y;
}

Drawing::Box Drawing::box_of(const Shape& shape) {
    const float around = shape.kind == Kind::Line ? shape.size : 0;
    Box box{{std::min(shape.a.x, shape.b.x) - around, std::min(shape.a.y, shape.b.y) - around},
            {std::max(shape.a.x, shape.b.x) + around, std::max(shape.a.y, shape.b.y) + around}};
    if (shape.kind != Kind::Triangle) return box;
    box.min = {std::min(box.min.x, shape.c.x), std::min(box.min.y, shape.c.y)};
    box.max = {std::max(box.max.x, shape.c.x), std::max(box.max.y, shape.c.y)};
    return box;
}

void Drawing::add(const ImDrawList* list, Shape shape) {
    shape.clip = {list->GetClipRectMin(), list->GetClipRectMax()};
    if ((shape.color & IM_COL32_A_MASK) == 0 || is_empty(common(box_of(shape), shape.clip))) return;
    shapes_.push_back(std::move(shape));
}

void Drawing::add_rect(const ImDrawList* list, ImVec2 min, ImVec2 max, ImU32 color, float rounding) {
    add(list, {.kind = Kind::Rect, .clip = {}, .a = min, .b = max, .c = {}, .color = color, .size = rounding});
}

void Drawing::add_line(const ImDrawList* list, ImVec2 from, ImVec2 to, ImU32 color, float thickness) {
    // Dear ImGui adds half a pixel: its lines go through pixel centres.
    add(list, {.kind = Kind::Line,
               .clip = {},
               .a = {from.x + 0.5f, from.y + 0.5f},
               .b = {to.x + 0.5f, to.y + 0.5f},
               .c = {},
               .color = color,
               .size = thickness});
}

void Drawing::add_triangle(const ImDrawList* list, ImVec2 a, ImVec2 b, ImVec2 c, ImU32 color) {
    add(list, {.kind = Kind::Triangle, .clip = {}, .a = a, .b = b, .c = c, .color = color, .size = 0});
}

void Drawing::add_text(const ImDrawList* list, const TextStyle& style, ImVec2 at, ImU32 color, std::string_view text,
                       std::string_view whole) {
    const ImVec2 end{at.x + text_width(style, text), at.y + style.size_px};
    Shape shape{.kind = Kind::Text,
                .clip = {},
                .a = at,
                .b = end,
                .c = {},
                .color = color,
                .size = style.size_px,
                .text = std::string(text),
                .whole = std::string(whole)};
    shape.mono = style.font == fonts().mono;
    shape.bold = style.font == fonts().heading;
    add(list, std::move(shape));
}

void Drawing::keep_within(ImVec2 min, ImVec2 max) {
    const Box picture{min, max};
    std::erase_if(shapes_,
                  [&](const Shape& shape) { return is_empty(common(common(box_of(shape), shape.clip), picture)); });
    for (Shape& shape : shapes_) shape.clip = common(shape.clip, picture);
}

// `clip`: name of a clip path, or empty.
std::string Drawing::element(const Shape& shape, const Box& picture, std::string_view clip) {
    const auto moved = [&](ImVec2 at) { return ImVec2{at.x - picture.min.x, at.y - picture.min.y}; };
    const std::string cut = clip.empty() ? std::string() : " clip-path=\"url(#" + std::string(clip) + ")\"";
    const ImVec2 a = moved(shape.a);
    const ImVec2 b = moved(shape.b);
    const ImVec2 c = moved(shape.c);
    switch (shape.kind) {
        case Kind::Rect:
            return rect_element(a, b,
                                (shape.size > 0 ? attribute("rx", shape.size) : "") + paint("fill", shape.color) + cut);
        case Kind::Line:
            return "<line" + attribute("x1", a.x) + attribute("y1", a.y) + attribute("x2", b.x) + attribute("y2", b.y) +
                   paint("stroke", shape.color) + attribute("stroke-width", shape.size) + cut + "/>\n";
        case Kind::Triangle: {
            std::string points;
            for (const ImVec2 corner : {a, b, c})
                points += (points.empty() ? "" : " ") + core::coordinate(static_cast<double>(corner.x)) + "," +
                          core::coordinate(static_cast<double>(corner.y));
            return "<polygon points=\"" + points + "\"" + paint("fill", shape.color) + cut + "/>\n";
        }
        case Kind::Text:
            break;
    }
    const FaceMetrics& face = shape.mono ? kFixed : kSans;
    const std::string hint =
        shape.whole.empty() ? std::string() : "<title>" + core::html_text(shape.whole) + "</title>";
    return std::string("<text class=\"") +
           (shape.mono   ? "mono"
            : shape.bold ? "bold"
                         : "sans") +
           "\"" + attribute("x", a.x) + attribute("y", a.y + std::ceil(shape.size * face.baseline)) +
           attribute("font-size", shape.size * face.em) + attribute("textLength", b.x - a.x) +
           " lengthAdjust=\"spacingAndGlyphs\"" + paint("fill", shape.color) + cut + ">" + hint +
           core::html_text(shape.text) + "</text>\n";
}

std::string Drawing::to_svg(ImVec2 min, ImVec2 max, std::string_view title, ImU32 background) const {
    const Box picture{min, max};
    const ImVec2 size{max.x - min.x, max.y - min.y};
    std::map<std::array<float, 4>, std::string> clips;
    std::string body;
    for (Shape shape : shapes_) {
        const Box clip = common(shape.clip, picture);
        const Box seen = common(box_of(shape), clip);
        if (is_empty(seen)) continue;
        const bool plain = shape.kind == Kind::Rect && shape.size <= 0;
        if (plain) {
            shape.a = seen.min;
            shape.b = seen.max;
        }
        if (plain || holds(clip, box_of(shape))) {
            body += element(shape, picture, {});
            continue;
        }
        auto [at, fresh] = clips.try_emplace({clip.min.x, clip.min.y, clip.max.x, clip.max.y});
        if (fresh) at->second = "clip" + std::to_string(clips.size());
        body += element(shape, picture, at->second);
    }
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"" +
                      attribute("width", size.x) + attribute("height", size.y) + " viewBox=\"0 0 " +
                      core::coordinate(static_cast<double>(size.x)) + " " +
                      core::coordinate(static_cast<double>(size.y)) +
                      "\" role=\"img\" xml:space=\"preserve\">\n<title>" + core::html_text(title) +
                      "</title>\n<style>text { white-space: pre }\n.sans { font-family: " + kSans.family +
                      " }\n.bold { font-family: " + kSans.family +
                      "; font-weight: 600 }\n.mono { font-family: " + kFixed.family + " }</style>\n<defs>\n";
    for (const auto& [box, name] : clips)
        out += "<clipPath id=\"" + name + "\">" +
               rect_element({box[0] - min.x, box[1] - min.y}, {box[2] - min.x, box[3] - min.y}, {}) + "</clipPath>\n";
    return out + "</defs>\n" + rect_element({0, 0}, size, paint("fill", background)) + body + "</svg>\n";
}

}  // namespace ui
