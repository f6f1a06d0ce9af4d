#include "core/stats/distributions.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/erf.hpp>

#include <cmath>
#include <numbers>

namespace core::stats {
namespace {

namespace bm = boost::math;
// Nothing throws: out of range gives infinity or the nearest number.
using Policy = bm::policies::policy<
    bm::policies::domain_error<bm::policies::ignore_error>, bm::policies::pole_error<bm::policies::ignore_error>,
    bm::policies::overflow_error<bm::policies::ignore_error>, bm::policies::underflow_error<bm::policies::ignore_error>,
    bm::policies::denorm_error<bm::policies::ignore_error>, bm::policies::evaluation_error<bm::policies::ignore_error>,
    bm::policies::rounding_error<bm::policies::ignore_error>,
    bm::policies::indeterminate_result_error<bm::policies::ignore_error>, bm::policies::promote_double<false>>;
using StudentT = bm::students_t_distribution<double, Policy>;

}  // namespace

double student_two_sided(double t, double df) {
    if (t == 0) return 1;
    if (std::isinf(t)) return 0;
    return 2 * bm::cdf(StudentT(df), -std::abs(t));
}

double student_quantile(double probability, double df) { return bm::quantile(StudentT(df), probability); }

double normal_two_sided(double z) { return bm::erfc(std::abs(z) / std::numbers::sqrt2, Policy()); }

double normal_quantile(double probability) { return -std::numbers::sqrt2 * bm::erfc_inv(2 * probability, Policy()); }

double f_upper(double f, double df1, double df2) {
    if (!(f > 0)) return 1;
    if (std::isinf(f)) return 0;
    return bm::ibeta(df2 / 2, df1 / 2, df2 / (df2 + df1 * f), Policy());
}

}  // namespace core::stats
