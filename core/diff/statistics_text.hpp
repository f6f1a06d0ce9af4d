#pragma once
// The words about statistics, the same in the window, on the command line, in reports and for gates.

#include "core/diff/run_statistics.hpp"

#include <string>
#include <utility>
#include <vector>

namespace core {

// "step: improved 13.1 % (174.6 -> 151.7 ms, 95 % -30.7 to -15.1 ms, …) between these captures; one run each: …"
std::string describe_step(const StepStatistics&);
// "Step improved 13.1 % ± 4.4 between these captures", for a heading above that sentence.
std::string describe_step_briefly(const StepStatistics&);
// " between these captures", "ranks" or "steps": what a verdict holds for; of repeated runs nothing, because it holds
// for more than these.
std::string describe_between(Compares);
std::string describe_between(const StepStatistics&);
// The part of it that a chip or a heading shows: "improved 13.1 % ± 4.4", "undecided (could see ≥ 7.01 %)", "same (within
// 1.00 %)".
std::string describe_verdict(const Tested&);
// Everything that is known of it, a line each as label and text: values, means, deviations, the tests, what they could see.
std::vector<std::pair<std::string, std::string>> explain_tested(const Tested&);
// A sentence for each thing that was dropped or that weakens the test.
std::vector<std::string> note_statistics(const StepStatistics&);
// "5 steps against 5, each on its slowest rank, without warm-up"
std::string note_sample(const StepStatistics&);
// "4 of 69 kernels changed", "none of 69 kernels changed": nothing without tested rows.
std::string describe_rows(const RowStatistics&, std::string_view what);

// "-30.67 to -15.15 ms"
std::string describe_interval(const stats::Interval& ns);
// "0.00043", "8.7e-08".
std::string format_p(double p);
// "7.01 %" of the baseline's mean, or nanoseconds where that is 0.
std::string format_detectable(const Tested&);

}  // namespace core
