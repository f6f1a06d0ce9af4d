#pragma once
// The words about statistics, the same in the window, on the command line, in reports and for gates.

#include "core/diff/statistics/run_statistics.hpp"

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace core {

// The verdict on a row of a comparison or on a part of the step. What only one run has is not tested.
enum class RowVerdict : std::uint8_t { Regressed, Improved, Undecided, Same, Added, Removed };
inline constexpr std::array<RowVerdict, 6> kRowVerdicts = {RowVerdict::Regressed, RowVerdict::Improved,
                                                           RowVerdict::Undecided, RowVerdict::Same,
                                                           RowVerdict::Added,     RowVerdict::Removed};

std::string_view name_of(RowVerdict);  // in files and gates: "regressed", "added"
std::string_view words_of(RowVerdict);  // for readers: "regressed", "only in candidate"
std::string_view meaning_of(RowVerdict);  // a sentence

RowVerdict lone_verdict(Side);
RowVerdict verdict_of(const Tested&);
// presence: "both", "added" or "removed". Nothing for a row of both runs that was not tested.
std::optional<RowVerdict> verdict_of_row(std::string_view presence, const std::optional<Tested>&);

// "5%" or "5" as 0.05: a share from 0 to kMostShare.
Result<double> parse_percent(std::string_view text);
// "3" or "auto", as StatisticsOptions::warmup has it.
Result<std::int64_t> parse_warmup(std::string_view text);

// "step: improved 13.1 % (174.6 -> 151.7 ms, 95 % -30.7 to -15.1 ms, …) between these captures; one run each: …"
std::string describe_step(const StepStatistics&);
// "Step improved 13.1 % ± 4.4 between these captures", for a heading above that sentence.
std::string describe_step_briefly(const StepStatistics&);
// " between these captures", "ranks" or "steps": what a verdict holds for; of repeated runs nothing, because it holds
// for more than these.
std::string describe_between(Compares);
std::string describe_between(const StepStatistics&);
// The part of it that a chip or a heading shows: "improved 13.1 % ± 4.4", "undecided (can prove ≥ 7.01 %)", "same
// (within 1.00 %)", "only in candidate (not tested)".
std::string describe_verdict(const Tested&);
// Everything that is known of it, a line each as label and text: values, means, deviations, the tests, what they could
// see.
std::vector<std::pair<std::string, std::string>> explain_tested(const Tested&);
// A sentence for each thing that was dropped or that weakens the test.
std::vector<std::string> note_statistics(const StepStatistics&);
// "5 steps against 5, each on its slowest rank, without warm-up"
std::string note_sample(const StepStatistics&);
// "4 of 69 kernels changed between these captures", "none of 69 kernels changed …": nothing without tested rows.
std::string describe_rows(const RowStatistics&, std::string_view what);
// A line for each statistic that was tested by permutation: "permutation, median: 174.0 → 151.7 ms, p 0.0079 of all 252
// choices".
std::vector<std::string> describe_permutations(const StepStatistics&);

// "-30.67 to -15.15 ms"
std::string describe_interval(const stats::Interval& ns);
// "0.00043", "8.7e-08".
std::string format_p(double p);
// "7.01 %" of the baseline's mean, or nanoseconds where that is 0.
std::string format_detectable(const Tested&);

}  // namespace core
