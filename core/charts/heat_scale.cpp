#include "core/charts/heat_scale.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace core {
namespace {

constexpr double kUsual = 0.95;       // share of values that a scale must cover
constexpr double kFarBeyond = 3;      // multiples of the spread of those values

double value_at(std::vector<double>& values, double share) {
    const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::ranges::nth_element(values, values.begin() + at);
    return values[static_cast<std::size_t>(at)];
}

}  // namespace

double HeatScale::share(double value) const {
    if (!(high > low)) return 0.5;
    return std::clamp((value - low) / (high - low), 0.0, 1.0);
}

namespace {

HeatScale find_scale(std::span<const double> values, bool centred) {
    std::vector<double> finite;
    std::ranges::copy_if(values, std::back_inserter(finite), [](double value) { return std::isfinite(value); });
    if (finite.empty()) return {};
    const auto [least, most] = std::ranges::minmax(finite);
    HeatScale scale{.low = least, .high = most, .cut = false, .both_signs = centred || (least < 0 && most > 0)};
    if (scale.both_signs) {
        for (double& value : finite) value = std::abs(value);
        scale.high = std::max(-least, most);
        scale.low = 0;
    }
    const double usual = value_at(finite, kUsual);
    const double reach = scale.low + kFarBeyond * (usual - scale.low);
    scale.cut = usual > scale.low && scale.high > reach;
    if (scale.cut) scale.high = reach;
    if (scale.both_signs) scale.low = -scale.high;
    return scale;
}

}  // namespace

HeatScale find_heat_scale(std::span<const double> values) { return find_scale(values, false); }
HeatScale find_centred_heat_scale(std::span<const double> values) { return find_scale(values, true); }

}  // namespace core
