#include "core/stats/multiple_tests.hpp"

#include <algorithm>
#include <numeric>

namespace core::stats {
namespace {

std::vector<std::size_t> ascending(std::span<const double> p) {
    std::vector<std::size_t> order(p.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p[i]; });
    return order;
}

}  // namespace

std::vector<double> adjust_holm(std::span<const double> p) {
    std::vector<double> adjusted(p.size());
    double most = 0;
    std::size_t place = 0;
    for (const std::size_t i : ascending(p)) {
        most = std::max(most, std::min(1.0, static_cast<double>(p.size() - place) * p[i]));
        adjusted[i] = most;
        ++place;
    }
    return adjusted;
}

std::vector<double> adjust_benjamini_hochberg(std::span<const double> p) {
    std::vector<double> adjusted(p.size());
    const std::vector<std::size_t> order = ascending(p);
    double least = 1;
    for (std::size_t place = order.size(); place-- > 0;) {
        const double scaled = p[order[place]] * static_cast<double>(p.size()) / static_cast<double>(place + 1);
        least = std::min(least, scaled);
        adjusted[order[place]] = least;
    }
    return adjusted;
}

}  // namespace core::stats
