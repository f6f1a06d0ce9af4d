#include "ui/model/charts/spread.hpp"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

double quantile(const std::vector<double>& sorted, double share) {
    const double at = share * static_cast<double>(sorted.size() - 1);
    const auto low = static_cast<std::size_t>(std::floor(at));
    const auto high = static_cast<std::size_t>(std::ceil(at));
    return sorted[low] + (sorted[high] - sorted[low]) * (at - static_cast<double>(low));
}

}  // namespace

Spread make_spread(std::vector<SpreadPoint> points) {
    Spread spread;
    spread.points = std::move(points);
    if (spread.points.empty()) return spread;
    std::vector<double> sorted;
    for (const SpreadPoint& point : spread.points) sorted.push_back(point.value);
    std::ranges::sort(sorted);
    spread.least = sorted.front();
    spread.lower_quarter = quantile(sorted, 0.25);
    spread.median = quantile(sorted, 0.5);
    spread.upper_quarter = quantile(sorted, 0.75);
    spread.greatest = sorted.back();
    const auto greatest = std::ranges::max_element(spread.points, {}, &SpreadPoint::value);
    spread.at_greatest = static_cast<std::size_t>(greatest - spread.points.begin());
    return spread;
}

}  // namespace ui
