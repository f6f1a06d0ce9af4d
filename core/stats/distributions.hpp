#pragma once
// The distributions that the tests need, exact to 1e-12 relative. `df` is any positive number of degrees of freedom.

namespace core::stats {

// Probability that |T| is at least |t|.
double student_two_sided(double t, double df);
// The t that T stays below with this probability, which lies between 0 and 1.
double student_quantile(double probability, double df);
// Probability that |Z| is at least |z|.
double normal_two_sided(double z);
double normal_quantile(double probability);
// Probability that F is at least f.
double f_upper(double f, double df1, double df2);

}  // namespace core::stats
