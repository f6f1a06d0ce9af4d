#include "core/export/report/svg_page.hpp"

#include <algorithm>

namespace core::svg {
namespace {

std::string attribute(std::string_view name, double value) {
    return " " + std::string(name) + "=\"" + coordinate(value) + "\"";
}

std::string titled(std::string_view title) {
    return title.empty() ? std::string() : "<title>" + html_text(title) + "</title>";
}

std::string label_of_tick(const Axis& axis, std::size_t tick) {
    const std::string label = axis.label(axis.tick(tick));
    const bool is_last = tick + 1 == axis.ticks();
    return is_last && !axis.suffix.empty() ? label + " " + axis.suffix : label;
}

}  // namespace

std::string open(double height, std::string_view title) {
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + coordinate(kWidth) + " " + coordinate(height) +
           "\" role=\"img\" aria-label=\"" + html_text(title) + "\">\n";
}

std::string rect(const Box& box, std::string_view css, std::string_view title, std::string_view more) {
    std::string out = "<rect class=\"" + std::string(css) + "\"" + attribute("x", box.left) + attribute("y", box.top) +
                      attribute("width", std::max(0.0, box.width)) + attribute("height", std::max(0.0, box.height)) +
                      std::string(more);
    return title.empty() ? out + "/>\n" : out + ">" + titled(title) + "</rect>\n";
}

std::string line(double x1, double y1, double x2, double y2, std::string_view css) {
    return "<line class=\"" + std::string(css) + "\"" + attribute("x1", x1) + attribute("y1", y1) +
           attribute("x2", x2) + attribute("y2", y2) + "/>\n";
}

std::string text(double x, double y, Anchor anchor, std::string_view words, std::string_view title) {
    constexpr std::string_view kAnchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    return "<text" + attribute("x", x) + attribute("y", y) + std::string(kAnchors[static_cast<std::size_t>(anchor)]) +
           ">" + titled(title) + html_text(words) + "</text>\n";
}

std::string vertical_axis(const Axis& axis, const Box& plot) {
    std::string out;
    for (std::size_t i = 0; i < axis.ticks(); ++i) {
        const double y = plot.bottom() - axis.share(axis.tick(i)) * plot.height;
        out += line(plot.left, y, plot.right(), y, axis.label(axis.tick(i)) == "0" ? "zero" : "grid");
        out += text(plot.left - 6, y + 4, Anchor::End, label_of_tick(axis, i));
    }
    return out;
}

std::string horizontal_axis(const Axis& axis, const Box& plot) {
    std::string out;
    for (std::size_t i = 0; i < axis.ticks(); ++i) {
        const double x = plot.left + axis.share(axis.tick(i)) * plot.width;
        out += line(x, plot.top, x, plot.bottom(), axis.label(axis.tick(i)) == "0" ? "zero" : "grid");
        out += text(x, plot.bottom() + 16, Anchor::Middle, label_of_tick(axis, i));
    }
    return out;
}

std::string labels_below(const Box& plot, std::span<const std::string> labels, std::string_view title) {
    std::size_t longest = 1;
    for (const std::string& label : labels) longest = std::max(longest, label.size());
    const double pitch = plot.width / static_cast<double>(std::max<std::size_t>(1, labels.size()));
    const double wanted = static_cast<double>(longest + 2) * kLetter;
    std::size_t every = 1;
    while (pitch * static_cast<double>(every) < wanted) every *= 2;
    std::string out;
    for (std::size_t i = 0; i < labels.size(); i += every) {
        const double x = plot.left + (static_cast<double>(i) + 0.5) * pitch;
        out += text(x, plot.bottom() + 16, Anchor::Middle, labels[i]);
    }
    return out + text(plot.left + plot.width / 2, plot.bottom() + 33, Anchor::Middle, title);
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
