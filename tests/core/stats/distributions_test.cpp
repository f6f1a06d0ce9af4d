// Values computed with 40 digits by another program.

#include "core/stats/distributions.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace core::stats;

namespace {

doctest::Approx to_12_digits(double value) { return doctest::Approx(value).epsilon(1e-12).scale(0); }

}  // namespace

TEST_CASE("tails and quantiles of t are exact to twelve digits, far out and for fractions of degrees of freedom") {
    CHECK(student_quantile(0.975, 5.655036259601533) == to_12_digits(2.48355349473410487));
    CHECK(student_quantile(0.8, 5.655036259601533) == to_12_digits(0.909887782129566071));
    CHECK(student_quantile(0.975, 5.779888741749547) == to_12_digits(2.469678383969724));
    CHECK(student_quantile(0.975, 1) == to_12_digits(12.7062047361747046));
    CHECK(student_quantile(0.975, 1.25) == to_12_digits(8.02795137725206151));
    CHECK(student_quantile(0.995, 30) == to_12_digits(2.74999565356722533));
    CHECK(student_quantile(0.975, 1e5) == to_12_digits(1.95998770753460964));
    CHECK(student_two_sided(2, 3) == to_12_digits(0.139325968558843177));
    CHECK(student_two_sided(-12.5, 4.5) == to_12_digits(0.000115223039737008097));
    CHECK(student_two_sided(40, 60) == to_12_digits(5.75548048662738271e-45));
    CHECK(student_two_sided(1e-3, 7) == to_12_digits(0.999230017244998844));
    CHECK(student_two_sided(300, 1.5) == to_12_digits(0.000145138881900946696));
    CHECK(student_two_sided(0, 2) == 1);
    CHECK(student_two_sided(std::numeric_limits<double>::infinity(), 2) == 0);
}

TEST_CASE("the normal distribution and F are exact to twelve digits") {
    CHECK(normal_two_sided(0.5) == to_12_digits(0.617075077451973793));
    CHECK(normal_two_sided(-1.96) == to_12_digits(0.0499957902964408724));
    CHECK(normal_two_sided(8) == to_12_digits(1.24419211485435682e-15));
    CHECK(normal_two_sided(30) == to_12_digits(9.81342785429637412e-198));
    CHECK(normal_quantile(0.025) == to_12_digits(-1.959963984540054));
    CHECK(f_upper(3.5, 2, 6.4) == to_12_digits(0.0939811082389470593));
    CHECK(f_upper(0.7, 3, 10) == to_12_digits(0.573189747001277353));
    CHECK(f_upper(50, 4, 12.5) == to_12_digits(1.40420715546686778e-7));
    CHECK(f_upper(0, 4, 12.5) == 1);
}
