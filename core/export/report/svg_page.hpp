#pragma once
// Building blocks of a page's charts: shapes of core/charts as SVG, and the figure around them.
// Internal to core/export.

#include "core/charts/chart_shapes.hpp"
#include "core/export/report/html_text.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace core::svg {

inline constexpr float kWidth = 880;  // of every chart, in SVG units

// Sizes of text are estimates: the reader's fonts are not known here.
const TextMetrics& page_metrics();

// Class of the style sheet, tooltip, and further attributes.
struct Look {
    std::string css{};
    std::string title{};
    std::string more{};
};
Look look_of_role(ChartRole);
// Shapes without a look are left out.
using LookOfShape = std::function<std::optional<Look>(const ChartShape&)>;
std::string write_shapes(std::span<const ChartShape>, const LookOfShape&);
std::string rect(const ChartBox&, const Look&, float rounding = 0);
std::string open(float height, std::string_view title);

struct Swatch {
    std::string name;
    std::string css;
};
std::string legend(std::span<const Swatch>, bool of_two_runs);
std::string figure(std::string_view legend, std::string_view drawing, std::span<const std::string> notes);

}  // namespace core::svg
