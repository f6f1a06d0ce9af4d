#include "core/export/report/svg_page.hpp"

#include "core/base/utf8.hpp"

#include <algorithm>
#include <cmath>

namespace core::svg {
namespace {

// Lines and letters of the page's style sheet: 11.5 units, small text 10. A line is higher than its
// letters, as in the window, and its baseline is at four fifths.
constexpr float kLine = 14;
constexpr float kSmallLine = 12;
constexpr float kBaseline = 0.8f;

class PageMetrics : public TextMetrics {
public:
    float width(ChartFace face, std::string_view text) const override {
        return letter(face) * static_cast<float>(count_characters(text));
    }
    float height(ChartFace face) const override { return face == ChartFace::Small ? kSmallLine : kLine; }
    float length(float at_scale_one) const override { return at_scale_one; }
    std::string fit(ChartFace face, std::string_view text, float room) const override {
        if (width(face, text) <= room + 0.5f) return std::string(text);
        return cut_in_the_middle(text, static_cast<std::size_t>(std::max(4.0f, room / letter(face))));
    }

private:
// Digits and letters of common fonts are narrower; too much room looks better than overlap.
    static float letter(ChartFace face) {
        return face == ChartFace::Small ? 6.0f : face == ChartFace::Label ? 6.8f : 7.2f;
    }
};

std::string attribute(std::string_view name, float value) {
    return " " + std::string(name) + "=\"" + coordinate(static_cast<double>(value)) + "\"";
}

std::string titled(std::string_view title) {
    return title.empty() ? std::string() : "<title>" + html_text(title) + "</title>";
}

std::string class_attribute(std::string_view css) {
    return css.empty() ? std::string() : " class=\"" + std::string(css) + "\"";
}

std::string write_text(const ChartShape& shape, Look look) {
    constexpr std::string_view kAnchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    if (shape.face == ChartFace::Small) look.css += look.css.empty() ? "small" : " small";
    const std::string words = shape.room ? page_metrics().fit(shape.face, shape.text, *shape.room) : shape.text;
    const float baseline = shape.a.y + std::ceil(page_metrics().height(shape.face) * kBaseline);
    return "<text" + class_attribute(look.css) + attribute("x", shape.a.x) + attribute("y", baseline) +
           std::string(kAnchors[static_cast<std::size_t>(shape.align)]) + look.more + ">" + titled(look.title) +
           html_text(words) + "</text>\n";
}

std::string write_triangle(const ChartShape& shape, const Look& look) {
    std::string points;
    for (const ChartPoint at : {shape.a, shape.b, shape.c})
        points += (points.empty() ? "" : " ") + coordinate(static_cast<double>(at.x)) + "," +
                  coordinate(static_cast<double>(at.y));
    return "<polygon" + class_attribute(look.css) + " points=\"" + points + "\"" + look.more + "/>\n";
}

}  // namespace

const TextMetrics& page_metrics() {
    static const PageMetrics kMetrics;
    return kMetrics;
}

Look look_of_role(ChartRole role) {
    switch (role) {
        case ChartRole::Grid:
            return {.css = "grid"};
        case ChartRole::Zero:
            return {.css = "zero"};
        case ChartRole::Share:
            return {.css = "share"};
        case ChartRole::Candidate:
            return {.css = "hatch"};
        case ChartRole::Whisker:
            return {.css = "whisker"};
        case ChartRole::FaintWhisker:
            return {.css = "whisker faint"};
        case ChartRole::Limit:
            return {.css = "limit"};
        case ChartRole::Mean:
            return {.css = "whisker"};
        case ChartRole::Interval:
            return {.css = "p-violet", .more = " fill-opacity=\"0.25\""};
        default:
            return {};
    }
}

std::string write_shapes(std::span<const ChartShape> shapes, const LookOfShape& look_of) {
    std::string out;
    for (const ChartShape& shape : shapes) {
        const std::optional<Look> look = look_of(shape);
        if (!look) continue;
        switch (shape.kind) {
            case ChartShape::Kind::Rect:
            case ChartShape::Kind::Hatch:
                out += rect({shape.a, shape.b}, *look, shape.rounding);
                break;
            case ChartShape::Kind::Triangle:
                out += write_triangle(shape, *look);
                break;
            case ChartShape::Kind::Text:
                if (!shape.text.empty()) out += write_text(shape, *look);
        }
    }
    return out;
}

std::string rect(const ChartBox& box, const Look& look, float rounding) {
    const std::string out = "<rect" + class_attribute(look.css) + attribute("x", box.min.x) +
                            attribute("y", box.min.y) + attribute("width", std::max(0.0f, box.width())) +
                            attribute("height", std::max(0.0f, box.height())) +
                            (rounding > 0 ? attribute("rx", rounding) : std::string()) + look.more;
    return look.title.empty() ? out + "/>\n" : out + ">" + titled(look.title) + "</rect>\n";
}

std::string open(float height, std::string_view title) {
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + coordinate(static_cast<double>(kWidth)) + " " +
           coordinate(static_cast<double>(height)) + "\" role=\"img\" aria-label=\"" + html_text(title) + "\">\n";
}

std::string legend(std::span<const Swatch> swatches, bool of_two_runs) {
    std::string out;
    for (const Swatch& swatch : swatches) {
        out += "<li><span class=\"swatch " + swatch.css + "\"></span><span title=\"" + html_text(swatch.name) + "\">" +
               html_text(cut_in_the_middle(swatch.name, 56)) + "</span></li>";
    }
    if (of_two_runs) {
        out +=
            "<li><span class=\"swatch plain\"></span>baseline</li>"
            "<li><span class=\"swatch hatched\"></span>candidate, hatched</li>";
    }
    return out.empty() ? out : "<ul class=\"legend\">" + out + "</ul>\n";
}

std::string figure(std::string_view legend, std::string_view drawing, std::span<const std::string> notes) {
    std::string out = "<figure>\n" + std::string(legend) + "<div class=\"wide\">" + std::string(drawing) + "</div>\n";
    std::string caption;
    for (const std::string& note : notes) caption += (caption.empty() ? "" : " ") + html_text(note);
    if (!caption.empty()) out += "<figcaption>" + caption + "</figcaption>\n";
    return out + "</figure>\n";
}

}  // namespace core::svg
