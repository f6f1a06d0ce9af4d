#include "core/stats/welch.hpp"

#include "core/stats/distributions.hpp"
#include "core/stats/sums.hpp"

#include <algorithm>
#include <cmath>

namespace core::stats {
namespace {

constexpr double kTwoSided95 = 0.975;
constexpr double kPower = 0.8;

std::optional<Interval> fieller(const Moments& b, const Moments& c, double t) {
    const double square = t * t;
    const double vb = b.mean_variance(), vc = c.mean_variance();
    const double leading = b.mean * b.mean - square * vb;
    if (!(leading > 0)) return std::nullopt;
    const double under_root = b.mean * b.mean * vc + c.mean * c.mean * vb - square * vb * vc;
    if (!(under_root >= 0)) return std::nullopt;
    const double half = t * std::sqrt(under_root) / leading;
    const double middle = b.mean * c.mean / leading;
    return Interval{middle - half, middle + half};
}

}  // namespace

std::optional<Welch> compare_means(const Moments& b, const Moments& c) {
    if (b.n < 2 || c.n < 2) return std::nullopt;
    Welch welch;
    welch.change = c.mean - b.mean;
    const double vb = b.mean_variance(), vc = c.mean_variance();
    welch.se = std::sqrt(vb + vc);
    if (!(welch.se > 0)) {
        welch.p = welch.change == 0 ? 1 : 0;
        welch.interval = {welch.change, welch.change};
        if (b.mean != 0) welch.ratio = Interval{c.mean / b.mean, c.mean / b.mean};
        return welch;
    }
    // Shares of the variance instead of its square, which may be too small for a double.
    const double share_b = vb / (vb + vc), share_c = vc / (vb + vc);
    const double df = 1 / (share_b * share_b / (b.effective() - 1) + share_c * share_c / (c.effective() - 1));
    const double reach = student_quantile(kTwoSided95, df);
    welch.t = welch.change / welch.se;
    welch.df = df;
    welch.p = student_two_sided(*welch.t, df);
    welch.interval = {welch.change - reach * welch.se, welch.change + reach * welch.se};
    welch.detectable = (reach + student_quantile(kPower, df)) * welch.se;
    welch.ratio = fieller(b, c, reach);
    return welch;
}

std::optional<double> compare_all_means(std::span<const Moments> samples) {
    const auto is_useless = [](const Moments& m) { return m.n < 2 || !(m.mean_variance() > 0); };
    if (samples.size() < 2 || std::ranges::any_of(samples, is_useless)) return std::nullopt;
    CompensatedSum weights, weighted;
    for (const Moments& m : samples) {
        weights.add(1 / m.mean_variance());
        weighted.add(m.mean / m.mean_variance());
    }
    const double k = static_cast<double>(samples.size());
    const double mean = weighted.value() / weights.value();
    CompensatedSum between, spread;
    for (const Moments& m : samples) {
        const double weight = 1 / m.mean_variance();
        const double rest = 1 - weight / weights.value();
        between.add(weight * (m.mean - mean) * (m.mean - mean));
        spread.add(rest * rest / (m.effective() - 1));
    }
    const double f = between.value() / (k - 1) / (1 + 2 * (k - 2) / (k * k - 1) * spread.value());
    return f_upper(f, k - 1, (k * k - 1) / (3 * spread.value()));
}

}  // namespace core::stats
