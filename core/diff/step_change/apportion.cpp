#include "core/diff/step_change/apportion.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>

namespace core {

std::vector<std::int64_t> apportion_means(const std::vector<Wide>& sums, std::int64_t count) {
    const Wide total = std::accumulate(sums.begin(), sums.end(), Wide{0});
    std::vector<std::int64_t> means;
    means.reserve(sums.size());
    Wide given = 0;
    for (const Wide sum : sums) {
        means.push_back(clamped(sum / count));
        given += means.back();
    }
    std::vector<std::size_t> order(sums.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t i) { return sums[i] % count; });
    const auto missing = static_cast<std::size_t>(rounded_mean(total, count) - given);
    assert(missing <= order.size());
    for (std::size_t i = 0; i < missing; ++i) ++means[order[i]];
    return means;
}

}  // namespace core
