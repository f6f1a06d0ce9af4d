#pragma once
// Building blocks of a page's charts. Internal to core/export.

#include "core/charts/axis.hpp"
#include "core/export/report/html_text.hpp"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace core::svg {

inline constexpr double kWidth = 880;    // of every chart, in SVG units
inline constexpr double kLetter = 6.2;   // approximate width of a label character

struct Box {
    double left = 0;
    double top = 0;
    double width = 0;
    double height = 0;
    double right() const { return left + width; }
    double bottom() const { return top + height; }
};

std::string open(double height, std::string_view title);
std::string rect(const Box&, std::string_view css, std::string_view title = {}, std::string_view more = {});
std::string line(double x1, double y1, double x2, double y2, std::string_view css);
enum class Anchor { Start, Middle, End };
std::string text(double x, double y, Anchor, std::string_view words, std::string_view title = {});
// Grid, labels and unit of a vertical axis left of the plot, or a horizontal one below it.
std::string vertical_axis(const Axis&, const Box& plot);
std::string horizontal_axis(const Axis&, const Box& plot);
// Labels below `count` slots of equal width, as many as fit.
std::string labels_below(const Box& plot, std::span<const std::string> labels, std::string_view title);

struct Swatch {
    std::string name;
    std::string css;
};
std::string legend(std::span<const Swatch>, bool of_two_runs);
std::string figure(std::string_view legend, std::string_view drawing, std::span<const std::string> notes);

}  // namespace core::svg
