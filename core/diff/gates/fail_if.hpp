#pragma once
// Conditions on a comparison that make a script fail.

#include "core/base/result.hpp"
#include "core/diff/statistics/run_statistics.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

enum class Relation : std::uint8_t { Greater, GreaterOrEqual, Less, LessOrEqual, Equal, NotEqual };

// Result of the test of a measure, or of the pseudo-measure `step`; see docs/statistics.md.
enum class TestField : std::uint8_t { Lo, Hi, Rlo, Rhi, P, Q, Holm, Delta, Detectable, N, Verdict };
inline constexpr std::size_t kTestFields = 11;
std::string_view name_of(TestField);  // "lo", "hi", "rlo", …

inline constexpr std::string_view kStepMeasure = "step";

struct Condition {
    std::string measure;  // or kStepMeasure
    Part part = Part::Candidate;
    std::optional<TestField> field{};  // instead of the part
    Relation relation = Relation::Greater;
    double limit = 0;    // in the column's own unit
    bool of_mean = false;  // the limit is a share of the baseline's mean
    std::string word{};  // of a verdict
    bool is_of_step() const { return measure == kStepMeasure; }
};
struct KeyCondition {
    std::string key;     // or "presence"
    std::string value;
};
// MEASURE[.baseline|.candidate|.change|.ratio|.FIELD] OP NUMBER[unit] [and|or …] [where KEY=VALUE [and KEY=VALUE …]]
// MEASURE.verdict = regressed|improved|same|undecided|added|removed
// A measure without a part means the candidate's; OP is one of > >= < <= == !=; `and` binds tighter than `or`. A plain
// number is in the column's own unit (ns, bytes, bytes/s, a count, 1 = 100 %). An absent cell satisfies no condition,
// not even !=. Verdicts of rows go by Holm's p. `where` accepts key columns and `presence`; quote values with blanks.
struct FailIf {
    std::string text;  // as written
    std::vector<std::vector<Condition>> any_of;  // disjunction of conjunctions
    std::vector<KeyCondition> where;  // conjunction
    bool is_of_step() const;  // reads nothing but the step, so that it holds once or not at all
};

// Checks against the columns of the analysis. Errors name the position: "at 7: no measure 'totl';
// did you mean total?"
Result<FailIf> parse_fail_if(std::string_view text, std::span<const Column> columns);

// Rows of the comparison that satisfy it; row 0 if it is of the step alone and holds. Fails if there are rows but none
// matches `where`, and if it asks for a test of a measure that is not tested.
Result<std::vector<std::size_t>> find_failing_rows(const FailIf&, const Comparison&, const RunStatistics* = nullptr);

// "rank 3, kernel gemm: total.ratio 1.25, total.change 1,200 ns": the keys and the values that the
// conditions read.
std::string describe_failing_row(const FailIf&, const Comparison&, std::size_t row, const RunStatistics* = nullptr);

}  // namespace core
