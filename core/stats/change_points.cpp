#include "core/stats/change_points.hpp"

#include "core/stats/distributions.hpp"
#include "core/stats/sums.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace core::stats {
namespace {

struct Split {
    std::size_t at = 0;
    double q = 0;
};

// The distances within and between both parts are kept while the split moves by one value.
std::optional<Split> best_split(std::span<const double> x) {
    const std::size_t n = x.size();
    if (n < 2 * kLeastLevel) return std::nullopt;
    double left = 0, right = 0, between = 0;  // sums over pairs
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j) right += std::abs(x[i] - x[j]);
    std::optional<Split> best;
    for (std::size_t k = 1; k + kLeastLevel <= n; ++k) {
        double to_left = 0, to_right = 0;  // of the value that changes parts
        for (std::size_t i = 0; i + 1 < k; ++i) to_left += std::abs(x[i] - x[k - 1]);
        for (std::size_t i = k; i < n; ++i) to_right += std::abs(x[i] - x[k - 1]);
        left += to_left;
        right -= to_right;
        between += to_right - to_left;
        if (k < kLeastLevel) continue;
        const auto m = static_cast<double>(k), rest = static_cast<double>(n - k);
        const double q = m * rest / (m + rest) *
                         (2 / (m * rest) * between - 2 * left / (m * (m - 1)) - 2 * right / (rest * (rest - 1)));
        if (!best || q > best->q) best = Split{k, q};
    }
    return best;
}

// Without the correction for neighbours that resemble each other: a part with a step of its own, found later, would
// look like that and hide this one.
Moments measure_part(std::span<const double> values) {
    Moments moments = measure(values);
    moments.inflation = 1;
    return moments;
}

void collect(std::span<const double> series, std::size_t begin, std::size_t end, std::vector<ChangePoint>& points) {
    const std::span<const double> x = series.subspan(begin, end - begin);
    const std::optional<Split> split = best_split(x);
    if (!split) return;
    const std::optional<Welch> welch =
        compare_means(measure_part(x.first(split->at)), measure_part(x.subspan(split->at)));
    if (!welch || !(welch->p < kChangePoint)) return;
    const std::size_t index = begin + split->at;
    collect(series, begin, index, points);
    points.push_back({.index = index, .change = welch->change, .q = split->q, .p = welch->p});
    collect(series, index, end, points);
}

}  // namespace

std::vector<ChangePoint> find_change_points(std::span<const double> series) {
    assert(series.size() <= kLongestSeries);
    std::vector<ChangePoint> points;
    if (series.size() < kLeastSeries) return points;
    collect(series, 0, series.size(), points);
    for (std::size_t i = 0; i < points.size(); ++i) {
        const std::size_t begin = i == 0 ? 0 : points[i - 1].index;
        const std::size_t end = i + 1 == points.size() ? series.size() : points[i + 1].index;
        points[i].before = measure(series.subspan(begin, points[i].index - begin)).mean;
        points[i].after = measure(series.subspan(points[i].index, end - points[i].index)).mean;
    }
    return points;
}

std::optional<Latest> judge_latest(std::span<const double> series) {
    if (series.size() <= kLeastLevel) return std::nullopt;
    const std::span<const double> earlier = series.first(series.size() - 1);
    const std::vector<ChangePoint> points = find_change_points(earlier);
    const std::span<const double> level = points.empty() ? earlier : earlier.subspan(points.back().index);
    if (level.size() < kLeastLevel) return std::nullopt;
    const Moments moments = measure(level);
    const auto n = static_cast<double>(level.size());
    const double reach = student_quantile(0.995, n - 1) * std::sqrt(moments.variance * (1 + 1 / n));
    Latest latest{.level = moments.mean, .expected = {moments.mean - reach, moments.mean + reach}, .n = level.size()};
    latest.is_outside = series.back() < latest.expected.low || series.back() > latest.expected.high;
    return latest;
}

}  // namespace core::stats
