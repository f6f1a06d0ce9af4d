#include "core/analysis/collectives/link_line.hpp"

#include "core/analysis/engine/rounding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace core {
namespace {

constexpr std::size_t kMostSizes = 256;
constexpr double kStepsPerOctave = 8;

double sum_errors(std::span<const SizePoint> points, double alpha, double per_byte) {
    double sum = 0;
    for (const SizePoint& point : points) sum += std::abs(point.time - alpha - per_byte * point.bytes) / point.time;
    return sum;
}

std::vector<SizePoint> thin_out(const std::vector<SizePoint>& points) {
    std::map<std::int64_t, std::vector<SizePoint>> steps;
    for (const SizePoint& point : points)
        steps[static_cast<std::int64_t>(std::floor(std::log2(point.bytes) * kStepsPerOctave))].push_back(point);
    std::vector<SizePoint> thin;
    for (auto& [step, of_step] : steps) {
        std::ranges::sort(of_step, {}, &SizePoint::time);
        thin.push_back(of_step[(of_step.size() - 1) / 2]);
    }
    return thin;
}

struct Candidate {
    double alpha = 0;
    double per_byte = 0;
    double error = std::numeric_limits<double>::infinity();
};

void consider(std::span<const SizePoint> points, double alpha, double per_byte, Candidate& best) {
    if (alpha < 0 || per_byte <= 0) return;
    const double error = sum_errors(points, alpha, per_byte);
    const bool better = error < best.error * (1 - 1e-12);
    const bool tie = !better && error <= best.error * (1 + 1e-12) && alpha < best.alpha;
    if (better || tie) best = {.alpha = alpha, .per_byte = per_byte, .error = error};
}

void describe(std::span<const SizePoint> points, const LineLimits& limits, LinkLine& line) {
    double mean = 0;
    for (const SizePoint& point : points) mean += point.time / static_cast<double>(points.size());
    double left = 0, all = 0;
    std::vector<double> errors;
    for (const SizePoint& point : points) {
        const double off = point.time - line.time_of(point.bytes);
        left += off * off;
        all += (point.time - mean) * (point.time - mean);
        errors.push_back(std::abs(off) / point.time);
    }
    line.r2 = all > 0 ? 1 - left / all : 0;
    line.largest_error = *std::ranges::max_element(errors);
    line.median_error = take_median(errors);
    line.poor = line.median_error * 100 > static_cast<double>(limits.poor);
}

}  // namespace

LinkLine fit_link_line(std::vector<SizePoint> points, const LineLimits& limits) {
    LinkLine line;
    std::erase_if(points, [](const SizePoint& p) { return p.bytes <= 0 || p.time <= 0; });
    if (points.size() > kMostSizes) points = thin_out(points);
    if (points.size() > kMostSizes) points.resize(kMostSizes);
    if (points.size() < std::max<std::size_t>(2, static_cast<std::size_t>(limits.sizes))) return line;
    const auto [least, most] = std::ranges::minmax(points, {}, &SizePoint::bytes);
    if (most.bytes < static_cast<double>(limits.span) * least.bytes) return line;
    Candidate best;
    for (std::size_t i = 0; i < points.size(); ++i) {
        consider(points, 0, points[i].time / points[i].bytes, best);
        for (std::size_t k = i + 1; k < points.size(); ++k) {
            const double apart = points[k].bytes - points[i].bytes;
            if (apart == 0) continue;
            const double per_byte = (points[k].time - points[i].time) / apart;
            consider(points, points[i].time - per_byte * points[i].bytes, per_byte, best);
        }
    }
    if (!std::isfinite(best.error)) return line;
    line.identifiable = true;
    line.alpha = best.alpha;
    line.bandwidth = 1 / best.per_byte;
    describe(points, limits, line);
    return line;
}

}  // namespace core
