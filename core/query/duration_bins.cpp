#include "core/query/duration_bins.hpp"

#include <algorithm>
#include <cmath>

namespace core {
namespace {

constexpr double kWantedBins = 24;
constexpr int kMostPerDecade = 2000;

double log_of(Duration d) { return std::log10(static_cast<double>(std::max<std::int64_t>(d.count(), 1))); }

// Rounded to enough digits to keep neighbouring edges apart.
Duration rounded(double log, int per_decade) {
    const double exact = std::pow(10.0, log);
    const double digits = per_decade <= 40 ? 3 : 5;
    const double unit = std::pow(10.0, std::max(0.0, std::floor(log + 1e-9) - digits + 1));
    return Duration{std::llround(exact / unit) * std::llround(unit)};
}

}  // namespace

std::size_t DurationBins::find(Duration d) const {
    if (edges.empty() || d < edges.front() || d >= edges.back()) return counts.size();
    return static_cast<std::size_t>(std::ranges::upper_bound(edges, d) - edges.begin()) - 1;
}

double DurationBins::place(Duration d) const {
    const double first = log_of(edges.front());
    return (log_of(d) - first) / std::max(log_of(edges.back()) - first, 1e-12);
}

std::vector<Duration> DurationBins::ticks(std::size_t about) const {
    std::vector<Duration> ticks;
    if (edges.empty()) return ticks;
    const std::int64_t first = std::max<std::int64_t>(edges.front().count(), 1);
    const std::int64_t last = edges.back().count();
    if (last / first < 10) {  // less than a decade: equal steps of 1, 2 or 5
        const double wanted = static_cast<double>(last - first) / static_cast<double>(std::max<std::size_t>(about, 1));
        std::int64_t unit = 1;
        while (static_cast<double>(unit) * 10 <= wanted) unit *= 10;
        std::int64_t step = unit;
        for (const std::int64_t times : {2, 5, 10})
            if (static_cast<double>(step) < wanted) step = unit * times;
        for (std::int64_t t = (first + step - 1) / step * step; t <= last; t += step) ticks.emplace_back(t);
        return ticks;
    }
    const double decades = log_of(edges.back()) - log_of(edges.front());
    const bool between = decades * 3 <= static_cast<double>(about) + 1;  // room for 1, 2, 5
    const int skipped = std::max(1, static_cast<int>(std::ceil(decades / static_cast<double>(about))));
    int decade = 0;
    for (std::int64_t power = 1; power <= last && power > 0; power *= 10, ++decade) {
        if (decade % skipped != 0) continue;
        for (const std::int64_t times : {1, 2, 5})
            if ((times == 1 || between) && power * times >= first && power * times <= last)
                ticks.emplace_back(power * times);
        if (power > last / 10) break;
    }
    return ticks;
}

DurationBins count_durations(std::span<const Duration> durations) {
    DurationBins bins;
    if (durations.empty()) return bins;
    const auto [least, most] = std::ranges::minmax(durations);
    const double span = std::max(log_of(most) - log_of(least), 1e-9);
    int per_decade = 5;
    for (const int finer : {10, 20, 40, 100, 200, 400, 1000, kMostPerDecade})
        if (span * per_decade < kWantedBins / 2) per_decade = finer;
    if (least <= Duration{0}) bins.edges.emplace_back(0);
    for (auto k = static_cast<std::int64_t>(std::floor(log_of(least) * per_decade + 1e-9));; ++k) {
        const Duration edge = rounded(static_cast<double>(k) / per_decade, per_decade);
        if (bins.edges.empty() && edge > least) {  // rounded past the least
            k -= 2;
            continue;
        }
        if (bins.edges.empty() || edge > bins.edges.back()) bins.edges.push_back(edge);
        if (edge > most) break;
    }
    bins.counts.resize(bins.edges.size() - 1);
    for (const Duration d : durations) ++bins.counts[bins.find(d)];
    return bins;
}

}  // namespace core
